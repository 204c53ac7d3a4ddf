// `let`: temporaries, dense, sharing a pattern, or assembled, and operands that share one structure.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

const std::vector<std::string> kSixSparse = {"csr", "csc", "dcsr", "coo", "bsr2x3", "ell"};

/// With temporaries computed apart, though a statement could compute them where it reads them.
void checkApart(const std::string &statements, const std::vector<Formats> &assignments) {
  for (size_t k = 0; k < assignments.size(); ++k) {
    KernelSpec spec = specFor(statements, assignments[k], k);
    spec.optLevel = seldomOptimised(k);
    spec.fuses = false;
    check(spec);
  }
}

} // namespace

TEST_CASE("dense temporaries", "[temporaries]") {
  checkLowering("let t(i) = A(i,j) * x(j)\ny(i) = t(i) * t(i)", product({{"A", {"csr", "dense"}}}));
  checkLowering("let s = x(i) * x(i)\ny(i) = x(i) / sqrt(s)", {{}});
  checkLowering("let t(i) = x(i)\nt(i) += z(i)\ny(i) = 2 * t(i)", {{}});
}

TEST_CASE("temporaries that share a pattern", "[temporaries]") {
  checkApart("let E(i,j) = S(i,j) * x(j)\ny(i) = E(i,j) * z(j)", product({{"S", kSixSparse}}));
  checkApart("let E(i,j) = S(i,j) * x(j)\nD(i,j) = E(i,j) * S(i,j)", product({{"S", kSixSparse}}));
  checkApart("let E(j,i) = S(i,j) * x(j)\nD(i,j) = E(j,i) * S(i,j)", product({{"S", {"csr", "coo", "bsr2x3"}}}));
  checkApart("let E(i,j) = 2 * S(i,j)\nC(i,j) = E(i,j) + S(j,i)",
             product({{"S", {"csr", "dcsr"}}, {"C", {"csr", "dense"}}}));
  checkApart("let E(i,j) = relu(S(i,j))\nlet F(i,j) = E(i,j) * x(i)\nD(i,j) = F(i,j) * E(i,j)",
             product({{"S", {"csr", "coo"}}}));
  checkApart("let E(i,j) = S(i,j) * x(j)\nD(i,j) = max(E(i,j), S(i,j)) + exp(E(i,j)) * S(i,j)",
             product({{"S", {"csr", "coo"}}}));
}

TEST_CASE("entries of what has dense dimensions are asked for, and not its values", "[temporaries]") {
  for (const std::string indices : {"i,j,k", "i,k,j", "k,i,j"}) {
    const std::string p = "P(" + indices + ")", e = "E(" + indices + ")";
    for (const std::string value : {"0", "3"})
      checkApart("let " + p + " = pattern(S(i,j))*Q(i,k)\nlet " + e + " = select(pattern(" + p + "), " + value +
                     ", 0) + " + p + "\ny(i,k) = " + e + "*x(j)",
                 product({{"S", kSixSparse}}));
  }
}

TEST_CASE("temporaries beside their pattern's owner in merges", "[temporaries]") {
  checkApart("let T(i,j) = R(i,j)*x(j)\nY(i,j) = T(i,j)*R(i,j)*(S(j,i) > T(i,j))",
             product({{"R", {"csr", "coo"}}, {"S", {"csr"}}}));
  checkApart("let T(i,j) = R(i,j)*x(j)\nY(i,j) = max(T(i,j), S(i,j)) + R(i,j)*T(i,j)",
             product({{"R", {"csr"}}, {"S", {"csr", "coo"}}}));
  checkApart("let T(i) = v(i)*x(i)\ny(i) = max(T(i), v(i), w(i))", product({{"v", {"sv"}}, {"w", {"sv"}}}));
}

