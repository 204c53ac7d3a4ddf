// Format bindings and the formats of outputs.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

TEST_CASE("named bindings") {
  CHECK(check("y(i) = A(i,j)*x(j)", {"A=csc"}).tensor("A").format.levels[0].dim == 1);
  Checked unknown = check("y(i) = Adjacency(i,j)*x(j)", {"Adjacancy=csr"});
  CHECK(unknown.errors() == "unknown-binding");
  CHECK(unknown.the("unknown-binding").help == "did you mean 'Adjacency'?");
  CHECK(check("y(i) = A(i,j)*x(j)", {"x=csr"}).errors() == "format-order");
  CHECK(check("y(i) = a*x(i)", {"a=dense"}).errors() == "format-order");
  CHECK(check("s = T(i,j,k)", {"T=csf:10"}).errors() == "format-order");
  CHECK(check("y(i) = A(i,j)*x(j)", {"A=csr", "A=csc"}).errors() == "duplicate-binding");
  CHECK(check("tensor U(m,n)\ny(i) = x(i)", {"U=csr"}).errors() == "");
}

TEST_CASE("a bare binding takes what is declared sparse, else the first operand of its order") {
  Checked first = check("y(i) = x(i)*A(i,j)*B(i,j)", {"csr"});
  CHECK_FALSE(first.tensor("A").format.isDense());
  CHECK(first.tensor("B").format.isDense());
  CHECK(first.count("format-bound") == 1);
  CHECK(first.the("format-bound").severity == Severity::Note);
  CHECK(first.the("format-bound").message == "format 'csr' is bound to 'A'");

  Checked declared =
      check("tensor A(m,n)\ntensor B(m,n), sparse\ntensor C(m,n), sparse\ny(i) = A(i,j)*B(i,j)*C(i,j)", {"csr"});
  CHECK(declared.tensor("A").format.isDense());
  CHECK_FALSE(declared.tensor("B").format.isDense());
  CHECK_FALSE(declared.tensor("C").format.isDense());
  CHECK(declared.count("format-bound") == 2);

  Checked both = check("y(i) = A(i,j)*B(i,j)", {"csr", "A=csc"});
  CHECK(both.tensor("A").format.name == "csc");
  CHECK(both.tensor("B").format.name == "csr");

  CHECK(check("y(i) = x(i)", {"csr"}).errors() == "format-unused");
  CHECK(check("y(i) = A(i,j)", {"csr", "csc"}).errors() == "duplicate-binding");
  CHECK(check("y(i) = A(i,j)*x(j)", {"csr", "vector"}).errors() == "");
  CHECK(check("y(i) = a", {"coo"}).errors() == "format-unused");
  CHECK(check("y(i) = A(i,j)*x(j)", {"coo"}).tensor("A").format.name == "coo");
}

TEST_CASE("declared sparse and bound to nothing") {
  Checked operand = check("tensor A(m,n), sparse\ny(i) = A(i,j)");
  CHECK(operand.errors() == "unbound-sparse");
  CHECK(check("tensor A(m,n), sparse\ny(i) = A(i,j)", {"csr"}).errors() == "");
  CHECK(check("tensor D(m,n), sparse\nD(i,j) = 2*S(i,j)", {"S=csr"}).errors() == "");
  CHECK(check("tensor D(m,n), sparse\nD(i,j) = x(i)").errors() == "unbound-sparse-output");
}

