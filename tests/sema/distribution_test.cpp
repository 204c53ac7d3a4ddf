// Which sums fall into their addends, and which are computed as they are written.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

using Bindings = std::vector<std::string>;

const Bindings kMatrices = {"A=csr", "B=csr", "C=csr", "D=csr"};

std::string stepsOf(const std::string &text, const Bindings &bindings = kMatrices) {
  Bindings used;
  for (const std::string &binding : bindings)
    if (text.find(binding.substr(0, 1) + "(") != std::string::npos)
      used.push_back(binding);
  const Checked checked = checkWith({"careful"}, text, used);
  INFO(text << ": " << checked.errors());
  REQUIRE(checked.kernel);
  return checked.steps();
}

} // namespace

TEST_CASE("one sum with a sparse operand falls into its addends where that saves an order of cost") {
  CHECK(stepsOf("y(i) = (A(i,j) + b(i)) * x(j)") == "$4 in f64, zeroed first:\n"
                                                    "  for j+: $4 += x(j)\n"
                                                    "\n"
                                                    "y in f64:\n"
                                                    "  for i: y(i) = b(i)*$4\n"
                                                    "  for i, j+: y(i) += A(i,j)*x(j)\n");
  CHECK(stepsOf("Y(i,k) = (A(i,j) - m(j)) * X(j,k)") == "$4 in f64, zeroed first:\n"
                                                        "  for j+, k: $4(k) += m(j)*X(j,k)\n"
                                                        "\n"
                                                        "Y in f64:\n"
                                                        "  for i, k: Y(i,k) = -$4(k)\n"
                                                        "  for i, j+, k: Y(i,k) += A(i,j)*X(j,k)\n");
  CHECK(stepsOf("y(i) = (A(i,j) - m(j)) * (x(j) - z(j))") == "$5 in f64, zeroed first:\n"
                                                             "  for j+: $5 += m(j)*(x(j) - z(j))\n"
                                                             "\n"
                                                             "y in f64:\n"
                                                             "  for i: y(i) = -$5\n"
                                                             "  for i, j+: y(i) += A(i,j)*(x(j) - z(j))\n");
  CHECK(stepsOf("y(i) = sum(j, A(i,j) - m(j))") == "$3 in f64, zeroed first:\n"
                                                   "  for j+: $3 += m(j)\n"
                                                   "\n"
                                                   "y in f64:\n"
                                                   "  for i: y(i) = -$3\n"
                                                   "  for i, j+: y(i) += A(i,j)\n");
}

TEST_CASE("one sum stays as it is where its addends are merged as cheaply") {
  CHECK(stepsOf("y(i) = (A(i,j) - 2*B(i,j)) * (x(j) + z(j)) / c(i)") ==
        "y in f64, zeroed first:\n"
        "  for i, j+: y(i) += (A(i,j) - 2*B(i,j))*(x(j) + z(j))/c(i), where A or B\n");
  CHECK(stepsOf("y(i) = sum(j, A(i,j) - B(i,j))") == "y in f64, zeroed first:\n"
                                                     "  for i, j+: y(i) += A(i,j) - B(i,j)\n");
  CHECK(stepsOf("y(i) = A(i,j) * (A(i,j) - m(i))") == "y in f64, zeroed first:\n"
                                                      "  for i, j+: y(i) += A(i,j)*(A(i,j) - m(i)), where A\n");
  // The target has as many elements as there are places.
  CHECK(stepsOf("Z(i,j) = (A(i,j) - m(j)) / s(j)") == "Z in f64, zeroed first:\n"
                                                      "  for i, j: Z(i,j) += (A(i,j) - m(j))/s(j), everywhere\n");
  CHECK(stepsOf("y(i) = (b(i) + c(i)) * z(i)") == "y in f64:\n  for i: y(i) = (b(i) + c(i))*z(i)\n");
}

TEST_CASE("a sum beside it, which is taken first, does not make a difference fall into its addends") {
  for (const std::string scale : {"sum(k, z(k))", "z(k)"}) {
    CHECK(stepsOf("y(i) = (A(i,j) - B(i,j)) * x(j) * " + scale) ==
          "$5 in f64, zeroed first:\n"
          "  for k+: $5 += z(k)\n"
          "\n"
          "y in f64, zeroed first:\n"
          "  for i, j+: y(i) += (A(i,j) - B(i,j))*x(j)*$5, where A or B\n");
  }
  CHECK(stepsOf("y(i) = (A(i,j) - m(j)) * x(j) * z(k)").find("(A(i,j) - m(j))") == std::string::npos);
}

