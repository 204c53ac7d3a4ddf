// Operands that are read in several ways (symmetric ones, sums of parts), and tensors that share a structure.
#include "sema/check.h"
#include "sema/two_phases.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

// How a term reads its operands, "A x" or "A' x" where A is mirrored.
std::string reads(const Checked &checked, size_t term, size_t step = 0) {
  std::string text;
  REQUIRE(term < checked.statement(step).terms.size());
  for (const Operand &operand : checked.statement(step).terms[term].operands)
    text +=
        (text.empty() ? "" : " ") + checked.kernel->tensors[operand.tensor].name + (operand.skipsDiagonal ? "'" : "");
  return text;
}

size_t termsOf(const std::string &text, const std::vector<std::string> &bindings) {
  return check(text, bindings).statement().terms.size();
}

TEST_CASE("a sum of parts becomes one tensor and one term a part") {
  Checked product = check("y(i) = x(j)*A(i,j) + z(i)", {"A=hyb"});
  CHECK(product.parameters() == "x,A_0,A_1,z,y");
  CHECK(product.tensor("A_0").partOf == "A");
  CHECK(product.tensor("A_0").part == 0);
  CHECK(product.tensor("A_1").part == 1);
  CHECK(product.tensor("A_1").format.levelCount() == 2);
  CHECK(product.tensor("A_1").extents == product.tensor("A_0").extents);
  CHECK_FALSE(product.has("A"));
  CHECK(product.statement().terms.size() == 3);
  for (const Tensor &tensor : product.kernel->tensors)
    CHECK_FALSE(tensor.format.isSum());
}

TEST_CASE("the parts' names are free ones") {
  CHECK(check("y(i) = A_0(j)*A(i,j)", {"A=hyb"}).parameters() == "A_0,A_0_,A_1,y");
  CHECK(check("y(i) = A(i,j)*B(i,j)", {"A=hyb", "B=hyb"}).parameters() == "A_0,A_1,B_0,B_1,y");
}

TEST_CASE("a sum of parts is used in every statement and in temporaries") {
  Checked twice = check("y(i) = A(i,j)*x(j)\nz(j) = A(i,j)*x(i)", {"A=hyb"});
  CHECK(twice.parameters() == "A_0,A_1,x,y,z");
  CHECK(twice.statement(0).terms.size() == 2);
  CHECK(twice.statement(1).terms.size() == 2);
  CHECK(reads(twice, 1, 1) == "A_1 x");
  Checked temporary = check("y(i) = x(i)/sum(j, A(i,j))", {"A=hyb"});
  CHECK(temporary.statement(0).terms.size() == 2);
  CHECK(temporary.parameters() == "x,A_0,A_1,y");
}

TEST_CASE("a product must be linear in a sum of parts") {
  Checked square = check("y(i) = A(i,j)*A(i,j)", {"A=with-dense"});
  CHECK(square.errors() == "sum-not-linear");
  CHECK(square.the("sum-not-linear").where.begin == 14);
  CHECK(square.the("sum-not-linear").notes.size() == 1);
  CHECK(check("y(i) = A(i,j)*A(j,k)*x(k)", {"A=with-dense"}).errors() == "sum-not-linear");
  CHECK(check("D(i,j) = x(i)/A(i,j)", {"A=with-dense"}).errors() == "sum-not-linear");
  CHECK(check("D(i,j) = relu(A(i,j))", {"A=with-dense"}).errors() == "sum-not-linear");
  CHECK(check("y(i) = (A(i,j) + b(i))*x(j)", {"A=hyb"}).errors() == "");
  CHECK(check("y(i) = A(i,j)*x(j) + A(j,i)*x(j)", {"A=hyb"}).errors() == "");
  CHECK(check("y(i) = A(i,j)*x(j) - A(i,j)*z(j)", {"A=with-dense"}).errors() == "");
  Checked many = check("y(i) = A(i,j)*A(i,j)*A(i,j)", {"A=with-dense"});
  CHECK(many.count("sum-not-linear") == 1);
}

