// spc/spc.hpp: operands in other storage than CSR, half floats and complex numbers.
#include <spc/spc.hpp>

#include "converted_on_csr.h"
#include "mttkrp.h"
#include "spmv_on_dcsr.h"
#include "spmv_on_ell.h"
#include "spmv_on_ell16.h"

#include "expect.h"

#include <vector>

namespace {

template <typename S, typename View>
constexpr bool takes = std::is_convertible_v<View, S *> && std::is_convertible_v<View, S &>;

template <typename F> spc_status statusOf(const F &function) {
  try {
    function();
    return SPC_OK;
  } catch (const spc::error &error) {
    return error.status();
  }
}

const std::vector<double> kX{1, 2, 3};

/// 2 x 3: 1 . 2 / . 3 .
void testFibers() {
  const std::vector<int32_t> rows{0, 1}, pointers{0, 2, 3}, columns{0, 2, 1};
  const std::vector<double> values{1, 2, 3};
  std::vector<double> y(2);
  spc::check(spmv_on_dcsr(spc::csf({2, 3}, rows, pointers, columns, values), spc::dense(kX), spc::dense(y)));
  EXPECT(y == (std::vector<double>{7, 6}));
  y = {0, 0};
  const spc::operand<spc_dcsr_f64_i32> counted(2, 3, rows, pointers, columns, values);
  EXPECT(counted->nnz == 3 && counted->count_0 == 2);
  EXPECT_STATUS(SPC_OK, spc_dcsr_f64_i32_validate(counted));
  spc::check(spmv_on_dcsr(counted, spc::dense(kX), spc::dense(y)));
  EXPECT(y == (std::vector<double>{7, 6}));
  const std::vector<int32_t> early{0, 1, 2};
  EXPECT_STATUS(SPC_ERROR_POINTERS, statusOf([&] { (void)spc::csf({2, 3}, rows, early, columns, values); }));
  EXPECT_STATUS(SPC_ERROR_POINTERS, statusOf([&] { (void)spc::csf({2, 3}, columns, pointers, columns, values); }));
  EXPECT_STATUS(SPC_ERROR_COUNT,
                statusOf([&] { (void)spc::csf({2, 3}, rows, pointers, columns, std::span(kX).first(2)); }));
  EXPECT_STATUS(SPC_ERROR_SHAPE, statusOf([&] { (void)spc::csf({-2, 3}, rows, pointers, columns, values); }));
  EXPECT_STATUS(SPC_ERROR_POINTERS,
                statusOf([&] { (void)spc::operand<spc_dcsr_f64_i32>(2, 3, rows, early, columns, values); }));

  // 2 x 2 x 3: 5 at (0, 1, 2), 7 at (1, 0, 0).
  const std::vector<int32_t> first{0, 1}, toSecond{0, 1, 2}, second{1, 0}, third{2, 0};
  const std::vector<double> entries{5, 7}, B{1, 2}, C{1, 1, 10};
  std::vector<double> D(2);
  spc::check(mttkrp(spc::csf({2, 2, 3}, first, toSecond, second, toSecond, third, entries), spc::dense(B, 2, 1),
                    spc::dense(C, 3, 1), spc::dense(D, 2, 1)));
  EXPECT(D == (std::vector<double>{100, 7}));
}

/// The same matrix as above.
void testWidths() {
  const std::vector<int32_t> columns{0, 2, 1, 1};
  const std::vector<double> values{1, 2, 3, 0};
  std::vector<double> y(2);
  spc::check(spmv_on_ell(spc::ell(2, 3, 2, columns, values), spc::dense(kX), spc::dense(y)));
  EXPECT(y == (std::vector<double>{7, 6}));
  y = {0, 0};
  spc::check(spmv_on_ell(spc::operand<spc_ell_f64_i32>(2, 3, 2, columns, values), spc::dense(kX), spc::dense(y)));
  EXPECT(y == (std::vector<double>{7, 6}));
  EXPECT_STATUS(SPC_ERROR_COUNT, statusOf([&] { (void)spc::ell(2, 3, 3, columns, values); }));

  const std::vector<int32_t> wide(16, 1);
  std::vector<double> only(16);
  only[3] = 4;
  std::vector<double> z(1);
  spc::check(spmv_on_ell16(spc::ell<16>(1, 3, wide, only), spc::dense(kX), spc::dense(z)));
  EXPECT(z == (std::vector<double>{8}));
  EXPECT_STATUS(SPC_ERROR_COUNT, statusOf([&] { (void)spc::ell<16>(2, 3, wide, only); }));
}

void testDiagonals() {
  const std::vector<int32_t> diagonals{-1, 1};
  const std::vector<double> values{0, 1, 2, 3, 4, 0}; // . 3 . / 1 . 4 / . 2 .
  spc::owner<spc_csr_f64_i32> A;
  spc::check(converted_on_csr(spc::dia(3, 3, diagonals, values), A.out()));
  EXPECT(A->nnz == 4 && A->row_ptr[1] == 1 && A->values[0] == 3 && A->values[1] == 1 && A->col_ind[2] == 2);
  EXPECT_STATUS(SPC_ERROR_COUNT, statusOf([&] { (void)spc::dia(2, 3, diagonals, values); }));
  EXPECT_STATUS(SPC_OK, statusOf([&] { (void)spc::dia_by_columns(2, 3, diagonals, values); }));
}

} // namespace

