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
find_library(SPC_ZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED) # the archive: not each system has the library

if(NOT SPC_FRONT_ONLY)
  find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir)
  find_package(LLD ${LLVM_PACKAGE_VERSION} EXACT CONFIG QUIET HINTS ${LLVM_DIR}/../lld) # optional: links shared libraries
  set(SPC_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  set(MLIR_TABLEGEN_EXE mlir-tblgen)
  if(CMAKE_CROSSCOMPILING) # the one that the packages bring is for the other machine
    find_program(SPC_MLIR_TBLGEN NAMES mlir-tblgen-22 REQUIRED)
    set(MLIR_TABLEGEN_EXE ${SPC_MLIR_TBLGEN})
  endif()
  include(SpcLlvm)
endif()

# Headers that are compiled once, for all targets that are compiled in the same way.
set(SPC_STANDARD_HEADERS <algorithm> <array> <chrono> <cmath> <complex> <cstdint> <deque> <filesystem> <functional> <limits>
    <map> <memory> <numeric> <optional> <set> <sstream> <string> <string_view> <utility> <variant> <vector>)
set(SPC_QUICK_HEADERS ${SPC_STANDARD_HEADERS})
set(SPC_LIGHT_HEADERS ${SPC_STANDARD_HEADERS})
set(SPC_MLIR_HEADERS <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Bufferization/IR/Bufferization.h>
    <mlir/Dialect/Complex/IR/Complex.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/SparseTensor/IR/SparseTensor.h> <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/ImplicitLocOpBuilder.h>
    <mlir/IR/Matchers.h> <mlir/Pass/Pass.h>)
set(SPC_HARNESS_HEADERS ${SPC_STANDARD_HEADERS} ${CMAKE_SOURCE_DIR}/tests/harness/kernel_under_test.h)
set(SPC_TEST_HEADERS <catch2/catch.hpp> ${SPC_HARNESS_HEADERS})
set(SPC_LONG_TEST_HEADERS ${SPC_TEST_HEADERS} ${CMAKE_SOURCE_DIR}/tests/end_to_end/expressions.h)

# spc_precompile(target set): the headers SPC_<set>_HEADERS, read once by the first target that asks for them. Executables are
# compiled as the libraries are whose headers they take.
function(spc_precompile target set)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE AND set MATCHES "^(MLIR|HARNESS)$")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  get_property(owner GLOBAL PROPERTY SPC_${set}_OWNER)
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  set_property(GLOBAL PROPERTY SPC_${set}_OWNER ${target})
  target_precompile_headers(${target} PRIVATE ${SPC_${set}_HEADERS})
endfunction()