TEST_CASE("an output that is a sum of parts is computed as a whole") {
  const Checked written = check("A(i,j) = B(i,j)", {"A=hyb", "B=csr"});
  REQUIRE(written.kernel);
  REQUIRE(written.kernel->steps.size() == 2);
  const auto &given = std::get<Distribution>(written.kernel->steps.back());
  CHECK(written.kernel->tensors[given.from].is<Temporary>());
  REQUIRE(given.parts.size() == 2);
  for (size_t part = 0; part < 2; ++part) {
    CHECK(written.kernel->parameters[part + 1] == given.parts[part]);
    CHECK(written.kernel->tensors[given.parts[part]].isAssembled());
    CHECK_FALSE(written.kernel->tensors[given.parts[part]].isRead);
  }
  CHECK_FALSE(hasPhases(*written.kernel));
  const Checked scaled = check("A(i,j) = 2*A(i,j)", {"hyb"});
  REQUIRE(scaled.kernel);
  CHECK(scaled.kernel->tensors[scaled.kernel->parameters[0]].isRead);
  const Checked dense = check("A(i,j) = B(i,j)", {"A=with-dense", "B=csr"});
  CHECK(dense.errors() == "sum-output");
  CHECK(dense.the("sum-output").notes.size() == 1);
  CHECK(check("A(i,j) = exp(B(i,j))*B(i,j)", {"A=hyb", "B=csr"}).errors() == "");
  const Checked temporary = check("let T(i,j) = B(i,k)*B(k,j)\ny(i) = T(i,j)*x(j)", {"T=hyb", "B=csr"});
  CHECK(temporary.errors() == "");
  CHECK_FALSE(temporary.tensor("T").format.isSum());
}

TEST_CASE("an output keeps no sum's pattern") {
  Checked scaled = check("D(i,j) = 2*A(i,j)", {"A=with-dense"});
  CHECK(scaled.tensor("D").format.isDense());
  CHECK(scaled.statement().terms.size() == 2);
  REQUIRE(scaled.the("densify").notes.size() == 1);
  CHECK(scaled.the("densify").notes[0].message == "'A' is stored as a sum of parts");
}

TEST_CASE("too many parts and parameters") {
  std::string text = "y(i) = 1", product = "s = 1";
  std::vector<std::string> bindings;
  for (int k = 0; k < 40; ++k) {
    text += " + A" + std::to_string(k) + "(i,j)";
    product += "*A" + std::to_string(k) + "(i,j)";
    bindings.push_back("A" + std::to_string(k) + "=with-dense");
  }
  CHECK(check("y(i) = sum(j, " + text.substr(7) + ")", bindings).errors() == "too-many-parameters");
  CHECK(check(product, bindings).errors().find("too-many-terms") != std::string::npos);
}

TEST_CASE("a symmetric operand is read as stored and mirrored") {
  Checked product = check("y(i) = A(i,j)*x(j)", {"A=lower"});
  CHECK(product.statement().terms.size() == 2);
  CHECK(reads(product, 0) == "A x");
  CHECK(reads(product, 1) == "A' x");
  REQUIRE(product.statement().terms[1].operands[OperandId(0)].diagonal.size() == 2);
  CHECK(product.tensor("A").extents[0] == product.tensor("A").extents[1]);
  CHECK(product.tensor("y").extents == product.tensor("x").extents);
  // One access is mirrored as a whole, distinct ones each on their own.
  CHECK(termsOf("y(i) = A(i,j)*A(i,j)*x(j)", {"A=lower"}) == 2);
  CHECK(termsOf("y(i) = A(i,j)*A(j,k)*x(i,k)", {"A=upper"}) == 4);
  CHECK(termsOf("y(i) = A(i,j)*B(j,k)*x(i,k)", {"A=lower", "B=upper"}) == 4);
  CHECK(termsOf("y(i) = A(i,j)*x(j) + z(i)", {"A=lower"}) == 3);
  CHECK(termsOf("s = x(i)*A(i,j)*x(j)", {"A=lower"}) == 2);
  CHECK(check("y(i) = A(i,j)*x(j)", {"A=lower"}, true).statement().terms.size() == 2);
}

TEST_CASE("a symmetric matrix is square") {
  Checked oblong = check("tensor A(3,4)\ny(i) = A(i,j)", {"A=lower"});
  CHECK(oblong.errors() == "shape-clash");
  CHECK(oblong.the("shape-clash").message == "symmetric 'A' has size 3 and size 4");
  CHECK(check("tensor A(4,n)\ny(i) = A(i,j)", {"A=lower"}).errors() == "");
}

TEST_CASE("a symmetric pattern is kept where the result is symmetric") {
  Checked scaled = check("D(i,j) = alpha*A(i,j)", {"A=lower"});
  CHECK(scaled.ownerOf("D") == scaled.kernel->parameters[1]);
  CHECK(scaled.tensor("D").format.symmetry == format::Symmetry::Lower);
  CHECK(scaled.statement().terms.size() == 1);
  CHECK_FALSE(scaled.statement().terms[0].operands[OperandId(1)].skipsDiagonal);
  CHECK(check("D(j,i) = A(i,j)", {"A=lower"}).tensor("D").format.symmetry == format::Symmetry::Upper);
  CHECK(termsOf("A(i,j) = 2*A(i,j)", {"A=lower"}) == 1);

  Checked rows = check("D(i,j) = x(i)*A(i,j)", {"A=lower"});
  CHECK(rows.tensor("D").isAssembled());
  CHECK(rows.tensor("D").format.name == "csr");
  CHECK(reads(rows, 0) == "x A$0_1");
  Checked bound = check("D(i,j) = x(i)*A(i,j)", {"A=lower", "D=lower"});
  CHECK(bound.errors() == "not-symmetric");
}

