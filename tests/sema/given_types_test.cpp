// Value types and index types that the command line gives, and type parameters.
#include "sema/check.h"

#include <catch2/catch.hpp>

using namespace spc;
using namespace spc::sema;
using namespace spc::sema::test;

namespace {

const std::string kGeneric = "type T = f64\ntensor A(m, n): T\ntensor x(n): T\ntensor y(m): T\ny(i) = A(i,j) * x(j)";

ValueType typeOf(const Checked &checked, const std::string &tensor) {
  return checked.tensor(tensor).type;
}

} // namespace

TEST_CASE("a type parameter has its own type unless another one is given") {
  const Checked own = check(kGeneric);
  const Checked given = checkWith({"--type=T=i8"}, kGeneric);
  for (const char *tensor : {"A", "x", "y"}) {
    CHECK(typeOf(own, tensor) == ValueType::F64);
    CHECK(typeOf(given, tensor) == ValueType::I8);
  }
}

TEST_CASE("a tensor's own type wins over its parameter's") {
  const Checked checked = checkWith({"--type=A=i8", "--type=T=f32"}, kGeneric);
  CHECK(typeOf(checked, "A") == ValueType::I8);
  CHECK(typeOf(checked, "x") == ValueType::F32);
}

TEST_CASE("conversions to a type parameter") {
  const std::string text = "type Sum = f64\ntensor x(n): f32\ny = sum(i, Sum(x(i)))";
  CHECK(typeOf(check(text), "y") == ValueType::F64);
  CHECK(typeOf(checkWith({"--type=Sum=f32"}, text), "y") == ValueType::F32);
  CHECK(typeOf(check("y(i) = Sum(x(i)); type Sum = i32"), "y") == ValueType::I32);
}

TEST_CASE("conversions that change nothing are taken out") {
  const std::string text = "type T = f64\ntensor A(m, n): T, sparse\ntensor x(n): T\n"
                           "y(i) = T(0.25) * T(A(i,j)) * x(j) - T(2) * sum(j, T(A(i,j)))";
  for (const char *type : {"f64", "f32", "f16", "i32", "cf32"}) {
    const Checked checked = checkWith({std::string("--type=T=") + type}, text, {"A=csr"});
    INFO(type << "\n" << describe(*checked.kernel));
    CHECK(describe(*checked.kernel).find(std::string(type) + "(") == std::string::npos);
  }
  CHECK(check("tensor x(n): f32\ntensor y(n): f64\ny(i) = f64(x(i))").steps().find("f64(") == std::string::npos);
}

TEST_CASE("conversions that round, or say in which type a statement is computed, stay") {
  const auto keeps = [](const std::string &statement, const std::string &conversion) {
    const Checked checked = check("tensor x(n): f32\ntensor z(n): f64\ntensor y(n): f32\n" + statement);
    return checked.steps().find(conversion + "(") != std::string::npos;
  };
  CHECK(keeps("y(i) = f64(0.5) * x(i)", "f64"));
  CHECK(keeps("y(i) = f64(x(i)) * x(i)", "f64"));
  CHECK(keeps("y(i) = i32(x(i))", "i32"));
  CHECK(keeps("y(i) = f32(z(i)) * z(i)", "f32"));
  CHECK(keeps("y(i) = f16(x(i))", "f16"));
  CHECK_FALSE(keeps("y(i) = f32(x(i)) * f32(0.1)", "f32"));
  CHECK_FALSE(keeps("y(i) = i8(2.5) * x(i)", "i8"));
}

TEST_CASE("literals and fills are of the type that is given") {
  const std::string half = "type T = f64\ntensor x(n): T\ntensor y(n): T\ny(i) = 0.5 * x(i)";
  CHECK(checkWith({"--type=T=f16"}, half).kernel);
  CHECK(checkWith({"--type=T=i32"}, half).errors() == "literal-type");
  const std::string paths =
      "type T = f64\ntensor A(n, n): T, sparse, fill inf\nsemiring(min, +)\ny(i) = A(i,j) * x(j)\n"
      "tensor x(n): T";
  CHECK(checkWith({"--type=T=i32"}, paths, {"A=csr"}).tensor("A").hasFill());
  CHECK(checkWith({"--type=T=bool"}, paths, {"A=csr"}).count("bad-fill") == 1);
}

TEST_CASE("the default type is that of operands whose type nothing says") {
  const std::string text = "tensor A(m, n): i8\ntensor x(n)\ny(i) = A(i,j) * x(j) * alpha";
  const Checked checked = checkWith({"--type=f32"}, text);
  CHECK(typeOf(checked, "A") == ValueType::I8);
  CHECK(typeOf(checked, "x") == ValueType::F32);
  CHECK(typeOf(checked, "alpha") == ValueType::F32);
  CHECK(typeOf(checked, "y") == ValueType::F32);
  CHECK(typeOf(checkWith({"--type=f32"}, "y(i) = A(i,j)"), "y") == ValueType::F32);
  CHECK(typeOf(checkWith({"--type=i32"}, "y = 3"), "y") == ValueType::I32);
  CHECK(typeOf(checkWith({"--type=f32"}, "n(i) = count(j, A(i,j))", {"A=csr"}), "n") == ValueType::I64);
}

