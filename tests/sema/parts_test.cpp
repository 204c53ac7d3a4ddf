// Parts of products and sums beside others: where they are computed, how often, and what that costs.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {

using Bindings = std::vector<std::string>;

TEST_CASE("whether rows have entries is asked once a row where their ends are stored") {
  const auto asked = [](const std::string &storage) {
    return costOf("C(i,j) = A(i,j)*D(i,j)*B(k,l)", {"A=csr", "B=" + storage, "C=csr", "D=csr"});
  };
  CHECK(asked("csr").starts_with("nnz(B) for $4; k for $5; "));
  for (const char *storage : {"coo", "dcsr"}) {
    CAPTURE(storage);
    CHECK(asked(storage).starts_with("nnz(B) for $4, $5; "));
  }
}

TEST_CASE("sums are computed where one addend or another of the sum beside them wants them") {
  // Loops that walk both lists of the sum there are none.
  const std::string sum = "sum(k, A(j,k)*B(l,k))";
  const Bindings mixed = {"A=csr", "C=csr", "E=csc"};
  CHECK(costOf("y(j,l) = (C(j,l) - E(j,l))*" + sum, mixed).find("*l for $") == std::string::npos);
  CHECK(check("y(j,l) = (C(j,l) - E(j,l))*" + sum, mixed).last().terms.size() == 2);
  // An array is wanted everywhere.
  CHECK(costOf("y(j,l) = (C(j,l) + E(j,l) + F(j,l))*" + sum, mixed).find("*l for $") != std::string::npos);
}

TEST_CASE("functions of dense factors that take long are computed once for each element") {
  const std::string steps = check("Y(i,k) = A(i,j)*exp(X(j,k))", {"A=csr"}).steps();
  CHECK(steps.find("plan 1 of 2:\n\n$3 in f64:\n  for j, k: $3(j,k) = exp(X(j,k))\n\n"
                   "Y in f64, zeroed first:\n  for i, j+, k: Y(i,k) += A(i,j)*$3(j,k)\n") != std::string::npos);
  // The other plan is for fewer entries than X has rows.
  CHECK(steps.find("plan 2 of 2:\n\nY in f64, zeroed first:\n  for i, j+, k: Y(i,k) += A(i,j)*exp(X(j,k))") !=
        std::string::npos);
  CHECK(check("y(i) = D(i,j)*exp(u(j))").steps().find("$3(j) = exp(u(j))") != std::string::npos);
  const auto isWhole = [](const std::string &text, const Bindings &bindings) {
    const std::string all = check(text, bindings).steps();
    return all.find(" = exp(") == std::string::npos && all.find("exp(") != std::string::npos;
  };
  CHECK(isWhole("s = x(i)*exp(z(i))", {}));
  CHECK(isWhole("y(i) = S(i,j)*exp(u(i))*x(j)", {"S=csr"}));
  // An array would be larger than what it is made of.
  CHECK(isWhole("y(i) = S(i,j)*exp(u(i) + v(j))", {"S=csr"}));
  CHECK(check("Y(i,k) = A(i,j)*relu(X(j,k))", {"A=csr"}).steps().find("$3") == std::string::npos);
}

TEST_CASE("sums apart are stored as loops come to them, whatever the order of their factors") {
  const auto orderOf = [](const std::string &text, const std::string &name) {
    const Checked checked = check(text, {"A=csr"});
    std::string order;
    for (const format::Level &level : checked.tensor(name).format.levels)
      order += std::to_string(level.dim);
    return order;
  };
  for (const char *sum : {"sum(h, Z(h,k)*A(i,h))", "sum(h, A(i,h)*Z(h,k))"})
    for (const char *target : {"Y(i,k)", "Y(k,i)"})
      for (const Bindings &bindings : {Bindings{"A=csr"}, Bindings()}) {
        CAPTURE(sum, target, bindings);
        const std::string steps = check(target + std::string(" = exp(") + sum + ")*u(i)", bindings).steps();
        const auto has = [&](const char *made) {
          return steps.find("  for i, h+, k: " + std::string(made) + " += ") != std::string::npos;
        };
        CHECK((has("$4(i,k)") || (target == std::string("Y(i,k)") && has("Y(i,k)"))));
      }
  // Of two that run over what is added up the target says which is first.
  CHECK(check("Y(i,j) = exp(sum(k, Q(j,k)*P(i,k)))").steps().find("Y(i,j) += ") != std::string::npos);
  const std::string made = "let T(k,i) = sum(h, A(i,h)*Z(h,k))\n";
  CHECK(orderOf(made + "Y(i,k) = exp(T(k,i))*u(i)", "T") == "10");
  CHECK(orderOf(made + "y(k) = exp(T(k,i))*u(i)", "T") == "10");
  // What reads it by rows would go through it by columns.
  CHECK(orderOf(made + "Y(k,i) = exp(T(k,i))*u(i)", "T") == "01");
  CHECK(orderOf(made + "Y(i,k) = exp(T(k,i))*u(i)\nX(k,i) = T(k,i)*u(i)", "T") == "01");
  CHECK(orderOf("let T(k,i) = exp(X(i,k))\nY(i,k) = T(k,i)*T(k,i) + A(i,k)", "T") == "01");
}

} // namespace spc::sema::test