TEST_CASE("repeated entries are kept where the statement is linear in them") {
  CHECK(check("D(i,j) = 2*A(i,j)", {"A=repeats"}).ownerOf("D") == TensorId(0));
  CHECK(check("D(i,j) += A(i,j)*x(j)", {"A=repeats", "D=repeats"}).errors() == "");
  CHECK(check("D(i,j) = A(i,j)*A(i,j)", {"A=repeats"}).tensor("D").isAssembled());
  CHECK(check("D(i,j) = A(i,j)*A(i,j)", {"A=repeats", "D=repeats"}).tensor("D").isAssembled());
}

TEST_CASE("a pattern is kept level by level") {
  Checked blocks = check("D(j,i) = 2*A(i,j)", {"A=bsr"});
  CHECK(blocks.ownerOf("D") == TensorId(0));
  CHECK(blocks.tensor("D").format.levels[0].dim == 1);
  CHECK(blocks.tensor("D").format.levels[0].block == 4);
  CHECK(check("D(i,j) = 2*A(i,j)", {"A=bsr", "D=bsr"}).errors() == "");
  // Blocks of 8 by 4 are not blocks of 4 by 8.
  CHECK(check("D(j,i) = 2*A(i,j)", {"A=bsr", "D=bsr"}).tensor("D").isAssembled());
  CHECK(check("D(i,j) = 2*A(i,j)", {"A=bsr", "D=csr"}).tensor("D").isAssembled());
}

TEST_CASE("structure_of: the owner's format, shape and structure") {
  Checked both = check("y(i) = A(i,j)*x(j) + B(i,k)*z(k)", {"A=csr", "B=of:A"});
  CHECK(both.tensor("B").structure == Structure(SharedWith{TensorId(0), true}));
  CHECK(both.tensor("B").format.sameStorage(both.tensor("A").format));
  CHECK(both.tensor("B").extents == both.tensor("A").extents);
  CHECK(both.tensor("x").extents == both.tensor("z").extents);
  CHECK_FALSE(both.ownerOf("A"));
  // The order of the bindings does not matter, and bare ones leave such tensors alone.
  CHECK(check("y(i) = B(i,j)*A(i,j)", {"B=of:A", "A=csc"}).tensor("B").format.levels[0].dim == 1);
  Checked bare = check("y(i) = B(i,j)*A(i,j)*C(i,j)", {"B=of:A", "A=csc", "csr"});
  CHECK(bare.tensor("C").format.name == "csr");
  CHECK(bare.tensor("B").format.name == "csc");
  CHECK(check("tensor B(m,n)\ntensor A(m,n)\ny(i) = A(i,j)", {"A=csr", "B=of:A"}).errors() == "");
  Checked shapes =
      check("tensor A(3,n)\ntensor B(4,n)\ntensor x(n)\ny = A(i,j)*x(j) + B(k,j)*x(j)", {"A=csr", "B=of:A"});
  CHECK(shapes.errors() == "shape-clash");
}

TEST_CASE("structure_of: owners that are none") {
  const auto refused = [](const std::string &text, const std::vector<std::string> &bindings, const std::string &why) {
    Checked checked = check(text, bindings);
    CHECK(checked.errors() == "structure-owner");
    CHECK(checked.the("structure-owner").message.ends_with(why));
  };
  const std::string text = "y(i) = A(i,j)*B(i,j)*C(i,j)*x(j)";
  refused(text, {"B=of:A"}, ", which is not bound to a format by its name");
  refused(text, {"B=of:A", "csr"}, ", which is not bound to a format by its name");
  refused(text, {"B=of:A", "A=dense"}, ", which is dense");
  refused(text, {"B=of:A", "A=hyb"}, ", which is stored as a sum of parts");
  refused(text, {"B=of:B"}, ", which is itself");
  refused(text, {"A=csr", "B=of:A", "C=of:B"}, ", which has that of another tensor itself");
  refused(text, {"A=csr", "x=of:A"}, ", which is of order 2, not 1");
  refused("tensor A(m,n)\ntensor B(m,n)\ny(i) = B(i,j)", {"A=csr", "B=of:A"}, ", which the kernel does not use");
  Checked unknown = check(text, {"A=csr", "B=of:Aa"});
  CHECK(unknown.errors() == "unknown-binding");
  CHECK(unknown.the("unknown-binding").help == "did you mean 'A'?");
  CHECK(check(text, {"A=csr", "B=of:A", "B=csr"}).errors() == "duplicate-binding");
  CHECK(check(text, {"A=csf:210", "B=of:A"}).errors() == "format-order");
}

