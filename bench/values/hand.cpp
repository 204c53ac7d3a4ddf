// The kernels written for this bench, by each compiler that is found: which is better depends on the kernel.
#define SPC_HAND hand_first
#include "hand_kernels.h"
#undef SPC_HAND

namespace values {

#ifdef SPC_HAND_HAS_SECOND
namespace hand_second {
template <class T> void addMatrixKernels(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addBlockKernels(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addTensorKernels(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addTacoLoops(Contenders<T> &, const Problem<T> &, int threads);
} // namespace hand_second
#endif

template <class T> void addHand(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  hand_first::addMatrixKernels(contenders, problem, threads);
  hand_first::addBlockKernels(contenders, problem, threads);
  hand_first::addTensorKernels(contenders, problem, threads);
#ifdef SPC_HAND_HAS_SECOND
  hand_second::addMatrixKernels(contenders, problem, threads);
  hand_second::addBlockKernels(contenders, problem, threads);
  hand_second::addTensorKernels(contenders, problem, threads);
#endif
}

template <class T> void addTacoLoops(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  hand_first::addTacoLoops(contenders, problem, threads);
#ifdef SPC_HAND_HAS_SECOND
  hand_second::addTacoLoops(contenders, problem, threads);
#endif
}

template void addHand(Contenders<double> &, const Problem<double> &, int);
template void addHand(Contenders<float> &, const Problem<float> &, int);
template void addTacoLoops(Contenders<double> &, const Problem<double> &, int);
template void addTacoLoops(Contenders<float> &, const Problem<float> &, int);

} // namespace values
