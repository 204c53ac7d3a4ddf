// The kernels that spc generates.
#include "task.h"

#include "harness.h"

#include "values_sddmm_f32.h"
#include "values_sddmm_f64.h"
#include "values_spmm_f32.h"
#include "values_spmm_f64.h"
#include "values_spmv_f32.h"
#include "values_spmv_f64.h"

namespace values {
namespace {

/// The structs and kernels for a type of values.
template <class T> struct Types;
template <> struct Types<double> {
  using Csr = spc_csr_f64_i32;
  static constexpr auto vector = spc_dense1_f64_make;
  static constexpr auto matrix = spc_dense2_f64_make;
  static constexpr auto spmv = values_spmv_f64;
  static constexpr auto spmm = values_spmm_f64;
  static constexpr auto sddmm = values_sddmm_f64;
};
template <> struct Types<float> {
  using Csr = spc_csr_f32_i32;
  static constexpr auto vector = spc_dense1_f32_make;
  static constexpr auto matrix = spc_dense2_f32_make;
  static constexpr auto spmv = values_spmv_f32;
  static constexpr auto spmm = values_spmm_f32;
  static constexpr auto sddmm = values_sddmm_f32;
};

// Operands are only read, though their structs' pointers are not to const.

template <class T> typename Types<T>::Csr structOf(const Csr<T> &a) {
  return {a.rows,
          a.columns,
          a.entries(),
          const_cast<int32_t *>(a.pointers.data()),
          const_cast<int32_t *>(a.indices.data()),
          const_cast<T *>(a.values.data())};
}

template <class T> auto vectorOf(const std::vector<T> &values) {
  return Types<T>::vector(const_cast<T *>(values.data()), int64_t(values.size()));
}

template <class T> auto matrixOf(const std::vector<T> &values, int64_t columns) {
  return Types<T>::matrix(const_cast<T *>(values.data()), int64_t(values.size()) / columns, columns);
}

void must(spc_status status) {
  check(status == SPC_OK, "a kernel of spc returned an error");
}

} // namespace

template <class T> void addSpc(Contenders<T> &contenders, const Problem<T> &problem, int /*threads*/) {
  using Of = Types<T>;
  auto add = [&](std::function<void()> run) { contenders.push_back({"spc", "", std::move(run)}); };
  const int64_t k = problem.width;
  const typename Of::Csr a = structOf(*problem.sparse);
  switch (problem.kernel) {
  case Kernel::Spmv:
    return add(
        [a, x = vectorOf(problem.right), y = vectorOf(problem.result)]() mutable { must(Of::spmv(&a, &x, &y)); });
  case Kernel::Spmm:
    return add(
        [a, b = matrixOf(problem.right, k), c = matrixOf(problem.result, k)]() mutable { must(Of::spmm(&a, &b, &c)); });
  case Kernel::Sddmm: {
    typename Of::Csr d{};
    d.values = problem.result.data();
    return add([a, left = matrixOf(problem.left, k), right = matrixOf(problem.right, k), d]() mutable {
      must(Of::sddmm(&a, &left, &right, &d));
    });
  }
  }
}

template void addSpc(Contenders<double> &, const Problem<double> &, int);
template void addSpc(Contenders<float> &, const Problem<float> &, int);

} // namespace values
