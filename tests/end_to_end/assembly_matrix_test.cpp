// Four expressions with every operand and the result in each of six formats:
// 864 kernels.
#include "end_to_end/assembly.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<std::string> kAddendFormats = {"dense", "csr", "csc", "coo", "dcsr", "bsr2x3"};

/// Each expression takes other assignments first, so that together the slices
/// of a short run meet more of them.
void checkMatrix(const std::string &statements, size_t first) {
  const std::vector<Formats> assignments =
      product({{"A", kAddendFormats}, {"B", kAddendFormats}, {"C", kAddendFormats}});
  REQUIRE(assignments.size() == 216);
  const Tally tally = checkAssembly(statements, assignments, 5, first);
  WARN(statements << ": " << tally.kernels << " kernels right on " << tally.dataSets << " data sets");
}

} // namespace

TEST_CASE("products of matrices in all formats", "[assembly-matmul]") {
  checkMatrix("A(i,j) = B(i,k)*C(k,j)", 0);
}

TEST_CASE("sums of matrices in all formats", "[assembly-sums]") {
  checkMatrix("A(i,j) = B(i,j) + C(i,j)", 1);
}

TEST_CASE("elementwise products of matrices in all formats", "[assembly-elementwise]") {
  checkMatrix("A(i,j) = B(i,j)*C(i,j)", 2);
}

TEST_CASE("differences with a transposed matrix in all formats", "[assembly-transposed]") {
  checkMatrix("A(i,j) = B(i,j) - C(j,i)", 3);
}

TEST_CASE("expressions of three operands, with scalars and vectors", "[assembly-expressions]") {
  const std::vector<std::string> outputs = {"csr", "csc", "coo", "dcsr", "bsr2x3"};
  checkAssembly("A(i,j) = B(i,j) + C(i,j) - D(i,j)",
                product({{"A", outputs}, {"B", {"csr", "coo"}}, {"C", {"csc", "dcsr"}}, {"D", {"csr", "dense"}}}), 3);
  checkAssembly("A(i,j) = B(i,k)*C(k,j) + D(i,j)",
                product({{"A", outputs}, {"B", {"csr", "dcsr"}}, {"C", {"csr", "csc"}}, {"D", {"csr", "coo"}}}), 3);
  checkAssembly("A(i,j) = B(i,k)*C(k,l)*D(l,j)",
                product({{"A", outputs}, {"B", {"csr"}}, {"C", {"csr", "csc"}}, {"D", {"csr"}}}), 2);
  checkAssembly("A(i,j) = alpha*B(i,j) - C(i,j)/beta", product({{"A", outputs}, {"B", {"csr"}}, {"C", {"csr", "csc"}}}),
                2);
  checkAssembly("A(i,j) = (B(i,j) + C(i,j))*x(j)",
                product({{"A", outputs}, {"B", {"csr"}}, {"C", {"csr", "csc"}}, {"x", {"dense", "sv"}}}), 3);
  checkAssembly("A(i,j) = x(i)*y(j)", product({{"A", outputs}, {"x", {"sv", "dense"}}, {"y", {"sv"}}}), 2);
  checkAssembly("A(i,j) = B(i,j)*D(i,k)*E(k,j)",
                product({{"A", {"csc", "coo", "dcsr"}}, {"B", {"csr"}}, {"D", {"dense"}}, {"E", {"dense"}}}));
}

TEST_CASE("a product of symmetric matrices has a run for each way to read them", "[assembly-expressions]") {
  checkAssembly("A(i,j) = B(i,k)*C(k,l)*D(l,j)",
                product({{"A", {"csr"}}, {"B", {"sym-csr"}}, {"C", {"sym-csr"}}, {"D", {"sym-csr", "sym-upper"}}}));
}

TEST_CASE("scalars may be called what the compiler calls arguments of its own", "[assembly-expressions]") {
  for (const char *name : {"chunk", "assembly"})
    checkAssembly("A(i,j) = " + std::string(name) + "*B(i,k)*C(k,j)",
                  product({{"A", {"csr", "coo"}}, {"B", {"csr"}}, {"C", {"csr"}}}), 2);
}

