// Which temporaries are fused into what reads them, and which are computed where a sparse factor has entries.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

/// Whether T is computed by what reads it.
bool isFused(const std::string &text, const std::vector<std::string> &bindings = {}, bool strict = false) {
  const Checked checked = check(text, bindings, strict);
  REQUIRE(checked.errors() == "");
  return checked.tensor("T").is<Fused>();
}

const std::string kProduct = "let T(i,j) = A(i,k)*B(j,k)\n";

TEST_CASE("what is read once, and as often as it has elements, needs no memory") {
  CHECK(check("let T(i,j) = S(i,j)*x(j)\ny(i) = exp(T(i,j))*S(i,j)", {"S=csr"}).steps() ==
        "y in f64, zeroed first:\n  for i, j+: y(i) += exp(S(i,j)*x(j))*S(i,j), where S\n");
  CHECK(isFused("let T(i) = x(i)*z(i)\ny(i) = T(i) + 1"));
  CHECK(isFused("let T(i) = x(i)*z(i)\ny(i) += 2*T(i)"));
  CHECK_FALSE(isFused("let T(i) = x(i)*z(i)\ny(i) = T(i)*T(i)"));
  CHECK_FALSE(isFused("let T(i) = x(i)*z(i)\ny(i) = T(i)\nw(i) = T(i)"));
  CHECK_FALSE(isFused("let T(j) = x(j)*z(j)\ny(i) = A(i,j)*T(j)"));
  CHECK_FALSE(isFused("let T(i) = A(i,j)*x(j)\ny(i) = 2*T(i)"));
  CHECK_FALSE(isFused("let T(i) = x(i)\nT(i) += z(i)\ny(i) = 2*T(i)"));
  CHECK_FALSE(isFused("let T(i) = 2*x(i)\ny(i) min= T(i)"));
}

TEST_CASE("a temporary is not computed where indices point that are computed themselves") {
  const std::string types = "tensor x(n,m)\ntensor y(n): i64\ntensor z(n)\n", made = "let T(i,j) = x(i,j) - z(i)\n";
  CHECK(check(types + made + "out(i) = T(i,y(i))").ownerOf("T") !=
        check(types + made + "out(i) = T(i,0)").ownerOf("T"));
  for (const std::string &text : {"let p(i) = y(i) - 1\n" + made, made + "let p(i) = y(i) - 1\n"}) {
    const Checked checked = check(types + text + "out(i) = T(i,p(i))");
    CHECK(checked.tensor("T").format.isDense());
    CHECK_FALSE(checked.tensor("T").isAssembled());
  }
}

TEST_CASE("a matrix that is read at held indices is not made") {
  const std::string made = "let T(i,j) = sum(k, abs(x(i,k) - z(j,k)))\n";
  CHECK(isFused(made + "y(e) = exp(T(p(e),q(e)))"));
  CHECK(isFused(made + "l = sum(e, relu(T(p(e),q(e)) - T(p(e),r(e)) + 1))"));
  CHECK(isFused(made + "y(i) = 1/T(i,p(i))"));
  CHECK(isFused("let D(i,j) = x(i,k)*z(j,k)\nlet T(i,j) = sqrt(D(i,j))\ny(e) = exp(T(p(e),q(e)))"));
  CHECK(check(kProduct + "l = pattern(S(i,j))*exp(T(i,j) - T(i,p(i)))", {"S=csr"}).ownerOf("T").has_value());
  CHECK_FALSE(isFused(made + "y(e) = exp(T(p(e),q(e)))", {}, /*strict=*/true));
  CHECK_FALSE(isFused(made + "y(e) = exp(T(p(e),q(e)))\nw(i) = max(j, T(i,j))"));
  CHECK_FALSE(isFused(made + "y(e) = exp(T(p(e),q(e)))\nT(i,j) = 1"));
  CHECK_FALSE(isFused(made + "x(i,k) = 1\ny(e) = exp(T(p(e),q(e)))"));
  CHECK_FALSE(isFused("let T(i,k) = sqrt(x(i,k))\ny(e,k) = exp(T(p(e),k))"));
  CHECK_FALSE(isFused("tensor x(30,4)\ntensor z(30,4)\ntensor p(1000): i64\ntensor q(1000): i64\n" + made +
                      "y(e) = exp(T(p(e),q(e)))"));
}