TEST_CASE("structure_of: outputs keep the owner's pattern") {
  Checked scaled = check("D(i,j) = 2*A(i,j)", {"A=csr", "D=of:A"});
  CHECK(scaled.tensor("D").structure == Structure(SharedWith{TensorId(0), true}));
  // Through another tensor with the structure, and where the output is not bound at all.
  Checked through = check("D(i,j) = 2*B(i,j)\ny(i) = A(i,j)", {"A=csr", "B=of:A", "D=of:A"});
  CHECK(through.ownerOf("D") == through.ownerOf("B"));
  Checked open = check("D(i,j) = 2*B(i,j)\ny(i) = A(i,j)", {"A=csr", "B=of:A"});
  CHECK(open.kernel->tensors[*open.ownerOf("D")].name == "A");
  Checked inPlace = check("B(i,j) = 2*B(i,j)\ny(i) = A(i,j)", {"A=csr", "B=of:A"});
  CHECK(inPlace.kernel->tensors[*inPlace.ownerOf("B")].name == "A");
  CHECK(check("B(i,j) = 2*B(i,j)\nB(i,j) += A(i,j)", {"A=csr", "B=of:A"}).errors() == "");

  Checked other = check("D(i,j) = 2*B(i,j)\ny(i) = A(i,j)", {"A=csr", "B=csr", "D=of:A"});
  CHECK(other.errors() == "assembled-output");
  CHECK(check("D(j,i) = 2*A(i,j)", {"A=csr", "D=of:A"}).errors() == "assembled-output");
  CHECK(check("D(i,j) = x(i)\ny(i) = A(i,j)", {"A=csr", "D=of:A"}).errors() == "assembled-output");
  Checked later = check("D(i,j) = 2*A(i,j)\nD(i,j) += x(i)", {"A=csr", "D=of:A"});
  CHECK(later.errors() == "assembled-output");
  CHECK(later.the("assembled-output").notes[0].message.find("fills every element") != std::string::npos);
  CHECK(check("D(i,j) = 2*A(i,j)\nD(i,j) = 3*D(i,j)", {"A=csr", "D=of:A"}).ownerOf("D") == TensorId(0));
}

TEST_CASE("structure_of: entries are looked up where they are added, or cannot lie elsewhere") {
  const auto placed = [](const std::string &text, const std::vector<std::string> &bindings) {
    Checked checked = check(text, bindings);
    INFO(text);
    REQUIRE(checked.errors() == "");
    const auto isPlacement = [](const Step &step) { return std::holds_alternative<Placement>(step); };
    return std::count_if(checked.kernel->steps.begin(), checked.kernel->steps.end(), isPlacement);
  };
  CHECK(placed("D(i,j) += pattern(A(i,j))*T(i,j)", {"A=csr", "T=repeats", "D=of:A"}) == 1);
  CHECK(placed("D(i,j) = pattern(A(i,j))*T(i,j)", {"A=csr", "T=csr", "D=of:A"}) == 1);
  CHECK(placed("D(i,j) = A(i,j)*B(i,k)*C(k,j)", {"A=csr", "B=csr", "C=csr", "D=of:A"}) == 1);
  CHECK(placed("D(i,j) += T(j,i)\ny(i) = A(i,j)", {"A=csr", "T=csr", "D=of:A"}) == 1);
  CHECK(placed("D(i,j) = 2*A(i,j)", {"A=csr", "D=of:A"}) == 0);
  CHECK(placed("D(i,j) += 2*A(i,j)", {"A=csr", "D=of:A"}) == 0);
  CHECK(check("D(i,j) = A(j,i)*T(i,j)", {"A=csr", "T=csr", "D=of:A"}).errors() == "assembled-output");
  CHECK(check("D(i,j) = A(i,j) + T(i,j)", {"A=csr", "T=csr", "D=of:A"}).errors() == "assembled-output");
}

TEST_CASE("a wrong access is no reason to call its tensor unknown") {
  CHECK(check("y(i) = A(i-1,j)", {"A=csr"}).errors() == "index-expression");
  CHECK(check("y(i) = A(i-1,j)", {"csr"}).errors() == "index-expression");
}

} // namespace
} // namespace spc::sema::test
