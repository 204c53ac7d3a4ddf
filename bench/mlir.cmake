# Kernels through MLIR's own pipeline, as it comes.
find_program(SPC_MLIR_OPT NAMES mlir-opt mlir-opt-22 HINTS ${LLVM_TOOLS_BINARY_DIR})
find_program(SPC_MLIR_TRANSLATE NAMES mlir-translate mlir-translate-22 HINTS ${LLVM_TOOLS_BINARY_DIR})
find_program(SPC_CLANG NAMES clang clang-22 HINTS ${LLVM_TOOLS_BINARY_DIR})

include(CheckCXXSymbolExists)
set(CMAKE_REQUIRED_FLAGS -march=native)
check_cxx_symbol_exists(__AVX512F__ "cstddef" SPC_HAS_AVX512)
check_cxx_symbol_exists(__AVX__ "cstddef" SPC_HAS_AVX)
unset(CMAKE_REQUIRED_FLAGS)
if(SPC_HAS_AVX512)
  set(SPC_VECTOR_BITS 512)
elseif(SPC_HAS_AVX)
  set(SPC_VECTOR_BITS 256)
else()
  set(SPC_VECTOR_BITS 128)
endif()

# spc_bench_mlir(list kernel...): appends to the list named `list` the objects of each mlir/<kernel>.mlir.in for f64 and
# f32, with loops as they come and with vectors as wide as this machine's: mlir_<kernel>_<type>_scalar and ..._vector.
function(spc_bench_mlir list_name)
  foreach(kernel ${ARGN})
    foreach(type f64 f32)
      string(SUBSTRING ${type} 1 2 bits)
      math(EXPR lanes "${SPC_VECTOR_BITS} / ${bits}")
      foreach(variant scalar vector)
        set(name mlir_${kernel}_${type}_${variant})
        set(file ${generated}/${name})
        set(width 0)
        if(variant STREQUAL "vector")
          set(width ${lanes})
        endif()
        set(symbol "@${name}")
        configure_file(mlir/${kernel}.mlir.in ${file}.mlir @ONLY)
        # Helpers that the pipeline makes have the same names in every object.
        add_custom_command(
          OUTPUT ${file}.o
          COMMAND ${SPC_MLIR_OPT} ${file}.mlir -o ${file}.llvm.mlir
                  "--sparsifier=enable-runtime-library=false vl=${width} reassociate-fp-reductions=true"
          COMMAND ${SPC_MLIR_TRANSLATE} --mlir-to-llvmir ${file}.llvm.mlir -o ${file}.ll
          COMMAND ${SPC_CLANG} -O3 -march=native -fPIC -w -c ${file}.ll -o ${file}.o
          COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=_mlir_ciface_${name} ${file}.o
          DEPENDS ${file}.mlir VERBATIM)
        list(APPEND objects ${file}.o)
      endforeach()
    endforeach()
  endforeach()
  set(${list_name} ${${list_name}} ${objects} PARENT_SCOPE)
endfunction()