TEST_CASE("a matrix that is wanted at few places is not made for its diagonal, or a row of it") {
  const std::string gram = "let T(i,j) = X(i,k)*X(j,k)\n", masked = "D(i,j) = pattern(S(i,j))*";
  const std::vector<std::string> csr = {"S=csr"};
  CHECK(check(gram + masked + "(T(i,i) + T(j,j) - 2*T(i,j))", csr).cost() ==
        "nnz(S)*k for T; i*k for $T[i,i]; nnz(S) for D");
  CHECK(check("let T(i,j) = Q(i,k)*K(j,k)\n" + masked + "exp(T(i,j) - T(i,0))", csr).cost() ==
        "nnz(S)*k for T; i*k for $T[i,0]; nnz(S) for D");
  CHECK(check("let T(i,j) = X(i,k)*X(j,k) + lam*(i == j)\n" + masked + "T(i,j)/sqrt(T(i,i)*T(j,j))", csr).cost() ==
        "nnz(S)*k + nnz(S) for T; i + i*k for $T[i,i]; nnz(S) for D");
  CHECK(check(gram + "let H(i,j) = exp(T(i,j)/4)\n" + masked + "H(i,j)/sqrt(H(i,i)*H(j,j))", csr).cost() ==
        "nnz(S)*k for T; i*k for $H[i,i]; i for $H[i,i]; nnz(S) for D");
  CHECK(check("tensor x(n,m)\ntensor p(l): i64\ntensor q(l): i64\nlet T(i,j) = sum(k, abs(x(i,k) - x(j,k)))\n"
              "y(e) = T(p(e),q(e))/T(p(e),0)")
            .cost() == "n*m for $T[p__1,0]; l*m for y; l for $7, $8, y");
}

TEST_CASE("a matrix whose diagonal or column is read alone is not made") {
  const auto cost = [](const std::string &text) { return check(text, {"A=csr"}).cost(); };
  CHECK(cost("let T(i,j) = A(i,k)*X(k,j)\nd(i) = T(i,i)") == "nnz(A) for d");
  CHECK(cost("let T(i,j) = X(i,k)*Y(j,k)\nd(i) = T(i,i)\ny(i) = A(i,i)") == "i*k for d; nnz(A) for y");
  CHECK(cost("let T(i,j) = X(i,k)*Y(j,k)\nd = T(2,3)\ny(i) = A(i,i)") == "k for $T[2,3]; 1 for d; nnz(A) for y");
  CHECK(cost("let T(i,j) = x(i,j) + A(i,k)\nd(i) = T(2*i + 1,i)") == "j + j*nnz(A)/i for d");
  CHECK(isFused("let T(i,j) = exp(u(i) - v(j))\nd(i) = T(i,i)"));
  CHECK(isFused("let T(i,j) = u(i)*v(j)\nd(i) = T(i,i) - T(i,1)"));
  CHECK(isFused("tensor T(n,n)\nlet T(i,j) = u(i)*(j <= i)\nd(i) = T(i,1)"));
}

TEST_CASE("a matrix is made once where its diagonal, or a part of it, is read beside the whole") {
  const std::string made = "let T(i,j) = X(i,k)*X(j,k)\n";
  CHECK_FALSE(check(made + "D(i,j) = T(i,j)/sqrt(T(i,i)*T(j,j))").has("$T[i,i]"));
  CHECK_FALSE(check(made + "D(i,j) = S(i,j)*T(i,j)/T(i,i)\ny(i) = max(j, T(i,j))", {"S=csr"}).has("$T[i,i]"));
  CHECK_FALSE(isFused(made + "T(i,j) = 0\nd(i) = T(i,i)"));
  CHECK_FALSE(isFused("tensor X(n,3)\nlet T(i,j) = 2*X(i,j)\nd(i) = T(i,0)*T(i,1) - T(i,2)"));
  CHECK_FALSE(isFused("tensor T(n,n)\nlet T(i,j) = u(i)*j\nd(i) = T(i,1)"));
  CHECK_FALSE(isFused("let T(i,j) = A(i,j)*u(j)\nd(i) = T(i,i)", {"A=csr"}));
  CHECK_FALSE(isFused("let T(i,j) = where(u(i) > v(j), u(i))\nd(i) = T(i,i)"));
  Checked asWritten = checkWith({"--plan=as-written"}, made + "d(i) = T(i,i)");
  CHECK_FALSE(asWritten.tensor("T").is<Fused>());
}

