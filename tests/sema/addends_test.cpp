// Sums and equations of addends of their own: what is taken before them, wherever they stand.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {

TEST_CASE("an addend that is one sum, and lacks an index of the result, is added up once") {
  using Texts = std::vector<std::string>;
  for (const std::string &text :
       Texts{"y(i) = x(i) + sum(j, x(j))", "y(i) = x(i) - sum(j, exp(x(j)))", "y(i) = A(i,j)*x(j) + sum(j, x(j))",
             "y(i) += sum(j, x(j))", "y(i) = A(i,j)*x(j) - sum(l,j, A(l,j))"}) {
    INFO(text);
    const std::string steps = check(text, text.find("A(") < text.size() ? Texts{"A=csr"} : Texts{}).steps();
    CHECK(steps.starts_with("$"));
    CHECK(steps.find("for i, j+: y(i) += x(j)") == std::string::npos);
  }
  CHECK(check("Y(i,k) = X(i,k) - sum(j, X(j,k))").steps() == "$2 in f64, zeroed first:\n"
                                                             "  for j+, k: $2(k) += X(j,k)\n"
                                                             "\n"
                                                             "Y in f64:\n"
                                                             "  for i, k: Y(i,k) = X(i,k) - $2(k)\n");
  CHECK(check("y = mean(i,j, A(i,j))", {"A=csr"}).steps().find("for i+, j+: $") == std::string::npos);
}

TEST_CASE("a sum of several addends is scaled once, whatever stands beside it") {
  for (const std::string &text : std::vector<std::string>{"y(i) = sum(j, x(j)) + sum(j, B(i,j) - z(j))/d(i)",
                                                          "y(i) = z(i) + sum(j, B(i,j) - z(j))/d(i)",
                                                          "y(i) = sum(k, w(k)) + d(i)*sum(j, B(i,j) - x(j))"}) {
    INFO(text);
    const std::string steps = check(text, {"B=csr"}).steps();
    CHECK(steps.find("(i) += B(i,j)\n") != std::string::npos);
  }
}

TEST_CASE("equations with what tensors hold are solved on whichever side of a sparse factor they stand") {
  const std::string declared = "tensor A(n,m)\ntensor l(n): i64\ntensor q(m): i64\ntensor C(c,d)\nC(a,b) = ";
  for (const std::string product : {"(l(i) == a)*(q(j) == b)*A(i,j)", "(a == l(i))*(q(j) == b)*A(i,j)",
                                    "A(i,j)*(l(i) == a)*(q(j) == b)", "(q(j) == b)*A(i,j)*(a == l(i))"}) {
    INFO(product);
    const Checked checked = check(declared + product, {"A=csr"});
    REQUIRE(checked.kernel);
    CHECK(checked.cost() == "nnz(A) for C");
  }
}

TEST_CASE("what is added to values in a pattern is summed in parts as what made them") {
  const std::string first = "D(i,j) = S(i,j)*x(i)\n", product = "pattern(S(j,l))*S(i,j)*H(l,k)*Z(i,k)";
  for (const char *format : {"S=csr", "S=csc"}) {
    CHECK(checkUsual(first + "D(j,l) += " + product, {format}).cost().find("nnz(S)*nnz(S)") == std::string::npos);
    CHECK(check(first + "D(j,l) += " + product + "*S(l,m)*w(m)", {format}).tensor("D").shared());
  }
}

TEST_CASE("a temporary of sparse and dense addends is none in products that are added up") {
  for (const std::string made : {"let M(i,j) = A(i,j) + u(i)*v(j)\n", "let M(i,j) = A(i,j) - v(j)\n",
                                 "let M(i,j) = A(i,j)*v(j) - u(i)*v(j)/s + 2\n"})
    for (const std::string readers :
         {"y(i) = M(i,j)*x(j)", "y(i) = M(i,j)*x(j)/u(i)\nz(j) = M(i,j)*y(i)", "Y(i,k) = 2*M(i,j)*X(j,k)"}) {
      INFO(made << readers);
      const Checked checked = check(made + readers, {"A=csr"});
      CHECK(checked.tensor("M").is<Fused>());
      CHECK(checked.count("densify") == 0);
      CHECK_FALSE(check(made + readers, {"A=csr"}, /*strict=*/true).tensor("M").is<Fused>());
    }
  for (const std::string other : {"y(i) = M(i,j)*x(j)\nz(i) = exp(M(i,0))", "D(i,j) = M(j,i)*M(i,j)"})
    CHECK_FALSE(check("let M(i,j) = A(i,j) + u(i)*v(j)\n" + other, {"A=csr"}).tensor("M").is<Fused>());
  CHECK_FALSE(check("let M(i,j) = A(i,j) + D(i,j)\ny(i) = M(i,j)*x(j)", {"A=csr"}).tensor("M").is<Fused>());
  CHECK_FALSE(
      check("let M(i,j) = A(i,j) + D(k)*u(i)*x(k) - v(k)\ny(i) = M(i,j)*x(j)", {"A=csr"}).tensor("M").is<Fused>());
  CHECK(check("let M(i,j) = A(i,j) + u(i)*x(k)\ny(i) = M(i,j)*x(j)", {"A=csr"}).cost() == "j for $5; i + nnz(A) for y");
}