TEST_CASE("outputs that keep a pattern share it") {
  Checked sampled = check("D(i,j) = S(i,j)*A(i,k)*B(j,k)", {"csr"});
  const Tensor &output = sampled.tensor("D");
  CHECK(output.shared()->owner == TensorId(0));
  CHECK(output.format.sameStorage(sampled.tensor("S").format));
  CHECK(sampled.statement().zeroFirst);
  CHECK(sampled.count("output-format") == 1);
  CHECK_FALSE(output.isRead);

  Checked transposed = check("D(j,i) = 2*S(i,j)", {"csr"});
  CHECK(transposed.tensor("D").format.levels[0].dim == 1);
  CHECK(transposed.tensor("D").format.levels[1].dim == 0);
  CHECK(transposed.loops() == "i,j");
  Checked cube = check("D(k,i,j) = T(i,j,k)*x(k)", {"T=csf:201"});
  CHECK(cube.tensor("D").format.levels[0].dim == 0);
  CHECK(cube.tensor("D").format.levels[1].dim == 1);
  CHECK(cube.tensor("D").format.levels[2].dim == 2);

  CHECK(check("D(i,j) = S(i,j)*a - 3*S(i,j)*x(j)", {"S=coo"}).ownerOf("D") == TensorId(0));
  Checked terms = check("D(i,j) = S(i,j)*a - 3*relu(S(i,j))*x(j)", {"S=coo"});
  CHECK(terms.ownerOf("D") == TensorId(0));
  CHECK(terms.statement().terms.size() == 2);
  CHECK(check("D(i,j) += S(i,j)", {"S=csr"}).tensor("D").isRead);
  CHECK(check("z(i) = v(i)*x(i)", {"v=vector"}).ownerOf("z") == TensorId(0));
  CHECK(check("D(i,j) = S(i,j)/(a + x(i))", {"S=csr"}).ownerOf("D") == TensorId(0));
  CHECK(check("D(i,j) = S(i,j)*S(i,j)", {"S=csr"}).ownerOf("D") == TensorId(0));
}

TEST_CASE("outputs that keep no pattern are dense") {
  for (const char *text : {"D(i,j) = S(i,j) + x(i)", "D(i,j) = S(i,j)*S(j,i)", "y(i) = S(i,j)",
                           "D(i,j,k) = S(i,j)*x(k)", "D(i,j) = S(i,j) + S(j,i)", "D(i,j) = S(i,j) + 1"}) {
    INFO(text);
    Checked dense = check(text, {"S=csr"});
    const Tensor &output = dense.kernel->tensors[dense.statement().target];
    CHECK(output.format.isDense());
    CHECK_FALSE(output.shared());
  }
}

TEST_CASE("a chain of shared patterns leads to its first owner") {
  Checked chain = check("D(i,j) = 2*S(i,j)\nE(i,j) = D(i,j)*x(i)\nD(i,j) = 3*D(i,j)", {"S=csr"});
  CHECK(chain.ownerOf("D") == TensorId(0));
  CHECK(chain.ownerOf("E") == TensorId(0));
  CHECK(chain.steps().ends_with("D in f64:\n  for i, j: D(i,j) = 3*D(i,j)\n"));
}

TEST_CASE("every statement that writes an output must keep the pattern") {
  CHECK(check("D(i,j) = 2*S(i,j)\nD(i,j) += S(i,j)*x(j)", {"S=csr"}).ownerOf("D") == TensorId(0));
  CHECK(check("D(i,j) = 2*S(i,j)\nD(i,j) += x(j)", {"S=csr"}).tensor("D").format.isDense());
  CHECK(check("D(i,j) = 2*S(i,j)\nD(i,j) += R(i,j)", {"S=csr", "R=csr"}).tensor("D").format.isDense());
  CHECK(check("D(i,j) = x(j)\nD(i,j) += S(i,j)", {"S=csr"}).tensor("D").format.isDense());
}

TEST_CASE("bound outputs") {
  CHECK(check("D(i,j) = 2*S(i,j)", {"S=csr", "D=csr"}).ownerOf("D") == TensorId(0));
  CHECK(check("D(i,j) = 2*S(i,j)", {"S=csr", "D=dense"}).tensor("D").format.isDense());
  CHECK(check("tensor S(m,n), sparse\ntensor D(m,n), sparse\nD(i,j) = 2*S(i,j)", {"csr"}).ownerOf("D") == TensorId(0));
}

TEST_CASE("results that could have been sparse are warned of") {
  for (const char *text : {"A(i,j) = B(i,j) + C(i,j)", "A(i,j) = B(i,k)*C(k,j)", "A(i,j) = B(i,j)*C(i,j)"}) {
    INFO(text);
    Checked dense = check(text, {"B=csr", "C=csr"});
    REQUIRE(dense.count("densify") == 1);
    CHECK(dense.the("densify").help.starts_with("bind it, to say what is meant: --format A=csr, "));
    CHECK(dense.count("output-format") == 0);
    CHECK(check(text, {"B=csr", "C=csr", "A=dense"}).count("densify") == 0);
  }
  const Checked vectors = check("z(i) = v(i) + w(i)", {"v=vector", "w=vector"});
  CHECK(vectors.the("densify").help.starts_with("bind it, to say what is meant: --format z=sparse-vector, "));
  for (const char *text :
       {"y(i) = B(i,j)*x(j)", "Y(i,j) = B(i,k)*X(k,j)", "A(i,j) = B(i,j) + X(i,j)", "y(i) = exp(B(i,1))"}) {
    INFO(text);
    Checked natural = check(text, {"B=csr"});
    CHECK(natural.count("densify") == 0);
    CHECK(natural.count("output-format") == 1);
  }
  CHECK(check("A(i,j) = T(i,k,l)*B(k,j)*C(l,j)", {"T=csf"}).count("densify") == 0);
  CHECK(check("y(i) = x(i)").count("output-format") == 0);
}

