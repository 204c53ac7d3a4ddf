// MLIR's own pipeline on tensors in CSF. Threads have equal numbers of slices.
#include "mlir_kernels.h"

namespace values::mlir {
namespace {

/// The slices that a thread works on and the rows that lead to them, as a tensor of its own.
template <class T> struct Part {
  int64_t firstRow, rows;
  std::vector<int32_t> slicePointers, slices, fiberPointers, entryPointers;
  const int32_t *fibers, *entries;
  const T *values;
  int64_t fiberCount, entryCount;
};

template <class T> std::shared_ptr<const std::vector<Part<T>>> partsOf(const Csf<T> &t, int threads) {
  auto parts = std::make_shared<std::vector<Part<T>>>();
  const auto count = int64_t(t.slices.size());
  for (int64_t n = 0; n < threads; ++n) {
    const int64_t begin = count * n / threads, end = count * (n + 1) / threads;
    const int64_t firstRow = n == 0 ? 0 : begin < count ? t.slices[begin] : t.shape[0];
    const int64_t lastRow = n + 1 == threads ? t.shape[0] : end < count ? t.slices[end] : t.shape[0];
    const int32_t firstFiber = t.fiberPointers[begin], lastFiber = t.fiberPointers[end];
    const int32_t firstEntry = t.entryPointers[firstFiber], lastEntry = t.entryPointers[lastFiber];
    Part<T> part{firstRow,
                 lastRow - firstRow,
                 {0, int32_t(end - begin)},
                 {},
                 {},
                 {},
                 t.fibers.data() + firstFiber,
                 t.entries.data() + firstEntry,
                 t.values.data() + firstEntry,
                 lastFiber - firstFiber,
                 lastEntry - firstEntry};
    for (int64_t slice = begin; slice < end; ++slice)
      part.slices.push_back(int32_t(t.slices[slice] - firstRow));
    for (int64_t slice = begin; slice <= end; ++slice)
      part.fiberPointers.push_back(t.fiberPointers[slice] - firstFiber);
    for (int32_t fiber = firstFiber; fiber <= lastFiber; ++fiber)
      part.entryPointers.push_back(t.entryPointers[fiber] - firstEntry);
    parts->push_back(std::move(part));
  }
  return parts;
}

/// Calls function(arrays and specifier of the part, operands...).
template <class Function, class T, class... Operands>
void call(Function *function, const Csf<T> &t, const Part<T> &part, Operands... operands) {
  Array1 slicePointers = arrayOf(part.slicePointers), slices = arrayOf(part.slices);
  Array1 fiberPointers = arrayOf(part.fiberPointers), fibers = arrayOf(part.fibers, part.fiberCount);
  Array1 entryPointers = arrayOf(part.entryPointers), entries = arrayOf(part.entries, part.entryCount);
  Array1 values = arrayOf(part.values, part.entryCount);
  const auto sliceCount = int64_t(part.slices.size());
  function(&slicePointers, &slices, &fiberPointers, &fibers, &entryPointers, &entries, &values, part.rows, t.shape[1],
           t.shape[2], 2, sliceCount, sliceCount + 1, part.fiberCount, part.fiberCount + 1, part.entryCount,
           part.entryCount, &operands...);
}

} // namespace

template <class T> void addTensorKernels(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  const auto parts = partsOf(*problem.tensor, threads);
  const auto body = [&problem](const Part<T> &part, int variant) {
    const Csf<T> &t = *problem.tensor;
    const int64_t r = problem.width;
    const T *left = problem.left.data(), *right = problem.right.data();
    T *out = problem.result.data();
    if (problem.kernel == Kernel::Mttkrp)
      call(Functions<T>::mttkrp[variant], t, part, arrayOf(left, t.shape[1], r), arrayOf(right, t.shape[2], r),
           arrayOf(out + part.firstRow * r, part.rows, r));
    else if (problem.kernel == Kernel::Ttv)
      call(Functions<T>::ttv[variant], t, part, arrayOf(right, t.shape[2]),
           arrayOf(out + part.firstRow * t.shape[1], part.rows, t.shape[1]));
    else
      call(Functions<T>::ttm[variant], t, part, arrayOf(right, t.shape[2], r),
           arrayOf(out + part.firstRow * t.shape[1] * r, part.rows, t.shape[1], r));
  };
  for (int variant : {0, 1})
    contenders.push_back(
        {"mlir", kVariants[variant], [=] { forSlices(*parts, [&](const Part<T> &part) { body(part, variant); }); }});
}

template void addTensorKernels(Contenders<double> &, const Problem<double> &, int);
template void addTensorKernels(Contenders<float> &, const Problem<float> &, int);

} // namespace values::mlir
