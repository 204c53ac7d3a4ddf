// Kernels of several statements, and outputs that are read.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {} // namespace

TEST_CASE("several statements with outputs in between", "[statements]") {
  check("t(i) = A(i,j) * x(j)\ny(i) = B(i,j) * t(j)", product({{"A", kThreeSparse}, {"B", kThreeSparse}}));
  check("s = x(i) * x(i)\ny(i) = x(i) / s", kDefaults);
  check("r(i) = b(i) - A(i,j) * x(j)\nt = r(i) * r(i)", product({{"A", kThreeSparse}}));
  check("C(i,j) = A(i,k) * B(k,j)\nD(i,j) = C(i,j) + C(j,i)", product({{"A", kThreeSparse}}));
  check("y(i) = A(i,j) * x(j)\ny(i) += B(i,j) * x(j)\ny(i) += 1", product({{"A", kThreeSparse}, {"B", kThreeSparse}}));
  check("y(i) = A(i,j) * x(j); z(j) = A(i,j) * w(i)", product({{"A", kThreeSparse}}));
  check("d(i) = A(i,j)\nB(i,j) = A(i,j) / (2 + d(i) * d(i))", product({{"A", {"csr", "coo"}}}));
  check("D(i,j) = S(i,j) * A(i,k) * B(j,k)\ny(i) = D(i,j) * x(j)", product({{"S", kThreeSparse}}));
  check("D(i,j) = S(i,j) * A(i,k) * B(j,k)\nE(i,j) = 2 * D(i,j)", product({{"S", {"csr", "coo"}}}));
}

TEST_CASE("an output that its own statement reads", "[statements]") {
  check("y(i) = 2 * y(i)", kDefaults);
  check("y(i) = y(i) + A(i,j) * x(j)", product({{"A", kThreeSparse}}));
  check("y(i) = A(i,j) * y(j)", product({{"A", kThreeSparse}}));
  check("y(i) = A(i,j) * y(j) + y(i)", product({{"A", kThreeSparse}}));
  check("y(i) += A(i,j) * y(j)", product({{"A", kThreeSparse}}));
  check("B(i,j) = B(j,i)", product({{"B", {"dense", "dense:1,0"}}}));
  check("B(i,j) = A(i,k) * B(k,j)", product({{"A", kThreeSparse}}));
  check("t = t * t + x(i)", kDefaults);
  check("y(i) = y(i) * y(i) - y(i) / 2 + x(i)", kDefaults);
  check("y(i) = x(i) / sum(j, y(j) * y(j)) + y(i)", kDefaults);
}

TEST_CASE("what is added to a pattern that an earlier statement took, by a matrix that is read several times",
          "[statements]") {
  for (const std::string added :
       {"pattern(S(j,l))*S(i,j)*H(l,k)*Z(i,k)", "S(j,l)*S(j,k)*P(k,l)*x(j)", "S(j,l)*S(i,j)*S(l,k)*H(i,k)",
        "S(j,l)*S(j,i)*S(i,l)*x(i)", "pattern(S(j,l))*B(j,k)*S(l,k)*x(l)"}) {
    const std::string text = "D(i,j) = S(i,j)*x(i)\nD(j,l) += " + added;
    checkLowering(text, text.find("B(") < text.size() ? product({{"S", {"csr", "coo"}}, {"B", {"csr", "dense"}}})
                                                      : product({{"S", {"csr", "coo", "bsr2x3"}}}));
  }
}