TEST_CASE("assembled temporaries", "[temporaries]") {
  const Choices formats = {{"A", {"csr"}}, {"B", {"csr"}}, {"T", {"csr", "coo"}}, {"C", {"dense"}}};
  checkLowering("let T(i,j) = A(i,k) * B(k,j)\nC(i,j) = T(i,j) * x(j)", product(formats));
  checkLowering("let T(i,j) = A(i,j) + B(i,j)\nC(i,j) = T(i,k) * T(k,j)", product(formats));
  checkLowering("let T(i,j) = A(i,k) * B(k,j)\nC(i,j) = T(i,j) + A(j,i)",
                product({{"A", {"csr"}}, {"B", {"csr"}}, {"T", {"csr"}}, {"C", {"csr", "coo"}}}));
  checkLowering("let T(i,j) = A(j,i)\nC(i,j) = 2 * T(i,j)", product({{"A", {"csr"}}, {"T", {"csr"}}, {"C", {"csr"}}}));
}

TEST_CASE("what a statement writes is read in another order", "[temporaries]") {
  checkLowering("let T(i,j) = A(i,k) * B(k,j)\nC(i,j) = T(j,i) * x(j)",
                product({{"A", {"csr"}}, {"B", {"csr"}}, {"T", {"csr"}}, {"C", {"dense", "csr"}}}));
  checkLowering("C(i,j) = A(i,j) + B(i,j)\nD(i,j) = C(j,i)*x(j)\nC(i,j) = A(i,j) * 2\nE(i,j) = C(j,i) * x(j)",
                product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}, {"D", {"csr"}}, {"E", {"csr"}}}));
}

TEST_CASE("graph attention", "[temporaries]") {
  checkLowering("let E(i,j) = S(i,j) * Q(i,k) * K(j,k)\n"
                "let L(i,j) = max(E(i,j), 0.2*E(i,j))\n"
                "let M(i) = max(j, select(pattern(S(i,j)), L(i,j), -inf))\n"
                "let P(i,j) = pattern(S(i,j)) * exp(L(i,j) - M(i))\n"
                "let Z(i) = P(i,j)\n"
                "O(i,f) = P(i,j) / Z(i) * V(j,f)",
                product({{"S", {"csr", "coo", "dcsr"}}}));
}

TEST_CASE("temporaries with dimensions that their pattern lacks", "[temporaries]") {
  for (const std::string indices : {"i,j,h", "i,h,j", "h,i,j"}) {
    const std::string e = "E(" + indices + ")", f = "F(" + indices + ")";
    checkApart("let " + e + " = S(i,j) * Q(i,h,k) * K(j,h,k)\ny(i,h) = " + e + " * x(j)",
               product({{"S", {"csr", "coo", "csc"}}}));
    checkApart("let " + e + " = pattern(S(i,j)) * a(i,h)\nlet " + f + " = relu(" + e +
                   ") - S(i,j)*b(j,h)\ny(j) = " + f + " * pattern(S(i,j)) * " + e,
               product({{"S", {"csr", "dcsr", "bsr2x3"}}}));
  }
  checkApart("let T(i,k) = v(i) * a(i,k)\nC(i,k) = T(i,k) + a(i,k)\ny(k) = T(i,k) * v(i)", product({{"v", {"sv"}}}));
  checkApart("let E(i,j,h,g) = S(i,j) * a(h,i) * b(g,j)\ny(h) = E(i,j,h,g) * S(i,j)", product({{"S", {"csr"}}}));
  checkLowering("let L(i,j,h) = pattern(S(i,j)) * a(j,h)\nP(i,j,h) = exp(L(i,j,h)) * L(i,j,h)",
                product({{"S", {"csr", "csc", "coo", "coo-dup", "dcsr", "ell"}}}));
  checkLowering("D(i,j) = S(i,j) * sum(h, w(h) * relu(sum(k, Q(i,h,k) * K(j,h,k))))",
                product({{"S", {"csr", "coo", "csc", "dcsr", "ell"}}}));
}