TEST_CASE("a scalar takes the widest type of the operands that have indices, given or not") {
  CHECK(typeOf(checkWith({"--type=A=i8"}, "y(i) = A(i,j) * x(j) * alpha"), "alpha") == ValueType::F64);
  CHECK(typeOf(checkWith({"--type=A=i8", "--type=x=i16"}, "y(i) = A(i,j) * x(j) * alpha"), "alpha") == ValueType::I16);
  CHECK(typeOf(checkWith({"--type=alpha=f32"}, "y(i) = x(i) * alpha"), "alpha") == ValueType::F32);
}

TEST_CASE("outputs and temporaries can be given types") {
  const Checked checked =
      checkWith({"--type=y=f64", "--type=t=f32", "--type=f16"}, "let t = x(i) * x(i)\ny(i) = x(i) * t");
  CHECK(typeOf(checked, "t") == ValueType::F32);
  CHECK(typeOf(checked, "y") == ValueType::F64);
}

TEST_CASE("types that are given and cannot be") {
  const std::string literal = "tensor x(n): f32\ny(i) = x(i)";
  CHECK(checkWith({"--type=x=f64"}, literal).errors() == "type-conflict");
  CHECK(checkWith({"--type=x=f32"}, literal).errors().empty());
  CHECK(checkWith({"--type=z=f64"}, literal).errors() == "unknown-binding");
  CHECK(checkWith({"--type=x=f32", "--type=x=f32"}, literal).errors() == "duplicate-binding");
  CHECK(checkWith({"--type=f32", "--type=f16"}, "y(i) = x(i)").errors() == "duplicate-binding");
  CHECK(checkWith({"--type=y=T"}, kGeneric).errors() == "unknown-type");
  CHECK(checkWith({"--type=y=i32"}, "y(i) = x(i)").errors() == "narrowing");
  CHECK(checkWith({"--type=y=i32"}, "y(i) = x(i)").the("narrowing").fixes.empty());
}

TEST_CASE("what is given and not used is warned of") {
  CHECK(checkWith({"--type=f32"}, kGeneric).count("unused-option") == 1);
  CHECK(checkWith({"--type=f32"}, "y(i) = x(i)").count("unused-option") == 0);
  CHECK(check("type T = f64\ny(i) = x(i)").count("unused") == 1);
  CHECK(check("type T = f64\ny(i) = T(x(i))").count("unused") == 0);
}

TEST_CASE("index types are those of all formats, or of one tensor's") {
  const std::string text = "y(i) = A(i,j) * x(j) + B(i,j) * x(j)";
  const Checked all = checkWith({"--index=i64"}, text, {"A=csr", "B=coo"});
  CHECK(all.tensor("A").format.pointers == format::IndexType::I64);
  CHECK(all.tensor("A").format.indices == format::IndexType::I64);
  CHECK(all.tensor("B").format.indices == format::IndexType::I64);
  CHECK(all.tensor("x").format.sameStorage(format::denseFormat(1)));
  const Checked one = checkWith({"--index=i64", "--index=B=u16"}, text, {"A=csr", "B=hyb"});
  CHECK(one.tensor("A").format.indices == format::IndexType::I64);
  CHECK(one.tensor("B_0").format.indices == format::IndexType::U16);
  CHECK(one.tensor("B_1").format.indices == format::IndexType::U16);
}

TEST_CASE("results and tensors of one structure have the index types of its owner") {
  const Checked output = checkWith({"--index=i64"}, "D(i,j) = 2 * A(i,j)", {"A=csr"});
  CHECK(output.tensor("D").format.indices == format::IndexType::I64);
  const Checked shared = checkWith({"--index=A=i64"}, "y(i) = A(i,j) * B(i,j)", {"A=csr", "B=of:A"});
  CHECK(shared.tensor("B").format.sameStorage(shared.tensor("A").format));
  CHECK(checkWith({"--index=B=i64"}, "y(i) = A(i,j) * B(i,j)", {"A=csr", "B=of:A"}).errors() == "index-type");
}

TEST_CASE("index types that a format cannot have") {
  const std::string text = "y(i) = A(i,j) * x(j)";
  CHECK(checkWith({"--index=u16"}, text, {"A=dia"}).errors() == "index-type");
  CHECK(checkWith({"--index=i64"}, text, {"A=dia"}).kernel);
  CHECK(checkWith({"--index=i64"}, text, {"A=groups"}).errors() == "index-type");
  CHECK(checkWith({"--index=B=i64"}, text, {"A=csr"}).errors() == "unknown-binding");
  CHECK(checkWith({"--index=i64", "--index=i64"}, text, {"A=csr"}).errors() == "duplicate-binding");
  CHECK(checkWith({"--index=i64"}, text).count("unused-option") == 1);
  CHECK(checkWith({"--index=x=i64"}, text, {"A=csr"}).count("unused-option") == 1);
  CHECK(checkWith({"--index=A=i64"}, text, {"A=csr"}).count("unused-option") == 0);
}