TEST_CASE("a wide result does not hide what multiplying a sum out saves") {
  for (const std::string product : {"(A(i,j) - x(j)) * w(k)", "(A(i,j) - x(j)) * z(j) * w(k)",
                                    "(A(i,j) - x(j)) * P(i,k)", "(A(i,j) - x(j)) * z(j) * (u(k) - w(k))"}) {
    INFO(product);
    CHECK(stepsOf("Y(i,k) = " + product).find("(A(i,j) - x(j))") == std::string::npos);
    CHECK(stepsOf("Y(i,k) = " + product).find("everywhere") == std::string::npos);
  }
}

TEST_CASE("one sum falls into its addends where their storages cannot be walked together") {
  for (const std::string format : {"csc", "bsr", "ell", "lower", "hyb"})
    CHECK(check("y(i) = (A(i,j) - B(i,j)) * x(j)", {"A=csr", "B=" + format}).last().terms.size() > 1);
}

TEST_CASE("one sum falls into its addends where all but one hold an equation of indices") {
  CHECK(stepsOf("y(i) = (A(i,j) + c*(i == j)) * x(j)") ==
        "y in f64, zeroed first:\n"
        "  for i, j+: y(i) += A(i,j)*x(j)\n"
        "  for i, j+: y(i) += c*f64(pattern([i == j](i,j)))*x(j), where [i == j]\n");
  // What is walked together anyway, and what an entry is asked of, stay one.
  CHECK(check("y(i) = (A(i,j) + B(i,j) + (i == j)) * x(j)", {"A=csr", "B=csr"}).last().terms.size() == 1);
  CHECK(check("C(i,j) = (A(i,j) + (i == j)) * B(i,j)", {"A=csr", "B=csr", "C=csr"}).last().terms.size() == 1);
  CHECK(check("y(i) = (A(i,j) + c*(i == j)) * x(j)", {"A=csr"}, true).last().terms.size() == 1);
}

TEST_CASE("products of several sums are computed as they are written") {
  CHECK(stepsOf("l = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j))") ==
        "l in f64, zeroed first:\n"
        "  for i+, j+: l += (A(i,j) - B(i,j))*(A(i,j) - B(i,j)), where A or B\n");
  CHECK(stepsOf("y(i) = (A(i,j) + B(i,j)) * (C(i,j) - D(i,j))") ==
        "y in f64, zeroed first:\n"
        "  for i, j+: y(i) += (A(i,j) + B(i,j))*(C(i,j) - D(i,j)), where (A or B) and (C or D)\n");
  CHECK(stepsOf("y(i) = pattern(A(i,j)) * (A(i,j) - m(i)) * (A(i,j) - m(i))") ==
        "y in f64, zeroed first:\n"
        "  for i, j+: y(i) += f64(pattern(A(i,j)))*(A(i,j) - m(i))*(A(i,j) - m(i)), where A\n");
  // Storages that are not walked together are copied.
  const Checked copied = check("l = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j))", {"A=csr", "B=bsr"});
  CHECK(copied.last().terms.size() == 1);
  CHECK(copied.count("reorder") == 1);
}

TEST_CASE("several sums at more places than stored ones are warned of") {
  const Checked checked = check("y(i) = (A(i,j) - m(j)) * (B(i,j) - m(j))", {"A=csr", "B=csr"});
  CHECK(checked.steps() == "y in f64, zeroed first:\n"
                           "  for i, j+: y(i) += (A(i,j) - m(j))*(B(i,j) - m(j)), everywhere\n");
  CHECK(
      checked.the("asymptotic").help ==
      "--fp=distribute allows that; where nothing cancels, write 'let T(i) = A(i,j)*B(i,j) - A(i,j)*m(j) - m(j)*B(i,j) "
      "+ m(j)*m(j)', and T(i) in its place");
  CHECK(check("l = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j))", {"A=csr", "B=csr"}).count("asymptotic") == 0);
}

