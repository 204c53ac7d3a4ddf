// Generated headers in the hands of C and C++ programs.
#include "abi/header.h"
#include "compilers.h"
#include "fixtures.h"
#include "storages.h"

#include <catch2/catch.hpp>

#include <set>

using namespace spc;
using namespace spc::abi;
using namespace spc::abi::test;
using format::IndexType;

namespace {

const std::string kWarnings = " -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror";
const std::string kClients = SPC_SOURCE_DIR "/tests/abi/clients/";

void writeKernelHeaders(const std::string &folder) {
  SourceManager sources;
  for (const sema::Kernel &kernel : {sddmm(sources), scaledSpmv(sources), csfProduct(sources), sharedParts(sources)})
    writeFile(folder + "/" + kernel.function + ".h", writeHeader(makeSignature(kernel), kernel));
}

/// One header with many types, as if one kernel used them all.
void writeTypesHeader(const std::string &path) {
  using enum IndexType;
  std::vector<format::Format> formats;
  for (const char *letters : {"dc", "cc", "c", "cs", "css", "ccc", "dcc", "cdc", "cd", "dcd", "ddc", "cccccccc", "d",
                              "dd", "ddd", "csssssss", "dddddddd"})
    formats.push_back(makeFormat(letters));
  formats.push_back(makeFormat("dc", {1, 0}));
  formats.push_back(makeFormat("cc", {1, 0}));
  formats.push_back(makeFormat("dd", {1, 0}));
  formats.push_back(makeFormat("ddd", {2, 0, 1}));
  formats.push_back(makeFormat("ccc", {2, 0, 1}));
  formats.push_back(makeFormat("dc", {}, I64, I32));
  formats.push_back(makeFormat("dc", {}, I64, I64));
  formats.push_back(makeFormat("cs", {}, I64, I64));
  formats.push_back(makeFormat("dc"));
  formats.back().levels[1].ordered = false;
  std::string text(commonText());
  for (const format::Format &format : formats)
    text += typeSection(structFor(format, sema::ValueType::F64));
  for (const char *letters : {"dc", "dd"})
    text += typeSection(structFor(makeFormat(letters), sema::ValueType::F32));
  writeFile(path, text);
}

/// The types that clients/levels.c checks.
std::vector<StructType> checkedStorages() {
  using enum IndexType;
  using format::Extent;
  using format::Storage;
  using format::Symmetry;
  format::Format shifted = ragged(Storage::Dense, Extent::Ragged), band = triangle(Symmetry::Lower);
  shifted.levels[1].start = {0, 1, 0};
  band.levels[1].length = {3, 0, 0};
  band.levels[1].start = {1, 0, 0};
  format::Format repeated = makeFormat("dc"), sorted = grouped(2, 4);
  repeated.levels[1].unique = false;
  const format::Format bytes = withTypes(ragged(Storage::Dense, Extent::Lengths), U8, U8);
  std::vector<StructType> types;
  for (const format::Format &format : {ell(2),
                                       ell({}),
                                       ell(2, true),
                                       ragged(Storage::Compressed, Extent::Lengths),
                                       ragged(Storage::Dense, Extent::Ragged),
                                       ragged(Storage::Dense, Extent::Lengths),
                                       bytes,
                                       shifted,
                                       triangle(Symmetry::Lower),
                                       triangle(Symmetry::Upper),
                                       band,
                                       blocks(Extent::Ragged, 2, 2),
                                       sorted,
                                       diagonals(),
                                       interleaved(makeFormat("cs")),
                                       repeated,
                                       withTypes(makeFormat("dc"), U16, U8),
                                       withTypes(makeFormat("dc"), U8, U8),
                                       symmetric(makeFormat("dc"), Symmetry::Lower),
                                       symmetric(makeFormat("dc", {1, 0}), Symmetry::Upper),
                                       symmetric(makeFormat("cs"), Symmetry::Lower),
                                       symmetric(blocks(Extent::Ragged, 2, 2), Symmetry::Lower),
                                       symmetric(diagonals(), Symmetry::Lower),
                                       symmetric(ragged(Storage::Dense, Extent::Ragged), Symmetry::Lower),
                                       symmetric(ell(2), Symmetry::Upper),
                                       symmetric(triangle(Symmetry::Lower), Symmetry::Lower),
                                       symmetric(triangle(Symmetry::Upper), Symmetry::Upper)})
    types.push_back(structFor(format, sema::ValueType::F64));
  return types;
}

/// Several hundred types of the algebra, every value type among them.
std::vector<StructType> variousStorages() {
  const std::vector<format::Format> formats = manyFormats();
  std::vector<StructType> types;
  for (size_t f = 0; f < formats.size(); f += 1 + formats.size() / 400)
    types.push_back(structFor(formats[f], sema::kValueTypes[types.size() % std::size(sema::kValueTypes)]));
  return types;
}

void writeStoragesHeader(const std::string &path, const std::vector<StructType> &types) {
  std::string text(commonText());
  for (const StructType &type : types)
    text += typeSection(type);
  writeFile(path, text);
}

/// Compiles `client` with every compiler and runs it; prints what the program has to say.
void buildAndRun(const std::string &client, const std::string &folder, const std::string &options,
                 const Compiler &compiler) {
  const std::string program = folder + "/client";
  const Outcome build = runCommand(compiler.command + kWarnings + options + " -I" + quote(folder) + " " +
                                   quote(kClients + client) + " -o " + quote(program) + " -lm");
  INFO(compiler.command << options << "\n" << build.output);
  REQUIRE(build.status == 0);
  const Outcome run = runCommand(quote(program));
  INFO(run.output);
  CHECK(run.status == 0);
}

} // namespace