# spc_quick_build(target): a Release build leaves it as it is written, in half of the time: for what takes a small part of
# the time of a run, as LLVM takes that of a compilation, and what they test that of tests.
function(spc_quick_build target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# spc_light_build(target): a Release build optimises it at -O1, and inlines what is small, in two thirds of the time: for
# code that branches and looks up, and gains little from more.
function(spc_light_build target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
    $<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,Clang>>:SHELL:-mllvm -inline-threshold=50>)
endfunction()

# spc_optimised_first(target): links what the target links of stages that are optimised before its own objects, which are not.
# The linker takes the first copy that it meets of an inline function of the standard library, for all: with those
# compiled at -O0 the tests of sema take half as long again, and a compilation of SDDMM at -O0 an eighth more.
function(spc_optimised_first target)
  get_target_property(left ${target} LINK_LIBRARIES)
  set(seen "")
  set(LONG "")
  set(LIGHT "")
  while(left)
    list(POP_FRONT left library)
    if(NOT TARGET ${library} OR library IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${library})
    get_target_property(below ${library} INTERFACE_LINK_LIBRARIES)
    if(below)
      list(APPEND left ${below})
    endif()
    get_target_property(kind ${library} SPC_OPTIMISED)
    if(kind)
      list(APPEND ${kind} $<TARGET_FILE:${library}>)
    endif()
  endwhile()
  set(stages ${LONG} ${LIGHT})
  if(stages)
    list(JOIN stages " " stages)
    target_link_options(${target} PRIVATE "SHELL:-Wl,--whole-archive ${stages} -Wl,--no-whole-archive")
  endif()
endfunction()

# spc_stage(name [MLIR|LLVM|LIGHT|LONG] [UNITS files] [DEPENDS stages...] [LINK libraries...]): the library spc_<name> from
# every .cpp file below this folder. MLIR, LLVM: what the stage includes. LONG: it loops over numbers, and is optimised as far
# as can be. LIGHT: optimised as MLIR's users are; what has none of these is not. UNITS: how many files a unity unit holds.
# Stages that include LLVM are always optimised: the linker takes their copies of LLVM's inline functions for LLVM's own, too,
# and kernels would take a tenth longer to compile.
function(spc_stage name)
  cmake_parse_arguments(ARG "MLIR;LLVM;LIGHT;LONG" "UNITS" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(spc_${name} STATIC ${sources})
  target_include_directories(spc_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM ARG_DEPENDS PREPEND spc_)
  target_link_libraries(spc_${name} PUBLIC ${ARG_DEPENDS} ${ARG_LINK})
  spc_warnings(spc_${name})
  if(ARG_MLIR OR ARG_LLVM)
    spc_use_llvm(spc_${name})
  endif()
  if(ARG_UNITS)
    set_target_properties(spc_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARG_UNITS})
  endif()
  if(ARG_MLIR)
    spc_light_build(spc_${name})
    spc_precompile(spc_${name} MLIR)
  elseif(ARG_LLVM)
    spc_light_build(spc_${name})
  elseif(ARG_LIGHT)
    spc_light_build(spc_${name})
    spc_precompile(spc_${name} LIGHT)
    set_target_properties(spc_${name} PROPERTIES SPC_OPTIMISED LIGHT)
  elseif(ARG_LONG)
    spc_precompile(spc_${name} STANDARD)
    set_target_properties(spc_${name} PROPERTIES SPC_OPTIMISED LONG)
  else()
    spc_quick_build(spc_${name})
    spc_precompile(spc_${name} QUICK)
  endif()
endfunction()

# spc_tablegen(source output flags...): what mlir-tblgen writes of a file of this folder, into the same folder of the build.
macro(spc_tablegen source output)
  set(LLVM_TARGET_DEFINITIONS ${source})
  mlir_tablegen(${output} ${ARGN} EXTRA_INCLUDES ${MLIR_INCLUDE_DIRS} ${CMAKE_SOURCE_DIR}/src)
endmacro()

# spc_generates(target): what the calls of spc_tablegen before it write, as a target; spc_generated is all of these.
add_custom_target(spc_generated)
macro(spc_generates target)
  add_public_tablegen_target(${target})
  add_dependencies(spc_generated ${target})
endmacro()

function(spc_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
    -Werror=switch) # what an enumerator that is added concerns
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # libstdc++ 12's own use of what it deprecates, seen where clang takes its headers from a precompiled one.
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict) # false alarms in g++ 12 (PR105651)
  endif()
endfunction()

# LLVM and MLIR headers as system headers, so that their warnings stay theirs.
function(spc_use_llvm target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PRIVATE ${definitions})
  target_compile_options(${target} PRIVATE -Wno-unused-parameter -Wno-pedantic)
endfunction()

# spc_test_settings(target): what all executables and libraries of the tests are compiled with.
function(spc_test_settings target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${target} PRIVATE SPC_SOURCE_DIR="${CMAKE_SOURCE_DIR}" SPC_BINARY_DIR="${CMAKE_BINARY_DIR}")
  spc_warnings(${target})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wno-c2y-extensions -Wno-missing-braces) # Catch's __COUNTER__
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 40)
endfunction()

# spc_harness(target): a library or a program of the tests without Catch2 is optimised lightly, as what it loops over is small,
# and takes the headers that most of them include precompiled.
function(spc_harness target)
  spc_test_settings(${target})
  spc_light_build(${target})
  spc_precompile(${target} HARNESS)
endfunction()

# spc_quick_test(target): a program of Catch2 tests that are not optimised, unlike what they test.
function(spc_quick_test target)
  spc_quick_build(${target})
  spc_precompile(${target} TEST)
  spc_optimised_first(${target})
endfunction()

# spc_test_executable(name [MLIR] [LONG] LINK libraries...): <name>_tests from every .cpp file of this folder. LONG: its
# own code takes long unless it is optimised. MLIR: it includes MLIR, and is compiled as stages that do are.
function(spc_test_executable name)
  cmake_parse_arguments(ARG "MLIR;LONG" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name}_tests ${sources})
  target_link_libraries(${name}_tests PRIVATE spc_catch_main ${ARG_LINK})
  spc_test_settings(${name}_tests)
  if(ARG_MLIR)
    spc_use_llvm(${name}_tests)
    spc_light_build(${name}_tests)
    spc_precompile(${name}_tests MLIR)
  elseif(ARG_LONG)
    spc_light_build(${name}_tests)
    spc_precompile(${name}_tests LONG_TEST)
  else()
    spc_quick_test(${name}_tests)
  endif()
endfunction()

# spc_test(name [MLIR] [LONG] LINK libraries...): the same, registered with ctest.
function(spc_test name)
  spc_test_executable(${name} ${ARGN})
  add_test(NAME ${name} COMMAND ${name}_tests)
endfunction()