TEST_CASE("several sums are multiplied out where that saves an order of cost and nothing can cancel") {
  CHECK(stepsOf("y(i) = (abs(A(i,j)) + exp(m(j))) * (B(i,j)*B(i,j) + 2)") ==
        "$4 in f64:\n"
        "  for j: $4(j) = exp(m(j))\n"
        "\n"
        "$5 in f64, zeroed first:\n"
        "  for j+: $5 += exp(m(j))\n"
        "\n"
        "y in f64:\n"
        "  for i: y(i) = 2*$5\n"
        "  for i, j+: y(i) += abs(A(i,j))*(B(i,j)*B(i,j)), where A and B\n"
        "  for i, j+: y(i) += abs(A(i,j))*2, where A\n"
        "  for i, j+: y(i) += B(i,j)*B(i,j)*$4(j)\n");
  for (const char *sum : {"A(i,j) + exp(m(j))", "abs(A(i,j)) - exp(m(j))", "abs(A(i,j)) + m(j)", "1 - A(i,j)*A(i,j)"})
    CHECK(check("y(i) = (" + std::string(sum) + ") * (B(i,j)*B(i,j) + 2)", {"A=csr", "B=csr"}).last().terms.size() ==
          1);
}

TEST_CASE("addends of one sign are those of functions and operands that have no other") {
  const auto isMultipliedOut = [](const std::string &addend) {
    const std::string text = "tensor A(m,n): f64, sparse\ntensor B(m,n): f64, sparse\ntensor C(m,n): u8, sparse\n"
                             "tensor D(m,n): u8, sparse\n"
                             "y(i) = (" +
                             addend + " + 2) * (abs(B(i,j)) + 2) + D(i,j)";
    const Checked checked = check(text, {"A=csr", "B=csr", "C=csr", "D=csr"});
    INFO(text << checked.errors());
    REQUIRE(checked.kernel);
    return checked.last().terms.size() == 5;
  };
  for (const char *addend :
       {"abs(A(i,j))", "sqrt(A(i,j))", "relu(A(i,j))", "sigmoid(A(i,j))*abs(A(i,j))", "A(i,j)*A(i,j)",
        "f64(pattern(A(i,j)))", "(A(i,j) > 0)", "C(i,j)", "abs(A(i,j))*exp(B(i,j))", "A(i,j)*A(i,j)*(abs(A(i,j)) + 1)"})
    CHECK(isMultipliedOut(addend));
  for (const char *addend : {"A(i,j)", "-abs(A(i,j))", "sin(A(i,j))", "log(A(i,j) + 1)", "abs(A(i,j))*B(i,j)",
                             "A(i,j)*A(i,j)*A(i,j)", "relu(A(i,j)) - C(i,j)", "f64(A(i,j)*A(i,j) - C(i,j))"})
    CHECK_FALSE(isMultipliedOut(addend));
}

TEST_CASE("--fp=distribute multiplies products of sums out wherever they hold sparse operands") {
  const auto termsOf = [](const std::string &text, const Bindings &bindings) {
    return checkWith({"--fp=distribute"}, text, bindings).last().terms.size();
  };
  // The two products of A and B are joined again.
  CHECK(termsOf("l = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j))", {"A=csr", "B=csr"}) == 3);
  CHECK(termsOf("l = (A(i,j) - B(i,j)) * (A(i,j) - E(i,j))", {"A=csr", "B=csr", "E=csr"}) == 4);
  CHECK(termsOf("y(i) = (A(i,j) - m(j)) * (B(i,j) - m(j))", {"A=csr", "B=csr"}) == 4);
  CHECK(termsOf("y(i) = (A(i,j) - m(j)) * (x(j) - z(j))", {"A=csr"}) == 2);
  CHECK(termsOf("y(i) = (a(j) - m(j)) * (b(j) - m(j)) * z(i)", {}) == 1);
}

TEST_CASE("addends that are written out are terms of their own, whatever the option") {
  const std::string text = "y(i) = A(i,j)*B(i,j) - A(i,j)*m(j) - m(j)*B(i,j) + m(j)*m(j)";
  const Bindings bindings = {"A=csr", "B=csr"};
  CHECK(check(text, bindings).last().terms.size() == 4);
  CHECK(check(text, bindings, true).last().terms.size() == 4);
  CHECK(checkWith({"--plan=as-written"}, text, bindings).last().terms.size() == 4);
  CHECK(checkWith({"--fp=distribute"}, text, bindings).last().terms.size() == 4);
}

