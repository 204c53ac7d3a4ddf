// Names, orders, declarations, extents and value types.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

TEST_CASE("orders must agree") {
  Checked used = check("y(i) = A(i,j)*x(j) + A(i)");
  CHECK(used.errors() == "order-mismatch");
  CHECK(used.the("order-mismatch").notes.size() == 1);
  CHECK(check("tensor A(m,n)\ny(i) = A(i)").errors() == "order-mismatch");
  CHECK(check("y(i) = y").errors() == "order-mismatch");
  CHECK(check("y(i) = A(i,j)*x(j)\nz(i) = A(i,j,k)").errors() == "order-mismatch");
}

TEST_CASE("indices of the left side are distinct variables") {
  CHECK(check("D(i,i-1) = A(i,j)").errors() == "scatter-target");
  CHECK(check("D(i,3) = A(i,j)").errors().empty());
  CHECK(check("D(i,i) = A(i,j)").errors() == "repeated-index");
}

TEST_CASE("a name is a tensor or an index variable") {
  CHECK(check("y(i) = i*x(i)").errors() == "");
  CHECK(check("tensor i: f64\ntensor x(n): f64\ny(i) = i*x(i)").errors() == "name-clash");
  CHECK(check("y(i) = x(x)").errors() == "name-clash");
  CHECK(check("y(i) = sum(y, x(i)*z(y))").errors() == "name-clash");
  CHECK(check("tensor A(m,n)\ny(m) = A(m,n)").errors() == "");
}

TEST_CASE("declarations") {
  CHECK(check("tensor A(m)\ntensor A(n)\ny(i) = A(i)").errors() == "duplicate-declaration");
  Checked unknown = check("tensor A(m): f46\ny(i) = A(i)");
  CHECK(unknown.errors() == "unknown-type");
  CHECK(unknown.the("unknown-type").help == "did you mean 'f64'?");
  CHECK(check("tensor A(m): double\ny(i) = A(i)").the("unknown-type").help == "did you mean 'f64'?");
  CHECK(check("tensor A(m): quaternion\ny(i) = A(i)").the("unknown-type").help ==
        "the types are f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool, cf32, cf64");
  CHECK(check("tensor s: f32, sparse\ntensor x(n): f32\ntensor y(n): f32\ny(i) = s*x(i)").errors() == "sparse-scalar");
  CHECK(check("tensor A(m)").errors() == "no-statement");
  CHECK(check("").errors() == "no-statement");
  CHECK(check("tensor U(m,n)\ny(i) = x(i)").errors() == "");
}

TEST_CASE("undeclared operands") {
  CHECK(check("tensor A(m,n)\ny(i) = A(i,j)*x(j)").errors() == "unknown-tensor");
  CHECK(check("tensor A(m,n)\ny(i) = alpha*A(i,j)").errors() == "");
  CHECK(check("tensor y(m): f32\ny(i) = A(i,j)*x(j)").errors() == "");
  CHECK(check("tensor A(m,n)\nt(i) = A(i,j)\ny(i) = A(i,j)*t(j)").errors() == "");
  Checked slip = check("tensor weights(m,n)\ny(i) = weigths(i,j)");
  CHECK(slip.errors() == "unknown-tensor");
  REQUIRE(slip.the("unknown-tensor").fixes.size() == 1);
  CHECK(slip.the("unknown-tensor").fixes[0].text == "weights");
  const FixIt &fix = slip.the("unknown-tensor").fixes[0];
  CHECK(fix.where.file->text().substr(fix.where.begin, fix.where.end - fix.where.begin) == "weigths");
  CHECK(check("tensor alpha: f32\ny(i) = alhpa*x(i)").errors() == "unknown-tensor");
}

TEST_CASE("all errors of a kernel are reported") {
  Checked many = check("tensor A(m): f15\ny(i,i) = A(i)*B(j,j)\nz(i) = A(A) + x(i)\nw(i) = v(i,j)*v(i)");
  CHECK(many.errors() == "name-clash order-mismatch repeated-index unknown-tensor unknown-type");
}

TEST_CASE("extents that index variables tie together are one") {
  Checked product = check("tensor A(m,k): f32\ntensor B(k,n): f32\nC(i,j) = A(i,l)*B(l,j)");
  const auto &extents = product.kernel->extents;
  REQUIRE(extents.size() == 3);
  CHECK(product.tensor("A").extents == std::vector<ExtentId>{ExtentId(0), ExtentId(1)});
  CHECK(product.tensor("B").extents == std::vector<ExtentId>{ExtentId(1), ExtentId(2)});
  CHECK(product.tensor("C").extents == std::vector<ExtentId>{ExtentId(0), ExtentId(2)});
  CHECK(extents[ExtentId(0)].name == "m");
  CHECK(extents[ExtentId(1)].name == "k");
  CHECK(extents[ExtentId(2)].name == "n");
}

