// Tensors that are stored as sums of parts, and tensors that share another one's structure by declaration.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<std::string> kSums = {"ell1+csr", "ell4+coo", "ell4q+dcsc", "nm24+csc"};

} // namespace

TEST_CASE("a kernel that is linear in a sum of parts runs over each", "[parts]") {
  for (const std::string &sum : kSums) {
    check("y(i) = A(i,j)*x(j)", {{{"A", sum}}});
    check("y(j) += alpha*A(i,j)*x(i) + z(j)", {{{"A", sum}}});
    check("Y(i,k) = A(i,j)*X(j,k)", {{{"A", sum}}});
    check("s = A(i,j)", {{{"A", sum}}});
    check("D(i,j) = A(i,j) - B(j,i)", {{{"A", sum}, {"B", "csr"}, {"D", "dense"}}});
    check("D(i,j) = A(i,k)*B(k,j)", {{{"A", sum}, {"B", "csr"}, {"D", "dense"}}});
    check("y(i) = (A(i,j) + b(i))*x(j)", {{{"A", sum}}});
  }
  check("y(i) = A(i,j)*B(j,k)*x(k)", {{{"A", "ell4+coo"}, {"B", "ell1+csr"}}});
}

TEST_CASE("a kernel that is not linear in a sum of parts reads a copy", "[parts]") {
  for (const std::string &sum : kSums) {
    check("s = A(i,j)*A(i,j)", {{{"A", sum}}});
    check("D(i,k) = A(i,j)*A(j,k)", {{{"A", sum}, {"D", "dense"}}});
    check("y(i) = max(j, A(i,j))", {{{"A", sum}}});
    check("D(i,j) = relu(A(i,j) + B(i,j))", {{{"A", sum}, {"B", "csr"}, {"D", "csr"}}});
    check("D(i,j) = 2*A(i,j)", {{{"A", sum}}});
    check("d(i) = A(i,i)", {{{"A", sum}}});
  }
}

TEST_CASE("tensors of one structure", "[structure]") {
  std::vector<std::string> formats = kMatrixFormats;
  formats.insert(formats.end(), kLooseMatrixFormats.begin(), kLooseMatrixFormats.end());
  const std::vector<Formats> both = product({{"A", formats}, {"B", {"structure of A"}}});
  check("y(i) = A(i,j)*x(j) + B(i,j)*z(j)", both);
  check("s = B(i,j)*x(j) - A(i,j)*x(j)", both);
  check("B(i,j) = alpha*A(i,j)", both);
  check("D(i,j) = alpha*B(i,j) + A(i,j)*w(j)", product({{"A", formats}, {"B", {"structure of A"}}, {"D", {"dense"}}}));
  check("Y(i,j) = A(i,j,k)*x(k) + B(i,j,k)*z(k)", {{{"A", "csf"}, {"B", "structure of A"}}});
  check("y(i) = (A(i,j) + B(i,j) + C(i,j))*x(j)", {{{"A", "csr"}, {"B", "structure of A"}, {"C", "structure of A"}}});
  // What is padding in A may be an entry of B.
  check("s += (not pattern(A(i,j)))*B(i,j)*X(j,i)", both);
  check("s += (not pattern(A(i,j)))*B(i,j)*X(j,i)",
        product({{"A", formats}, {"B", {"structure of A"}}, {"X", {"csr"}}}));
}

TEST_CASE("an output keeps the structure that its operand has from another tensor", "[structure]") {
  check("y(j) = min(A(i,j), C(j,i))*(B(j,i) - X(i,j))*B(i,j)",
        {{{"A", "dcsr"}, {"C", "dcsc"}, {"B", "structure of A"}}});
  check("D(i,j) = X(i,j)*(x(i) + 2)*v(i) - v(j)*select(w(j) > C(j,i), 2, Y(i,j))",
        {{{"v", "sv"}, {"w", "structure of v"}, {"C", "csr"}}});
  check("D(i,j) = alpha*B(i,j) + A(i,k)*X(k,j)*0", {{{"A", "csr"}, {"B", "structure of A"}, {"D", "dense"}}});
  check("D(i,j) = alpha*B(i,j)\ny(i) = A(i,j)*x(j)", {{{"A", "csr"}, {"B", "structure of A"}}});
  check("D(i,j) = B(i,j)*X(i,k)*Y(j,k)\ny(i) = A(i,j)*x(j)", {{{"A", "coo"}, {"B", "structure of A"}}});
}

} // namespace spc::testing
