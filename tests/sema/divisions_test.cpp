// Which index variables processes may divide among them, and what arguments are to their parts.
#include "sema/check.h"

#include "sema/divisions.h"

#include <catch2/catch.hpp>

using namespace spc;
using namespace spc::sema::test;

namespace {

/// A line for each index variable.
std::string linesOf(const Checked &checked) {
  INFO(checked.errors());
  REQUIRE(checked.kernel);
  std::string lines;
  for (const sema::IndexDivision &division : checked.kernel->divisions)
    lines += describe(division, *checked.kernel) + "\n";
  return lines;
}

std::string partsOf(const std::string &text, const std::vector<std::string> &bindings = {}, bool strict = false) {
  return linesOf(check(text, bindings, strict));
}

} // namespace

TEST_CASE("Parts have slices along an index, the rows that entries list, and shares of sums") {
  CHECK(partsOf("y(i) = A(i,j)*x(j)", {"A=csr"}) == "by i: slices of A, y; what A lists of x\n"
                                                    "by j: slices of A, x; sum of y\n");
  CHECK(partsOf("C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"}) == "by i: slices of A, C; what A lists of B\n"
                                                                          "by k: slices of A, B; sum of C\n"
                                                                          "by j: what B lists of A; slices of B, C\n");
  CHECK(partsOf("D(i,j) = S(i,j)*A(i,k)*B(j,k)", {"S=csr"}) == "by i: slices of S, A, D; what S lists of B\n"
                                                               "by j: slices of S, B, D; what S lists of A\n"
                                                               "by k: all of S; slices of A, B; sum of D\n");
  CHECK(partsOf("Y(i,r) = T(i,j,k)*B(j,r)*C(k,r)", {"T=csf"}) == "by i: slices of T, Y; what T lists of B, C\n"
                                                                 "by j: slices of T, B; what T lists of C; sum of Y\n"
                                                                 "by k: slices of T, C; what T lists of B; sum of Y\n"
                                                                 "by r: all of T; slices of B, C, Y\n");
  CHECK(partsOf("y(i) = A(i,j)*x(j)", {"A=hyb"}) ==
        "by i: slices of A_0, A_1, y; what A_0, A_1 list of x\n"
        "not by j: 'A' stores 2 entries of each row, and a part may have fewer columns\n");
}

TEST_CASE("Programs whose temporaries stay within a part are divided as a whole") {
  CHECK(partsOf("let E(i,j) = pattern(S(i,j))*Q(i,k)*K(j,k)\n"
                "let m(i) = max(j, select(pattern(S(i,j)), E(i,j), -inf))\n"
                "let P(i,j) = pattern(S(i,j))*exp(E(i,j) - m(i))\n"
                "let z(i) = P(i,j)\n"
                "O(i,f) = P(i,j)/z(i)*V(j,f)",
                {"S=csr"}) == "by i: slices of S, Q, O; what S lists of K, V\n"
                              "not by j: the greatest over 'j' is needed before the end, and a part has a share of it\n"
                              "not by k: 'select' is taken of the sum over 'k', of which a part has a share\n"
                              "by f: all of S, Q, K; slices of V, O\n");
  CHECK(partsOf("let t = x(i)*x(i)\ny(j) = A(j,k)*z(k)*t", {"A=csr"}) ==
        "by i: slices of x; all of A, z; sum of y\n"
        "by j: all of x; slices of A, y; what A lists of z\n"
        "by k: all of x; slices of A, z; sum of y\n");
  CHECK(partsOf("let d(i) = A(i,j)\ny(i) = A(i,j)*x(j)/d(j)", {"A=csr"}) ==
        "not by i: 'd' is written along 'i' and read along 'j', which may be in another part\n");
}

TEST_CASE("Diagonals stay within a part, and what nothing reads does not count") {
  CHECK(partsOf("y(i) = A(i,i)", {"A=csr"}) == "by i: slices of A, y\n");
  CHECK(partsOf("y(i) = A(i,i) + A(i,j)*x(j)", {"A=csr"}) ==
        "not by i: two dimensions of 'A' have the size of 'i', and a part needs more of one than of the other\n");
  CHECK(partsOf("y(i) = x(i)*i\ny(i) = 2*x(i)") == "by i: slices of x, y\n");
}