TEST_CASE("sums are computed where a factor of any storage has entries", "[temporaries]") {
  std::vector<std::string> storages = kMatrixFormats;
  storages.insert(storages.end(), kLooseMatrixFormats.begin(), kLooseMatrixFormats.end());
  checkLowering("y(i) = S(i,j) * sigmoid(sum(k, X(i,k) * Y(j,k))) * x(j)", product({{"S", storages}}));
  checkLowering("D(i,j) = S(i,j) / (2 + abs(sum(k, X(i,k) * Y(j,k))))",
                product({{"S", {"bsr2x3", "ell", "dia", "sym-csr", "lower", "ell1+coo", "csr-unsorted", "coo-dup"}}}));
  checkLowering("l = sum(i, j, pattern(S(i,j)) * relu(S(i,j) - sum(k, X(i,k) * Y(j,k))))",
                product({{"S", {"bsr2x3", "ell", "sym-csr", "coo-dup"}}}));
  checkLowering("R(i,j) = S(i,j)\ny(i) = R(i,j) * exp(sum(q, P(i,q) * Q(j,q)))",
                product({{"S", {"csr", "bsr2x3", "ell", "coo-unsorted", "sym-csr"}}}));
  checkLowering("S(i,j) = U(i,k) * V(k,j)\nD(i,j) = S(i,j) * relu(sum(q, P(i,q) * Q(j,q)))",
                product({{"U", {"csr"}}, {"V", {"csr"}}, {"S", {"csr", "coo", "bsr2x3"}}, {"D", {"csr", "dense"}}}));
}

TEST_CASE("sums are computed where functions and conditions of sparse operands are not 0", "[temporaries]") {
  for (const char *factor :
       {"sqrt(abs(S(i,j)))*T", "min(S(i,j), 1)*T", "select(S(i,j) > 0.5, T, 0)", "select(S(i,j) == 0, 0, T)",
        "where(S(i,j) > b(j), T)", "select(S(i,j) == 0, T, 0)", "select(S(i,j) > T, S(i,j), 0)",
        "where(S(i,j) > T, S(i,j))", "S(i,j)*(b(j) > 0 and T > 0.5)", "b(j)*(S(i,j) > 0 and T > 0.5)"}) {
    std::string text = factor;
    text.replace(text.find('T'), 1, "tanh(sum(k, P(i,k)*Q(j,k)))");
    checkLowering("y(i) = sum(j, " + text + ")", product({{"S", {"csr", "coo", "bsr2x3"}}}));
    checkLowering("D(i,j) = " + text, product({{"S", {"csr", "dcsc"}}, {"D", {"csr"}}}));
  }
}

TEST_CASE("arrays that several sparse factors want", "[temporaries]") {
  const std::string made = "let T(i,j) = exp(u(i) - v(j))/v(j)\n";
  const std::vector<Formats> masks =
      product({{"S", {"csr", "csc", "coo", "bsr2x3", "ell", "dense"}}, {"A", {"csr", "dcsc"}}});
  checkLowering(made + "y(i) = S(i,j)*T(i,j)*x(j)\nz(i) = A(i,j)*T(i,j)", masks);
  checkLowering(made + "y(i) = S(i,j)*(T(i,j) - T(j,i)) + T(i,j)*A(j,i)", masks);
  checkLowering(made + "D(i,j) = S(i,j)*T(i,j)\nE(i,j) = A(i,j)/T(i,j)",
                product({{"S", {"csr", "coo"}}, {"A", {"csr", "csc"}}, {"D", {"csr"}}, {"E", {"csc", "csr"}}}));
}

