#include "check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

/// How often the steps of a program call exp().
size_t callsOf(const std::string &text, const std::vector<std::string> &bindings = {"S=csr"},
               const std::vector<std::string> &options = {}) {
  const Checked checked = checkWith(options, text, bindings);
  INFO(text << ": " << checked.errors());
  REQUIRE(checked.kernel);
  const std::string steps = checked.steps();
  size_t count = 0;
  for (size_t at = steps.find("exp("); at != std::string::npos; at = steps.find("exp(", at + 1))
    ++count;
  return count;
}

const std::string kOfTwo = "O(i,f) = sum(j, S(i,j)*exp(E(i,j))*V(j,f)) / sum(l, exp(E(i,l))*S(i,l))";

} // namespace

TEST_CASE("functions of entries are computed once for several products, and for a further dimension") {
  CHECK(check("O(i,f) = S(i,j)*exp(E(i,j))*V(j,f)", {"S=csr"}).steps() ==
        "together, piece by piece of rows of i, in memory for a piece of $4:\n"
        "\n"
        "$4 in f64, zeroed first:\n"
        "  for i, j: $4(i,j) += S(i,j)*exp(E(i,j)), where S\n"
        "\n"
        "O in f64, zeroed first:\n"
        "  for i, j+, f: O(i,f) += $4(i,j)*V(j,f)\n");
  for (const char *storage : {"csr", "csc", "coo", "dcsr"})
    CHECK(callsOf(kOfTwo, {std::string("S=") + storage}) == 1);
  CHECK(callsOf("y(i) = S(i,j)*exp(E(i,j))*x(j)\nz(j) = S(i,j)*exp(E(i,j))*w(i)") == 1);
  CHECK(callsOf("let E(i,j) = pattern(S(i,j))*D(i,j)\n" + kOfTwo) == 1);
  CHECK(callsOf(kOfTwo, {"S=csr"}, {"--plan=as-written"}) == 2);
  CHECK(check("O(i,f) = S(i,j)*exp(E(i,j))*V(j,f)", {"S=csr"}, true).steps() ==
        "O in f64, zeroed first:\n"
        "  for i, j+, f: O(i,f) += S(i,j)*exp(E(i,j))*V(j,f), where S\n");
}

TEST_CASE("functions of entries stay where they are computed once, or at fewer places") {
  const auto isApart = [](const std::string &text, const std::vector<std::string> &bindings = {"S=csr"}) {
    return check(text, bindings).steps().find("(i,j) += S(i,j)*exp(E(i,j)), where S") != std::string::npos;
  };
  CHECK(isApart("O(i,f) = S(i,j)*exp(E(i,j))*V(j,f)"));
  CHECK(!isApart("y(i) = S(i,j)*exp(E(i,j))*x(j)"));
  CHECK(!isApart("y(i) = x(i)/sum(j, S(i,j)*exp(E(i,j))*x(j))"));
  CHECK(!isApart("tensor S(m,n), sparse\ntensor E(m,n)\ntensor V(n,4)\nO(i,f) = S(i,j)*exp(E(i,j))*V(j,f)"));
  // Nothing is repeated: V is added up first, or the entries are; one of the columns is j.
  CHECK(!isApart("y(i) = S(i,j)*exp(E(i,j))*V(j,f)"));
  CHECK(!isApart("O(f) = S(i,j)*exp(E(i,j))*V(j,f)"));
  CHECK(!isApart("O(i,f) = S(i,j)*exp(E(i,j))*V(j,f)*(f == j)"));
  // What a message names is an operand of the text.
  CHECK(!isApart("O(i,f) = max(j, S(i,j)*exp(E(i,j))*V(j,f))"));
  // Another operand lists entries.
  CHECK(!isApart("O(i,f) = S(i,j)*exp(E(i,j))*V(j,f)", {"S=csr", "V=csr"}));
  CHECK(!isApart("O(i,f) = S(i,j)*exp(E(i,j))*V(j,f)", {"S=csr", "E=csr"}));
  CHECK(!isApart("let V(j,f) = B(j,f)*2\nO(i,f) = S(i,j)*exp(E(i,j))*V(j,f)", {"S=csr", "B=csr"}));
  // What is read changes in between, or the entries are those of no pattern that can be shared without a copy.
  for (const char *storage : {"lower", "hyb", "ragged"})
    CHECK(!isApart("O(i,f) = S(i,j)*exp(E(i,j))*V(j,f)", {std::string("S=") + storage}));
  CHECK(check("O(i,f) = S(i,j)*exp(S(i,j))*V(j,f)", {"S=hyb"}).steps().find("(i,j)*exp(") <
        check("O(i,f) = S(i,j)*exp(S(i,j))*V(j,f)", {"S=hyb"}).steps().find("O in f64"));
  CHECK(!isApart("y(i) = S(i,j)*exp(E(i,j))*x(j)\nE(i,j) = y(i)\nz(i) = S(i,j)*exp(E(i,j))*x(j)"));
}

TEST_CASE("functions at other places of one tensor are others") {
  CHECK(callsOf("y(i) = S(i,j)*exp(c(0,i,j))*x(j)\nw(i) = S(i,j)*exp(c(1,i,j))*x(j)") == 2);
  CHECK(callsOf("y(i) = S(i,j)*exp(E(i,j))*x(j)\nw(i) = S(i,j)*exp(E(j,i))*x(j)") == 2);
}

TEST_CASE("functions hold what could be apart itself") {
  for (const char *storage : {"csr", "csc"})
    for (const char *text :
         {"O(i,f) = S(i,j)*sum(k, S(i,j)*exp(F(i,j))*R(k))*V(j,f)",
          "y(i) = S(i,j)*max(k, S(i,j)*exp(F(i,j))*R(k))*x(j)\nz(i) = S(i,j)*max(k, S(i,j)*exp(F(i,j))*R(k))"})
      CHECK(check(text, {std::string("S=") + storage}).kernel);
}

TEST_CASE("sums in functions that stand elsewhere, too, are shared in their statement") {
  const std::string product = "S(i,j)*exp(sum(k, Q(i,k)*K(j,k)))";
  const std::string twice = "s = " + product + "*x(j) + " + product;
  CHECK(callsOf(twice) == 1);
  const std::string steps = check(twice + " + pattern(S(i,j))*log(sum(k, Q(i,k)*K(j,k)))", {"S=csr"}).steps();
  CHECK(steps.find("K(j,k)") == steps.rfind("K(j,k)"));
}

} // namespace spc::sema::test
