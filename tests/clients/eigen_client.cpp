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
  // Rows of a matrix by columns.
  Eigen::MatrixXd across = Eigen::MatrixXd::Random(3, 6);
  const Eigen::VectorXd second = across.row(1), product = A * second;
  spc::check(spmv(spc::view(A), spc::view(across.row(1)), spc::view(across.row(2))));
  EXPECT(across.row(2).transpose().isApprox(product) && across.row(1).transpose() == second);
}

/// What is no matrix of its own.
void testReferences() {
  const Sparse A = someMatrix(6, 4);
  const Eigen::MatrixXd across = Eigen::MatrixXd::Random(3, 4);
  Dense C(6, 3);
  spc::check(spmm(spc::view(A), spc::view(across.transpose()), spc::view(C)));
  EXPECT(C.isApprox(A * across.transpose()));
  const Eigen::Ref<const Sparse> referred(A);
  Eigen::Array<double, 10, 8, Eigen::RowMajor> array;
  array.setZero();
  Eigen::Ref<Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>> part(
      array.block(0, 0, 6, 3));
  spc::check(spmm(spc::view(referred), spc::view(across.transpose()), spc::view(part)));
  EXPECT(array.block(0, 0, 6, 3).matrix().isApprox(C) && array(0, 3) == 0);
  Eigen::VectorXd x = Eigen::VectorXd::Random(9), y(8);
  spc::check(spmv(spc::view(A), spc::view(x.segment(2, 4)), spc::view(y.head(6))));
  EXPECT(y.head(6).isApprox(A * x.segment(2, 4)));
  const Eigen::Map<const Eigen::RowVectorXd> mapped(x.data(), 4);
  spc::check(spmv(spc::view(A), spc::view(mapped), spc::view(y.head(6))));
  EXPECT(y.head(6).isApprox(A * x.head(4)));
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
  const Matrix wanted = Matrix(S).cwiseProduct(A * B.transpose());
  EXPECT(Matrix(D).isApprox(wanted));

  D.coeffs().setZero(); // some rows of a larger matrix
  const Eigen::SparseMatrix<float, Eigen::RowMajor> part = S.middleRows(2, 4);
  const Matrix rows = A.middleRows(2, 4);
  spc::check(sddmm(spc::view(part), spc::view(rows), spc::view(B), spc::values(D.middleRows(2, 4))));
  EXPECT(Matrix(D).middleRows(2, 4).isApprox(wanted.middleRows(2, 4)));
  EXPECT(Matrix(D).topRows(2).isZero() && Matrix(D).bottomRows(2).isZero());
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
  EXPECT_STATUS(SPC_ERROR_NULL, statusOf([&] { (void)spc::as_eigen(C); })); // has nine rows, and no pointers
  spc::check(spgemm_symbolic(spc::view(A), spc::view(B), C.out()));
  EXPECT_STATUS(SPC_ERROR_NULL, statusOf([&] { (void)spc::to_eigen(C); }));
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

} // namespace

// Structs of types that no kernel here has.
struct spc_csc_cf64_i64 {
  int64_t nrows, ncols, nnz;
  const int64_t *col_ptr, *row_ind;
  const spc_cf64 *values;
};
struct spc_spvec_f64_i32 {
  int64_t size, nnz;
  const int32_t *indices_0;
  const double *values;
};
template <typename Half> struct HalfMatrix {
  int64_t nrows, ncols, nnz;
  const int32_t *row_ptr, *col_ind;
  const Half *values;
};
struct spc_csr_f16_i32 : HalfMatrix<spc_f16> {};
struct spc_csr_bf16_i32 : HalfMatrix<spc_bf16> {};
struct spc_dense1_f16 {
  int64_t size, stride;
  const spc_f16 *values;
};

namespace {

void testTypes() {
  Eigen::SparseMatrix<std::complex<double>, Eigen::ColMajor, int64_t> A(3, 3);
  A.insert(1, 2) = {3, 4};
  A.makeCompressed();
  const auto view = spc::view(A);
  static_assert(!std::is_convertible_v<decltype(view), const spc_csc_f64_i32 *>);
  const spc_csc_cf64_i64 &tensor = view;
  EXPECT(tensor.nnz == 1 && tensor.values[0].im == 4 && tensor.col_ptr == A.outerIndexPtr());
  EXPECT(spc::to_eigen(tensor).isApprox(A) && spc::as_eigen(tensor).valuePtr() == A.valuePtr());

  Eigen::SparseVector<double> x(5);
  x.insert(2) = 1.5;
  const auto vector = spc::view(x);
  const spc_spvec_f64_i32 &entries = vector;
  EXPECT(entries.size == 5 && entries.nnz == 1 && entries.indices_0[0] == 2 && entries.values[0] == 1.5);
  Sparse several = someMatrix(5, 5);
  for (const bool isCompressed : {true, false}) {
    const auto row = spc::view(several.row(3));
    const spc_spvec_f64_i32 &part = row;
    const int first = several.outerIndexPtr()[3];
    EXPECT(several.isCompressed() == isCompressed && part.size == 5 && part.nnz == 3);
    EXPECT(part.indices_0 == several.innerIndexPtr() + first && part.values == several.valuePtr() + first);
    several.coeffRef(0, 4) = 1;
  }
  Eigen::Vector<Eigen::half, 3> half(Eigen::half(0), Eigen::half(1.5f), Eigen::half(0));
  const auto halves = spc::view(half);
  spc_dense1_f16 &tensor16 = halves;
  EXPECT(tensor16.size == 3 && spc_f16_to_float(tensor16.values[1]) == 1.5f);
  Eigen::SparseMatrix<Eigen::bfloat16, Eigen::RowMajor> brief(2, 2);
  brief.insert(0, 1) = Eigen::bfloat16(1.5f);
  brief.makeCompressed();
  const auto briefs = spc::view(brief);
  static_assert(!std::is_convertible_v<decltype(briefs), const spc_csr_f16_i32 *>);
  const spc_csr_bf16_i32 &matrix16 = briefs;
  EXPECT(spc_bf16_to_float(matrix16.values[0]) == 1.5f);
  EXPECT(spc::as_eigen(matrix16).valuePtr() == brief.valuePtr());
}

} // namespace

int main() {
  testSpmm();
  testVectors();
  testReferences();
  testStorage();
  testSddmm();
  testResults();
  testTbb();
  testTypes();
  return failures != 0;
}
