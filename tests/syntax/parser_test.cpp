#include "syntax_test_support.h"

using namespace spc;
using namespace spc::syntax;

TEST_CASE("declarations") {
  Parsed parsed("tensor S(m, 40): f32, sparse # comment\ntensor alpha\ntensor B(n), sparse; tensor x(n) : f64");
  INFO(parsed.rendered());
  REQUIRE(parsed.diagnostics.all().empty());
  const auto &decls = parsed.kernel.declarations;
  REQUIRE(decls.size() == 4);
  CHECK(decls[0].name.text == "S");
  REQUIRE(decls[0].extents.size() == 2);
  CHECK(std::get<std::string>(decls[0].extents[0].value) == "m");
  CHECK(std::get<int64_t>(decls[0].extents[1].value) == 40);
  CHECK(decls[0].type->text == "f32");
  CHECK(decls[0].sparse);
  CHECK(decls[0].where.begin == 0);
  CHECK(decls[0].where.end == 28);
  CHECK(decls[1].extents.empty());
  CHECK_FALSE(decls[1].type);
  CHECK_FALSE(decls[1].sparse);
  CHECK(decls[2].sparse);
  CHECK(decls[3].type->text == "f64");
}

TEST_CASE("signatures") {
  Parsed parsed("kernel cg(A, x,\n  r) -> (q, s) # comment\nq(i) = A(i,j)*x(j)");
  INFO(parsed.rendered());
  REQUIRE(parsed.diagnostics.all().empty());
  const SignatureDecl &signature = parsed.kernel.signature.value();
  CHECK(signature.name.text == "cg");
  REQUIRE(signature.operands.size() == 3);
  CHECK(signature.operands[2].text == "r");
  CHECK(signature.outputs.size() == 2);
  CHECK(signature.where.end == 30);
  CHECK(parsed.kernel.statements.size() == 1);
  CHECK(Parsed("kernel f() -> y; y = 1").kernel.signature->outputs.front().text == "y");
  CHECK(Parsed("kernel f(y) -> ()\ny += 1").kernel.signature->outputs.empty());
}

TEST_CASE("kernel is a tensor's name where no signature can stand") {
  for (const char *text : {"kernel(i) = x(i)", "kernel = 2", "kernel min= x(i)", "y(i) = kernel(i)"}) {
    Parsed parsed(text);
    INFO(parsed.rendered());
    CHECK(parsed.diagnostics.all().empty());
    CHECK_FALSE(parsed.kernel.signature);
  }
}

TEST_CASE("precedence and associativity") {
  CHECK(right("y = a + b*c - d") == "(- (+ [a] (* [b] [c])) [d])");
  CHECK(right("y = a - b - c") == "(- (- [a] [b]) [c])");
  CHECK(right("y = a/b*c") == "(* (/ [a] [b]) [c])");
  CHECK(right("y = -a*b") == "(* (neg [a]) [b])");
  CHECK(right("y = a - -b") == "(- [a] (neg [b]))");
  CHECK(right("y = --a") == "(neg (neg [a]))");
  CHECK(right("y = 2*-x(i)") == "(* #2 (neg [x i]))");
  CHECK(right("y = (a + b)*c") == "(* (paren (+ [a] [b])) [c])");
  CHECK(right("y(i) = A(i,j)*x(j) + z(i)") == "(+ (* [A i j] [x j]) [z i])");
  CHECK(right("y = sum(j, k, A(j,k)) * 2") == "(* (sum j k: [A j k]) #2)");
  CHECK(right("y = sum(j, k)") == "(sum j: [k])");
  CHECK(right("y = sum(j, (a))") == "(sum j: (paren [a]))");
}

TEST_CASE("statements and their places") {
  Parsed parsed("y(i) += A(i,j)*x(j)\n\n  z(i)=y(i);w = 1");
  REQUIRE(parsed.diagnostics.all().empty());
  REQUIRE(parsed.kernel.statements.size() == 3);
  const Statement &first = parsed.kernel.statements[0];
  CHECK(first.op == AssignOp::Add);
  CHECK(first.targetWhere.begin == 0);
  CHECK(first.targetWhere.end == 4);
  CHECK(first.where.end == 19);
  CHECK(first.value->where.begin == 8);
  CHECK(first.target.indices[0].where.begin == 2);
  CHECK(std::get<Binary>(first.value->node).right->where.begin == 15);
  CHECK(parsed.kernel.statements[1].op == AssignOp::Assign);
  CHECK(parsed.kernel.statements[1].where.begin == 23);
}

