# One static library a stage, and one Catch2 executable a stage's tests.

find_program(SPC_CCACHE ccache)
if(SPC_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${SPC_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SPC_CCACHE})
endif()

find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(ZLIB REQUIRED)

if(NOT SPC_FRONT_ONLY)
  find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir)
  set(SPC_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})
endif()

# spc_stage(name [MLIR] [DEPENDS stages...] [LINK libraries...]): the library spc_<name> from every .cpp file of this folder.
function(spc_stage name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(sources)
    add_library(spc_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(spc_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(spc_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM ARG_DEPENDS PREPEND spc_)
  target_link_libraries(spc_${name} ${scope} ${ARG_DEPENDS} ${ARG_LINK})
  if(sources)
    spc_warnings(spc_${name})
    if(ARG_MLIR)
      spc_use_mlir(spc_${name})
      spc_precompile_mlir(spc_${name})
    endif()
  endif()
endfunction()

function(spc_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict) # false alarms in g++ 12 (PR105651)
  endif()
endfunction()

# LLVM and MLIR headers as system headers, so that their warnings stay theirs.
function(spc_use_mlir target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PRIVATE ${definitions})
  target_compile_options(${target} PRIVATE -Wno-unused-parameter -Wno-pedantic)
endfunction()

# Reading MLIR's headers takes 12 of the 13 seconds that a typical file of a pass needs: they are read once, for the
# first stage that needs them and for all that are compiled in the same way.
function(spc_precompile_mlir target)
  get_property(owner GLOBAL PROPERTY SPC_MLIR_HEADERS)
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  set_property(GLOBAL PROPERTY SPC_MLIR_HEADERS ${target})
  target_precompile_headers(${target} PRIVATE
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/SparseTensor/IR/SparseTensor.h> <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/IR/ImplicitLocOpBuilder.h>)
endfunction()

# spc_test(name [MLIR] LINK libraries...): <name>_tests from every .cpp file of this folder, registered with ctest.
function(spc_test name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_tests ${sources})
  target_link_libraries(${name}_tests PRIVATE spc_catch_main ${ARG_LINK})
  target_include_directories(${name}_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_tests PRIVATE SPC_SOURCE_DIR="${CMAKE_SOURCE_DIR}" SPC_BINARY_DIR="${CMAKE_BINARY_DIR}")
  spc_warnings(${name}_tests)
  if(ARG_MLIR)
    spc_use_mlir(${name}_tests)
  endif()
  add_test(NAME ${name} COMMAND ${name}_tests)
endfunction()
