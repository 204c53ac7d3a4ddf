// Symmetric matrices whose blocks and diagonals reach over the edge: what lies there is anything at all, and mirror
// images must not read it either.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<std::string> kPaddedSymmetric = {"sym-bsr",       "sym-bsr-up", "sym-bsc", "sym-dbsr",
                                                   "sym-block-ell", "sym-tiled",  "sym-dia", "sym-dia-low",
                                                   "sym-dia-cols",  "sym-nm",     "sym-ell", "sym-packed"};

} // namespace

TEST_CASE("padded symmetric matrices in products", "[symmetric-padding]") {
  checkLowering("y(i) = S(j,i)*x(j)", product({{"S", kPaddedSymmetric}}));
  checkLowering("C(i,j) = B(i,k)*S(k,j)", product({{"S", kPaddedSymmetric}, {"B", {"csr"}}, {"C", {"dense"}}}));
  checkLowering("A(i,j) = S(i,k)*S(k,j)", product({{"S", kPaddedSymmetric}, {"A", {"dense"}}}));
  checkLowering("y(i) = S(i,j)*S(j,k)*x(k)", product({{"S", kPaddedSymmetric}}));
}

TEST_CASE("padded symmetric matrices in sums", "[symmetric-padding]") {
  checkLowering("y(i) = S(i,j)", product({{"S", kPaddedSymmetric}}));
  checkLowering("A(i,j) = S(i,j) + S(j,i)", product({{"S", kPaddedSymmetric}, {"A", {"dense"}}}));
  checkLowering("A(i,j) = S(i,j)*x(j) - T(j,i)",
                product({{"S", kPaddedSymmetric}, {"T", {"sym-bsr"}}, {"A", {"dense"}}}));
}

TEST_CASE("entries of padded symmetric matrices", "[symmetric-padding]") {
  checkLowering("y(i) = max(j, S(i,j))", product({{"S", kPaddedSymmetric}}));
  checkLowering("A(i,j) = relu(S(i,j))*B(i,j)", product({{"S", kPaddedSymmetric}, {"B", {"csr"}}, {"A", {"dense"}}}));
}

} // namespace spc::testing