TEST_CASE("a temporary of sparse and dense addends is computed where all that read it have entries") {
  const Checked residual = check("let e(i,j) = A(i,j) - b(i) - c(j) - sum(k, X(i,k)*Y(j,k))\n"
                                 "l = pattern(A(i,j))*e(i,j)*e(i,j)",
                                 {"A=csr"});
  CHECK(residual.cost() == "nnz(A)*k for $7; nnz(A) for e, l");
  const Checked encoded = checkUsual("let Z(i,f) = A(i,k)*X(k,f)\nlet W(i,f) = A(i,k)*Y(k,f)\n"
                                     "let G(i,j) = Z(i,k)*W(j,k)\nl = A(i,j)*log(G(i,j) + 1)",
                                     {"A=csr"});
  CHECK(encoded.count("densify") + encoded.count("asymptotic") == 0);
  const Checked once =
      check("let Z(i,f) = A(i,k)*X(k,f)\nlet G(i,j) = Z(i,k)*Z(j,k)\nl = A(i,j)*log(G(i,j) + 1)", {"A=csr"});
  CHECK(once.cost() == "nnz(A)*f for Z, G; nnz(A) for l");
}

TEST_CASE("a sum() among addends is taken with what the sum is multiplied by, however it is written") {
  const std::string product = "sum(k, W(i,k)*H(k,j))", made = "let R(i,j) = ";
  for (const std::string &text : std::vector<std::string>{
           "y(i) = (A(i,j) - " + product + ")*z(j)", "y(i) = sum(j, (A(i,j) - " + product + ")*z(j))",
           "y(i) = A(i,j)*z(j) - " + product + "*z(j)", made + "A(i,j) - " + product + "\ny(i) = R(i,j)*z(j)",
           made + "W(i,k)*H(k,j)\ny(i) = (A(i,j) - R(i,j))*z(j)", "y(i) = -(" + product + " - A(i,j))*z(j)"}) {
    INFO(text);
    const std::string cost = check(text, {"A=csr"}).cost();
    CHECK(cost.starts_with("k*j for $"));
    CHECK((cost.ends_with("; nnz(A) + i*k for y") || cost.ends_with("; i*k + nnz(A) for y")));
    CHECK(check(text, {"A=csr"}).count("asymptotic") == 0);
  }
  // What several products read is in each of them.
  for (const std::string &text : std::vector<std::string>{
           made + "A(i,j) - W(i,k)*H(k,j)\nG(i,l) = R(i,j)*H(l,j)\nF(l,j) = R(i,j)*W(i,l)",
           made + "W(i,k)*H(k,j)\nG(i,l) = (A(i,j) - R(i,j))*H(l,j)\nF(l,j) = (A(i,j) - R(i,j))*W(i,l)"}) {
    INFO(text);
    const Checked factors = check(text, {"A=csr"});
    CHECK(factors.tensor("R").is<Fused>());
    CHECK(factors.steps().find("(k,l) += H(k,j)*H(l,j)") != std::string::npos);
  }
  CHECK_FALSE(check(made + product + "\ns = (A(i,j) - R(i,j))*(A(i,j) - R(i,j))", {"A=csr"}).tensor("R").is<Fused>());
  // What is added up alone, too.
  const std::string divergence = "A(i,j)*log(A(i,j)/" + product + ") - A(i,j) + " + product;
  CHECK(check("s = sum(i, sum(j, " + divergence + "))", {"A=csr"}).cost() ==
        "nnz(A)*k for $4; k*j for $5; nnz(A) + i*k for s");
  CHECK(check(made + divergence + "\ns = R(i,j)", {"A=csr"}).cost().find("i*k*j") == std::string::npos);
  // Of matrices calls choose by their sizes.
  const Checked matrices = check("Y(i,l) = (A(i,j) - " + product + ")*Z(j,l)", {"A=csr"});
  CHECK(matrices.kernel->alternatives.size() == 2);
  CHECK(matrices.steps().find("(k,l) += H(k,j)*Z(j,l)") != std::string::npos);
  // Products of sums, and the text's order, do not cancel other than as they are written.
  const std::string square = "s = sum(i, sum(j, (A(i,j) - " + product + ")*(A(i,j) - " + product + ")))";
  CHECK(check(square, {"A=csr"}).count("asymptotic") == 1);
  CHECK(check("y(i) = (A(i,j) - " + product + ")*z(j)", {"A=csr"}, /*strict=*/true).cost().find("i*k*j") !=
        std::string::npos);
}

