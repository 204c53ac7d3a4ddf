// Temporaries that what reads them computes, and dense ones that are computed where a sparse factor has entries.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {} // namespace

TEST_CASE("elementwise temporaries that are read once", "[fusion]") {
  checkLowering("let T(i,j) = 2*S(i,j)\ny(i) = T(i,j)*x(j)", product({{"S", kSparse}}));
  const std::vector<std::string> others = {"bsr2x3", "dia", "ell4", "coo-unsorted", "sym-csr", "lower", "ell4+coo"};
  checkLowering("let T(i,j) = 2*S(i,j)\ny(i) = T(i,j)*x(j) + z(i)", product({{"S", others}}));
  checkLowering("let T(i,j) = relu(S(i,j))*S(i,j)\nD(i,j) = T(i,j) + C(i,j)", product({{"S", others}}));
  checkLowering("let T(i,j) = S(i,j)*x(j)\nlet U(i,j) = exp(T(i,j))*S(i,j)\ny(i) = U(i,j)", product({{"S", kSparse}}));
  checkLowering("let T(j,i) = S(i,j)*x(j)\nD(i,j) = T(j,i)*z(i)", product({{"S", {"csr", "coo"}}}));
  checkLowering("let T(i) = x(i) + z(i)\ny(i) = T(i)*w(i) - sqrt(abs(T(i)))", {{}});
  checkLowering("let T(i) = x(i) - z(i)\ny(i) = relu(T(i))/w(i)", {{}});
  checkLowering("let T(i,j) = S(i,j) + 1\nD(i,j) = T(i,j)*T(i,j)", product({{"S", {"csr"}}}));
  checkLowering("let T(i) = x(i)\ny(i) += T(i)\nz(i) = y(i)*T(i)", {{}});
}

TEST_CASE("sums that stay what they are beside fused temporaries", "[fusion]") {
  checkLowering("let T(i,j) = A(i,j) + b(i)\ny(i) = T(i,j)", product({{"A", {"csr", "dense"}}}));
  checkLowering("let T(i,j) = A(i,j) + b(i)\ny(i) = T(i,j)*x(j)", product({{"A", {"csr", "dense"}}}));
  checkLowering("let T(i,j) = A(i,k)*B(k,j)\nD(i,j) = (S(i,j)*T(i,j) + c(i))*d(j)", product({{"S", {"csr"}}}));
  checkLowering("let T(i,j) = A(i,k)*B(k,j)\nD(i,j) = S(i,j)*T(i,j) + C(i,k)*E(k,j)", product({{"S", {"csr"}}}));
  checkLowering("let T(i) = x(i)\nx(i) = 2*z(i)\ny(i) = T(i)", {{}});
  checkLowering("let T(i) = 2*x(i)\nx(i) = T(i) + 1", {{}});
}

TEST_CASE("temporaries in the memory of what is computed of them", "[fusion]") {
  const std::string sum = "let T(i,l) = A(j,i)*C(j,l)\n";
  checkLowering(sum + "D(i,l) = T(i,l)*d(l)",
                product({{"A", {"csr", "csc", "coo", "dcsr", "bsr2x3", "sym-csr", "dense"}}}));
  checkLowering(sum + "T(i,l) += B(i,l)\nD(i,l) = relu(T(i,l)) - T(i,l)*d(l) + B(i,l)",
                product({{"A", {"csr", "dense"}}}));
  checkLowering(sum + "z(i) = D(i,l)\nD(i,l) = exp(T(i,l)/8)*z(i)", product({{"A", {"csr"}}}));
  checkLowering("let T(i) = A(j,i)\nlet U(i) = exp(T(i)/8)\nU(i) += A(i,j)\ny(i) = U(i)*x(i)",
                product({{"A", {"csr"}}}));
  checkLowering("D(i,l) = d(l)*sum(j, A(j,i)*C(j,l))/sum(j, abs(A(j,i)))", product({{"A", {"csr", "csc", "coo"}}}));
  checkLowering("x(i) = sum(j, A(j,i)*x(j))*d(i)", product({{"A", {"csr"}}}));
}

TEST_CASE("dense products that a sparse factor samples", "[fusion]") {
  checkLowering("let T(i,j) = A(i,k)*B(j,k)\nD(i,j) = S(i,j)*T(i,j)", product({{"S", kSparse}}));
  checkLowering("let T(j,i) = A(i,k)*B(j,k)\ny(i) = S(i,j)*T(j,i)/w(i)", product({{"S", kSparse}}));
  checkLowering("let T(i,j) = A(i,k)*B(j,k)\nD(i,f) = S(i,j)*T(i,j)*V(j,f)", product({{"S", kSparse}}));
  checkLowering("let T(i,j) = exp(a(i) + b(j))\nD(i,f) = -S(i,j)*T(i,j)*V(j,f)\ny(i) = S(i,j)*T(i,j)",
                product({{"S", {"csr", "coo"}}}));
  checkLowering("let T(i,j) = A(i,k)*B(j,k)\nD(i,j) = S(i,j)*T(i,j)\nE(i,j) = R(i,j)*T(i,j)",
                product({{"S", {"csr"}}, {"R", {"csr"}}}));
  checkLowering("let T(i,j) = A(i,k)*B(j,k)\nD(i,j) = S(i,j)*T(i,j)",
                product({{"S", {"bsr2x3", "ell", "coo-dup", "sym-csr"}}}));
}

