// spc/spc.hpp: views over arrays and what they convert to. Included between the headers of kernels.
#include "spmm.h"

#include <spc/spc.hpp>

#include "sddmm.h"
#include "spgemm_on_bsr.h"
#include "spmm_on_csc.h"
#include "spmv.h"
#include "spmv_on_coo.h"
#include "spmv_on_dcsr.h"

#include "expect.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace {

template <typename S, typename View>
constexpr bool takes = std::is_convertible_v<View, S *> && std::is_convertible_v<View, S &>;

// A view is what its arrays say: not of other types, nor of a struct with the same fields that means something else.
using CsrView = spc::csr_view<double, int32_t>;
static_assert(takes<const spc_csr_f64_i32, CsrView> && takes<const spc_csr_f64_i32, const CsrView>);
static_assert(!takes<spc_csr_f64_i32, CsrView>);
static_assert(!takes<const spc_csr_f32_i32, CsrView> && !takes<const spc_csc_f64_i32, CsrView>);
static_assert(!takes<const spc_csr_f64_i32, spc::csr_view<double, int64_t>>);
static_assert(!takes<const spc_csr_f64_i32, spc::csr_view<double, int64_t, int32_t>>);
static_assert(!takes<const spc_bsr4x4_f64_i32, CsrView> && !takes<const spc_coo2_f64_i32, CsrView>);
static_assert(takes<const spc_bsr4x4_f64_i32, spc::bsr_view<4, 4, double, int32_t>>);
static_assert(!takes<const spc_bsr4x4_f64_i32, spc::bsr_view<4, 8, double, int32_t>>);
static_assert(takes<spc_dense2_f64, spc::dense_view<double, 2, spc::order::rows>>);
static_assert(!takes<spc_dense2_f64, spc::dense_view<const double, 2, spc::order::rows>>);
static_assert(takes<const spc_dense2_f64, spc::dense_view<const double, 2, spc::order::rows>>);
static_assert(!takes<spc_dense2_10_f64, spc::dense_view<double, 2, spc::order::rows>>);
static_assert(takes<spc_dense2_10_f64, spc::dense_view<double, 2, spc::order::columns>>);
static_assert(takes<spc_dense2_10_f64, spc::dense_view<double, 2, spc::order::strides>>);
static_assert(!takes<spc_dense2_f64, spc::dense_view<double, 1, spc::order::rows>>);
static_assert(!std::is_convertible_v<CsrView, const void *> &&
              !std::is_copy_constructible_v<spc::owner<spc_csr_f64_i32>>);

/// 2 x 3: 1 . 2 / . 3 .
struct Arrays {
  const std::vector<int32_t> pointers{0, 2, 3}, columns{0, 2, 1};
  const std::vector<double> values{1, 2, 3};
  [[nodiscard]] auto csr() const { return spc::csr(2, 3, pointers, columns, values); }
};

const std::vector<double> kDense{1, 2, 3, 4, 5, 6}; // 3 x 2
const std::vector<double> kProduct{11, 14, 9, 12};  // 2 x 2

template <typename F> spc_status statusOf(const F &function) {
  try {
    function();
    return SPC_OK;
  } catch (const spc::error &error) {
    EXPECT(std::string(error.what()).find(spc_status_string(error.status())) != std::string::npos);
    return error.status();
  }
}

