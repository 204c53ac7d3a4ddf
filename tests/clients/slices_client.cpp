// Slices of rows: `row_ptr + first` of a CSR matrix, whose positions stay those in the whole matrix's arrays, does what
// a matrix of its own with the same rows does. And operands without values, of which a kernel reads none.
#include "converted_on_csc.h"
#include "degrees.h"
#include "sddmm.h"
#include "spadd.h"
#include "spgemm.h"
#include "spmm.h"
#include "spmv.h"
#include "spread.h"

#include "expect.h"

#include <cstring>
#include <vector>

namespace {

constexpr int64_t kRows = 60, kColumns = 40, kFirst = 17, kLast = 52, kSlice = kLast - kFirst;

template <typename T> T numberAt(int64_t k) {
  return static_cast<T>(1 + k % 7) / 4;
}

template <typename T> std::vector<T> numbers(int64_t count) {
  std::vector<T> made;
  for (int64_t k = 0; k < count; ++k)
    made.push_back(numberAt<T>(k));
  return made;
}

/// A matrix with rows of 0 to 5 entries.
template <typename T> struct Arrays {
  std::vector<int32_t> pointers = {0}, columns;
  std::vector<T> values;

  Arrays() {
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t k = 0; k < row * 7 % 6; ++k)
        columns.push_back(static_cast<int32_t>(k * 7 + row % 5));
      pointers.push_back(static_cast<int32_t>(columns.size()));
    }
    values = numbers<T>(static_cast<int64_t>(columns.size()));
  }

  int32_t begin() const { return pointers[kFirst]; }
  int32_t end() const { return pointers[kLast]; }

  /// The rows of the slice with arrays of their own.
  Arrays own() const {
    Arrays made;
    made.pointers.assign(pointers.begin() + kFirst, pointers.begin() + kLast + 1);
    for (int32_t &pointer : made.pointers)
      pointer -= begin();
    made.columns.assign(columns.begin() + begin(), columns.begin() + end());
    made.values.assign(values.begin() + begin(), values.begin() + end());
    return made;
  }
};

template <typename Csr, typename T> Csr sliceOf(Arrays<T> &arrays) {
  return {kSlice, kColumns, arrays.end(), arrays.pointers.data() + kFirst, arrays.columns.data(), arrays.values.data()};
}

template <typename Csr, typename T> Csr wholeOf(Arrays<T> &arrays) {
  return {kSlice,
          kColumns,
          static_cast<int64_t>(arrays.columns.size()),
          arrays.pointers.data(),
          arrays.columns.data(),
          arrays.values.data()};
}

template <typename T> bool same(const T *a, const T *b, int64_t count) {
  return count == 0 || std::memcmp(a, b, static_cast<size_t>(count) * sizeof(T)) == 0;
}

void testLoops(const spc_csr_f64_i32 &slice, const spc_csr_f64_i32 &own) {
  std::vector<double> x = numbers<double>(kColumns * 8), y(kSlice * 8), z(kSlice * 8);
  const spc_dense1_f64 vector = spc_dense1_f64_make(x.data(), kColumns);
  spc_dense1_f64 of_slice = spc_dense1_f64_make(y.data(), kSlice), of_own = spc_dense1_f64_make(z.data(), kSlice);
  EXPECT_STATUS(SPC_OK, spmv(&slice, &vector, &of_slice));
  EXPECT_STATUS(SPC_OK, spmv(&own, &vector, &of_own));
  EXPECT(y == z);
  const spc_dense2_f64 dense = spc_dense2_f64_make(x.data(), kColumns, 8);
  spc_dense2_f64 rows_of_slice = spc_dense2_f64_make(y.data(), kSlice, 8),
                 rows_of_own = spc_dense2_f64_make(z.data(), kSlice, 8);
  EXPECT_STATUS(SPC_OK, spmm(&slice, &dense, &rows_of_slice));
  EXPECT_STATUS(SPC_OK, spmm(&own, &dense, &rows_of_own));
  EXPECT(y == z);
}

void testAssembly(const spc_csr_f64_i32 &slice, const spc_csr_f64_i32 &own) {
  spc_csr_f64_i32 a, b;
  EXPECT_STATUS(SPC_OK, spadd(&slice, &own, &a));
  EXPECT_STATUS(SPC_OK, spadd(&own, &own, &b));
  EXPECT(a.nnz == b.nnz && same(a.values, b.values, a.nnz) && same(a.row_ptr, b.row_ptr, kSlice + 1));
  spadd_free(&a);
  spadd_free(&b);
  spc_csc_f64_i32 c, d;
  EXPECT_STATUS(SPC_OK, converted_on_csc(&slice, &c));
  EXPECT_STATUS(SPC_OK, converted_on_csc(&own, &d));
  EXPECT(c.nnz == d.nnz && same(c.values, d.values, c.nnz) && same(c.row_ind, d.row_ind, c.nnz));
  spc_csc_f64_i32_free(&c);
  EXPECT(c.nnz == 0 && c.values == nullptr && c.col_ptr == nullptr);
  spc_csc_f64_i32_free(&c);
  spc_csc_f64_i32_free(nullptr);
  converted_on_csc_free(&d);
}

/// Rows of the one operand choose rows of the other.
void testProducts(Arrays<double> &arrays) {
  Arrays<double> own = arrays.own();
  const spc_csr_f64_i32 slice = {
      kSlice, kSlice, arrays.end(), arrays.pointers.data() + kFirst, arrays.columns.data(), arrays.values.data()};
  spc_csr_f64_i32 whole = wholeOf<spc_csr_f64_i32>(own), a, b;
  whole.ncols = kSlice;
  EXPECT_STATUS(SPC_OK, spgemm(&slice, &slice, &a));
  EXPECT_STATUS(SPC_OK, spgemm(&whole, &whole, &b));
  EXPECT(a.nnz == b.nnz && same(a.values, b.values, a.nnz) && same(a.col_ind, b.col_ind, a.nnz));
  spgemm_free(&a);
  spgemm_free(&b);
}