TEST_CASE("generated headers compile alone and together, used or not") {
  const std::string folder = workFolder("headers");
  writeKernelHeaders(folder);
  writeTypesHeader(folder + "/types.h");
  writeFile(folder + "/alone.c", "#include \"sddmm.h\"\nint unused;\n");
  writeFile(folder + "/together.c",
            "#include \"spmv.h\"\n#include \"sddmm.h\"\n#include \"csf_product.h\"\n"
            "#include \"types.h\"\n#include \"shared_parts.h\"\n#include \"spmv.h\"\nint unused;\n");
  for (const Compiler &compiler : compilers())
    for (const char *source : {"alone.c", "together.c"})
      for (const char *level : {" -O0", " -O2"}) {
        const Outcome outcome = runCommand(compiler.command + kWarnings + level + " -c " +
                                           quote(folder + "/" + source) + " -o " + quote(folder + "/out.o"));
        INFO(compiler.command << level << " " << source << "\n" << outcome.output);
        CHECK(outcome.status == 0);
      }
}

TEST_CASE("headers of differing versions refuse each other") {
  const std::string folder = workFolder("versions");
  writeKernelHeaders(folder);
  std::string other(commonText());
  const std::string version = "#define SPC_ABI_VERSION ";
  other.replace(other.find(version), version.size() + 1, version + "4");
  writeFile(folder + "/other.h", other);
  writeFile(folder + "/mixed.c", "#include \"other.h\"\n#include \"sddmm.h\"\n");
  for (const Compiler &compiler : compilers()) {
    const Outcome outcome =
        runCommand(compiler.command + " -c " + quote(folder + "/mixed.c") + " -o " + quote(folder + "/out.o"));
    CHECK(outcome.status != 0);
    CHECK(outcome.output.find("different versions of spc") != std::string::npos);
  }
}

TEST_CASE("validators accept valid structures and name what is wrong with others") {
  const std::string folder = workFolder("validators");
  writeTypesHeader(folder + "/types.h");
  for (const Compiler &compiler : compilers()) {
    const std::string checks = compiler.isGcc ? " -fsanitize=address,undefined -fno-sanitize-recover=all" : "";
    buildAndRun("validators.c", folder, " -g" + checks, compiler);
  }
}

TEST_CASE("the plain function passes the default context, with OpenMP's threads where the program has them") {
  const std::string folder = workFolder("context");
  writeKernelHeaders(folder);
  SourceManager sources;
  const std::string symbols = " -DSPMV=" + makeSignature(test::scaledSpmv(sources)).symbol() +
                              " -DSDDMM=" + makeSignature(test::sddmm(sources)).symbol();
  for (const Compiler &compiler : compilers()) {
    buildAndRun("context.c", folder, symbols, compiler);
    if (compiler.isGcc)
      buildAndRun("context.c", folder, symbols + " -fopenmp", compiler);
  }
}

TEST_CASE("validators know each kind of level") {
  const std::string folder = workFolder("levels");
  writeStoragesHeader(folder + "/storages.h", checkedStorages());
  for (const Compiler &compiler : compilers()) {
    const std::string checks = compiler.isGcc ? " -fsanitize=address,undefined -fno-sanitize-recover=all" : "";
    buildAndRun("levels.c", folder, " -g" + checks, compiler);
  }
}

TEST_CASE("structs of the whole algebra compile") {
  const std::string folder = workFolder("storages");
  const std::vector<StructType> types = variousStorages();
  writeStoragesHeader(folder + "/storages.h", types);
  std::string text = "#include \"storages.h\"\nint main(void) {\n  int failures = 0;\n";
  std::set<std::string> used;
  for (const StructType &type : types)
    if (used.insert(type.name).second)
      text += "  { " + type.name + " t; memset(&t, 0, sizeof t); failures += " + type.name +
              "_validate(NULL) != SPC_ERROR_NULL; (void)" + type.name + "_validate(&t); }\n";
  CHECK(used.size() > 300);
  writeFile(folder + "/all.c", text + "  return failures;\n}\n");
  for (const Compiler &compiler : compilers()) {
    const Outcome outcome = runCommand(compiler.command + kWarnings + " " + quote(folder + "/all.c") + " -o " +
                                       quote(folder + "/all") + " && " + quote(folder + "/all"));
    INFO(compiler.command << "\n" << outcome.output);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("half-precision numbers convert exactly or to the nearest, complex ones are C's and C++'s") {
  const std::string folder = workFolder("values");
  writeKernelHeaders(folder);
  for (const Compiler &compiler : compilers())
    buildAndRun("values.c", folder, compiler.isGcc ? " -fsanitize=undefined -fno-sanitize-recover=all" : "", compiler);
}
