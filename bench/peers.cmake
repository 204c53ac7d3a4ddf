# Peers that PyPI has: those of python/requirements-peers.txt, in an environment that `bench/run --peers` makes. Defines
# SPC_MKL_INCLUDE and SPC_MKL_LIBRARIES, and SPC_GRAPHBLAS_LIBRARY of that environment in place of Debian's; the header
# is Debian's, whose declarations the bench uses of are those of the newer library.
set(SPC_BENCH_PEERS "" CACHE PATH "An environment with peers of the benchmarks from PyPI")
if(NOT SPC_BENCH_PEERS)
  return()
endif()

find_path(SPC_MKL_INCLUDE mkl_spblas.h HINTS ${SPC_BENCH_PEERS}/include NO_DEFAULT_PATH)
set(SPC_MKL_LIBRARIES)
foreach(part intel_lp64 gnu_thread core)
  file(GLOB found ${SPC_BENCH_PEERS}/lib/libmkl_${part}.so.*)
  list(APPEND SPC_MKL_LIBRARIES ${found})
endforeach()

# The library comes with GNU's OpenMP under a name of its own. Beside a link to the system's it has the same threads as
# the other contenders.
find_library(SPC_GOMP_LIBRARY libgomp.so.1)
file(GLOB bundled ${SPC_BENCH_PEERS}/lib/python3*/site-packages/suitesparse_graphblas.libs/*.so.*)
set(links ${CMAKE_CURRENT_BINARY_DIR}/peers)
file(MAKE_DIRECTORY ${links})
foreach(library ${bundled})
  get_filename_component(name ${library} NAME)
  if(name MATCHES "^libgomp")
    set(library ${SPC_GOMP_LIBRARY})
  elseif(name MATCHES "^libgraphblas")
    set(SPC_GRAPHBLAS_LIBRARY ${links}/${name})
  endif()
  file(CREATE_LINK ${library} ${links}/${name} SYMBOLIC)
endforeach()
