// Accesses other than by plain variables: repeated indices, constants, windows and strides.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

const std::vector<std::string> kAnySparse = {"csr", "csc", "dcsr", "coo", "coo-dup", "ell", "bsr2x3", "sym-csr"};

} // namespace

TEST_CASE("the diagonal of a matrix", "[access]") {
  checkLowering("d(i) = A(i,i)", product({{"A", kAnySparse}}));
  checkLowering("t = A(i,i)", product({{"A", kAnySparse}}));
  checkLowering("d(i) = exp(A(i,i)) + x(i)", product({{"A", {"csr", "coo-dup"}}}));
  checkLowering("D(i,j) = B(i,j) * A(i,i)", product({{"A", {"csr"}}, {"B", {"csr", "coo"}}}));
  checkLowering("y(i) = B(i,j) * A(i,i) * x(j)", product({{"A", {"dense"}}, {"B", {"csr", "coo"}}}));
  checkLowering("d(i) = A(i,i,i) + A(i,2,i)", product({{"A", {"csf", "dense"}}}));
  checkLowering("d(i) = A(i,i)", {{{"A", "dense"}}});
}

TEST_CASE("rows, columns and elements", "[access]") {
  checkLowering("y(j) = A(2,j) * x(j)", product({{"A", {"csr", "csc", "coo-dup", "bsr2x3"}}}));
  checkLowering("y(i) = A(i,0)", product({{"A", {"csr", "csc", "coo", "dense"}}}));
  checkLowering("s = A(1,2)", product({{"A", {"csr", "coo-dup", "dense"}}}));
  checkLowering("C(i,j) = A(i,j) * x(3)", product({{"A", {"csr", "dense"}}, {"C", {"csr"}}}));
  checkLowering("y(i) = T(i,1,k) * x(k)", product({{"T", {"csf", "dense"}}}));
}

TEST_CASE("windows of dense operands", "[access]") {
  checkLowering("y(i) = x(i) - 2*x(i+1) + x(i+2)", {{}});
  checkLowering("y(i) = x(2*i+1) * z(i)", {{}});
  checkLowering("y(i) = x(i+r) * w(r)", {{}});
  checkLowering("Y(i,j) = X(i+p, j+q) * K(p,q)", {{}, {{"X", "dense:1,0"}}});
  checkLowering("Y(i,j) = X(2*i+1, 3*j) + X(2*i, 3*j+2)", {{}});
  checkLowering("y(i) = A(i,j) * x(j+1)", product({{"A", kAnySparse}}));
  checkLowering("C(i,k) = A(i,j) * B(2*j+1, k+2)", product({{"A", {"csr", "bsr2x3"}}, {"C", {"dense"}}}));
  checkLowering("D(i,j) = S(i,j) * A(i+1,k) * B(k,j)", product({{"S", {"csr", "coo"}}, {"D", {"csr"}}}));
  checkLowering("y(i) = A(i,j) * B(j,j)", product({{"A", {"csr", "bsr2x3"}}}));
  checkLowering("D(i,j) = S(i,j) * x(i+j)", product({{"S", {"csr"}}}));
}

TEST_CASE("windows are checked where nothing is read", "[access]") {
  const std::string sized = "z(i) = x(i) * w(i)\n";
  checkLowering(sized + "y(i) = w(i) + A(i,j) * (not pattern(A(i,j))) * x(2*i)",
                product({{"A", {"csr", "csc", "dcsr", "coo", "coo-dup", "ell", "bsr2x3"}}}));
  checkLowering(sized + "C(i,j) += A(i,j) * (not pattern(A(i,j))) * x(2*i)",
                product({{"A", {"csr", "coo", "bsr2x3"}}, {"C", {"csr", "dense"}}}));
  checkLowering(sized + "C(i,j) = B(i,j) - A(i,j) * (not pattern(A(i,j))) * x(i+1)",
                product({{"A", {"csr", "coo"}}, {"B", {"csr"}}, {"C", {"csr", "dense", "bsr2x3"}}}));
}
