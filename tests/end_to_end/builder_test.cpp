// Programs that no text was read for: the builder gives the plan and the assembly of their text.
#include "harness/formats.h"
#include "pipeline/compiler.h"
#include "sema/program_builder.h"
#include "syntax/parser.h"

#include <catch2/catch.hpp>

namespace spc::sema {
namespace {

using language::Index;
using language::Name;

Index index(const std::string &variable) {
  Index plain;
  plain.text = variable;
  plain.terms = {{{variable, {}}, 1}};
  return plain;
}

std::vector<Index> indices(const std::string &letters) {
  std::vector<Index> list;
  for (const char letter : letters)
    list.push_back(index(std::string(1, letter)));
  return list;
}

StatementTarget target(const std::string &tensor, const std::string &letters, bool isTemporary = false) {
  return {{tensor, {}}, indices(letters), {}, AssignOp::Assign, isTemporary};
}

language::TensorDecl declaration(const std::string &tensor, const std::vector<std::string> &extents,
                                 bool isSparse = false) {
  language::TensorDecl declared{{tensor, {}}, {}, {}, isSparse, {}, {}};
  for (const std::string &extent : extents)
    declared.extents.push_back({extent, {}});
  return declared;
}

NodePtr access(StatementBuilder &build, const std::string &tensor, const std::string &letters = "") {
  return build.access({tensor, {}}, indices(letters), {});
}

NodePtr product(StatementBuilder &build, NodePtr left, NodePtr right) {
  return build.binary(BinaryOp::Mul, std::move(left), std::move(right), {});
}

/// Tensors are met from the left to the right.
NodePtr product(StatementBuilder &build, const std::string &left, const std::string &leftIndices,
                const std::string &right, const std::string &rightIndices) {
  NodePtr first = access(build, left, leftIndices);
  return product(build, std::move(first), access(build, right, rightIndices));
}

NodePtr call(StatementBuilder &build, Function function, NodePtr argument) {
  std::vector<NodePtr> arguments;
  arguments.push_back(std::move(argument));
  return build.call(function, "", std::move(arguments), {});
}

void addSpmm(ProgramBuilder &program) {
  StatementBuilder build = program.statement(target("C", "ij"), {});
  build.finish(product(build, "A", "ik", "B", "kj"));
}

void addSddmm(ProgramBuilder &program) {
  program.declare(declaration("D", {"m", "n"}, true));
  program.declare(declaration("A", {"m", "n"}, true));
  program.declare(declaration("B", {"m", "r"}));
  program.declare(declaration("E", {"n", "r"}));
  StatementBuilder build = program.statement(target("D", "ij"), {});
  NodePtr left = product(build, "A", "ij", "B", "ik");
  build.finish(product(build, std::move(left), access(build, "E", "jk")));
}

/// Sparse attention: a softmax over the stored entries of each row.
void addAttention(ProgramBuilder &program) {
  {
    StatementBuilder build = program.statement(target("e", "ij", true), {});
    NodePtr isStored = call(build, Function::Pattern, access(build, "A", "ij"));
    NodePtr sum = build.reduce(Reduction::Sum, {{"k", {}}}, [&] { return product(build, "Q", "ik", "K", "jk"); }, {});
    NodePtr score = call(build, Function::Exp, product(build, std::move(sum), access(build, "scale")));
    build.finish(product(build, std::move(isStored), std::move(score)));
  }
  {
    StatementBuilder build = program.statement(target("t", "i", true), {});
    build.finish(build.reduce(Reduction::Sum, {{"j", {}}}, [&] { return access(build, "e", "ij"); }, {}));
  }
  StatementBuilder build = program.statement(target("O", "ih"), {});
  NodePtr sum = build.reduce(Reduction::Sum, {{"j", {}}}, [&] { return product(build, "e", "ij", "V", "jh"); }, {});
  build.finish(build.binary(BinaryOp::Div, std::move(sum), access(build, "t", "i"), {}));
}

struct Example {
  const char *text;
  void (*build)(ProgramBuilder &);
};

const Example kExamples[] = {
    {"C(i,j) = A(i,k) * B(k,j)\n", addSpmm},
    {"tensor D(m, n), sparse\ntensor A(m, n), sparse\ntensor B(m, r)\ntensor E(n, r)\n"
     "D(i,j) = A(i,j) * B(i,k) * E(j,k)\n",
     addSddmm},
    {"let e(i,j) = pattern(A(i,j)) * exp(sum(k, Q(i,k)*K(j,k)) * scale)\n"
     "let t(i) = sum(j, e(i,j))\nO(i,h) = sum(j, e(i,j)*V(j,h)) / t(i)\n",
     addAttention},
};

std::string assemblyOf(const Kernel &kernel) {
  pipeline::CompileOptions options;
  options.target.cpu = "x86-64-v3";
  options.target.triple = "x86_64-linux-gnu";
  options.target.optLevel = 2;
  Diagnostics diagnostics;
  const auto text = pipeline::compile(kernel, pipeline::Stage::Assembly, options, diagnostics);
  REQUIRE(text);
  return *text;
}

TEST_CASE("the builder alone gives the plan and the assembly of a kernel's text", "[builder]") {
  for (const Example &example : kExamples) {
    INFO(example.text);
    const std::vector<format::Binding> bindings{format::bindingOf("A", testing::makeFormat("csr", 2, {}))};
    const Options options{.function = "k", .verify = true};
    Diagnostics diagnostics;
    SourceManager sources;
    const syntax::Kernel tree = syntax::parse(sources.add("k.tex", example.text), diagnostics);
    const std::optional<Kernel> read = analyze(tree, bindings, options, diagnostics);

    ProgramBuilder builder(bindings, options, diagnostics);
    example.build(builder);
    const std::optional<Program> program = builder.finish();
    REQUIRE(program);
    std::optional<Kernel> built = plan(*program, options, diagnostics);
    REQUIRE((read && built));
    CHECK(describe(*built) == describe(*read));
    built->kernelFile = read->kernelFile; // which comments of the assembly may name
    CHECK(assemblyOf(*built) == assemblyOf(*read));
  }
}

TEST_CASE("the builder reports what is wrong at the places that it is given", "[builder]") {
  SourceManager sources;
  const SourceFile &file = sources.add("model.mlir", "%0 = spmv\n");
  const Span place{&file, 0, 2};
  Diagnostics diagnostics;
  const Options options{.function = "k"};
  const std::vector<format::Binding> none;
  ProgramBuilder builder(none, options, diagnostics);
  builder.declare(declaration("A", {"m", "n"}));
  StatementBuilder build = builder.statement(target("y", "i"), place);
  build.finish(build.access({"A", place}, indices("i"), place));
  CHECK(!builder.finish());
  REQUIRE(diagnostics.all().size() == 1);
  const Diagnostic &only = diagnostics.all().front();
  CHECK(only.kind.id == std::string_view("order-mismatch"));
  CHECK((only.where.file == &file && only.where.begin == 0 && only.where.end == 2));
}

} // namespace
} // namespace spc::sema
