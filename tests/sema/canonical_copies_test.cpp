// Operands that are copied because the statements need their entries whole, once and without padding.
#include "sema/check.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

namespace spc::sema::test {
namespace {

const char *const kSoftmax = "let P(i,j) = pattern(S(i,j))*exp(S(i,j))\n"
                             "let z(i) = P(i,j)\n"
                             "O(i,f) = P(i,j)/z(i)*V(j,f)";

/// One name for the extents of rows and columns, which are one for symmetric matrices.
std::string ofSquare(const std::string &cost) {
  return std::regex_replace(cost, std::regex("\\bj\\b"), "i");
}

int canonicalCopies(const Checked &checked) {
  return static_cast<int>(
      std::count_if(checked.kernel->tensors.begin(), checked.kernel->tensors.end(), [](const Tensor &tensor) {
        const auto *copy = tensor.as<Converted>();
        return copy && copy->isCanonical;
      }));
}

const std::vector<std::string> kStorages = {"repeats",  "bsr",    "ell", "dia",   "groups",
                                            "triangle", "ragged", "hyb", "lower", "upper"};

TEST_CASE("what needs whole entries has the plan of CSR on one copy of them") {
  const std::vector<std::string> programs = {
      kSoftmax,
      "m(i) = max(j, S(i,j))",
      "m(i) = max(j, select(pattern(S(i,j)), S(i,j), -inf))",
      "D(i,j) = min(k, select(pattern(S(i,k)), S(i,k), inf) + C(k,j))",
      "D(i,j) = pattern(S(i,j))*exp(S(i,j))",
      "D(i,j) = (not pattern(S(i,j)))*C(i,j)",
      "c(i) = count(j, S(i,j))",
      "D(i,j) = relu(S(i,j) + B(i,j))",
      "y(i) = S(i,j)*log(abs(S(i,j)))",
      "let T(i,j) = Q(i,k)*K(j,k)\nO(i,f) = S(i,j)*T(i,j)*V(j,f)",
      "let E(i,j) = S(i,j)*x(j)\nlet P(i,j) = pattern(E(i,j))*exp(E(i,j))\nD(i,j) = P(i,j)*S(i,j)",
  };
  for (const std::string &program : programs) {
    const auto checkWith = [&](const std::string &storage) {
      std::vector<std::string> bindings = {"S=" + storage};
      if (program.find("B(") != std::string::npos)
        bindings.push_back("B=csr");
      return check(program, bindings);
    };
    const std::string expected = checkWith("csr").cost();
    for (const std::string &storage : kStorages) {
      CAPTURE(program, storage);
      const Checked checked = checkWith(storage);
      CHECK(checked.errors() == "");
      CHECK(canonicalCopies(checked) <= 1);
      CHECK(checked.count("reorder") <= 1);
      if (storage == "lower" || storage == "upper")
        CHECK(ofSquare(checked.cost()) == ofSquare(expected));
      else
        CHECK(checked.cost() == expected);
    }
  }
}

TEST_CASE("what is linear in an operand reads it in place") {
  for (const std::string &storage : kStorages)
    for (const char *program : {"y(i) = S(i,j)*x(j)", "D(i,f) = S(i,j)*V(j,f)", "y(i) = 2*S(i,j)",
                                "y(i) = S(i,j)*x(j) - S(i,j)*z(j)/u(i)", "y(i) = (S(i,j)*x(j) + z(j)*S(i,j))*u(i)"}) {
      CAPTURE(program, storage);
      CHECK(canonicalCopies(check(program, {"S=" + storage})) == 0);
    }
  for (const char *storage : {"ell", "bsr", "dia", "repeats", "groups", "triangle", "ragged"}) {
    CAPTURE(storage);
    const Checked sampled = check("D(i,j) = S(i,j)*A(i,k)*B(j,k)", {"S=" + std::string(storage)});
    CHECK(canonicalCopies(sampled) == 0);
    CHECK(sampled.ownerOf("D") == TensorId(0));
    if (std::string(storage) != "triangle") // whose pattern is kept by symmetric results alone
      CHECK(check("D(i,j) = S(i,j)*u(i) + S(i,j)*x(j)", {"S=" + std::string(storage)}).ownerOf("D") == TensorId(0));
  }
  for (const char *program : {"y(i) = S(i,j)*x(j) + S(i,j)*S(i,j)", "y(i) = (S(i,j)*x(j) + S(j,i)*z(j))*S(i,j)",
                              "y(i) = (S(i,j) + S(i,j)*S(i,j))*x(j)"})
    for (const char *storage : {"repeats", "hyb"}) {
      CAPTURE(program, storage);
      CHECK(canonicalCopies(check(program, {"S=" + std::string(storage)})) == 1);
    }
}

TEST_CASE("padding is read in place where the value of a stored 0 is 0") {
  for (const char *program : {"D(i,j) = relu(S(i,j))", "y(i) = sin(S(i,j))*x(j)", "D(i,j) = S(i,j)*exp(C(i,j))",
                              "y(i) = select(C(i,j) > 0, S(i,j), 0)"}) {
    CAPTURE(program);
    CHECK(canonicalCopies(check(program, {"S=bsr"})) == 0);
  }
  for (const char *program :
       {"y(i) = S(i,j)/S(i,j)", "y(i) = S(i,j)*log(S(i,j))", "y(i) = f64(pattern(S(i,j)))*x(j)"}) {
    CAPTURE(program);
    CHECK(canonicalCopies(check(program, {"S=bsr"})) == 1);
  }
}

TEST_CASE("a temporary shares the structure of a canonical copy, and an output is assembled") {
  const Checked attention = check(kSoftmax, {"S=repeats"});
  REQUIRE(attention.has("S$0_1"));
  CHECK(attention.kernel->tensors[*attention.ownerOf("P")].name == "S$0_1");
  const Checked output = check("D(i,j) = pattern(S(i,j))*exp(x(i))", {"S=repeats"});
  CHECK(output.tensor("D").isAssembled());
  CHECK(output.tensor("D").format.name == "csr");
  CHECK(output.count("output-format") == 1);
  CHECK(output.the("output-format").message.starts_with("output 'D' has the pattern of 'S'"));
}

TEST_CASE("a copy that is there is read by every statement, but outputs keep the structures that they share") {
  const Checked both = check("D(i,j) = 2*S(i,j)\ny(i) = S(i,j)*x(j)\nm(i) = max(j, S(i,j))", {"S=repeats"});
  CHECK(both.ownerOf("D") == TensorId(0));
  CHECK(both.kernel->tensors[both.statement(1).terms[0].operands[OperandId(0)].tensor].name == "S$0_1");
  CHECK(canonicalCopies(both) == 1);
}

TEST_CASE("what the kernel writes is copied once it is written") {
  const Checked written = check("D(i,j) = 2*S(i,j)\nm(i) = max(j, D(i,j)*D(i,j))", {"S=repeats"});
  CHECK(written.errors() == "");
  REQUIRE(written.kernel->steps.size() == 3);
  const auto *refresh = std::get_if<RefreshCopy>(&written.kernel->steps[1]);
  REQUIRE(refresh);
  CHECK(written.kernel->tensors[refresh->copy].as<Converted>()->isCanonical);
  const Checked twice = check("D(i,j) = 2*S(i,j)\nm(i) = max(j, D(i,j))\nD(i,j) = 3*S(i,j)\nn(i) = max(j, D(i,j))",
                              {"S=repeats", "D=repeats"});
  CHECK(twice.errors() == "");
  CHECK(canonicalCopies(twice) == 2);
  CHECK(twice.count("reorder") == 1);
}

TEST_CASE("a canonical copy is stored as the loops need it, where it would be copied once more") {
  const auto copies = [](const Checked &checked) {
    const auto isCopy = [](const Tensor &tensor) { return tensor.is<Converted>(); };
    return std::count_if(checked.kernel->tensors.begin(), checked.kernel->tensors.end(), isCopy);
  };
  const Checked divided = check("R(i,j) = A(j,i)/B(i,j)", {"A=bsr", "B=csr", "R=csr"});
  CHECK(divided.errors() == "");
  CHECK(copies(divided) == 1);
  CHECK(divided.has("A$1_0"));
  const Checked paths =
      check("tensor A(n, n): i32, sparse, fill inf\nsemiring(min, +)\nD(i,j) = A(i,k)*A(k,j)", {"A=repeats", "D=csr"});
  CHECK(copies(paths) == 1);
  const Checked triangles = check("s = A(i,j)*A(j,k)*A(k,i)", {"A=repeats"});
  CHECK(copies(triangles) == 3); // one more than of DCSR, which has a table of its rows, too
}

TEST_CASE("a temporary that keeps an operand's pattern has that operand copied") {
  const Checked kept = check("let E(i,j) = 2*S(i,j)\nlet F(i,j) = 3*E(i,j)\ny(i) = max(j, F(i,j)*F(i,j))", {"S=ell"});
  CHECK(kept.errors() == "");
  CHECK(canonicalCopies(kept) == 1);
  CHECK(kept.has("S$0_1"));
}

TEST_CASE("products of many parts and mirror images read copies") {
  CHECK(check("s = A(i,j)*B(j,k)*C(i,k)", {"A=lower", "B=lower", "C=lower"}).statement().terms.size() == 1);
  CHECK(check("s(i,k) = A(i,j)*B(j,k)", {"A=lower", "B=lower"}).statement().terms.size() == 4);
}

TEST_CASE("the root of a canonical copy is listed where no operand has as many elements") {
  CHECK(check("D(i,j) = pattern(S(i,j))*exp(S(i,j))", {"S=repeats"}).tensor("D").format.name == "dcsr");
  CHECK(check("D(i,j) = pattern(S(i,j))*exp(x(i))", {"S=repeats"}).tensor("D").format.name == "csr");
  CHECK(check("D(i,j) = pattern(S(i,j))*exp(S(i,j))", {"S=bsr"}).tensor("D").format.name == "csr");
  CHECK(check("D(i) = x(i)*x(i)", {"x=repeats"}).tensor("D").format.name == "sparse-vector");
}

TEST_CASE("a declared structure is kept where it was, and a target that reads itself") {
  CHECK(check("D(i,j) = 2*S(i,j)\nm(i) = max(j, S(i,j))", {"S=repeats", "D=of:S"}).errors() == "");
  CHECK(check("S(i,j) = 2*S(i,j)\nm(i) = max(j, S(i,j))", {"S=repeats"}).errors() == "");
  CHECK(check("S(i,j) = max(S(i,j), B(i,j))", {"S=repeats", "B=csr"}).errors() == "");
}

} // namespace
} // namespace spc::sema::test