TEST_CASE("integers are multiplied out: nothing is rounded") {
  const std::string types = "tensor A(m,n): i32, sparse\ntensor B(m,n): i32, sparse\ntensor m(n): i32\n";
  CHECK(check(types + "y(i) = (A(i,j) - m(j)) * (B(i,j) - m(j))", {"A=csr", "B=csr"}).last().terms.size() == 4);
}

TEST_CASE("a sum() beside another sum is computed before the product") {
  CHECK(stepsOf("s = sum(i, x(i)) * sum(j, z(j))") == "$3 in f64, zeroed first:\n"
                                                      "  for i+: $3 += x(i)\n"
                                                      "\n"
                                                      "$4 in f64, zeroed first:\n"
                                                      "  for j+: $4 += z(j)\n"
                                                      "\n"
                                                      "s in f64:\n"
                                                      "  for once: s = $3*$4\n");
  // Of a row without entries the product is 0, whatever the other sum is.
  CHECK(stepsOf("y(i) = 2*sum(j, A(i,j))*sum(j, B(i,j))") ==
        "y in f64, zeroed first:\n"
        "  for i, j+: y(i) += A(i,j)\n"
        "\n"
        "$4 in f64, zeroed first:\n"
        "  for i, j+: $4(i) += B(i,j)\n"
        "\n"
        "$5 in bool, zeroed first:\n"
        "  for i, j+: $5(i) += pattern(A(i,j)), where A\n"
        "\n"
        "$6 in bool, zeroed first:\n"
        "  for i, j+: $6(i) += pattern(B(i,j)), where B\n"
        "\n"
        "y in f64:\n"
        "  for i: y(i) = select(and($5(i), $6(i)), 2*y(i)*$4(i), 0)\n");
  // One sum that is read twice is there once.
  CHECK(check("y(i) = sum(j, X(i,j)*z(j))*sum(j, X(i,j)*z(j))").kernel->steps.size() == 2);
}

TEST_CASE("a sum() that has an element wherever another sum has is taken there") {
  CHECK(stepsOf("Y(i,j) = (A(i,j) - B(i,j)) * sum(k, U(i,k)*V(j,k))") ==
        "Y in f64, zeroed first:\n"
        "  for i, j, k+: Y(i,j) += (A(i,j) - B(i,j))*(U(i,k)*V(j,k)), where A or B\n");
  CHECK(
      checkWith({"careful", "--plan=1"}, "y(i) = (A(i,j) - B(i,j)) * sum(k, C(i,k)*x(k))", {"A=csr", "B=csr", "C=csr"})
          .kernel->steps.size() == 4);
  CHECK(check("D(i,j) = (A(i,j) - B(i,j)) * sum(k, U(i,k)*V(j,k)) * sum(k, U(i,k)*W(j,k))", {"A=csr", "B=csr", "D=csr"})
            .count("densify") == 2);
}

TEST_CASE("sums of one sign fall apart where their operands cannot be walked together") {
  const auto copies = [](const char *text) {
    return check(text, {"A=csr", "B=csc", "C=csr", "D=csr"}).count("reorder");
  };
  CHECK(copies("y(i) = sum(k, sum(j, (abs(A(i,j)) + abs(B(i,j)))*(abs(C(k,j)) + abs(D(k,j)))))") == 0);
  CHECK(copies("y(i) = sum(k, sum(j, (A(i,j) + B(i,j))*(C(k,j) + D(k,j))))") == 1);
}

TEST_CASE("a sum along the columns of a sparse result is an array beside a sum of operands") {
  const auto stepsInto = [](const char *text) { return check(text, {"A=csr", "B=csr", "E=csr", "y=csr"}).steps(); };
  CHECK(stepsInto("y(i,j) = (A(i,j) + B(i,j))*sum(k, E(k,j))").find("$4 in f64, zeroed first") == 0);
  CHECK(stepsInto("y(i,j) = (A(i,j) + B(i,j))*sum(k, E(i,k))").find("$4 in f64, assembled") == 0);
}