/// What shares the slice's pattern lies where the slice does; nothing is written ahead of it.
void testSharedPattern() {
  Arrays<float> arrays, own = arrays.own();
  const spc_csr_f32_i32 slice = sliceOf<spc_csr_f32_i32>(arrays), whole = wholeOf<spc_csr_f32_i32>(own);
  std::vector<float> left = numbers<float>(kSlice * 4), right = numbers<float>(kColumns * 4);
  std::vector<float> y(static_cast<size_t>(arrays.end()), -1), z(own.values.size());
  const spc_dense2_f32 a = spc_dense2_f32_make(left.data(), kSlice, 4),
                       b = spc_dense2_f32_make(right.data(), kColumns, 4);
  spc_csr_f32_i32 of_slice = {kSlice, kColumns, 0, nullptr, nullptr, y.data()},
                  of_own = {kSlice, kColumns, 0, nullptr, nullptr, z.data()};
  EXPECT_STATUS(SPC_OK, sddmm(&slice, &a, &b, &of_slice));
  EXPECT_STATUS(SPC_OK, sddmm(&whole, &a, &b, &of_own));
  EXPECT(std::vector<float>(y.begin() + arrays.begin(), y.end()) == z);
  for (int32_t k = 0; k < arrays.begin(); ++k)
    EXPECT(y[static_cast<size_t>(k)] == -1);
}

void testWithoutValues(Arrays<double> &arrays) {
  std::vector<double> degrees_of(kSlice);
  spc_dense1_f64 d = spc_dense1_f64_make(degrees_of.data(), kSlice), x = d;
  spc_csr_f64_i32 slice = sliceOf<spc_csr_f64_i32>(arrays);
  slice.values = nullptr;
  EXPECT_STATUS(SPC_OK, degrees(&slice, &d));
  for (int64_t row = 0; row < kSlice; ++row)
    EXPECT(degrees_of[static_cast<size_t>(row)] == static_cast<double>((row + kFirst) * 7 % 6));
  std::vector<double> factors = numbers<double>(kColumns), spread_over(arrays.values.size(), -1);
  const spc_dense1_f64 each = spc_dense1_f64_make(factors.data(), kColumns);
  spc_csr_f64_i32 of_slice = {kSlice, kColumns, 0, nullptr, nullptr, spread_over.data()};
  EXPECT_STATUS(SPC_OK, spread(&slice, &each, &of_slice));
  for (int32_t k = arrays.begin(); k < arrays.end(); ++k)
    EXPECT(spread_over[static_cast<size_t>(k)] == factors[static_cast<size_t>(arrays.columns[static_cast<size_t>(k)])]);
  slice.ncols = kSlice;
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(&slice, &x, &d));
}

/// Slices of no rows end where the rows ahead of them do, also ahead of all and behind all.
void testWithoutRows(Arrays<double> &arrays) {
  std::vector<double> x = numbers<double>(kColumns), none(1);
  const spc_dense1_f64 vector = spc_dense1_f64_make(x.data(), kColumns);
  spc_dense1_f64 no_rows = spc_dense1_f64_make(none.data(), 0);
  for (const int64_t row : {int64_t{0}, kFirst, kLast, kRows}) {
    const spc_csr_f64_i32 slice = {
        0, kColumns, arrays.pointers[row], arrays.pointers.data() + row, arrays.columns.data(), arrays.values.data()};
    spc_csr_f64_i32 sum;
    spc_csc_f64_i32 converted;
    EXPECT_STATUS(SPC_OK, spc_csr_f64_i32_validate(&slice));
    EXPECT_STATUS(SPC_OK, spmv(&slice, &vector, &no_rows));
    EXPECT_STATUS(SPC_OK, degrees(&slice, &no_rows));
    EXPECT_STATUS(SPC_OK, spadd(&slice, &slice, &sum));
    EXPECT(sum.nrows == 0 && sum.nnz == 0);
    spadd_free(&sum);
    EXPECT_STATUS(SPC_OK, converted_on_csc(&slice, &converted));
    EXPECT(converted.nnz == 0 && converted.col_ptr[kColumns] == 0);
    converted_on_csc_free(&converted);
  }
  spc_csr_f64_i32 wrong = {0, kColumns, 3, arrays.pointers.data(), arrays.columns.data(), arrays.values.data()};
  EXPECT_STATUS(SPC_ERROR_COUNT, spmv(&wrong, &vector, &no_rows));
  wrong = {0, kColumns, 0, nullptr, nullptr, nullptr};
  EXPECT_STATUS(SPC_OK, spmv(&wrong, &vector, &no_rows));
}

} // namespace

int main() {
  Arrays<double> arrays, own = arrays.own();
  const spc_csr_f64_i32 slice = sliceOf<spc_csr_f64_i32>(arrays), whole = wholeOf<spc_csr_f64_i32>(own);
  EXPECT_STATUS(SPC_OK, spc_csr_f64_i32_validate(&slice));
  arrays.columns[0] = -1; // which belongs to no row of the slice
  EXPECT_STATUS(SPC_OK, spc_csr_f64_i32_validate(&slice));
  testLoops(slice, whole);
  testAssembly(slice, whole);
  testProducts(arrays);
  testSharedPattern();
  testWithoutValues(arrays);
  testWithoutRows(arrays);
  return failures == 0 ? 0 : 1;
}