TEST_CASE("matrices of which a diagonal or a column is read", "[temporaries]") {
  const std::string gram = "let G(i,j) = X(i,k)*X(j,k)\n";
  const std::vector<Formats> masks = product({{"S", {"csr", "csc", "coo", "bsr2x3", "sym-csr", "ell", "dense"}}});
  checkLowering(gram + "D(i,j) = pattern(S(i,j))*(G(i,i) + G(j,j) - 2*G(i,j))",
                product({{"S", {"csr", "csc", "coo", "dcsr"}}}));
  checkLowering(gram + "y(i) = S(i,j)*(G(i,i) + G(j,j) - 2*G(i,j))", masks);
  checkLowering("let s(i,j) = Q(i,k)*K(j,k)\ny(i) = S(i,j)*exp(s(i,j) - s(i,0))*x(j)", masks);
  checkLowering("let s(i,j) = Q(i,k)*K(j,k) - c*u(i)\ny(i) = S(i,j)*(s(i,j) - s(2,1))*x(j)", masks);
  checkLowering("let G(i,j) = X(i,k)*X(j,k) + lam*(i == j) - u(j)*(j < i)\n"
                "let H(i,j) = G(i,j)*G(i,j)\ny(i) = S(i,j)*(H(i,i) - H(i,j) + H(0,j))",
                masks);
  checkLowering("let T(i,j) = X(i,k)*Y(j,k) + u(i)*(i == j)\nd(i) = T(i + 1,0) - T(i,0)\ne(i) = T(i,i + 1) + T(2*i,i)",
                {{}});
  checkLowering("let T(i,j) = A(i,k)*X(k,j)\nd(i) = T(i + 1,1) - T(i,1)", product({{"A", {"csr", "csc", "dense"}}}));
  checkLowering("let T(i,j) = A(i,k)*X(k,j)\nd(i) = 2*T(i,i)\nt = sum(i, T(i,i))",
                product({{"A", {"csr", "csc", "coo", "sym-csr", "dense"}}}));
  checkLowering("let T(i,j) = A(i,k)*B(k,j)\nd(i) = T(i,i) - T(i,1)\nr(j) = T(0,j)",
                product({{"A", {"csr", "csc", "dense"}}, {"B", {"csr", "coo"}}}));
  checkLowering("let T(i,j,k) = u(i)*X(j,k) + x(i)\ny(i,j) = T(i,j,j)\nz(i) = T(i,i,0)*T(1,i,i)", {{}});
}

TEST_CASE("diagonals that a choice within a choice, or equations with or, say", "[temporaries]") {
  const std::string tridiagonal = "let C(i,j) = select(i == j, 2, select(i == j + 1, -1, select(j == i + 1, -1, 0)))\n";
  checkLowering(tridiagonal + "y(i) = C(i,j)*x(j)", {{}});
  checkLowering(tridiagonal + "Y(i,k) = C(i,j)*X(j,k)\nd(i) = max(j, C(i,j))", {{}});
  checkLowering(tridiagonal + "B(i,k) = C(i,j)*A(j,k)", product({{"A", {"csr", "csc"}}, {"B", {"csr", "dense"}}}));
  checkLowering("let C(i,j) = select(i == j, d(i), select(i == j + 1 or j == i + 2, -e(j), 0)) - A(i,j)\n"
                "y(i) = C(i,j)*x(j)",
                product({{"A", {"csr", "dense"}}}));
  checkLowering("let C(i,j) = select(i == j, 2, select(i == 2*j, e(i), 0))\ny(i) = C(i,j)*x(j)", {{}});
  checkLowering("let C(i,j) = (i == j or i == j + 1)*d(i)\ny(i) = C(i,j)*x(j)", {{}});
  checkLowering("y(i) = ((i == j) or (i == j + 1) or (j == i + 1))*x(j)/d(i)", {{}});
  checkLowering("y(i) = (i == j or 2 + i == j)*A(i,j)*x(j) - sum(j, select(i == j or i == j + 1, x(j), 0))",
                product({{"A", {"csr", "coo", "dense"}}}));
  const Choices assembled = {{"A", {"csr", "coo"}}, {"C", {"csr", "csc", "coo", "bsr2x3"}}};
  for (const std::string value :
       {"A(j,i) + select(i == j, d(i), select(i == j + 1, e(j), 0))",
        "A(i,j) - 2*select(i == j, 1, select(j == i + 1, -1, 0))", "(i == j or i == j + 2)*d(i) + A(j,i)",
        "select(i == j, d(i), -A(i,j)/d(j))", "select(i != j, A(j,i)*e(j), d(i)) - A(i,j)",
        "select(i == j, 1, select(i == j + 1, d(i), where(e(j) > 0, A(i,j))))",
        "select(i == j, -sum(k, A(i,k)), A(i,j))"})
    checkLowering("C(i,j) = " + value, product(assembled));
  checkLowering("C(i,j) = select(i == j, 1, sum(k, A(i,k)*B(k,j)))",
                product({{"A", {"csr", "coo"}}, {"B", {"csr", "dense"}}, {"C", {"csr", "coo"}}}));
  checkLowering("let L(i,j) = select(i == j, d(i), -A(i,j)/d(j))\ny(i) = L(i,j)*x(j)",
                product({{"A", {"csr", "csc", "coo", "dcsr", "bsr2x3", "dense"}}}));
  checkLowering("y(i) = sum(j, select(i == j, d(i), A(i,j)*x(j))) - x(i)", product({{"A", {"csr", "coo", "dense"}}}));
  checkLowering("D(i,j) = select(i == j, d(i), select(i == j + 1, e(j), 0))*A(i,j)",
                product({{"A", {"csr", "dense"}}}));
}

