// Functions that are compiled for each width of vectors and chosen by the processor that they run on: a build for any
// processor measures what this one can.
#pragma once

#if defined(__x86_64__)
#define SPC_FOR_AVX512 __attribute__((target("avx512f")))
#define SPC_FOR_AVX __attribute__((target("avx,fma")))
#else
#define SPC_FOR_AVX512
#define SPC_FOR_AVX
#endif

namespace spc::machine {

/// Bytes of the widest vectors with multiply-adds: 64 (to be used in functions that are SPC_FOR_AVX512), 32
/// (SPC_FOR_AVX) or 16 (any).
inline int vectorBytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return 64;
  if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("fma"))
    return 32;
#endif
  return 16;
}

/// A vector of numbers of type T.
template <class T, int Bytes> struct VectorOf {
  typedef T Type __attribute__((vector_size(Bytes))); // g++ takes no template parameter in an alias
};

/// `Pass::run<Bytes>(arguments...)`, an always_inline function, on the widest vectors.
template <class Pass, class... Arguments> SPC_FOR_AVX512 void runOn64(Arguments &...arguments) {
  Pass::template run<64>(arguments...);
}
template <class Pass, class... Arguments> SPC_FOR_AVX void runOn32(Arguments &...arguments) {
  Pass::template run<32>(arguments...);
}
template <class Pass, class... Arguments> void runOnVectors(Arguments &...arguments) {
  switch (vectorBytes()) {
  case 64:
    return runOn64<Pass>(arguments...);
  case 32:
    return runOn32<Pass>(arguments...);
  default:
    Pass::template run<16>(arguments...);
  }
}

} // namespace spc::machine
