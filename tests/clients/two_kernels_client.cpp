// Two kernels' headers in one file and their objects in one program, from C++17.
#include "spmm.h"
#include "spmv.h"

#include "expect.h"

#include <cstddef>
#include <type_traits>
#include <vector>

static_assert(std::is_standard_layout_v<spc_csr_f64_i32>);
static_assert(
    std::is_same_v<decltype(&spmv), spc_status (*)(const spc_csr_f64_i32 *, const spc_dense1_f64 *, spc_dense1_f64 *)>);

int main() {
  std::vector<int32_t> pointers = {0, 1, 1, 3};
  std::vector<int32_t> indices = {1, 0, 1};
  std::vector<double> values = {2, 3, 4};
  const spc_csr_f64_i32 A = {3, 2, 3, pointers.data(), indices.data(), values.data()};

  constexpr int64_t columns = 37;
  std::vector<double> b(2 * columns), c(3 * columns, -1);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<double>(i % 11) - 3;
  const spc_dense2_f64 B = spc_dense2_f64_make(b.data(), 2, columns);
  spc_dense2_f64 C = spc_dense2_f64_make(c.data(), 3, columns);
  EXPECT_STATUS(SPC_OK, spmm(&A, &B, &C));
  for (std::size_t j = 0; j < columns; ++j) {
    EXPECT_NEAR(2 * b[columns + j], c[j]);
    EXPECT_NEAR(0, c[columns + j]);
    EXPECT_NEAR(3 * b[j] + 4 * b[columns + j], c[2 * columns + j]);
  }

  std::vector<double> x = {10, 100}, y(3, -1);
  const spc_dense1_f64 xs = spc_dense1_f64_make(x.data(), 2);
  spc_dense1_f64 ys = spc_dense1_f64_make(y.data(), 3);
  EXPECT_STATUS(SPC_OK, spmv(&A, &xs, &ys));
  EXPECT((y == std::vector<double>{200, 0, 430}));
  EXPECT_STATUS(SPC_ERROR_SHAPE, spmv(&A, &ys, &ys));
  return failures != 0;
}