TEST_CASE("Whole operands are needed where missing entries take part") {
  CHECK(partsOf("y(i) = max(j, A(i,j)*x(j))", {"A=csr"}) == "by j: slices of A, x; max of y\n"
                                                            "by i: slices of A, y; all of x\n");
  CHECK(partsOf("tensor W(m,n): f64, sparse, fill inf\ntensor x(n)\ny(i) = min(j, W(i,j) + x(j))", {"W=csr"}) ==
        "by j: slices of W, x; min of y\n"
        "by i: slices of W, y; what W lists of x\n");
  CHECK(partsOf("C(i,j) = A(i,j)*x(j) + b(j)", {"A=csr"}) == "by i: slices of A, C; all of x, b\n"
                                                             "by j: slices of A, x, b, C\n");
}

TEST_CASE("Reductions over parts are those of the text") {
  CHECK(partsOf("s = any(i, x(i) > 0)") == "by i: slices of x; or of s\n");
  CHECK(partsOf("s = all(i, x(i) > 0)") == "by i: slices of x; and of s\n");
  CHECK(partsOf("s = prod(i, x(i))") == "by i: slices of x; prod of s\n");
  CHECK(partsOf("y(j) min= A(i,j) + x(i)", {"A=csr"}) == "by i: slices of A, x; min of y\n"
                                                         "by j: slices of A, y; all of x\n");
  CHECK(partsOf("s = 2 - max(i, exp(x(i)))") == "by i: slices of x; min of s\n");
  CHECK(partsOf("s = x(i)*z(i)", {}, /*strict=*/true) ==
        "not by i: sums over 'i' keep their order, as --fp=strict asks\n");
}

TEST_CASE("What a part would compute otherwise is refused with the reason") {
  CHECK(partsOf("s = exp(sum(i, x(i)*z(i)))") ==
        "not by i: 'exp' is taken of the sum over 'i', of which a part has a share\n");
  CHECK(partsOf("y(i) = x(i)*i") == "not by i: 'i' is used as a number, and those of a part count from its own 0\n");
  CHECK(partsOf("y(i) = x(p(i))") == "by i: all of x; slices of p, y\n");
  CHECK(partsOf("y(p(i)) = x(i)") == "not by i: a part cannot see that no index comes twice over all of 'i'\n");
  CHECK(partsOf("y(i) = x(2*i + 1)") == "not by i: 'x' is read at '2*i + 1', which may be in another part\n");
  CHECK(partsOf("y(i) = argmin(j, A(i,j))") ==
        "not by j: '==' is taken of the least over 'j', of which a part has a share\n"
        "by i: slices of A, y\n");
  CHECK(partsOf("y(i) = mean(j, A(i,j))") ==
        "not by j: 'max' is taken of the sum over 'j', of which a part has a share\n"
        "by i: slices of A, y\n");
  CHECK(partsOf("V(i,r) = top(r, j, A(i,j))") == "not by r: 'top' ranks what is at all of 'r'\n"
                                                 "not by j: 'top' ranks what is at all of 'j'\n"
                                                 "by i: slices of A, V\n");
  CHECK(partsOf("y(j) += A(i,j)*x(i)") == "not by i: what 'y' holds before would be counted once for each part\n"
                                          "by j: slices of A, y; all of x\n");
}

TEST_CASE("Sizes and storages may forbid a division") {
  CHECK(partsOf("tensor A(n,n)\ntensor x(n)\ny(i) = A(i,j)*x(j)") ==
        "not by i: two dimensions of 'A' are declared to have one size, 'n', and a part has fewer of one: "
        "give them two names\n");
  CHECK(partsOf("tensor x(8)\ny(i) = 2*x(i)") == "not by i: its size is given, 8\n");
  CHECK(partsOf("tensor A(m,n)\ny(i) = sum(j, A(i,j))/n") ==
        "not by j: the size 'n' is used as a number, and a part has one of its own\n"
        "by i: slices of A, y\n");
  CHECK(partsOf("y(i) = A(i,j)*x(j)", {"A=upper"}) ==
        "not by i: of 'A' one triangle is stored, which says what the other one is\n");
  CHECK(partsOf("y(i) = A(i,j)*x(j)", {"A=triangle"}) ==
        "not by i: 'A' is stored without a list of coordinates, in a form that parts of it do not have\n"
        "not by j: 'A' is stored without a list of coordinates, in a form that parts of it do not have\n");
  CHECK(partsOf("y(i) = A(i,j)*x(j)", {"A=groups"}) ==
        "by i: slices of A, y; all of x\n"
        "not by j: 'A' stores 2 entries of each 4 neighbours, which a cut may part\n");
  CHECK(partsOf("y(i) = A(i,j)*x(j)", {"A=bsr"}) == "by i: slices of A, y; all of x\nby j: slices of A, x; sum of y\n");
}
