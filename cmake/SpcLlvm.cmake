# LLVM's archives in place of its shared library, for executables that ask for them.
#
# MLIR's and lld's archives carry the shared library in their targets, and two LLVMs in a process end it. What they carry
# is therefore chosen by what links them: an executable with the property SPC_HAS_LLVM_ARCHIVES has the archives. The dynamic
# loader takes longer for the shared library and what that needs (ICU for XML among them) than for all else that spc does at
# its start; tests, of which there are many executables, do with the shared one.
option(SPC_LLVM_ARCHIVES "Link spc with LLVM's archives where they are installed" ON)

if(NOT TARGET LLVMCore)
  set(SPC_LLVM_ARCHIVES OFF)
endif()

# spc_llvm: the one or the other. What of LLVM the archives' users do not name themselves comes with these.
add_library(spc_llvm INTERFACE)
if(NOT SPC_LLVM_ARCHIVES)
  target_link_libraries(spc_llvm INTERFACE LLVM)
else()
  set(components Passes OrcJIT MCDisassembler AsmParser BitReader BitWriter Linker LTO DTLTO)
  foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
    list(APPEND components ${target}CodeGen ${target}Desc ${target}Info ${target}AsmParser)
  endforeach()
  list(TRANSFORM components PREPEND LLVM)
  set(archives)
  foreach(component IN LISTS components)
    if(TARGET ${component}) # not each backend has a parser
      list(APPEND archives ${component})
    endif()
  endforeach()
  # Polly's archive is in a package of its own.
  add_library(spc_no_polly STATIC ${CMAKE_CURRENT_LIST_DIR}/polly/no_polly.cpp)
  target_include_directories(spc_no_polly SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  add_library(spc_llvm_archives INTERFACE)
  target_link_libraries(spc_llvm_archives INTERFACE ${archives})
  target_link_libraries(spc_llvm
                        INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:SPC_HAS_LLVM_ARCHIVES>>,spc_llvm_archives,LLVM>)
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS imported)
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(TRANSFORM links REPLACE "^Polly$" spc_no_polly)
      list(TRANSFORM links REPLACE "^LLVM$" spc_llvm)
      list(TRANSFORM links REPLACE "^zstd::libzstd_shared$" "${SPC_ZSTD_LIBRARY}")
      # Some are named by their place on the system that built LLVM.
      list(TRANSFORM links REPLACE "^/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/" "${CMAKE_SYSROOT}\\0")
      set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endforeach()
endif()

# spc_link_llvm_archives(target): the executable has LLVM's archives, and of these what it needs. It has libstdc++'s archive,
# too, so that the C library alone decides on which systems it runs.
function(spc_link_llvm_archives target)
  if(SPC_LLVM_ARCHIVES)
    set_target_properties(${target} PROPERTIES SPC_HAS_LLVM_ARCHIVES ON)
    target_link_options(${target} PRIVATE -Wl,--gc-sections -Wl,--as-needed -static-libstdc++)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/glibc/arc4random.cpp)
  endif()
endfunction()
