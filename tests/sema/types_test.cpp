// Value types: declared, inferred, and what a statement can be computed in.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

ValueType typeOf(const std::string &text, const std::string &tensor) {
  return check(text).tensor(tensor).type;
}

ValueType computedIn(const std::string &text) {
  return check(text).statement().computeType;
}

// The one error's id and the spelling that its first fix proposes, "literal-type -> 2".
std::string errorAndFix(const std::string &text) {
  Checked checked = check(text);
  const std::string errors = checked.errors();
  if (errors.empty() || errors.find(' ') != std::string::npos)
    return errors;
  const Diagnostic &error = checked.the(errors);
  return errors + (error.fixes.empty() ? "" : " -> " + error.fixes[0].text);
}

TEST_CASE("every value type can be declared") {
  for (ValueType type : kValueTypes) {
    const std::string name = spelling(type);
    INFO(name);
    Checked copy = check("tensor A(m): " + name + "\ny(i) = a*A(i)");
    CHECK(copy.tensor("A").type == type);
    CHECK(copy.tensor("a").type == type);
    CHECK(copy.tensor("y").type == type);
    CHECK(copy.statement().computeType == arithmeticType(type));
  }
}

TEST_CASE("other languages' names of types are understood") {
  const auto meant = [](const std::string &name) { return errorAndFix("tensor A(m): " + name + "\ny(i) = A(i)"); };
  CHECK(meant("float") == "unknown-type -> f32");
  CHECK(meant("half") == "unknown-type -> f16");
  CHECK(meant("bfloat16") == "unknown-type -> bf16");
  CHECK(meant("int") == "unknown-type -> i32");
  CHECK(meant("uint8") == "unknown-type -> u8");
  CHECK(meant("complex64") == "unknown-type -> cf32");
  CHECK(meant("c128") == "unknown-type -> cf64");
  CHECK(meant("Bool") == "unknown-type -> bool");
  CHECK(meant("cf46") == "unknown-type -> cf64");
  CHECK(meant("f128").starts_with("unknown-type"));
}

TEST_CASE("outputs and arithmetic take the widest type") {
  const auto declared = [](const std::string &a, const std::string &b) {
    return "tensor A(m): " + a + "\ntensor B(m): " + b + "\ny(i) = A(i)*B(i)";
  };
  CHECK(typeOf(declared("f16", "bf16"), "y") == ValueType::F32);
  CHECK(typeOf(declared("bool", "i8"), "y") == ValueType::I8);
  CHECK(typeOf(declared("u8", "i8"), "y") == ValueType::I16);
  CHECK(typeOf(declared("u64", "i8"), "y") == ValueType::I64);
  CHECK(typeOf(declared("u64", "f16"), "y") == ValueType::F16);
  CHECK(computedIn(declared("u64", "f16")) == ValueType::F32);
  CHECK(typeOf(declared("cf32", "f64"), "y") == ValueType::CF64);
  CHECK(computedIn("tensor A(m): i8\ntensor y(m): f64\ny(i) = A(i)/2") == ValueType::F64);
  CHECK(typeOf("tensor A(m): f16\ny(i) = A(i)/sum(j, A(j))", "$2") == ValueType::F32);
}

TEST_CASE("literals are of the statement's type") {
  CHECK(errorAndFix("tensor A(m): i32\ny(i) = 2*A(i) + 0") == "");
  CHECK(errorAndFix("tensor A(m): i32\ny(i) = 2.0*A(i)") == "literal-type -> 2");
  CHECK(errorAndFix("tensor A(m): i32\ny(i) = 1e3*A(i)") == "literal-type -> 1000");
  CHECK(errorAndFix("tensor A(m): i32\ny(i) = 0.5*A(i)") == "literal-type");
  CHECK(errorAndFix("tensor A(m): i32\ntensor y(m): i32\ny(i) = 0.5*A(i)") == "literal-type -> f64");
  CHECK(errorAndFix("tensor A(m): i32\ny(i) = 1e300*A(i)") == "literal-type");
  CHECK(errorAndFix("tensor A(m): i32\ntensor y(m): f32\ny(i) = 0.5*A(i)") == "");
  CHECK(errorAndFix("tensor A(m): f16\ny(i) = 0.5*A(i)") == "");
  CHECK(errorAndFix("tensor A(m): cf32\ny(i) = 0.5*A(i)/3 - 1") == "");
  CHECK(errorAndFix("tensor A(m): bool\ny(i) = 1*A(i) + 0") == "");
  CHECK(errorAndFix("tensor A(m): bool\ny(i) = 2*A(i)") == "literal-type");
  CHECK(errorAndFix("tensor A(m): bool\ny(i) = 1.0*A(i)") == "literal-type -> 1");
}

