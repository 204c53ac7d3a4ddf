#include "syntax_test_support.h"

using namespace spc;
using namespace spc::syntax;

TEST_CASE("type parameters") {
  Parsed parsed("type T = f64 # comment\ntensor A(m): T; type Sum = f32");
  INFO(parsed.rendered());
  REQUIRE(parsed.diagnostics.all().empty());
  REQUIRE(parsed.kernel.types.size() == 2);
  CHECK(parsed.kernel.types[0].name.text == "T");
  CHECK(parsed.kernel.types[0].type.text == "f64");
  CHECK(parsed.kernel.types[0].where.end == 12);
  CHECK(parsed.kernel.types[1].name.text == "Sum");
  CHECK(parsed.kernel.declarations[0].type->text == "T");
  CHECK(print(parsed.kernel).starts_with("type T <1:1-1:13>\n  type f64 <1:10-1:13>\n"));
}

TEST_CASE("a type parameter converts, wherever it is declared") {
  for (const char *text : {"type T = f64\ny(i) = T(x(i)) + T(2)", "y(i) = T(x(i)) + T(2)\ntype T = f64",
                           "y(i) = T(x(i)) + T(2);type T=f64"}) {
    Parsed parsed(text);
    INFO(parsed.rendered());
    REQUIRE(parsed.diagnostics.all().empty());
    CHECK(structure(*parsed.kernel.statements[0].value) == "(+ (call T [x i]) (call T #2))");
    CHECK(toSource(*parsed.kernel.statements[0].value) == "T(x(i)) + T(2)");
  }
}

TEST_CASE("'type' is a name as any other where no type is declared") {
  for (const char *text : {"type = x(i)", "type(i) = x(i)", "type min= x(i)", "type += 2", "let type = 2\ny = type",
                           "tensor type(m): f32\ny(i) = type(i)", "y(i) = (x(i) +\ntype and z(i))", "y = a *\ntype"}) {
    Parsed parsed(text);
    INFO(text << "\n" << parsed.rendered());
    CHECK(parsed.diagnostics.all().empty());
    CHECK(parsed.kernel.types.empty());
  }
}

TEST_CASE("names that a type parameter makes its own") {
  CHECK(Parsed("type T = f64\ntensor T(m)\ny(i) = x(i)").ids() == "reserved-name");
  CHECK(Parsed("type T = f64\ny(i) = T").ids() == "reserved-name");
  CHECK(Parsed("type T = f64\nT(i) = x(i)").ids() == "reserved-name");
  CHECK(Parsed("type f32 = f64").ids() == "reserved-name");
  CHECK(Parsed("type max = f64").ids() == "reserved-name");
  CHECK(Parsed("type tensor = f64").ids() == "reserved-name");
}

TEST_CASE("type declarations with mistakes") {
  CHECK(Parsed("type T").ids() == "unexpected-token");
  CHECK(Parsed("type T: f64\ny(i) = x(i)").ids() == "unexpected-token");
  CHECK(Parsed("type T =\ny(i) = x(i)").ids() == "unexpected-token");
  CHECK(Parsed("type T = 3").ids() == "unexpected-token");
  CHECK(Parsed("type T = f64 f32").ids() == "unexpected-token");
  CHECK(Parsed("typ T = f64").ids() == "unknown-keyword");
}