TEST_CASE("what makes a result dense that looks sparse is to blame") {
  const auto blame = [](const std::string &text, const std::vector<std::string> &bindings = {"B=csr"}) {
    const Checked dense = check(text, bindings);
    REQUIRE(dense.count("densify") == 1);
    const Diagnostic &warning = dense.the("densify");
    return std::string(
               warning.where.file->text().substr(warning.where.begin, warning.where.end - warning.where.begin)) +
           warning.message.substr(warning.message.rfind(':'));
  };
  CHECK(blame("A(i,j) = B(i,j) + 1") == "1: this is 1 where nothing is stored");
  CHECK(blame("A(i,j) = 2*exp(B(i,j))") == "exp(B(i,j)): this is 1 where nothing is stored");
  CHECK(blame("A(i,j) = 2*max(B(i,j), 0.5)") == "0.5: this is 0.5 where nothing is stored");
  CHECK(blame("A(i,j) = B(i,j) + b(i)") == "b(i): this has a value where nothing is stored");
  CHECK(blame("A(i,j) = B(i,j) + exp(B(i,j))", {"B=csr", "A=csr"}) == "exp(B(i,j)): this is 1 where nothing is stored");
  CHECK(blame("z(i) = v(i) - 1", {"v=vector"}) == "1: this is -1 where nothing is stored");
  CHECK(blame("A(i,j) = 1 + B(i,j)", {"B=csr", "A=csr"}) == "1: this is 1 where nothing is stored");
}

TEST_CASE("dense temporaries that sparse operands fill are warned of") {
  const auto blamed = [](const std::string &text, const std::vector<std::string> &bindings) -> std::string {
    const Checked checked = check(text, bindings);
    if (checked.count("densify") == 0)
      return "";
    REQUIRE(checked.count("densify") == 1);
    const Span where = checked.the("densify").where;
    return std::string(where.file->text().substr(where.begin, where.end - where.begin));
  };
  const std::vector<std::string> sparse = {"B=csr", "C=csr", "A=csr"};
  CHECK(blamed("A(i,j) = sin(sum(k, B(i,k)*C(k,j)))", sparse) == "sum(k, B(i,k)*C(k,j))");
  CHECK(blamed("y(i) = max(j, sum(k, B(i,k)*C(k,j)))", {"B=csr", "C=csr"}) == "sum(k, B(i,k)*C(k,j))");
  CHECK(blamed("A(i,j) = T(i,j,2)", {"T=csf", "A=csr"}).empty());
  // A vector is dense by nature, but not what a sparse result takes over from it.
  CHECK(blamed("y(i) = sqrt(sum(j, B(i,j)*x(j)))", {"B=csr"}).empty());
  CHECK(blamed("y(i) = sqrt(sum(j, B(i,j)*x(j)))", {"B=csr", "y=vector"}) == "sum(j, B(i,j)*x(j))");
  CHECK(blamed("A(i,j) = B(i,j) / sum(k, B(i,k))", {"B=csr", "A=csr"}).empty());
  // What the result takes anyway, what has no sparse operands, and what is bound.
  CHECK(blamed("A(i,j) = sin(sum(k, B(i,k)*C(k,j)))", {"B=csr", "C=csr", "A=dense"}).empty());
  CHECK(blamed("A(i,j) = B(i,j) * sin(sum(k, X(i,k)*Y(k,j)))", {"B=csr", "A=csr"}).empty());
  CHECK(blamed("let T(i,j) = B(i,k)*C(k,j)\nA(i,j) = sin(T(i,j))", {"B=csr", "C=csr", "T=csr", "A=csr"}).empty());
}

} // namespace
} // namespace spc::sema::test
