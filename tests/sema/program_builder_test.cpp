// The builder without a parser in front of it: what only the parser would see is reported as well.
#include "sema/check.h"
#include "sema/program_builder.h"

#include <catch2/catch.hpp>

#include <functional>

namespace spc::sema {
namespace {

using namespace test;

/// The ids of what is reported of `y(i) = …`.
std::string errorsOf(const std::function<NodePtr(StatementBuilder &)> &value) {
  const std::vector<format::Binding> none;
  const Options options{.function = "k"};
  Diagnostics diagnostics;
  ProgramBuilder builder(none, options, diagnostics);
  StatementBuilder build = builder.statement({{"y", {}}, {indexOf("i")}, {}}, {});
  build.finish(value(build));
  CHECK(builder.finish().has_value() == !diagnostics.hasErrors());
  std::string ids;
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.severity == Severity::Error)
      ids += std::string(ids.empty() ? "" : " ") + std::string(diagnostic.kind.id);
  return ids;
}

NodePtr x(StatementBuilder &build) {
  return build.access({"x", {}}, {indexOf("i")}, {});
}

NodePtr call(StatementBuilder &build, Function function, const std::string &name, size_t count) {
  std::vector<NodePtr> arguments;
  for (size_t k = 0; k < count; ++k)
    arguments.push_back(x(build));
  return build.call(function, name, std::move(arguments), {});
}

TEST_CASE("the builder reports calls with the wrong number of arguments") {
  CHECK(errorsOf([](auto &build) { return call(build, Function::Exp, "", 1); }).empty());
  CHECK(errorsOf([](auto &build) { return call(build, Function::Exp, "", 2); }) == "argument-count");
  CHECK(errorsOf([](auto &build) { return call(build, Function::Pattern, "", 0); }) == "argument-count");
  CHECK(errorsOf([](auto &build) { return call(build, Function::Select, "", 2); }) == "argument-count");
  CHECK(errorsOf([](auto &build) { return call(build, Function::And, "", 1); }) == "argument-count");
}

TEST_CASE("the builder reports conversions to what is no type") {
  CHECK(errorsOf([](auto &build) { return call(build, Function::Cast, "f32", 1); }).empty());
  CHECK(errorsOf([](auto &build) { return call(build, Function::Cast, "f31", 1); }) == "unknown-type");
}

TEST_CASE("the builder reports reductions over nothing") {
  for (const Reduction reduction : {Reduction::Sum, Reduction::Mean, Reduction::ArgMin, Reduction::Count})
    CHECK(errorsOf([&](auto &build) { return build.reduce(reduction, {}, [&] { return x(build); }, {}); }) ==
          "missing-sum-variable");
}

TEST_CASE("the builder reports tensors of too high an order") {
  const std::vector<language::Index> many(9, indexOf("i"));
  CHECK(errorsOf([&](auto &build) { return build.access({"x", {}}, many, {}); }) == "order-too-high");
}

} // namespace
} // namespace spc::sema
