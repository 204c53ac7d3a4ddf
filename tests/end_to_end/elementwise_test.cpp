// Elementwise products, and outputs that keep an operand's pattern.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

const std::vector<std::string> kFiveSparse = {"csr", "csc", "dcsr", "dcsc", "coo"};

/// Output and operand in the same storage, the operand's pattern kept.
std::vector<Formats> shared(const std::string &output, const std::string &operand,
                            const std::vector<std::string> &storages, const Formats &others = {}) {
  std::vector<Formats> result;
  for (const std::string &storage : storages) {
    result.push_back(others);
    result.back()[output] = result.back()[operand] = storage;
  }
  return result;
}

} // namespace

TEST_CASE("elementwise products of sparse matrices", "[elementwise]") {
  check("A(i,j) = B(i,j) * C(i,j)", product({{"B", kFiveSparse}, {"C", kFiveSparse}, {"A", kDense}}));
  check("A(i,j) = B(i,j) * C(j,i)", product({{"B", kFiveSparse}, {"C", {"csr", "csc", "coo"}}, {"A", kDense}}));
  check("A(i,j) = B(i,j) * C(i,j) * D(i,j)",
        product({{"B", {"csr", "dcsr", "coo"}}, {"C", {"csr", "csc"}}, {"D", {"csr", "coo", "dense"}}, {"A", kDense}}));
  check("z(i) = x(i) * y(i) * w(i)", product({{"x", {"sv"}}, {"y", {"sv"}}, {"w", {"sv", "dense"}}, {"z", kDense}}));
  check("A(i,j) = B(i,j) * x(i) * y(j)", product({{"B", kFiveSparse}, {"x", {"sv"}}, {"y", {"sv"}}, {"A", kDense}}));
}

TEST_CASE("elementwise products of third-order tensors", "[elementwise]") {
  check("A(i,j,k) = B(i,j,k) * C(i,j,k)",
        product({{"B", {"csf", "coo"}}, {"C", {"csf", "coo", "csf:2,1,0", "dense"}}, {"A", kDense}}));
}

TEST_CASE("sampled dense-dense products", "[patterns]") {
  check("D(i,j) = S(i,j) * A(i,k) * B(j,k)", shared("D", "S", kFiveSparse));
  check("D(i,j) = S(i,j) * A(i,k) * B(k,j)", shared("D", "S", kFiveSparse));
  check("D(i,j) = A(i,k) * B(k,j) * S(i,j)", product({{"S", kFiveSparse}}));
  check("D(j,i) = S(i,j) * A(i,k) * B(j,k)",
        {{{"S", "csr"}, {"D", "csc"}}, {{"S", "csc"}, {"D", "csr"}}, {{"S", "coo"}, {"D", "coo:1,0"}}});
  check("D(i,j) = S(j,i) * A(i,k) * B(j,k)", {{{"S", "csr"}, {"D", "csc"}}, {{"S", "csc"}, {"D", "csr"}}});
  check("D(i,j) = S(i,j) * A(i,j)", shared("D", "S", kFiveSparse));
  check("D(i,j) += S(i,j) * A(i,k) * B(j,k)", shared("D", "S", kFiveSparse));
  check("D(i,j,k) = S(i,j,k) * A(i,l) * B(j,l) * C(k,l)", shared("D", "S", {"csf", "coo", "csf:2,0,1", "dcc"}));
  check("D(i,j) = S(i,j) * A(i,k) * B(j,k)", product({{"S", {"csr", "coo"}}, {"A", {"dense:1,0"}}}));
}

TEST_CASE("scaling keeps the pattern", "[patterns]") {
  check("B(i,j) = 2 * A(i,j)", shared("B", "A", kFiveSparse));
  check("B(i,j) = alpha * A(i,j)", product({{"A", kFiveSparse}}));
  check("B(i,j) = -A(i,j) / alpha", product({{"A", kFiveSparse}}));
  check("B(i,j) = d(i) * A(i,j)", shared("B", "A", kFiveSparse));
  check("B(i,j) = A(i,j) * d(j)", shared("B", "A", kFiveSparse));
  check("B(i,j) = A(i,j) / (d(i) * e(j))", shared("B", "A", kFiveSparse));
  check("B(i,j) = A(i,j) * A(i,j)", shared("B", "A", kFiveSparse));
  check("z(i) = x(i) * y(i)", product({{"x", {"sv"}}, {"z", {"sv"}}}));
  check("B(i,j,k) = A(i,j,k) * x(j)", shared("B", "A", {"csf", "csf:1,2,0", "coo", "ddc"}));
  check("B(i,j) = A(i,j) / sum(k, A(i,k) * A(i,k) + 1)", shared("B", "A", {"csr", "coo"}));
  check("B(i,j) = A(i,j) * sum(k, C(i,k) * E(k,j))", shared("B", "A", {"csr", "coo"}));
}

TEST_CASE("sparse tensors scaled in place", "[patterns]") {
  check("A(i,j) = 2 * A(i,j)", product({{"A", kFiveSparse}}));
  check("A(i,j) = A(i,j) * d(i) / e(j)", product({{"A", kFiveSparse}}));
  check("A(i,j) += A(i,j) * B(i,j)", product({{"A", {"csr", "coo"}}}));
  check("x(i) = alpha * x(i)", product({{"x", {"sv", "dense"}}}));
}
