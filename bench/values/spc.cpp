// The kernels that spc generates.
#include "task.h"

#include "harness.h"

#include "values_bsr_spmm_f32.h"
#include "values_bsr_spmm_f64.h"
#include "values_bsr_spmv_f32.h"
#include "values_bsr_spmv_f64.h"
#include "values_gcn_f32.h"
#include "values_gcn_f64.h"
#include "values_mttkrp_f32.h"
#include "values_mttkrp_f64.h"
#include "values_sddmm_f32.h"
#include "values_sddmm_f64.h"
#include "values_spmm_f32.h"
#include "values_spmm_f64.h"
#include "values_spmv_f32.h"
#include "values_spmv_f64.h"
#include "values_ttm_f32.h"
#include "values_ttm_f64.h"
#include "values_ttv_f32.h"
#include "values_ttv_f64.h"

namespace values {
namespace {

/// The structs and kernels for a type of values. Kernels' names are overloaded: by position, and with named arguments.
template <class T> struct Types;
template <> struct Types<double> {
  using Csr = spc_csr_f64_i32;
  using Bsr = spc_bsr8x8_f64_i32;
  using Csf = spc_csf3_f64_i32;
  using Dense3 = spc_dense3_f64;
  static constexpr auto vector = spc_dense1_f64_make;
  static constexpr auto matrix = spc_dense2_f64_make;
  static constexpr auto dense3 = spc_dense3_f64_make;
  static constexpr auto spmv = [](auto... arguments) { return values_spmv_f64(arguments...); };
  static constexpr auto spmm = [](auto... arguments) { return values_spmm_f64(arguments...); };
  static constexpr auto sddmm = [](auto... arguments) { return values_sddmm_f64(arguments...); };
  static constexpr auto bsrSpmv = [](auto... arguments) { return values_bsr_spmv_f64(arguments...); };
  static constexpr auto bsrSpmm = [](auto... arguments) { return values_bsr_spmm_f64(arguments...); };
  static constexpr auto mttkrp = [](auto... arguments) { return values_mttkrp_f64(arguments...); };
  static constexpr auto ttv = [](auto... arguments) { return values_ttv_f64(arguments...); };
  static constexpr auto ttm = [](auto... arguments) { return values_ttm_f64(arguments...); };
  static constexpr auto gcn = [](auto... arguments) { return values_gcn_f64(arguments...); };
};
template <> struct Types<float> {
  using Csr = spc_csr_f32_i32;
  using Bsr = spc_bsr8x8_f32_i32;
  using Csf = spc_csf3_f32_i32;
  using Dense3 = spc_dense3_f32;
  static constexpr auto vector = spc_dense1_f32_make;
  static constexpr auto matrix = spc_dense2_f32_make;
  static constexpr auto dense3 = spc_dense3_f32_make;
  static constexpr auto spmv = [](auto... arguments) { return values_spmv_f32(arguments...); };
  static constexpr auto spmm = [](auto... arguments) { return values_spmm_f32(arguments...); };
  static constexpr auto sddmm = [](auto... arguments) { return values_sddmm_f32(arguments...); };
  static constexpr auto bsrSpmv = [](auto... arguments) { return values_bsr_spmv_f32(arguments...); };
  static constexpr auto bsrSpmm = [](auto... arguments) { return values_bsr_spmm_f32(arguments...); };
  static constexpr auto mttkrp = [](auto... arguments) { return values_mttkrp_f32(arguments...); };
  static constexpr auto ttv = [](auto... arguments) { return values_ttv_f32(arguments...); };
  static constexpr auto ttm = [](auto... arguments) { return values_ttm_f32(arguments...); };
  static constexpr auto gcn = [](auto... arguments) { return values_gcn_f32(arguments...); };
};

template <class T> typename Types<T>::Csr structOf(const Csr<T> &a) {
  return {a.rows, a.columns, a.entries(), a.pointers.data(), a.indices.data(), a.values.data()};
}

template <class T> typename Types<T>::Bsr structOf(const Bsr<T> &a) {
  return {a.rows, a.columns, int64_t(a.values.size()), a.pointers.data(), a.indices.data(), a.values.data()};
}

template <class T> typename Types<T>::Csf structOf(const Csf<T> &t) {
  return {{t.shape[0], t.shape[1], t.shape[2]},
          int64_t(t.values.size()),
          int64_t(t.slices.size()),
          int64_t(t.fibers.size()),
          t.slices.data(),
          t.fiberPointers.data(),
          t.fibers.data(),
          t.entryPointers.data(),
          t.entries.data(),
          t.values.data()};
}

template <class T> auto vectorOf(const Elements<T> &values) {
  return Types<T>::vector(values.data(), int64_t(values.size()));
}

template <class T> auto matrixOf(const Elements<T> &values, int64_t columns) {
  return Types<T>::matrix(values.data(), int64_t(values.size()) / columns, columns);
}

template <class T> void add(Contenders<T> &contenders, const char *name, std::function<spc_status()> call) {
  contenders.push_back({name, "", [=] { check(call() == SPC_OK, "a kernel of spc returned an error"); }});
}

template <class T> void addSpmv(Contenders<T> &contenders, const char *name, const Problem<T> &problem) {
  add(contenders, name,
      [a = structOf(*problem.sparse), x = vectorOf(problem.right), y = vectorOf(problem.result)]() mutable {
        return Types<T>::spmv(&a, &x, &y);
      });
}

template <class T> void addSpmm(Contenders<T> &contenders, const char *name, const Problem<T> &problem) {
  add(contenders, name,
      [a = structOf(*problem.sparse), b = matrixOf(problem.right, problem.width),
       c = matrixOf(problem.result, problem.width)]() mutable { return Types<T>::spmm(&a, &b, &c); });
}

template <class T> void addSddmm(Contenders<T> &contenders, const Problem<T> &problem) {
  typename Types<T>::Csr d{};
  d.values = problem.result.data();
  add(contenders, "spc",
      [s = structOf(*problem.sparse), a = matrixOf(problem.left, problem.width),
       b = matrixOf(problem.right, problem.width), d]() mutable { return Types<T>::sddmm(&s, &a, &b, &d); });
}

template <class T> void addTensorKernel(Contenders<T> &contenders, const Problem<T> &problem) {
  using Of = Types<T>;
  const typename Of::Csf t = structOf(*problem.tensor);
  const int64_t r = problem.width;
  if (problem.kernel == Kernel::Mttkrp)
    add(contenders, "spc",
        [t, b = matrixOf(problem.left, r), c = matrixOf(problem.right, r), m = matrixOf(problem.result, r)]() mutable {
          return Of::mttkrp(&t, &b, &c, &m);
        });
  else if (problem.kernel == Kernel::Ttv)
    add(contenders, "spc", [t, x = vectorOf(problem.right), y = matrixOf(problem.result, t.shape[1])]() mutable {
      return Of::ttv(&t, &x, &y);
    });
  else
    add(contenders, "spc",
        [t, b = matrixOf(problem.right, r),
         y = Of::dense3(problem.result.data(), t.shape[0], t.shape[1], r)]() mutable { return Of::ttm(&t, &b, &y); });
}

} // namespace

template <class T> void addSpc(Contenders<T> &contenders, const Problem<T> &problem, int /*threads*/) {
  using Of = Types<T>;
  const int64_t k = problem.width;
  switch (problem.kernel) {
  case Kernel::Spmv:
    return addSpmv(contenders, "spc", problem);
  case Kernel::Spmm:
    return addSpmm(contenders, "spc", problem);
  case Kernel::Sddmm:
    return addSddmm(contenders, problem);
  case Kernel::BsrSpmv:
    add(contenders, "spc",
        [a = structOf(*problem.blocks), x = vectorOf(problem.right), y = vectorOf(problem.result)]() mutable {
          return Of::bsrSpmv(&a, &x, &y);
        });
    return addSpmv(contenders, "spc-csr", problem);
  case Kernel::BsrSpmm:
    add(contenders, "spc",
        [a = structOf(*problem.blocks), b = matrixOf(problem.right, k), c = matrixOf(problem.result, k)]() mutable {
          return Of::bsrSpmm(&a, &b, &c);
        });
    return addSpmm(contenders, "spc-csr", problem);
  case Kernel::Mttkrp:
  case Kernel::Ttv:
  case Kernel::Ttm:
    return addTensorKernel(contenders, problem);
  case Kernel::Gcn:
    return add(contenders, "spc",
               [a = structOf(*problem.sparse), x = matrixOf(problem.left, kFeatures), w = matrixOf(problem.right, k),
                y = matrixOf(problem.scratch, k),
                h = matrixOf(problem.result, k)]() mutable { return Of::gcn(&x, &w, &a, &y, &h); });
  }
}

template void addSpc(Contenders<double> &, const Problem<double> &, int);
template void addSpc(Contenders<float> &, const Problem<float> &, int);

} // namespace values