TEST_CASE("literals fit the statement's type") {
  const auto with = [](const std::string &type, const std::string &literal) {
    return errorAndFix("tensor A(m): " + type + "\ny(i) = A(i)*(" + literal + ")");
  };
  CHECK(with("i8", "127") == "");
  CHECK(with("i8", "128") == "literal-type");
  CHECK(with("i8", "-128") == "");
  CHECK(with("i8", "-129") == "literal-type");
  CHECK(with("u8", "255") == "");
  CHECK(with("u8", "256") == "literal-type");
  CHECK(with("i64", "9007199254740991") == "");
  CHECK(with("i64", "9007199254740992") == "literal-type");
  CHECK(with("i64", "9007199254740993") == "literal-type");
  CHECK(with("u64", "99999999999999999999999") == "literal-type");
  CHECK(with("f64", "99999999999999999999999") == "");
}

TEST_CASE("operators that a type lacks") {
  Checked division = check("tensor A(m): i32\ny(i) = A(i)/2");
  CHECK(division.errors() == "type-operator");
  CHECK(division.the("type-operator").help == "declare 'y' as f64 to compute in floats");
  CHECK(errorAndFix("tensor A(m): u8\ntensor y(m): u8\ny(i) = A(i)/A(i)") == "type-operator -> f64");
  CHECK(errorAndFix("tensor A(m): bool\ny(i) = A(i) - A(i)") == "type-operator");
  CHECK(errorAndFix("tensor A(m): bool\ny(i) = -A(i)") == "type-operator");
  CHECK(errorAndFix("tensor A(m): bool\ny(i) = A(i)/A(i)") == "type-operator");
  CHECK(errorAndFix("tensor A(m, n): bool\ny(i) = sum(j, A(i,j)*(1 - A(i,j)))") == "type-operator");
  CHECK(errorAndFix("tensor A(m): bool\ntensor y(m): i64\ny(i) = -A(i)") == "");
  CHECK(errorAndFix("tensor A(m): u8\ny(i) = -A(i) - 1") == "");
}

TEST_CASE("a target of a lesser kind than what it is computed in") {
  const auto into = [](const std::string &from, const std::string &to) {
    return errorAndFix("tensor A(m): " + from + "\ntensor y(m): " + to + "\ny(i) = A(i)");
  };
  CHECK(into("cf32", "f64") == "narrowing -> cf64");
  CHECK(into("f32", "i64") == "narrowing -> f32");
  CHECK(into("f16", "i8") == "narrowing -> f32");
  CHECK(into("i8", "bool") == "narrowing -> i8");
  CHECK(into("cf64", "bool") == "narrowing -> cf64");
  CHECK(into("f64", "f16") == "");
  CHECK(into("i64", "i8") == "");
  CHECK(into("i64", "u8") == "");
  CHECK(into("cf64", "cf32") == "");
  CHECK(into("bool", "i8") == "");
  Checked real = check("tensor A(m): f64\ntensor y(m): i64\ny(i) = A(i)");
  REQUIRE(real.the("narrowing").notes.size() == 1);
  CHECK(real.the("narrowing").notes[0].message == "'A' holds f64");
}

} // namespace
} // namespace spc::sema::test