TEST_CASE("line breaks end statements, except where something must follow") {
  CHECK(right("y(i) =\n  A(i) + # comment\n\n  B(i) *\r\n C(i)") == "(+ [A i] (* [B i] [C i]))");
  CHECK(right("y(i) = (A(i)\n + B(i\n)\n)") == "(paren (+ [A i] [B i]))");
  CHECK(right("y(i,\n j) = -\nA(i,j)") == "(neg [A i j])");
  Parsed parsed("tensor A(m,\n n): f32,\n sparse\r\n# only a comment\r\ny = A(i,j)");
  CHECK(parsed.diagnostics.all().empty());
  CHECK(parsed.kernel.declarations[0].sparse);
}

TEST_CASE("number literals") {
  auto value = [](const std::string &text) {
    Parsed parsed(std::string("y = ") + text);
    INFO(text << parsed.rendered());
    REQUIRE(parsed.diagnostics.all().empty());
    return std::get<Literal>(parsed.kernel.statements[0].value->node).value;
  };
  CHECK(value("1") == 1);
  CHECK(value("1.") == 1);
  CHECK(value(".5") == .5);
  CHECK(value("1e-3") == 1e-3);
  CHECK(value("1.5E+10") == 1.5e10);
  CHECK(value("0.1") == 0.1);
  CHECK(value("1.e2") == 100);
  CHECK(value("007") == 7);
  CHECK(value("1.7976931348623157e308") == 1.7976931348623157e308);
  CHECK(value("4.9e-324") == 4.9e-324);
  CHECK(value("1e-400") == 0);
  CHECK(value("1" + std::string(300, '0')) == 1e300);
  CHECK(Parsed("y = 1e309").ids() == "number-overflow");
  CHECK(Parsed(std::string("y = ") + std::string(1000000, '9')).ids() == "number-overflow");
  for (std::string bad : {"1e", "1e+", "1.2.3", "3x", "0x10", "1e5.", "2_000", "1f"})
    CHECK(Parsed(std::string("y = ") + bad).ids() == "bad-number");
}

TEST_CASE("empty files, byte order marks, comments without an end") {
  for (std::string text : {"", "\n\n", "# nothing", "\xEF\xBB\xBF", " \t\r\n;;\n; # x"}) {
    Parsed parsed(text);
    CHECK(parsed.diagnostics.all().empty());
    CHECK(parsed.kernel.statements.empty());
  }
  Parsed marked("\xEF\xBB\xBFy = x");
  CHECK(marked.diagnostics.all().empty());
  CHECK(marked.kernel.statements[0].where.begin == 0); // it is no part of the text
  CHECK(Parsed("y = x\n\xEF\xBB\xBF").ids() == "unexpected-character");
}

TEST_CASE("orders up to eight") {
  CHECK(Parsed("tensor A(a,b,c,d,e,f,g,h)\ny = A(a,b,c,d,e,f,g,h)").diagnostics.all().empty());
  CHECK(Parsed("tensor A(a,b,c,d,e,f,g,h,i)\ny = x").ids() == "order-too-high");
  CHECK(Parsed("y = A(a,b,c,d,e,f,g,h,i)").ids() == "order-too-high");
  CHECK(Parsed("A(a,b,c,d,e,f,g,h,i) = 1\nz = )").ids() == "order-too-high unexpected-token");
}

TEST_CASE("names that are no functions yet are free for tensors that exist") {
  CHECK(Parsed("tensor norm(n)\ny(i) = norm(i)").diagnostics.all().empty());
  CHECK(Parsed("log2(i) = a(i)\ny(i) = log2(i)").diagnostics.all().empty());
  CHECK(Parsed("y = norm").diagnostics.all().empty());
  CHECK(Parsed("sum_(i) = A(i,summ)").diagnostics.all().empty());
}