TEST_CASE("choices within choices by equations, and equations that or joins, are sums of diagonals") {
  const std::string product = "y(i) = T(i,j)*x(j)";
  for (const char *made : {"select(i == j, 2, select(i == j + 1, -1, 0))", "(i == j or j == i + 1)*d(i)",
                           "select(i == j, 2, select(j == i + 1 or i == j + 1, -d(i), 0))",
                           "select(i == j, d(i), select(i - j == 2, d(j), 0)) + (i - 4 == j or j == i + 4)*2"})
    CHECK(check(std::string("let T(i,j) = ") + made + "\n" + product).cost() == "i for T; nnz(T) for y");
  CHECK(check("y(i) = (i == j or i == j + 1)*x(j)").cost() == "i for y");
  CHECK(check("let T(i,j) = select(i == j, 2, select(i == 2*j, 1, 0))\n" + product).cost() == "i*j for T, y");
  CHECK(check("y(i) = (i == j or i == j + 1)*x(j)", {}, /*strict=*/true).cost() == "j*i for y");
  for (const char *band :
       {"y(i) = (abs(i - j) <= 1)*x(j)", "y(i) = select(i == j, 2, select(i == j + 1, 1, 0))*x(j)",
        "y(i) = d(i)*(i == j or i == 2*j)*x(j)", "let T(i,j) = select(abs(i - j) < 3, d(i), 0)\ny(i) = T(i,j)*x(j)"})
    CHECK(check(band).count("asymptotic") == 1);
  for (const char *other :
       {"tensor D(n,n)\ntensor d(n)\nD(i,j) = (abs(i - j) <= 1)*d(i)", "y(i) = (abs(i - j) <= 1)*A(i,j)",
        "y(i) = (j <= i)*x(j)", "let T(i,j) = X(i,j) + (abs(i - j) < 3)\ny(i) = max(j, T(i,j))",
        "y(i) = select(i == j or i > 4, 2, 0)*x(j)"})
    CHECK(check(other, {"A=csr"}).count("asymptotic") == 0);
  CHECK(check("D(i,j) = A(i,j)*(i == j or i == j + 1)", {"A=csr"}).statement().terms.size() == 1);
  CHECK(check("D(i,j) = d(i)*(i == j or i == j + 1)").statement().terms.size() == 1);
}

TEST_CASE("a choice of a diagonal and of what operands list is the sum of both") {
  const auto assembled = [](const std::string &value, std::vector<std::string> bindings = {"A=csr"}) {
    bindings.push_back("C=csr");
    return check("C(i,j) = " + value, bindings);
  };
  CHECK(assembled("select(i == j, d(i), -A(i,j)/d(j))").cost() == "i + nnz(A) for C");
  CHECK(assembled("select(i != j, -A(i,j), d(i))").cost() == "i + nnz(A) for C");
  CHECK(assembled("select(i == j, 1, select(i == j + 1, d(i), A(i,j)))").cost() == "i + nnz(A) for C");
  CHECK(assembled("B(i,j) + select(i == j, 1, where(j > 2, A(i,j)))", {"A=csr", "B=csr"}).count("densify") == 0);
  CHECK(assembled("select(i == j, 1, sum(k, A(i,k)*B(k,j)))", {"A=csr", "B=csr"}).cost() ==
        "j + nnz(A)*nnz(B)/k for C");
  CHECK(assembled("select(i == j, -sum(k, A(i,k)), A(i,j))").count("densify") == 0);
  for (const char *whole :
       {"select(i == j, 1, sum(k, A(i,k)))", "select(i == j, 1, A(i,j) + d(i))", "select(i == j, 1, A(i,j) + 1)",
        "select(i < j, 1, A(i,j))", "select(i == j, 1, exp(A(i,j)))"})
    CHECK(assembled(whole).count("densify") > 0);
  CHECK(assembled("select(i == j, A(i,j), B(i,j))", {"A=csr", "B=csr"}).statement().terms.size() == 1);
  CHECK(check("tensor D(n,n)\nD(i,j) = select(i == j, d(i), A(i,j))", {"A=csr"}).statement().terms.size() == 1);
  const std::string sum = "y(i) = sum(j, select(i == j, d(i), A(i,j)*x(j)))";
  CHECK(check(sum, {"A=csr"}).cost() == "i + nnz(A) for y");
  CHECK(check(sum, {"A=csr"}, /*strict=*/true).cost() == "i*j for y");
  CHECK(check("let L(i,j) = select(i == j, d(i), -A(i,j))\ny(i) = L(i,j)*x(j)", {"A=csr"}).count("asymptotic") == 0);
}