TEST_CASE("dense temporaries beside temporaries that take a pattern", "[fusion]") {
  const std::string scores = "let Z(i,j) = a(i) + b(j)\nlet E(i,j) = pattern(S(i,j))*exp(Z(i,j)/4)\n"
                             "let D(i) = sum(j, E(i,j))\nlet P(i,j) = E(i,j)/D(i)\n"
                             "let d(j) = P(i,j)*C(i,j)*select(Z(i,j) > 0, 1, 0.2) + P(i,j)\ny(j) = d(j)";
  const std::string transposed =
      "let Z(i,j) = a(i)*b(j)\nlet P(j,i) = S(i,j)/c(j)\nlet Q(i,j) = P(j,i)*P(j,i) - P(j,i)\n"
      "y(i) = P(j,i)*max(Z(i,j), 0)\nx(j) = Q(i,j)*Z(i,j) + Q(i,j)";
  const std::string other =
      "let Z(i,j) = a(i)*b(j)\nlet P(i,j) = S(i,j)*R(j,i)\ny(i) = P(i,j)*exp(Z(i,j)) + max(j, P(i,j))";
  const std::vector<std::string> storages = {"csr",    "csc", "dcsr",    "coo",  "coo-dup",
                                             "bsr2x3", "ell", "sym-csr", "dense"};
  checkLowering(
      "let Z(i,j) = (i < j)\nlet T(i,j) = select(i == j + 1, 2, 1)\ny(i) = S(i,j)*Z(i,j)*x(j)\nz(i) = S(i,j)*T(i,j)",
      product({{"S", storages}}));
  checkLowering(scores, product({{"S", storages}}));
  checkLowering(transposed, product({{"S", storages}}));
  checkLowering(other, product({{"S", storages}, {"R", {"csr"}}}));
}

TEST_CASE("what temporaries with the entries of a sparse factor are multiplied by", "[fusion]") {
  const std::string made = "let T(i,j) = exp(a(i) + b(j))\nlet D(i,j) = S(i,j)*x(j)*T(i,j)\n";
  checkLowering(made + "y(i) = D(i,j)*T(i,j)", product({{"S", kSparse}}));
  checkLowering(made + "let E(i,j) = -D(i,j)/(2*T(i,j))\ny(i) = E(i,j)*z(j)/T(i,j)", product({{"S", kSparse}}));
  checkLowering(made + "y(i) = D(i,j)*T(j,i) - T(i,j)",
                product({{"S", {"csr", "bsr2x3", "ell", "coo-dup", "sym-csr"}}}));
  checkLowering(
      "let T(i,j) = A(i,k)*B(j,k)\nlet D(i,j) = S(i,j)*T(i,j)\nF(i,j) = 3*D(i,j)/(1 + T(i,j)*T(i,j)) + D(i,j)",
      product({{"S", {"csr", "coo", "bsr2x3", "coo-dup"}}}));
  checkLowering(made + "D(i,j) += 2*S(i,j) - S(i,j)*T(i,j)\ny(i) = D(i,j)*T(i,j)", product({{"S", kSparse}}));
}

TEST_CASE("functions of sums where several sparse factors want them", "[fusion]") {
  const Choices masks = {{"S", {"csr", "csc", "coo", "bsr2x3"}}, {"A", {"csr", "dcsr"}}};
  const std::string plain = "let T(i,j) = P(i,k)*Q(j,k)\n", sigmoid = "let T(i,j) = sigmoid(sum(k, P(i,k)*Q(j,k)))\n";
  for (const std::string &made : {plain, sigmoid}) {
    checkLowering(made + "y(i) = sum(j, pattern(S(i,j))*exp(T(i,j))) - sum(j, A(i,j)*log(2 + abs(T(i,j))))",
                  product(masks));
    checkLowering(made + "l = sum(i,j, S(i,j)*T(i,j)) + sum(i,j, A(j,i)*(1 - T(i,j)))", product(masks));
  }
}

TEST_CASE("functions of sums in the conditions of what a sparse operand chooses", "[fusion]") {
  const std::string made = "let T(i,j) = exp(sum(k, P(i,k)*Q(j,k)))\n";
  for (const std::string value :
       {"where(T(i,j) > 1, S(i,j))", "select(T(i,j) > 1, S(i,j)*x(j), 0)", "select(T(i,j) > 1, 0, S(i,j))",
        "select(pattern(S(i,j)) and T(i,j) > 1, 2, 0)", "where(T(i,j) < 1 and S(i,j) > 0, T(i,j))"})
    checkLowering(made + "y(i) = sum(j, " + value + ")", product({{"S", {"csr", "csc", "coo", "bsr2x3", "ell"}}}));
}

TEST_CASE("sums beside a sum of operands that are stored in other ways", "[fusion]") {
  const Choices storages = {{"S", {"csr", "coo"}}, {"A", {"csc", "dcsr"}}, {"D", {"dense", "csr"}}};
  for (const std::string value : {"(S(i,j) - A(i,j))*b(j)", "-(2*S(i,j)*a(i) + A(i,j))/c(i)"})
    checkLowering("D(i,j) = " + value + "*sum(k, P(i,k)*Q(j,k))", product(storages));
}

TEST_CASE("addends of which nothing is left", "[fusion]") {
  for (const std::string text :
       {"y = S(i,j)*P(j,k)*0 + x(j)*S(i,j)*P(j,k)*0", "let T(i,j) = S(i,j)*s\nY(k,i) = T(i,l)*P(l,k) - S(i,b)*P(b,k)*s",
        "let T(k) = x(j)*S(j,k)\ny = T(k)*z(k) + S(j,k)*x(j) - S(j,k)*x(j)",
        "Y(i,k) = 0*a(i)*P(j,k) + S(n,k)*a(i)*P(n,k)", "Y(i,k) = 2*S(i,j)*P(j,k) - S(i,l)*P(l,k) - S(i,j)*P(j,k)"})
    checkLowering(text, product({{"S", {"csr", "coo", "ell"}}}));
}