TEST_CASE("products that one reader samples and others read whole", "[temporaries]") {
  const std::string product = "let T(i,j) = P(i,k) * Q(j,k)\n";
  checkLowering(product + "l = S(i,j)*tanh(T(i,j)) - S(i,j) + T(i,j)", {{{"S", "csr"}}, {{"S", "coo"}}});
  checkLowering(product + "y(i) = min(S(i,j), 1)*T(i,j)*T(i,j)\nz(j) = T(i,j)*x(i) - 2*T(i,j)",
                {{{"S", "csr"}}, {{"S", "ell"}}});
}

TEST_CASE("temporaries of sparse terms that list their entries", "[temporaries]") {
  const std::vector<std::string> storages = {"csr", "csc", "coo", "dcsr", "bsr2x3", "ell", "coo-dup", "dense"};
  const std::vector<std::string> square = {"csr", "coo", "dcsr", "sym-csr"};
  checkLowering("let L(i,j) = (i == j)*d(i) - A(i,j)\ny(i) = L(i,j)*x(j)", product({{"A", square}}));
  checkLowering("let L(i,j) = (i == j)*d(i) - A(i,j)\ny(i) = L(i,j)*x(j)\nz(j) = abs(L(i,j))*y(i)",
                product({{"A", square}}));
  checkLowering("let T(i,j) = A(i,j) - B(i,j)\ny(i) = T(i,j)*x(j)\nz(j) = T(i,j)*y(i)",
                product({{"A", storages}, {"B", {"csr", "dcsr"}}}));
  checkLowering("let T(i,k) = A(i,j)*B(j,k)\ny(i) = T(i,k)*x(k)\nz(k) = T(i,k)*T(i,k)",
                product({{"A", storages}, {"B", {"csr", "csc"}}}));
  checkLowering("let T(i,j,k) = A(i,j)*v(k) + U(i,j,k)\nD(i,k) = T(i,j,k)*X(j,k)\ny(j) = T(i,j,k)*X(j,k)",
                product({{"A", {"csr", "coo"}}, {"v", {"sv"}}, {"U", {"csf", "coo"}}}));
}

TEST_CASE("attention with several heads", "[temporaries]") {
  checkLowering("let L(i,j,h) = pattern(S(i,j)) * max(a(i,h) + b(j,h), 0.2*(a(i,h) + b(j,h)))\n"
                "let M(i,h) = max(j, select(pattern(S(i,j)), L(i,j,h), -inf))\n"
                "let P(i,j,h) = pattern(S(i,j)) * exp(L(i,j,h) - M(i,h))\n"
                "let Z(i,h) = P(i,j,h)\n"
                "O(i,h,f) = P(i,j,h) / Z(i,h) * V(j,h,f)",
                product({{"S", {"csr", "coo", "dcsr"}}}));
}