TEST_CASE("terms have their signs in every type", "[assembly-expressions]") {
  const std::vector<std::string> outputs = {"csr", "csc", "coo", "dcsr", "bsr2x3"};
  checkAssembly("A(i,j) = -B(j,i)", product({{"A", outputs}, {"B", {"csr", "coo", "csc"}}}));
  checkAssembly("A(i,j) = -B(i,j)*x(i)", product({{"A", outputs}, {"B", {"dcsr", "csc", "coo"}}, {"x", {"dense"}}}));
  checkAssembly("A(i,j) = alpha*C(i,j) - B(j,i)", product({{"A", outputs}, {"B", {"csr", "csc"}}, {"C", {"csr"}}}), 2);
}

TEST_CASE("sparse vectors are assembled", "[assembly-expressions]") {
  checkAssembly("z(i) = x(i) + y(i)",
                product({{"z", {"sv", "blocked-vector"}}, {"x", {"sv", "dense"}}, {"y", {"sv"}}}));
  checkAssembly(
      "z(i) = x(i) - y(i)",
      product({{"z", {"sv", "blocked-vector"}}, {"x", {"blocked-vector", "dense"}}, {"y", {"blocked-vector"}}}));
  checkAssembly("z(i) = A(i,j)*x(j)", product({{"z", {"sv"}}, {"A", {"csr", "csc", "dcsr", "coo"}}, {"x", {"sv"}}}));
  checkAssembly("z(i) = A(i,j)", product({{"z", {"sv"}}, {"A", {"csr", "csc", "dcsr", "bsr2x3"}}}));
  checkAssembly("z(j) = x(i)*A(i,j)*B(j,k)", product({{"z", {"sv"}}, {"A", {"csr"}}, {"B", {"csr"}}, {"x", {"sv"}}}));
}

TEST_CASE("sparse results are added to", "[assembly-updates]") {
  const std::vector<std::string> outputs = {"csr", "csc", "coo", "dcsr", "bsr2x3"};
  checkAssembly("A(i,j) += B(i,k)*C(k,j)", product({{"A", outputs}, {"B", {"csr", "csc"}}, {"C", {"csr", "dense"}}}),
                2);
  checkAssembly("A(i,j) += B(i,j)", product({{"A", outputs}, {"B", {"csr", "coo", "dense"}}}), 2);
  checkAssembly("A(i,j) = A(i,j) - B(i,j)", product({{"A", outputs}, {"B", {"csr", "csc"}}}), 2);
  checkAssembly("A(i,j) = A(i,k)*A(k,j)", product({{"A", outputs}}));
  checkAssembly("A(i,j) = A(j,i)", product({{"A", outputs}}));
}

TEST_CASE("statements read what was assembled before", "[assembly-updates]") {
  checkAssembly("D(i,j) = B(i,j) + C(i,j)\ny(i) = D(i,j)*x(j)",
                product({{"D", {"csr", "csc", "coo"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
  checkAssembly("P(i,j) = B(i,j)\nQ(i,j) = B(j,i)\nR(i,j) = 3*P(i,j)",
                product({{"P", {"csr"}}, {"Q", {"csr", "coo"}}, {"R", {"csr", "dcsr"}}, {"B", {"csr"}}}));
  for (const std::string format : {"csr", "csc", "dcsr", "coo"}) {
    checkAssembly("D(i,j) = B(j,i)\nE(i,j) = 2*D(i,j)", {{{"D", format}, {"E", format}, {"B", "csr"}}});
    checkAssembly("E(i,j) = 2*D(i,j)\nD(i,j) = B(j,i)", {{{"D", format}, {"E", format}, {"B", "csr"}}});
  }
  checkAssembly("D(i,k) = B(i,j)*C(j,k)\nE(i,k) = D(i,k) + B(i,k)",
                product({{"D", {"csr", "dcsr"}}, {"E", {"csr", "csc"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
}

} // namespace spc::testing