TEST_CASE("addends whose operands have different variables are merged as elements, or apart") {
  CHECK(stepsOf("Y(i,j) = sum(k, A(i,j) + C(i,k))") == "$3 in f64, zeroed first:\n"
                                                       "  for k+: $3 += 1\n"
                                                       "\n"
                                                       "$4 in f64, zeroed first:\n"
                                                       "  for i, k+: $4(i) += C(i,k)\n"
                                                       "\n"
                                                       "Y in f64:\n"
                                                       "  for i, j: Y(i,j) = $4(i)\n"
                                                       "  for i, j: Y(i,j) += A(i,j)*$3\n");
  CHECK(check("Y(i,j) = sum(k, A(i,j) + C(i,k))", {"A=csr", "C=csr"}, true).statement().terms.front().domain);
}

TEST_CASE("a sum() beside another one is computed where a sparse factor has entries") {
  const std::string product = "D(i,j) = A(i,j) * sum(k, U(i,k)*V(j,k)) * sum(l, U(i,l)*W(j,l))";
  CHECK(stepsOf(product) == "$5 in f64, zeroed first:\n"
                            "  for i, j, k+: $5(i,j) += f64(pattern(A(i,j)))*(U(i,k)*V(j,k)), where A\n"
                            "\n"
                            "together, piece by piece of rows of i, in memory for a piece of $6:\n\n"
                            "$6 in f64, zeroed first:\n"
                            "  for i, j, l+: $6(i,j) += f64(pattern(A(i,j)))*(U(i,l)*W(j,l)), where A\n"
                            "\n"
                            "D in f64, zeroed first:\n"
                            "  for i, j: D(i,j) += A(i,j)*$5(i,j)*$6(i,j)\n");
  CHECK(check(product, {"A=csr"}).count("densify") == 0);
  // An addend beside it leaves nothing to ask for.
  const Checked step = check("y(i) = pattern(r(i)) * (b(i) - sum(j, L(i,j)*x(j)))", {"r=coo", "L=csr", "y=coo"});
  INFO(step.errors());
  REQUIRE(step.kernel);
  CHECK(step.kernel->steps.size() == 2);
  // Where the same sums are factors without it, they have all elements.
  const Checked both = check("D(i,j) = A(i,j)*sum(k, U(i,k)*V(j,k))*sum(l, U(i,l)*W(j,l)) + "
                             "sum(k, U(i,k)*V(j,k))*sum(l, U(i,l)*W(j,l))",
                             {"A=csr"});
  CHECK(both.kernel->steps.size() == 5);
  // A sparse target has entries where both sums have.
  const Checked sparse = check("D(i,j) = sum(k, A(i,k)) * sum(k, B(k,j))", {"A=csr", "B=csr", "D=csr"});
  CHECK(sparse.steps() == "$3 in f64, assembled as a whole, keys (i):\n"
                          "  for i, k+: $3(i) += A(i,k)\n"
                          "\n"
                          "$4 in f64, assembled as a whole, keys (j):\n"
                          "  for k+, j: $4(j) += B(k,j)\n"
                          "\n"
                          "D in f64, assembled row by row (i), keys (j):\n"
                          "  for i, j: D(i,j) += $3(i)*$4(j)\n");
}

TEST_CASE("a difference stays as it is written whatever is added up within its addends' functions") {
  CHECK(stepsOf("y(i) = (exp(sum(j, A(i,j)*b(j))) - s(i)) * w(i)", {"A=csr", "s=vector"}) ==
        "$5 in f64, zeroed first:\n"
        "  for i, j+: $5(i) += A(i,j)*b(j)\n"
        "\n"
        "y in f64, zeroed first:\n"
        "  for i: y(i) += (exp($5(i)) - s(i))*w(i), everywhere\n");
  CHECK(stepsOf("y(i) = (max(x(p(i)), 0) - s(i)) * w(i)", {"s=vector"}).find("(max($5(i), 0) - s(i))*w(i)") !=
        std::string::npos);
  CHECK(stepsOf("C(i,j) = (max(x(p(i)), 0) - A(i,j)) * B(i,j)").find("(max($5(i), 0) - A(i,j))*B(i,j)") !=
        std::string::npos);
}

} // namespace spc::sema::test