TEST_CASE("operands of one declared structure are read side by side", "[temporaries]") {
  checkLowering("s = S(i,j) * sum(i, j, S(i,j) * T(i,j))", {{{"S", "csr"}, {"T", "structure of S"}}});
  checkLowering("D(i,j) = select(S(i,j) < 1, T(i,j), T(i,j))", {{{"S", "csr"}, {"T", "structure of S"}}});
  checkLowering("y(i) = S(i,j) * T(i,j) * x(j)", {{{"S", "csr"}, {"T", "structure of S"}},
                                                  {{"S", "coo"}, {"T", "structure of S"}},
                                                  {{"S", "bsr2x3"}, {"T", "structure of S"}}});
  checkLowering("D(i,j) = S(i,j) + T(i,j)", {{{"S", "csr"}, {"T", "structure of S"}, {"D", "csr"}}});
  checkLowering("y(i) = max(S(i,j), T(i,j)) * x(j)", {{{"S", "csr"}, {"T", "structure of S"}}});
}

TEST_CASE("identities and diagonals that have names", "[temporaries]") {
  const std::vector<std::string> storages = {"csr", "csc", "coo", "dcsr", "bsr2x3", "dia", "sym-csr", "dense"};
  const std::string identity = "let I(i,j) = select(i == j, 1, 0)\n";
  checkLowering(identity + "let T(i,j) = A(i,j) + I(i,j)\nlet d(i) = T(i,j)\nlet N(i,j) = T(i,j)/sqrt(abs(d(i)*d(j)))\n"
                           "Y(i,k) = N(i,j)*X(j,k)",
                product({{"A", storages}}));
  const std::string laplacian = identity + "let d(i) = A(i,j)\nlet D(i,j) = select(i != j, 0, 1/sqrt(abs(d(i)) + 1))\n"
                                           "let L(i,j) = I(i,j) - D(i,k)*A(k,l)*D(l,j)\nY(i,k) = L(i,j)*X(j,k)";
  checkLowering(laplacian, product({{"A", storages}}));
  checkLowering(laplacian + "\nz(j) = L(i,j)\ns = sum(i, j, L(i,j)*L(i,j))", product({{"A", {"csr", "coo"}}}));
  checkLowering("let D(i,j) = -select(j == i, x(i), 0)*z(j) + select(i == j + 1, z(i), 0)\ny(i) = D(i,j)*w(j)\n"
                "u(j) = D(i,j)*w(i)\nE(i,j) = exp(D(i,j))",
                {{}});
  checkLowering("let D(i,j) = sum(k, select(i == j and i == k, B(i,k), 0))\ny(i) = D(i,j)*w(j)", {{}});
  checkLowering("let D(i,j) = sum(k, select(i != j or k != 2*i, 0, C(j,k)))\ny(i) = D(i,j)*w(j) - max(j, D(i,j))",
                {{}});
  checkLowering("let P(i,j) = A(i,j)/d(i)\nlet Q(i,j) = P(i,k)*P(k,j)\n"
                "let K(i,j) = 0.5*select(i == j, 1, 0) + P(i,j) + select(i == j + 1, x(i), 0)/4 - 2*Q(i,j)\n"
                "Y(i,f) = K(i,j)*X(j,f)",
                product({{"A", {"csr", "coo"}}}));
  checkLowering("let D(i,j) = select(i != j, 0, x(i)) + B(i,j)\ny(i) = D(i,j)*w(j)", {{}});
  checkLowering("y(i) = sum(j, A(i,j)*z(j) + select(i != j, 0, x(j)))", product({{"A", storages}}));
}

