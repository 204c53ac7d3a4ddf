// What missing entries are: declared, by a semiring, and inferred for outputs.
#include "sema/check.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace spc::sema::test {
namespace {

double fillOfA(const std::string &type, const std::string &fill, const std::string &before = {}) {
  const Checked checked = check(
      before + "tensor A(n,n): " + type + ", sparse" + fill + "\ntensor y(n): " + type + "\ny(i) = A(i,i)", {"A=csr"});
  INFO(checked.errors());
  REQUIRE(checked.kernel);
  return checked.tensor("A").fill;
}

} // namespace

TEST_CASE("infinite fills of integers are the ends of their type") {
  CHECK(fillOfA("i32", ", fill inf") == HUGE_VAL);
  CHECK(fillOfA("i32", ", fill 2147483647") == HUGE_VAL);
  CHECK(fillOfA("i8", ", fill -128") == -HUGE_VAL);
  CHECK(fillOfA("i64", ", fill -inf") == -HUGE_VAL);
  CHECK(fillOfA("u16", ", fill -inf") == 0);
  CHECK(fillOfA("u8", ", fill 254") == 254);
}

TEST_CASE("what a format pads with is 0") {
  const std::string least = "tensor A(n,n): f64, sparse, fill inf\ntensor y(n): f64\ny(i) = min(k, A(i,k))";
  for (const char *format : {"ell", "bsr", "dia", "groups", "ragged", "triangle", "hyb"}) {
    const Checked operand = check(least, {std::string("A=") + format});
    INFO(format << operand.errors());
    REQUIRE(operand.kernel);
    CHECK(operand.the("reorder").message.find("'A' is copied, entry by entry") == 0);
  }
  CHECK(check(least, {"A=rows"}).the("fill-format").message.find("in whole runs") != std::string::npos);
  const std::string copy = "tensor A(n,n): f64, sparse, fill 1\nB(i,j) = A(i,j)";
  for (const char *format : {"B=triangle", "B=rows"}) {
    const Checked output = check(copy, {"A=csr", format});
    CHECK(output.the("fill-format").message.find("'B'") == 0);
  }
}

TEST_CASE("what shares whole rows may have another fill than they") {
  const Checked shared = check("let T(i,j) = exp(A(i,j))\ny(i) = T(i,j)*x(j)", {"A=rows"});
  INFO(shared.errors());
  REQUIRE(shared.kernel);
  CHECK(shared.tensor("T").fill == 1);
  CHECK(shared.count("reorder") == 0);
}

TEST_CASE("a semiring's fill in each kind of type") {
  CHECK(fillOfA("f32", "", "semiring(min, +)\n") == HUGE_VAL);
  CHECK(fillOfA("i16", "", "semiring(min, +)\n") == HUGE_VAL);
  CHECK(fillOfA("i16", "", "semiring(max, +)\n") == -HUGE_VAL);
  CHECK(fillOfA("u64", "", "semiring(max, min)\n") == 0);
  const Checked mask =
      check("semiring(min, +)\ntensor A(m,n): i32, sparse\ntensor M(m,n): bool, sparse\n"
            "tensor x(n): i32\ntensor y(m): i32\ny(i) = min(j, select(M(i,j), minplus(A(i,j), x(j)), inf))",
            {"A=csr", "M=csr"});
  CHECK(mask.tensor("M").fill == 0);
  CHECK(mask.tensor("A").fill == HUGE_VAL);
  CHECK(mask.steps().find(", where M\n") != std::string::npos);
}

TEST_CASE("a temporary has its operand's fill in every kind of type") {
  for (const char *fill : {"-inf", "inf", "-1", "0.5", "2048"})
    for (const char *type : {"f16", "bf16", "f32", "f64"}) {
      CAPTURE(fill, type);
      const Checked checked = check("tensor A(n): " + std::string(type) + ", sparse, fill " + fill +
                                        "\nlet T(j) = A(j)\nR(j) = select(pattern(T(j)), T(j), 0)",
                                    {"A=vector"});
      CHECK(checked.errors() == "");
      CHECK(checked.tensor("T").fill == checked.tensor("A").fill);
      CHECK(!checked.tensor("T").format.isDense());
    }
}

TEST_CASE("min-plus products on integers visit stored entries") {
  const std::string tensors = "semiring(min, +)\ntensor A(m,k): u8, sparse\ntensor B(k,n): u8, sparse\n";
  const Checked checked = check(tensors + "tensor C(m,n): u8\nC(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"});
  CHECK(checked.tensor("C").fill == HUGE_VAL);
  CHECK(checked.steps() == "C in u8, min, assembled row by row (i), keys (j):\n"
                           "  for i, k+, j: C(i,j) min= minplus(A(i,k), B(k,j)), where A and B\n");
  CHECK(checked.the("output-format").message == "missing entries of output 'C' are 255");
}

TEST_CASE("a maximum of what is never negative visits stored entries") {
  const auto steps = [](const std::string &type) {
    return check("tensor A(m,n): " + type + ", sparse\ntensor y(m): " + type + "\ny(i) = max(j, A(i,j))", {"A=csr"})
        .steps();
  };
  for (const char *type : {"u8", "u64", "bool"})
    CHECK(steps(type).ends_with("for i, j+: y(i) max= A(i,j), where A\n"));
  CHECK(steps("i8").ends_with("for i, j+: y(i) max= A(i,j), everywhere\n"));
}

TEST_CASE("a note says what the missing entries of an output are") {
  const std::string matrix = "tensor A(m,n): f64, sparse, fill inf\n";
  const Checked open = check(matrix + "D(i,j) = A(i,j) + 1", {"A=csr"});
  CHECK(open.the("output-format").message ==
        "output 'D' takes the pattern of 'A': (i: dense, j: compressed), pointers i32, indices i32, missing "
        "entries are inf");
  const Checked bound = check(matrix + "D(i,j) = A(j,i)", {"A=csr", "D=csr"});
  CHECK(bound.the("output-format").message == "missing entries of output 'D' are inf");
  const Checked declared = check(matrix + "tensor D(n,m): f64, sparse, fill inf\nD(i,j) = A(j,i)", {"A=csr", "D=csr"});
  CHECK(declared.count("output-format") == 0);
  CHECK(check("D(i,j) = 2*A(i,j)", {"A=csr"}).the("output-format").message.find("missing") == std::string::npos);
}

TEST_CASE("a fill that conversion makes a number as any other") {
  const std::string text = "tensor A(m,n): i32, sparse, fill inf\ntensor x(n): i64\ntensor y(m): i64\n";
  const Checked wider = check(text + "y(i) = min(j, minplus(A(i,j), x(j)))", {"A=csr"});
  CHECK(wider.count("fill") == 1);
  CHECK(check(text + "y(i) = min(j, minplus(i64(A(i,j)), x(j)))", {"A=csr"}).count("fill") == 0);
  CHECK(check(text + "tensor z(m,n): i64\nz(i,j) = i64(A(i,j)) + x(j)", {"A=csr"}).count("fill") == 0);
  CHECK(check(text + "y(i) = sum(j, i64(pattern(A(i,j))) * x(j))", {"A=csr"}).count("fill") == 0);
}

} // namespace spc::sema::test
