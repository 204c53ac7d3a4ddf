// The kernels written by hand, by each compiler that is found: which is better depends on the kernel.
#define SPC_HAND hand_first
#include "hand_matrix.h"
#undef SPC_HAND

namespace values {
namespace hand_second {
template <class T> void addMatrixKernels(Contenders<T> &, const Problem<T> &, int threads);
}

template <class T> void addHand(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  hand_first::addMatrixKernels(contenders, problem, threads);
#ifdef SPC_HAND_HAS_SECOND
  hand_second::addMatrixKernels(contenders, problem, threads);
#endif
}

template void addHand(Contenders<double> &, const Problem<double> &, int);
template void addHand(Contenders<float> &, const Problem<float> &, int);

} // namespace values