// Structs that no kernel here has.
struct spc_coo3_f64_i32 {
  int64_t shape[3], nnz;
  const int32_t *indices_0, *indices_1, *indices_2;
  const double *values;
};
struct spc_cususnu_f64_i32 : spc_coo3_f64_i32 {};
struct spc_cusnu_f64_i32 {
  int64_t shape[2], nnz;
  const int32_t *indices_0, *indices_1;
  const double *values;
};
struct spc_dcnu_f64_i32 {
  int64_t shape[2], nnz;
  const int32_t *pointers_to_1, *indices_1;
  const double *values;
};
struct spc_dcnu_10_f64_i32 : spc_dcnu_f64_i32 {};
struct spc_csr_bf16_i32 {
  int64_t nrows, ncols, nnz;
  const int32_t *row_ptr, *col_ind;
  const spc_bf16 *values;
};
struct spc_dense1_f16 {
  int64_t size, stride;
  const spc_f16 *values;
};
struct spc_dense1_bf16 {
  int64_t size, stride;
  const spc_bf16 *values;
};
struct spc_dense1_cf64 {
  int64_t size, stride;
  const spc_cf64 *values;
};

namespace {

void testCoordinates() {
  const std::vector<int32_t> i{0, 1}, j{2, 0}, k{1, 3};
  const std::vector<double> values{5, 7};
  const auto view = spc::coo({2, 3, 4}, i, j, k, values);
  const spc_coo3_f64_i32 &tensor = view;
  EXPECT(tensor.shape[2] == 4 && tensor.nnz == 2 && tensor.indices_1 == j.data() && tensor.values == values.data());
  const spc::operand<spc_coo3_f64_i32> counted(2, 3, 4, i, j, k, values);
  EXPECT(counted->shape[1] == 3 && counted->nnz == 2 && counted->indices_2 == k.data());
  EXPECT_STATUS(SPC_ERROR_COUNT, statusOf([&] { (void)spc::coo({2, 3, 4}, i, j, std::span(k).first(1), values); }));

  // What is sorted fits kernels that take it in any order.
  using Matrix = decltype(spc::coo(2, 3, i, j, values));
  static_assert(takes<const spc_cusnu_f64_i32, Matrix> && !takes<const spc_cususnu_f64_i32, Matrix>);
  static_assert(takes<const spc_cusnu_f64_i32, decltype(spc::coo({2, 3}, i, j, values))>);
  static_assert(!takes<const spc_coo3_f64_i32, Matrix> && !takes<const spc_dcnu_f64_i32, Matrix>);
  static_assert(takes<const spc_dcnu_f64_i32, decltype(spc::csr(2, 3, i, j, values))>);
  static_assert(!takes<const spc_dcnu_f64_i32, decltype(spc::csc(2, 3, i, j, values))>);
}

template <typename Half> constexpr bool isF16 = takes<spc_dense1_f16, spc::dense_view<Half, 1, spc::order::rows>>;
template <typename Half> constexpr bool isBf16 = takes<spc_dense1_bf16, spc::dense_view<Half, 1, spc::order::rows>>;

static_assert(isF16<spc_f16> && !isBf16<spc_f16> && !isF16<spc_bf16> && isBf16<spc_bf16>);
static_assert(!isF16<uint16_t> && !isBf16<uint16_t> && !isF16<int16_t> && !isF16<float>);
#ifdef __FLT16_MANT_DIG__
static_assert(isF16<_Float16> && !isBf16<_Float16>);
#endif
#if defined(__STDCPP_BFLOAT16_T__) || (defined(__clang__) && __clang_major__ >= 17)
static_assert(isBf16<__bf16> && !isF16<__bf16>);
#endif
static_assert(takes<const spc_csr_bf16_i32, spc::csr_view<spc_bf16, int32_t>> &&
              !takes<const spc_csr_bf16_i32, spc::csr_view<spc_f16, int32_t>> &&
              !takes<const spc_csr_bf16_i32, spc::csr_view<uint16_t, int32_t>>);
static_assert(!std::is_convertible_v<float, spc_f16> && !std::is_convertible_v<int, spc_f16> &&
              !std::is_convertible_v<spc_bf16, spc_f16> && !std::is_convertible_v<std::complex<double>, spc_cf64>);

void testNumbers() {
  EXPECT(spc_f16_to_float(spc::f16(1.5f)) == 1.5f && spc::f16(1.5f).bits == 0x3e00);
  EXPECT(spc_bf16_to_float(spc::bf16(1.5f)) == 1.5f && spc::bf16(1.5f).bits == 0x3fc0);

  std::complex<double> z(1, 2);
  const auto read = [](const spc_cf64 *number) { return number->im; };
  const auto write = [](spc_cf64 *number) { number->re = 5; };
  EXPECT(read(spc::view(z)) == 2);
  write(spc::view(z));
  const spc_cf64 &number = spc::view(std::as_const(z));
  EXPECT(number.re == 5 && z.real() == 5);
  static_assert(!std::is_convertible_v<decltype(spc::view(std::as_const(z))), spc_cf64 *>);
  static_assert(!std::is_convertible_v<decltype(spc::view(z)), const spc_cf32 *>);
  static_assert(takes<const spc_dense1_cf64, spc::dense_view<const std::complex<double>, 1, spc::order::rows>>);
}

} // namespace

int main() {
  testFibers();
  testWidths();
  testDiagonals();
  testCoordinates();
  testNumbers();
  return failures != 0;
}