TEST_CASE("a matrix that is scattered to is not made by products that read it") {
  const std::string made = "let T(r,c) = at(r, p(e))*at(c, q(e))*v(e)\n", one = "y(i,k) = x(j,k)*T(i,j)\n";
  CHECK(isFused(made + one));
  CHECK(isFused(made + one + "z(j,k) = w(i,k)*T(i,j)"));
  CHECK(isFused(made + one + "z(j,k) = (x(i,k) - w(j,k))*T(i,j)"));
  CHECK_FALSE(isFused(made + one + "z(i) = max(j, x(j,i)*T(i,j))"));
  CHECK_FALSE(isFused("let T(i,j) = A(i,k)*A(j,k)\n" + one + "z(j,k) = w(i,k)*T(i,j)", {"A=csr"}));
}

TEST_CASE("a matrix that several statements scatter to is not made by products that read it") {
  const std::string made = "let T(r,c) = at(r, p(e))*at(c, q(e))*v(e)\nT(r,c) += at(r, p(e))*at(c, p2(e))*w(e)\n";
  const std::string one = "y(i,k) = 2*(x(i,k) - x(j,k))*T(i,j)\n";
  const Checked checked = check(made + one + "y(j,k) += x(i,k) - x(i,k)*T(i,j)");
  CHECK(checked.tensor("T").is<Fused>());
  CHECK(checked.tensor("$T[1]").is<Fused>());
  CHECK(check(made + one).statement().terms.size() == 2);
  CHECK_FALSE(check(made + one + "z(i) = max(j, T(i,j))").has("$T[1]"));
  CHECK_FALSE(check(made + one + "T(i,j) = 0").has("$T[1]"));
  CHECK_FALSE(check(made + one + "z(i) = T(i,j)*T(i,j)").has("$T[1]"));
  CHECK_FALSE(check(made + one, {}, /*strict=*/true).has("$T[1]"));
}

TEST_CASE("a temporary that alone says how far an index runs is not fused into a sum over it") {
  const std::string stacked = "tensor T(2,n)\nlet T(i,j) = (i == 0)*x(j) + (i == 1)*z(j)\n";
  CHECK_FALSE(isFused(stacked + "y(j) = sum(i, T(i,j))"));
  CHECK_FALSE(isFused(stacked + "y(j) = sum(i, T(i,j)*w(i))"));
  CHECK_FALSE(isFused(stacked + "y(j) = T(i,j)*A(j,k)"));
  CHECK(isFused("let T(i,j) = (i == 0)*x(j)*w(i)\ny(i,j) = 2*T(i,j)"));
  const std::string repeated = "tensor x(n)\ntensor A(n,n)\nlet T(i,j) = 2*x(i)\n";
  CHECK_FALSE(isFused(repeated + "y(j) = A(i,j) + T(j,i)"));
  CHECK_FALSE(isFused(repeated + "y(j) = A(i,j) - 3*T(j,i)"));
  CHECK(isFused(repeated + "y(i,j) = A(i,j) + T(j,i)"));
}