TEST_CASE("products of sparse operands that have names, wanted where another one has entries", "[temporaries]") {
  const std::vector<std::string> storages = {"csr", "csc", "coo", "dcsr", "bsr2x3", "sym-csr"};
  checkLowering("let C(i,j) = A(i,k)*A(j,k)\nlet d(i) = A(i,j)\nJ(i,j) = pattern(A(i,j))*C(i,j)/(d(i) + d(j) - C(i,j))",
                product({{"A", storages}}));
  checkLowering("let C(i,j) = A(i,k)*A(k,j)\ny(i) = A(i,j)*exp(C(i,j)/16)*x(j)", product({{"A", storages}}));
  checkLowering("let C(i,j) = A(i,k)*B(j,k)\ny(i) = S(i,j)*C(i,j)/z(i)\nw(i) = C(i,j)*x(j)",
                product({{"A", {"csr", "coo"}}, {"B", {"csr", "csc"}}, {"S", {"csr", "dcsr"}}}));
  checkLowering(
      "let C(i,j) = A(i,k)*B(j,k)*x(k)\nD(i,j) = S(i,j)*select(C(i,j) > 0, C(i,j), -1)\nm(i) = max(j, C(i,j))",
      product({{"A", {"csr"}}, {"B", {"csr", "dense"}}, {"S", {"csr", "coo"}}}));
  checkLowering("let C(i,j) = A(i,k)*B(k,j)\nlet T(i,j) = C(i,j)/z(i)\ny(i) = S(i,j)*T(i,j)*x(j)\nw(j) = S(i,j)*T(i,j)",
                product({{"A", {"csr"}}, {"B", {"csr"}}, {"S", {"csr", "dcsr"}}}));
}

TEST_CASE("temporaries of sparse and dense addends, and of what their rows add up to", "[temporaries]") {
  const Choices storages = {{"A", {"csr", "csc", "coo", "dcsr", "dense"}}};
  for (const std::string made : {"let M(i,j) = A(i,j) + u(i)*v(j)\n", "let M(i,j) = A(i,j)*v(j) - u(i) + 2\n"}) {
    checkLowering(made + "y(i) = M(i,j)*x(j)/(1 + u(i)*u(i))\nz(j) = M(i,j)*u(i)", product(storages));
    checkLowering(made + "Y(i,k) = M(i,j)*X(j,k) - A(i,k)", product(storages));
  }
  for (const std::string summed : {"A(i,j) + u(i)*x(k)", "A(i,j)*x(k) + u(i)*v(j)", "A(i,j) - u(i)*W(j,k)"})
    checkLowering("let M(i,j) = " + summed + "\ny(i) = M(i,j)*x(j)", product({{"A", {"csr", "coo"}}}));
  checkLowering("let e(i,j) = A(i,j) - b(i) - sum(k, X(i,k)*Y(j,k))\nl = pattern(A(i,j))*e(i,j)*e(i,j)",
                product({{"A", {"csr", "coo", "csc"}}}));
  checkLowering("let Z(i,f) = A(i,k)*X(k,f)\nlet W(i,f) = A(i,k)*Y(k,f)\nlet G(i,j) = Z(i,k)*W(j,k)\n"
                "l = A(i,j)*tanh(G(i,j) + 1)",
                product({{"A", {"csr", "coo"}}}));
  checkLowering("let P(i,j) = abs(A(i,j)) + (i == j)\nlet d(i) = 1/sqrt(sum(j, P(i,j)))\ny(i) = d(i)*P(i,j)*d(j)*x(j)",
                product(storages));
}

TEST_CASE("choices of what a temporary lists", "[temporaries]") {
  const Choices storages = {{"A", {"csr", "coo", "csc"}}};
  for (const std::string chosen : {"where(i != j, C(i,j))", "where(C(i,j) > 0.5, 1)", "where(C(i,j) < 0.5, C(i,j))",
                                   "select(C(i,j) > 0.5, 1, 0)", "select(C(i,j) > 0 and i < j, x(j), 2*C(i,j))"})
    checkLowering("let C(i,j) = A(i,k)*A(j,k)\nlet D(i,j) = " + chosen + "\ny(i) = D(i,j)*x(j)", product(storages));
}

TEST_CASE("temporaries whose missing entries are no zeros, of what is stored with padding", "[temporaries]") {
  checkLowering("let T(i,j) = 1/(2 + A(i,j)*A(i,j))\ny(i) = T(i,j)*x(j)",
                product({{"A", {"csr", "bsr2x3", "dia", "ell", "coo"}}}));
}
