# Writes OUTPUT, C++ that defines bitcodeFor() over the files <FOLDER>/<architecture>.bc of each of ARCHITECTURES.
set(arrays "")
set(cases "")
foreach(architecture ${ARCHITECTURES})
  file(READ ${FOLDER}/${architecture}.bc bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "alignas(4) constexpr unsigned char ${architecture}[] = {${bytes}};\n")
  string(APPEND cases "  if (architecture == \"${architecture}\")\n"
                      "    return {reinterpret_cast<const char *>(${architecture}), sizeof(${architecture})};\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"runtime/bitcode.h\"\n\nnamespace {\n${arrays}} // namespace\n\n"
  "std::string_view spc::runtime::bitcodeFor(std::string_view architecture) {\n${cases}  return {};\n}\n")
