// spc/eigen.hpp and spc/tbb.hpp.
#include "sddmm.h"
#include "spgemm.h"
#include "spmm.h"
#include "spmm_on_csc.h"
#include "spmv.h"

#include <spc/eigen.hpp>
#include <spc/tbb.hpp>

#include "expect.h"

namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of 0 to 3 entries.
Sparse someMatrix(int rows, int columns) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < rows; ++row)
    for (int n = 0; n < row % 4; ++n)
      entries.emplace_back(row, (row * 5 + n * 3) % columns, row + 0.5 * n);
  Sparse matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

template <typename F> spc_status statusOf(const F &function) {
  try {
    function();
    return SPC_OK;
  } catch (const spc::error &error) {
    return error.status();
  }
}

void testSpmm() {
  const Sparse A = someMatrix(9, 7);
  const Dense B = Dense::Random(7, 5);
  Dense C(9, 5);
  spc::check(spmm(spc::view(A), spc::view(B), spc::view(C)));
  EXPECT(C.isApprox(A * B));

  // Parts of larger matrices, maps of const memory.
  Dense wide = Dense::Constant(20, 11, -1);
  const Eigen::Map<const Dense> mapped(B.data(), 7, 5);
  const Eigen::Map<const Sparse> mappedA(9, 7, A.nonZeros(), A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr());
  spc::check(spmm(spc::view(mappedA), spc::view(mapped), spc::view(wide.block(3, 2, 9, 5))));
  EXPECT(wide.block(3, 2, 9, 5).isApprox(C));
  EXPECT(wide(2, 2) == -1 && wide(3, 1) == -1 && wide(3, 7) == -1 && wide(12, 2) == -1);

  // By columns.
  const Eigen::SparseMatrix<double> byColumns(A);
  const Eigen::MatrixXd columnsOfB = B;
  Eigen::MatrixXd columnsOfC = Eigen::MatrixXd::Zero(9, 5);
  spc::check(spmm_on_csc(spc::view(byColumns), spc::view(columnsOfB), spc::view(columnsOfC)));
  EXPECT(columnsOfC.isApprox(C));
  Eigen::MatrixXd taller(30, 5);
  spc::check(spmm_on_csc(spc::view(byColumns), spc::view(columnsOfB), spc::view(taller.middleRows(4, 9))));
  EXPECT(taller.middleRows(4, 9).isApprox(C));

  // What is no operand of the kernel does not convert.
  static_assert(!std::is_convertible_v<decltype(spc::view(byColumns)), const spc_csr_f64_i32 *>);
  static_assert(!std::is_convertible_v<decltype(spc::view(columnsOfB)), const spc_dense2_f64 *>);
  static_assert(!std::is_convertible_v<decltype(spc::view(B)), spc_dense2_f64 *>);
}

void testVectors() {
  const Sparse A = someMatrix(6, 6);
  const Eigen::VectorXd x = Eigen::VectorXd::Random(6);
  Eigen::Matrix<double, 6, 1> y;
  spc::check(spmv(spc::view(A), spc::view(x), spc::view(y)));
  EXPECT(y.isApprox(A * x));
  Eigen::MatrixXd several(6, 3);
  spc::check(spmv(spc::view(A), spc::view(x), spc::view(several.col(1))));
  EXPECT(several.col(1).isApprox(A * x));
  Eigen::MatrixXd row(3, 6);
  EXPECT_STATUS(SPC_ERROR_STRIDE, statusOf([&] { (void)spmv(spc::view(A), spc::view(row.row(1)), spc::view(y)); }));
}

void testStorage() {
  Sparse A = someMatrix(5, 5);
  A.coeffRef(0, 4) = 1;
  EXPECT(!A.isCompressed());
  EXPECT_STATUS(SPC_ERROR_POINTERS, statusOf([&] { (void)spc::view(A); }));
  EXPECT_STATUS(SPC_ERROR_POINTERS, statusOf([&] { (void)spc::values(A); }));
  A.makeCompressed();
  EXPECT_STATUS(SPC_OK, statusOf([&] { (void)spc::view(A); }));
  EXPECT_STATUS(SPC_ERROR_POINTERS, statusOf([&] { (void)spc::view(A.middleRows(2, 2)); }));

  const Sparse none(0, 0), empty(3, 4);
  Dense product(0, 2), zero = Dense::Ones(3, 2);
  spc::check(spmm(spc::view(none), spc::view(Eigen::Map<const Dense>(nullptr, 0, 2)), spc::view(product)));
  const Dense B = Dense::Ones(4, 2);
  spc::check(spmm(spc::view(empty), spc::view(B), spc::view(zero)));
  EXPECT(zero.isZero());
}

void testSddmm() {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::SparseMatrix<float, Eigen::RowMajor> S = someMatrix(8, 6).cast<float>();
  const Matrix A = Matrix::Random(8, 3), B = Matrix::Random(6, 3);
  Eigen::SparseMatrix<float, Eigen::RowMajor> D = S;
  spc::check(sddmm(spc::view(S), spc::view(A), spc::view(B), spc::values(D)));
  EXPECT(Matrix(D).isApprox(Matrix(S).cwiseProduct(A * B.transpose())));
}

void testResults() {
  const Sparse A = someMatrix(9, 7), B = someMatrix(7, 8), wanted = A * B;
  spc::owner<spc_csr_f64_i32> C;
  spc::check(spgemm(spc::view(A), spc::view(B), C.out()));
  const auto map = spc::as_eigen(C);
  EXPECT(map.valuePtr() == C->values && map.isApprox(wanted));
  const Sparse copy = spc::to_eigen(C);
  C.reset();
  EXPECT(copy.isApprox(wanted) && copy.isCompressed());
  const Sparse none(0, 7);
  spc::check(spgemm(spc::view(none), spc::view(B), C.out()));
  EXPECT(spc::to_eigen(C).nonZeros() == 0 && spc::as_eigen(C).cols() == 8);
}

void testTbb() {
  const Sparse A = someMatrix(40000, 7);
  const Dense B = Dense::Random(7, 5);
  Dense C(40000, 5);
  const spc_context context = spc::tbb_context();
  spc::check(spmm_ctx(&context, spc::view(A), spc::view(B), spc::view(C)));
  EXPECT(C.isApprox(A * B));
}

// Types that no kernel here has.
static_assert(spc::value_name<Eigen::half> == "f16" && spc::value<Eigen::bfloat16>);
static_assert(spc::value_name<std::complex<double>> == "cf64");

} // namespace

int main() {
  testSpmm();
  testVectors();
  testStorage();
  testSddmm();
  testResults();
  testTbb();
  return failures != 0;
}
