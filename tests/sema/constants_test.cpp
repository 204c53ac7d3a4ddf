// Constants: what the checked program has of them, and of programs that no text has declared.
#include "sema/check.h"
#include "sema/program.h"
#include "sema/program_builder.h"

#include <catch2/catch.hpp>

#include <stdexcept>

namespace spc::sema {
namespace {

using namespace test;

struct Built {
  Diagnostics diagnostics;
  std::optional<Program> program;
};

/// `y(i) = W(i) * x(i)`, with a constant W.
Built build(language::TensorDecl declaration, const Options &options = {.function = "k"}) {
  static const std::vector<format::Binding> none;
  Built built;
  ProgramBuilder builder(none, options, built.diagnostics);
  builder.declare(std::move(declaration));
  StatementBuilder statement = builder.statement({{"y", {}}, {indexOf("i")}, {}}, {});
  NodePtr w = statement.access({"W", {}}, {indexOf("i")}, {}), x = statement.access({"x", {}}, {indexOf("i")}, {});
  statement.finish(statement.binary(BinaryOp::Mul, std::move(w), std::move(x), {}));
  built.program = builder.finish();
  return built;
}

language::TensorDecl declared(const std::vector<double> &numbers) {
  language::ConstantDecl constant;
  constant.shape = {static_cast<int64_t>(numbers.size())};
  for (const double number : numbers)
    constant.numbers.push_back({number});
  language::TensorDecl declaration;
  declaration.name.text = "W";
  declaration.extents = {{std::string("n"), {}}};
  declaration.constant = std::make_shared<const language::ConstantDecl>(std::move(constant));
  return declaration;
}

const Tensor &tensorNamed(const Program &program, const std::string &name) {
  for (const Tensor &tensor : program.tensors)
    if (tensor.name == name)
      return tensor;
  throw std::logic_error("no tensor " + name);
}

} // namespace

TEST_CASE("a program without text declares a constant") {
  const Built built = build(declared({1.5, 0, -2}));
  REQUIRE(built.program);
  const Tensor &tensor = tensorNamed(*built.program, "W");
  REQUIRE(tensor.is<Constant>());
  CHECK(tensor.isRead);
  CHECK(tensor.as<Constant>()->entries->values == std::vector<double>{1.5, 0, -2});
  CHECK(built.program->extents[tensor.extents[0]].fixed == 3);
  CHECK(built.program->parameters.size() == 2);
  CHECK(toText(*built.program) == "const W(n) = [1.5, 0, -2]\ny(i) = W(i)*x(i)\n");
}

TEST_CASE("constants of programs without text are checked") {
  language::TensorDecl declaration = declared({1, 2});
  auto wrong = std::make_shared<language::ConstantDecl>(*declaration.constant);
  wrong->shape = {3};
  declaration.constant = wrong;
  const Built count = build(declaration);
  CHECK_FALSE(count.program);
  CHECK(count.diagnostics.all().front().kind.id == "constant-shape");
  wrong->shape = {2};
  wrong->file = "w.npy";
  const Built file = build(declaration);
  CHECK_FALSE(file.program);
  CHECK(file.diagnostics.all().front().kind.id == "constant-value");
}

TEST_CASE("a reader gives what a constant's file has, once the format is known") {
  language::TensorDecl declaration = declared({});
  auto constant = std::make_shared<language::ConstantDecl>();
  constant->file = "w.npy";
  declaration.constant = constant;
  Options options{.function = "k"};
  options.readConstant = [](const ConstantFile &file, Diagnostics &) {
    CHECK(file.declaration.constant->file == "w.npy");
    CHECK(file.format.isDense());
    CHECK_FALSE(file.shape);
    return std::make_shared<const language::ConstantEntries>(language::ConstantEntries{{4}, {2}, {7}, {}, {}});
  };
  const Built built = build(declaration, options);
  REQUIRE(built.program);
  CHECK(built.program->extents[tensorNamed(*built.program, "W").extents[0]].fixed == 4);
  CHECK(toText(*built.program) == "const W(n) = \"w.npy\"\ny(i) = W(i)*x(i)\n");
}

TEST_CASE("constants in sparse formats have entries where they are not what is missing") {
  const auto entriesOf = [](const std::string &text, const std::string &format) {
    return check(text, {"W=" + format}).tensor("W").as<Constant>()->entries->coordinates;
  };
  CHECK(entriesOf("const W(2, 2) = [[0, 1], [2, -0]]\ny(i) = W(i,j)", "csr") == std::vector<int64_t>{0, 1, 1, 0});
  CHECK(entriesOf("const W(2, 2), fill inf = [[0, inf], [inf, 2]]\ny(i) = min(j, W(i,j))", "csr") ==
        std::vector<int64_t>{0, 0, 1, 1});
  CHECK(entriesOf("const W(0, 2) = []\ny(i) = W(i,j)", "csr").empty());
}

TEST_CASE("the plan calls constants by that name, and passes none") {
  const Checked checked = check("const W(2, 3) = [[1, 0, 2], [0, 3, 0]]\ny(i) = W(i,j) * x(j)", {"W=csr"});
  REQUIRE(checked.kernel);
  const std::string plan = describe(*checked.kernel);
  INFO(plan);
  CHECK(plan.find("(x, y)\n") != std::string::npos);
  CHECK(plan.find("W(i=2, j=3): f64") != std::string::npos);
  CHECK(plan.find("; constant\n") != std::string::npos);
  CHECK(checked.program.starts_with("const W(2, 3) = [[1, 0, 2], [0, 3, 0]]\n"));
}

TEST_CASE("copies of constants are made before any call, and nobody is warned of them") {
  const Checked checked =
      check("const W(2, 2) = [[1, 0], [2, 3]]\nD(j,k) = W(i,j) * A(i,k)", {"W=csr", "A=csc", "D=csr"});
  REQUIRE(checked.kernel);
  INFO(describe(*checked.kernel));
  for (TensorId id : checked.kernel->tensors.ids())
    if (const auto *copy = checked.kernel->tensors[id].as<Converted>())
      CHECK(isConstant(*checked.kernel, id) == checked.kernel->tensors[copy->source].is<Constant>());
  const Checked alone =
      check("const W(2, 2) = [[1, 0], [2, 3]]\ny(i) = exp(W(i,j) + V(i,j)) * x(j)", {"W=csc", "V=csr"});
  for (const Diagnostic &one : alone.diagnostics->all())
    CHECK(one.message.find("'W' is reordered") == std::string::npos);
}

TEST_CASE("a result with the pattern of a constant is assembled, a temporary shares it") {
  const std::string w = "const W(2, 2) = [[1, 0], [0, 3]]\n";
  CHECK(check(w + "D(i,j) = W(i,j) * x(j)", {"W=csr"}).tensor("D").isAssembled());
  const Checked between =
      check(w + "let T(i,j) = W(i,j) * x(j)\ny(i) = exp(T(i,j)) * T(i,j)\nz(j) = T(i,j)", {"W=csr"});
  REQUIRE(between.has("T"));
  CHECK(between.kernel->tensors[*between.ownerOf("T")].is<Constant>());
}

TEST_CASE("what is said of constants") {
  const auto errorsOf = [](const std::string &text) { return check(text).errors(); };
  CHECK(errorsOf("const W(2) = [1, 2]\nW(i) = x(i)") == "constant-written");
  CHECK(errorsOf("const W(2) = [1, 2]\nW(i) += x(i)") == "constant-written");
  CHECK(errorsOf("const W(2) = [1, 2]\nlet W(i) = x(i)\ny(i) = W(i)") == "constant-written");
  CHECK(errorsOf("const W(2) = [1, 2]\ntensor W(2)\ny(i) = W(i)") == "duplicate-declaration");
  CHECK(errorsOf("const W(2) = [1, 2]\nconst W(2) = [1, 2]\ny(i) = W(i)") == "duplicate-declaration");
  CHECK(errorsOf("const i(2) = [1, 2]\ny(i) = x(i)") == "name-clash");
  CHECK(errorsOf("const W(3) = [1, 2]\ny(i) = W(i)") == "constant-shape");
  CHECK(errorsOf("const W(n, n) = [[1, 2]]\ny(i) = W(i,j)") == "shape-clash");
  CHECK(errorsOf("const W(2) = [1, 2]\ntensor x(3)\ny(i) = W(i) * x(i)") == "shape-clash");
  CHECK(errorsOf("const W(2): u8 = [1, -2]\ny(i) = W(i)") == "constant-value");
  CHECK(errorsOf("const W(2): bool = [1, 2]\ny(i) = W(i)") == "constant-value");
  CHECK(errorsOf("const W(1): f32 = [1i]\ny(i) = W(i)") == "constant-value");
  CHECK(errorsOf("const W(1): u64 = [18446744073709551616]\ny(i) = W(i)") == "constant-value");
  CHECK(errorsOf("const W(1): u64 = [18446744073709551615]\ny(i) = W(i)").empty());
  CHECK(errorsOf("const W(1): i64 = [-9223372036854775808]\ny(i) = W(i)").empty());
  CHECK(errorsOf("const W(1), sparse = [1]\ny(i) = W(i)") == "unbound-sparse");
  CHECK(errorsOf("const a, sparse = 1\ny(i) = a * x(i)") == "sparse-scalar");
  CHECK(errorsOf("const W(2): f31 = [1, 2]\ny(i) = W(i)") == "unknown-type");
  CHECK(check("const W(2) = [1, 2]\ny(i) = x(i)").count("unused") == 1);
  CHECK(errorsOf("const W(2) = [1, 2]\ny(i) = W(i) * x(i)").empty()); // x needs no declaration
}

} // namespace spc::sema