TEST_CASE("a temporary is not fused past a statement that changes what it reads") {
  CHECK_FALSE(isFused("let T(i) = 2*x(i)\nx(i) = z(i)\ny(i) = T(i)"));
  CHECK_FALSE(isFused("let T(i) = 2*x(i)\nx(i) = T(i)"));
  CHECK(isFused("let T(i) = 2*x(i)\nz(i) = 3*x(i)\ny(i) = T(i)"));
}

TEST_CASE("a temporary whose type rounds is not fused") {
  CHECK_FALSE(isFused("tensor T(n): f32\ntensor x(n): f64\nlet T(i) = 2*x(i)\ny(i) = T(i)"));
  CHECK_FALSE(isFused("tensor x(n): f32\ntensor z(n): f64\nlet T(i) = 2*x(i)\ny(i) = T(i) + z(i)"));
}

TEST_CASE("sums keep what they span") {
  CHECK_FALSE(isFused("let T(i,j) = A(i,j) + b(i)\ny(i) = T(i,j)"));
  CHECK_FALSE(isFused("let T(i,j) = A(i,j) + S(i,j)\ny(i) = T(i,j)*x(j)", {"S=csr"}));
  CHECK_FALSE(isFused(kProduct + "D(i,j) = (S(i,j)*T(i,j) + c(i))*d(j)", {"S=csr"}));
}

TEST_CASE("a dense product that a sparse factor samples is computed there") {
  CHECK(check(kProduct + "D(i,j) = S(i,j)*T(i,j)", {"S=csr"}).steps() ==
        "D in f64, zeroed first:\n  for i, j, k+: D(i,j) += S(i,j)*(A(i,k)*B(j,k))\n");
  CHECK_FALSE(isFused(kProduct + "D(i,j) = S(i,j)*T(i,j)", {"S=csr"}, /*strict=*/true));
  const Checked masked = check(kProduct + "D(i,f) = S(i,j)*T(i,j)*V(j,f)", {"S=csr"});
  CHECK(masked.steps() == "T in f64, zeroed first:\n"
                          "  for i, j, k+: T(i,j) += f64(pattern(S(i,j)))*(A(i,k)*B(j,k)), where S\n"
                          "\n"
                          "D in f64, zeroed first:\n"
                          "  for i, j+, f: D(i,f) += S(i,j)*T(i,j)*V(j,f)\n");
  CHECK(masked.ownerOf("T").has_value());
  CHECK(check(kProduct + "D(i,j) = sqrt(S(i,j))*T(i,j)*T(i,j)", {"S=csr"}).ownerOf("T").has_value());
  CHECK_FALSE(check(kProduct + "D(i,j) = S(i,j)*T(i,j)\nE(i,j) = T(i,j)", {"S=csr"}).ownerOf("T"));
  CHECK_FALSE(check(kProduct + "D(i,j) = S(i,j)*T(i,j)\nE(i,j) = R(i,j)*T(i,j)", {"S=csr", "R=csr"}).ownerOf("T"));
}

TEST_CASE("temporaries with the entries of a sparse factor say where others are wanted") {
  const std::string made = "let T(i,j) = exp(a(i) + b(j))\nlet D(i,j) = S(i,j)*x(j)*T(i,j)\n";
  const auto isRestricted = [](const std::string &text, const std::vector<std::string> &bindings) {
    const Checked checked = check(text, bindings);
    REQUIRE(checked.errors() == "");
    return checked.ownerOf("T").has_value();
  };
  CHECK(isRestricted(made + "y(i) = D(i,j)*T(i,j)", {"S=csr"}));
  CHECK(isRestricted(made + "let E(i,j) = -D(i,j)/(2*T(i,j))\ny(i) = E(i,j)*z(j)/T(i,j)", {"S=csc"}));
  CHECK(isRestricted(made + "let E(j,i) = D(i,j)*a(i)\ny(i) = E(j,i)*T(i,j)", {"S=csr"}));
  CHECK_FALSE(isRestricted(made + "y(i) = D(i,j)*T(j,i)", {"S=csr"}));
  CHECK_FALSE(isRestricted(made + "y(i) = max(j, T(i,j))", {"S=csr"}));
  CHECK_FALSE(isRestricted(made + "D(i,j) += a(i)\ny(i) = D(i,j)/T(i,j)", {"S=csr"}));
}