void testOperands() {
  const Arrays a;
  std::vector<double> c(4, -1);
  spc::check(spmm(a.csr(), spc::dense(kDense, 3, 2), spc::dense(c, 2, 2)), "spmm");
  EXPECT(c == kProduct);

  // Views that are kept, const and used by several threads.
  const auto view = a.csr();
  const auto b = spc::dense(kDense, 3, 2);
  EXPECT_STATUS(SPC_OK, spc_csr_f64_i32_validate(view));
  const spc_csr_f64_i32 &tensor = view;
  EXPECT(tensor.nnz == 3 && tensor.col_ind == a.columns.data());
  std::vector<std::thread> threads;
  std::vector<std::vector<double>> results(3, std::vector<double>(4));
  for (std::vector<double> &result : results)
    threads.emplace_back([&] { spc::check(spmm(view, b, spc::dense(result, 2, 2))); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT(std::count(results.begin(), results.end(), kProduct) == 3);

  const std::vector<int32_t> rows{0, 0, 1};
  const double x[] = {1, 2, 3};
  std::vector<double> y(2);
  spc::check(spmv_on_coo(spc::coo(2, 3, rows, a.columns, a.values), spc::dense(x), spc::dense(y)));
  EXPECT(y == (std::vector<double>{7, 6}));
  std::fill(y.begin(), y.end(), -1);
  const std::vector<int32_t> listed{0, 1};
  const spc::operand<spc_dcsr_f64_i32> dcsr(2, 3, 3, 2, listed, a.pointers.data(), a.columns, a.values);
  spc::check(spmv_on_dcsr(dcsr, spc::dense(x), spc::dense(y)));
  EXPECT(y == (std::vector<double>{7, 6}));
}

#ifdef SPC_DETAIL_NAMED_ARGUMENTS
void testNamedArguments() {
  const Arrays a;
  std::vector<double> c(4, -1);
  const auto output = spc::dense(c, 2, 2);
  spc::check(spmm({.A = a.csr(), .B = spc::dense(kDense, 3, 2), .C = output}));
  EXPECT(c == kProduct);
}
#endif

/// What std::mdspan has, which gcc 12 lacks.
struct Strided {
  using element_type = double;
  double *elements;
  size_t extents[2], strides[2];
  static constexpr size_t rank() { return 2; }
  [[nodiscard]] size_t extent(size_t d) const { return extents[d]; }
  [[nodiscard]] size_t stride(size_t d) const { return strides[d]; }
  [[nodiscard]] double *data_handle() const { return elements; }
};

void testStrides() {
  const Arrays a;
  std::vector<double> storage{1, 2, 0, 3, 4, 0, 5, 6, 0}, c(4);
  const Strided wide{storage.data(), {3, 2}, {3, 1}}, columns{storage.data(), {3, 2}, {1, 3}};
  const auto output = spc::dense(c, 2, 2);
  spc::check(spmm(a.csr(), spc::view(wide), output));
  EXPECT(c == kProduct);
  EXPECT_STATUS(SPC_ERROR_STRIDE, statusOf([&] { (void)spmm(a.csr(), spc::view(columns), output); }));

  // A vector's stride is free.
  std::vector<double> x{10, 0, 100, 0, 1000}, y(4, -1);
  spc::check(spmv(a.csr(), spc::dense_strided(std::as_const(x).data(), 3, 2), spc::dense_strided(&y[3], 2, -3)));
  EXPECT(y == (std::vector<double>{300, -1, -1, 2010}));
  EXPECT_STATUS(SPC_ERROR_STRIDE, statusOf([&] {
                  (void)spmv(a.csr(), spc::dense_strided(x.data(), 3, 0), spc::dense_strided(&y[3], 2, 1));
                }));

  // The same matrix by columns: A as CSC.
  const std::vector<int32_t> pointers{0, 1, 2, 3}, rows{0, 1, 0};
  const std::vector<double> values{1, 3, 2}, b{1, 3, 5, 2, 4, 6};
  const auto csc = spc::csc(2, 3, pointers, rows, values);
  spc::check(spmm_on_csc(csc, spc::dense_by_columns(b, 3, 2), spc::dense_by_columns(c, 2, 2)));
  EXPECT(c == (std::vector<double>{11, 9, 14, 12}));
}

void testSizes() {
  const Arrays a;
  const std::vector<double> two{1, 2};
  const std::vector<int32_t> shifted{1, 3, 4}, shortened{0, 1, 2};
  EXPECT_STATUS(SPC_ERROR_POINTERS, statusOf([&] { (void)spc::csr(3, 3, a.pointers, a.columns, a.values); }));
  EXPECT_STATUS(SPC_ERROR_POINTERS, statusOf([&] { (void)spc::csr(2, 3, shifted, a.columns, a.values); }));
  EXPECT_STATUS(SPC_ERROR_POINTERS, statusOf([&] { (void)spc::csr(2, 3, shortened, a.columns, a.values); }));
  EXPECT_STATUS(SPC_ERROR_COUNT, statusOf([&] { (void)spc::csr(2, 3, a.pointers, a.columns, two); }));
  EXPECT_STATUS(SPC_ERROR_COUNT, statusOf([&] { (void)spc::coo(2, 3, shifted, shifted, two); }));
  EXPECT_STATUS(SPC_ERROR_SHAPE, statusOf([&] { (void)spc::csr(2, -3, a.pointers, a.columns, a.values); }));
  EXPECT_STATUS(SPC_ERROR_SHAPE, statusOf([&] { (void)spc::dense(two, 3); }));
  EXPECT_STATUS(SPC_ERROR_SHAPE, statusOf([&] { (void)spc::dense(two, -1, -2); }));
  EXPECT_STATUS(SPC_ERROR_SHAPE, statusOf([&] { (void)spc::dense(two, INT64_MAX, 4); }));
  EXPECT_STATUS(SPC_ERROR_SHAPE, statusOf([] { spc::check(SPC_ERROR_SHAPE, "spmm"); }));

  const std::vector<int32_t> none, zeros{0, 0};
  const std::vector<double> nothing;
  std::vector<double> c;
  spc::check(
      spmm(spc::csr(0, 0, std::span(zeros).first(1), none, nothing), spc::dense(nothing, 0, 0), spc::dense(c, 0, 0)));
  c.assign(2, -1);
  spc::check(spmm(spc::csr(1, 0, zeros, none, nothing), spc::dense(nothing, 0, 2), spc::dense(c, 1, 2)));
  EXPECT(c == (std::vector<double>{0, 0}));
  // Without values, for a symbolic phase: others refuse it.
  c.assign(4, -1);
  const auto pattern = spc::csr(2, 3, a.pointers, a.columns, nothing);
  EXPECT_STATUS(SPC_ERROR_NULL, spmm(pattern, spc::dense(kDense, 3, 2), spc::dense(c, 2, 2)));
}

} // namespace

// A struct with types that no kernel here has.
struct spc_csr_u16_p64_i32 {
  int64_t nrows, ncols, nnz;
  const int64_t *row_ptr;
  const int32_t *col_ind;
  const uint16_t *values;
};

namespace {
static_assert(takes<const spc_csr_u16_p64_i32, spc::csr_view<uint16_t, int64_t, int32_t>>);
static_assert(takes<const spc_csr_u16_p64_i32, spc::csr_view<uint16_t, size_t, uint32_t>>);
static_assert(!takes<const spc_csr_u16_p64_i32, spc::csr_view<uint16_t, int64_t>>);
static_assert(!takes<const spc_csr_u16_p64_i32, spc::csr_view<int16_t, int64_t, int32_t>>);
} // namespace

int main() {
  testOperands();
#ifdef SPC_DETAIL_NAMED_ARGUMENTS
  testNamedArguments();
#endif
  testStrides();
  testSizes();
  return failures != 0;
}