TEST_CASE("a sum within a product is a number beside another sum of sparse operands") {
  for (const char *text : {"y(j) = sum(i, (A(i,j) - mu(j))*sum(k, (A(i,k) - mu(k))*x(k)))",
                           "y(j) = (A(i,j) - mu(j))*sum(k, (A(i,k) - mu(k))*x(k))",
                           "let t(i) = (A(i,k) - mu(k))*x(k)\ny(j) = (A(i,j) - mu(j))*t(i)"}) {
    INFO(text);
    const Checked checked = check(text, {"A=csr"});
    CHECK(checked.count("asymptotic") == 0);
    CHECK(checked.cost().find("i*j") == std::string::npos);
    CHECK(checked.cost().find("i*k") == std::string::npos);
  }
}

TEST_CASE("a temporary lists its entries, whatever is made of its rows' sums") {
  for (const char *scale : {"1/sqrt(sum(j, P(i,j)))", "pow(sum(j, P(i,j)), -0.5)", "exp(-mean(j, P(i,j)))"}) {
    const Checked walk =
        check(std::string("let P(i,j) = A(i,j) + (i == j)\nlet d(i) = ") + scale + "\ny(i) = d(i)*P(i,j)*d(j)*x(j)",
              {"A=csr"});
    CHECK(walk.count("densify") == 0);
    CHECK_FALSE(walk.tensor("P").format.isDense());
  }
  CHECK(check("let P(i,j) = A(i,j) + (i == j)\ny(i) = sum(j, exp(P(i,j)))", {"A=csr"}).tensor("P").format.isDense());
  std::string nested = "P(i,j)"; // each sum is looked at once
  for (int k = 0; k < 13; ++k)
    nested = "sum(k" + std::to_string(k) + ", x(k" + std::to_string(k) + ")*" + nested + ")";
  CHECK(check("let P(i,j) = A(i,j) + (i == j)\ny(i) = sum(j, exp(" + nested + "))", {"A=csr"}).kernel);
}

TEST_CASE("a temporary lists its entries where choices of what it holds have none elsewhere") {
  const std::string made = "let C(i,j) = A(i,k)*A(j,k)\nlet D(i,j) = ", read = "\ny(i) = D(i,j)*x(j)";
  for (const char *chosen : {"where(i != j, C(i,j))", "where(C(i,j) > 0.5, 1)", "where(C(i,j) < 0.5, C(i,j))",
                             "where(C(i,j) > 1 and i < j, x(j))"})
    CHECK_FALSE(check(made + chosen + read, {"A=csr"}).tensor("C").format.isDense());
  for (const char *whole :
       {"where(C(i,j) < 0.5, 1)", "select(C(i,j) > 0.5, 1, 2)", "select(C(i,j) >= 0, 1, 0)", "where(C(i,j) > x(j), 1)"})
    CHECK(check(made + whole + read, {"A=csr"}).tensor("C").format.isDense());
}

TEST_CASE("a product that divides is divided by each of its factors where sums are taken first") {
  const std::string cosine = "A(i,k)*A(j,k)/(n(i)*n(j))";
  for (const std::string &text : {"y(i) = " + cosine + "*x(j)", "let C(i,j) = " + cosine + "\ny(i) = C(i,j)*x(j)"})
    CHECK(checkUsual(text, {"A=csr"}).cost().find("nnz(A)*nnz(A)") == std::string::npos);
  CHECK(check("y(i) = A(i,j)/(d(i)*d(j))*x(j)", {"A=csr"}).steps().find("A(i,j)/(d(i)*d(j))*x(j)") < std::string::npos);
}

} // namespace spc::sema::test
