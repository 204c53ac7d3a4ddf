// TACO: the C that its command line gives without a schedule, its outer loop parallel, rows handed out evenly or in
// chunks.
#include "task.h"

#include "harness.h"
#include "taco_operand.h"

#include <array>
#include <omp.h>

namespace values {
namespace {

using Operands = std::array<TacoOperand, kTacoMostOperands>;
using Function = int(const TacoOperand *operands);

extern "C" {
Function taco_spmv_f64, taco_spmm_f64, taco_sddmm_f64, taco_mttkrp_f64, taco_ttv_f64, taco_ttm_f64;
Function taco_spmv_f32, taco_spmm_f32, taco_sddmm_f32, taco_mttkrp_f32, taco_ttv_f32, taco_ttm_f32;
}

/// By the kernel; null where there is none.
template <class T> Function *functionOf(Kernel kernel) {
  constexpr bool wide = sizeof(T) == 8;
  switch (kernel) {
  case Kernel::Spmv:
    return wide ? taco_spmv_f64 : taco_spmv_f32;
  case Kernel::Spmm:
    return wide ? taco_spmm_f64 : taco_spmm_f32;
  case Kernel::Sddmm:
    return wide ? taco_sddmm_f64 : taco_sddmm_f32;
  case Kernel::Mttkrp:
    return wide ? taco_mttkrp_f64 : taco_mttkrp_f32;
  case Kernel::Ttv:
    return wide ? taco_ttv_f64 : taco_ttv_f32;
  case Kernel::Ttm:
    return wide ? taco_ttm_f64 : taco_ttm_f32;
  default:
    return nullptr;
  }
}

template <class T> TacoOperand dense(const T *values, std::initializer_list<int64_t> shape) {
  TacoOperand operand{};
  for (int64_t extent : shape)
    operand.shape[operand.order++] = int32_t(extent);
  operand.values = const_cast<T *>(values);
  return operand;
}

template <class T> TacoOperand sparse(const Csr<T> &a, const T *values) {
  TacoOperand operand = dense(values, {a.rows, a.columns});
  operand.pointers[1] = a.pointers.data();
  operand.indices[1] = a.indices.data();
  return operand;
}

/// `slicePointers` are {0, number of slices}.
template <class T> TacoOperand sparse(const Csf<T> &t, const int32_t *slicePointers) {
  TacoOperand operand = dense(t.values.data(), {t.shape[0], t.shape[1], t.shape[2]});
  const int32_t *pointers[] = {slicePointers, t.fiberPointers.data(), t.entryPointers.data()};
  const int32_t *indices[] = {t.slices.data(), t.fibers.data(), t.entries.data()};
  for (int level = 0; level < 3; ++level) {
    operand.pointers[level] = pointers[level];
    operand.indices[level] = indices[level];
  }
  return operand;
}

/// The result, then the operands as they appear in the expression.
template <class T> Operands operandsOf(const Problem<T> &problem, const int32_t *slicePointers) {
  const int64_t k = problem.width;
  const T *left = problem.left.data(), *right = problem.right.data();
  const T *out = problem.result.data();
  if (!problem.tensor) {
    const Csr<T> &a = *problem.sparse;
    const TacoOperand matrix = sparse(a, a.values.data());
    if (problem.kernel == Kernel::Spmv)
      return {dense(out, {a.rows}), matrix, dense(right, {a.columns})};
    if (problem.kernel == Kernel::Spmm)
      return {dense(out, {a.rows, k}), matrix, dense(right, {a.columns, k})};
    return {sparse(a, out), matrix, dense(left, {a.rows, k}), dense(right, {a.columns, k})};
  }
  const Csf<T> &t = *problem.tensor;
  const TacoOperand tensor = sparse(t, slicePointers);
  if (problem.kernel == Kernel::Mttkrp)
    return {dense(out, {t.shape[0], k}), tensor, dense(left, {t.shape[1], k}), dense(right, {t.shape[2], k})};
  if (problem.kernel == Kernel::Ttv)
    return {dense(out, {t.shape[0], t.shape[1]}), tensor, dense(right, {t.shape[2]})};
  return {dense(out, {t.shape[0], t.shape[1], k}), tensor, dense(right, {t.shape[2], k})};
}

} // namespace

template <class T> void addTaco(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  Function *function = functionOf<T>(problem.kernel);
  if (!function)
    return;
  auto slicePointers = std::make_shared<std::array<int32_t, 2>>();
  if (problem.tensor)
    (*slicePointers)[1] = int32_t(problem.tensor->slices.size());
  const Operands operands = operandsOf(problem, slicePointers->data());
  auto add = [&](const char *variant, omp_sched_t schedule, int chunk) { // `kept`: the operands point into it
    contenders.push_back({"taco", variant, [=, kept = slicePointers] {
                            omp_set_schedule(schedule, chunk);
                            check(function(operands.data()) == 0, "a kernel of TACO failed");
                          }});
  };
  add("static", omp_sched_static, 0);
  if (threads > 1)
    add("dynamic", omp_sched_dynamic, 64);
}

template void addTaco(Contenders<double> &, const Problem<double> &, int);
template void addTaco(Contenders<float> &, const Problem<float> &, int);

} // namespace values