TEST_CASE("an array without sums is computed where each of several sparse factors wants it") {
  const std::string made = "let T(i,j) = exp(u(i) - v(j))\n";
  const std::vector<std::string> two = {"S=csr", "A=csr"};
  CHECK(isFused(made + "D(i,j) = S(i,j)*T(i,j)\ny(i) = A(i,j)*T(i,j)", two));
  CHECK(isFused(made + "D(i,j) = S(i,j)*(T(i,j) - T(j,i))", {"S=csr"}));
  CHECK(isFused("let R(i,j) = u(i) - v(j)\nlet T(i,j) = R(i,j)*R(i,j)\nD(i,j) = S(i,j)*T(i,j)\ny(i) = A(i,j)*T(i,j)",
                two));
  CHECK_FALSE(isFused(made + "D(i,j) = S(i,j)*T(i,j)\ny(i) = S(i,j)*T(i,j)", {"S=csr"}));
  CHECK_FALSE(isFused(made + "D(i,j) = S(i,j)*T(i,j)\ny(i) = B(i,j)*T(i,j)", {"S=csr"}));
  CHECK(isFused("let T(i,j) = exp(X(i,j))\nD(i,j) = S(i,j)*T(i,j)\ny(i) = A(i,j)*T(i,j)", two));
  CHECK_FALSE(isFused(made + "D(i,j) = S(i,j)*T(i,j)\nZ(i,k) = A(i,j)*T(i,j)*B(j,k)", two));
}

TEST_CASE("a function of a sum is computed where each of several sparse factors wants it") {
  const std::vector<std::string> two = {"S=csr", "A=csr"};
  const std::string costs = "nnz(S)*k for $5; nnz(A)*k for $6; nnz(S) + nnz(A) for l";
  for (const std::string made : {"let T(i,j) = sigmoid(sum(k, P(i,k)*P(j,k)))\n", "let T(i,j) = P(i,k)*P(j,k)\n"})
    CHECK(costOf(made + "l = sum(i,j, pattern(S(i,j))*log(T(i,j))) + sum(i,j, A(i,j)*log(1 - T(i,j)))", two) == costs);
  const std::string largest = "let T(i,j) = max(k, P(i,k)*P(j,k))\nl = S(i,j)*T(i,j) - A(i,j)*T(i,j)";
  CHECK_FALSE(isFused(largest, two));
}

TEST_CASE("what chooses, and what is chosen, say where the other is wanted") {
  const std::string made = "let T(i,j) = exp(sum(k, P(i,k)*P(j,k)))\n";
  for (const std::string value :
       {"where(T(i,j) > 0.5, S(i,j))", "select(T(i,j) > 0.5, S(i,j), 0)", "select(T(i,j) > 0.5, 0, S(i,j)*x(j))",
        "select(pattern(S(i,j)) and T(i,j) > 2, 1, 0)", "where(T(i,j) > 2 and S(i,j) > 0, 1)"}) {
    INFO(value);
    CHECK(costOf(made + "y(i) = sum(j, " + value + ")", {"S=csr"}).starts_with("nnz(S)*k for $"));
  }
  for (const std::string value : {"select(T(i,j) > 0.5, S(i,j), 1)", "select(pattern(S(i,j)) or T(i,j) > 2, 1, 0)"})
    CHECK_FALSE(costOf(made + "y(i) = sum(j, " + value + ")", {"S=csr"}).starts_with("nnz(S)*k for $"));
}