TEST_CASE("extent names are unique and come from the index variables where nothing is declared") {
  Checked two = check("y(i) = A(i,j)*x(j)\nz(i) = B(i,j)*w(j)");
  std::string names;
  for (const Extent &extent : two.kernel->extents)
    names += extent.name + " ";
  CHECK(names == "i j i_2 j_2 ");
  Checked mixed = check("tensor x(i)\ny(j) = x(j)\ntensor A(m,n)\nw(i) = A(i,j)");
  names.clear();
  for (const Extent &extent : mixed.kernel->extents)
    names += extent.name + " ";
  CHECK(names == "i m n ");
}

TEST_CASE("two declared names that are used as one become the first") {
  Checked square = check("tensor A(m,n)\ntensor x(m)\ny(i) = A(i,j)*x(j)");
  REQUIRE(square.kernel->extents.size() == 1);
  CHECK(square.kernel->extents[ExtentId(0)].name == "m");
}

TEST_CASE("declared numbers") {
  Checked fixed = check("tensor A(4,n)\ny(i) = A(i,j)");
  CHECK(fixed.kernel->extents[ExtentId(0)].fixed == 4);
  CHECK(fixed.kernel->extents[ExtentId(0)].name == "i");
  CHECK_FALSE(fixed.kernel->extents[ExtentId(1)].fixed);
  Checked clash = check("tensor A(4,5)\ntensor x(6)\ny(i) = A(i,j)*x(j)");
  CHECK(clash.errors() == "shape-clash");
  CHECK(clash.the("shape-clash").notes.size() == 2);
  CHECK(check("tensor A(4,5)\ny(i) = A(i,j)*A(j,i)").errors() == "shape-clash");
  CHECK(check("tensor A(4)\ntensor y(5)\ny(i) = A(i)").errors() == "shape-clash");
  CHECK(check("tensor A(4)\ntensor y(4)\ny(i) = A(i)").errors() == "");
}

TEST_CASE("value types") {
  CHECK(check("y(i) = alpha*x(i)").tensor("y").type == ValueType::F64);
  Checked narrow = check("tensor A(m,n): f32\ntensor x(n): f32\ny(i) = alpha*A(i,j)*x(j)");
  CHECK(narrow.tensor("y").type == ValueType::F32);
  CHECK(narrow.tensor("alpha").type == ValueType::F32);
  CHECK(narrow.statement().computeType == ValueType::F32);
  Checked mixed = check("tensor A(m,n): f32\ntensor x(n): f64\ny(i) = A(i,j)*x(j)");
  CHECK(mixed.tensor("y").type == ValueType::F64);
  Checked declared = check("tensor A(m,n): f32\ntensor y(m): f64\ny(i) = A(i,j)");
  CHECK(declared.statement().computeType == ValueType::F64);
  CHECK(check("tensor y(m): f32\ny(i) = 2").statement().computeType == ValueType::F32);
  CHECK(check("tensor A(m): f32\nt(i) = A(i)\nu(i) = t(i)").tensor("u").type == ValueType::F32);
  CHECK(check("tensor A(m): f32\ny(i) = A(i)/sum(j, A(j))").tensor("$2").type == ValueType::F32);
}

TEST_CASE("parameters: operands by first appearance on the right, then outputs") {
  CHECK(check("y(i) = B(i,j)*x(j) + A(i,k)*x(k)").parameters() == "B,x,A,y");
  CHECK(check("t(i) = A(i,j)*x(j)\ny(i) = t(i)*z(i)").parameters() == "A,x,z,t,y");
  CHECK(check("y(i) = 2*y(i) + x(i)").parameters() == "y,x");
  CHECK(check("a(i) = b(i)\nc(i) = d(i)\nb(i) = 1").parameters() == "b,d,a,c");
  CHECK(check("y(i) = b(i)/sum(j, A(i,j))").parameters() == "b,A,y");
}

TEST_CASE("what is read and what is written") {
  Checked sum = check("t(i) = A(i,j)\ny(i) += t(i)\ny(i) += A(i,j)\nz(i) = t(i)\nz(i) += t(i)");
  CHECK(sum.tensor("A").isRead);
  CHECK_FALSE(sum.tensor("A").isWritten);
  CHECK_FALSE(sum.tensor("t").isRead);
  CHECK(sum.tensor("t").isWritten);
  CHECK(sum.tensor("y").isRead);
  CHECK(sum.tensor("y").isWritten);
  CHECK_FALSE(sum.tensor("z").isRead);
  CHECK(check("y(i) = 2*y(i)").tensor("y").isRead);
}

TEST_CASE("at most 64 parameters") {
  std::string text = "y(i) = x0(i)";
  for (int k = 1; k < 63; ++k)
    text += " + x" + std::to_string(k) + "(i)";
  CHECK(check(text).errors() == "");
  CHECK(check(text + " + one(i)").errors() == "too-many-parameters");
}

TEST_CASE("function, file and mode are passed on") {
  Checked one = check("y(i) = x(i)", {}, true);
  CHECK(one.kernel->function == "kernel");
  CHECK(one.kernel->kernelFile == "kernel.tex");
  CHECK(one.kernel->strictFp);
}

} // namespace
} // namespace spc::sema::test