TEST_CASE("a product that a sparse factor samples is put into other products that read all of it") {
  const std::string sampled = "S(i,j)*log(S(i,j)/T(i,j))";
  const Checked divergence = check(kProduct + "l = " + sampled + " - S(i,j) + T(i,j)", {"S=csr"});
  CHECK(divergence.ownerOf("T").has_value());
  CHECK(describe(*divergence.kernel).find("i*j") == std::string::npos);
  CHECK(check(kProduct + "D(i,j) = S(i,j)*T(i,j)\ny(i) = T(i,j)*x(j)", {"S=csr"}).ownerOf("T").has_value());
  // There it is read as it is.
  CHECK_FALSE(check(kProduct + "l = " + sampled + "\nm = max(i, j, T(i,j))", {"S=csr"}).ownerOf("T"));
  CHECK_FALSE(check(kProduct + "l = " + sampled + " + T(i,j)", {"S=csr"}, /*strict=*/true).ownerOf("T"));
}

TEST_CASE("variables of a fused product have names of their own") {
  CHECK(check(kProduct + "D(i,j) = S(i,j)*T(i,j) + C(i,k)*E(k,j)", {"S=csr"}).steps().find("k1") == std::string::npos);
  CHECK(check("let T(i,j) = A(i,l)*B(j,l)\ny(i) = S(i,j)*T(i,j) + C(i,l)", {"S=csr"}).errors() == "");
}

TEST_CASE("what a plan costs") {
  CHECK(costOf("y(i) = A(i,j)*x(j) + z(i)", {"A=csr"}) == "i + nnz(A) for y");
  CHECK(costOf("Y(i,k) = A(i,j)*X(j,k)", {"A=csr"}) == "nnz(A)*k for Y");
  CHECK(costOf("C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"}) == "nnz(A)*nnz(B)/k for C");
  CHECK(costOf("C(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr", "C=csr"}) == "nnz(A) + nnz(B) for C");
  CHECK(costOf("C(i,j) = max(A(i,j), B(i,j))", {"A=csr", "B=csr", "C=csr"}) == "nnz(A) + nnz(B) for C");
  CHECK(costOf("C(i,j) = A(i,j)*B(i,j)", {"A=csr", "B=csr", "C=csr"}) == "nnz(A) for C");
  CHECK(costOf("C(i,j) = exp(A(i,j))", {"A=csr"}) == "i*j for C");
  CHECK(costOf("let E(i,j) = 2*S(i,j)\nD(i,k) = E(i,j)*X(j,k)\ny(i) = E(i,j)", {"S=csr"}) ==
        "nnz(S) for E, y; nnz(S)*k for D");
}

TEST_CASE("what a plan costs is the same in parts, blocks and diagonals") {
  for (const char *storage : {"S=csr", "S=hyb", "S=bsr", "S=dia", "S=ell", "S=repeats"}) {
    CAPTURE(storage);
    CHECK(costOf("y(i) = S(i,j)*x(j) + z(i)", {storage}) == "i + nnz(S) for y");
    CHECK(costOf("s = x(i)*S(i,j)*y(j)", {storage}) == "nnz(S) for s");
    CHECK(costOf("t = S(i,j)*S(j,k)*S(i,k)", {storage}) == "nnz(S)*nnz(S)/i for t");
    CHECK(costOf("s = S(i,j)*B(j,k)", {storage, "B=csr"}) == "nnz(B) for $5; j for $4, $5; nnz(S) for s");
    CHECK(costOf("let T(i,j) = relu(S(i,j))\ny(i) = T(i,j)*x(j)", {storage}) == "nnz(S) for y");
    CHECK(costOf("let T(i,j) = S(i,j)*S(i,j)\ny(i) = T(i,j)*x(j)", {storage}) == "nnz(S) for y");
  }
}

TEST_CASE("chains of temporaries that read each other twice are planned once each") {
  for (const std::string first : {"a(i)*b(j)", "A(i,j)*b(j)"}) {
    std::string chain = "let T0(i,j) = " + first + "\n";
    for (int k = 1; k < 40; ++k) {
      const std::string last = "T" + std::to_string(k - 1);
      chain += "let T" + std::to_string(k) + "(i,j) = " + last + "(i,j)/2 + " + last + "(j,i)*" + last + "(i,j)\n";
    }
    CHECK(check(chain + "y(i) = A(i,j)*T39(i,j)*T38(i,j)", {"A=csr"}).kernel);
  }
}

} // namespace
} // namespace spc::sema::test
