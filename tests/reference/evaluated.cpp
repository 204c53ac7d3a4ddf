#include "reference/evaluated.h"

#include "sema/analyze.h"
#include "syntax/parser.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace spc::testing {

static bool reads(const syntax::Expr &expr, const std::string &tensor) {
  const auto *access = std::get_if<syntax::Access>(&expr.node);
  const std::vector<const syntax::Expr *> below = syntax::children(expr);
  return (access && access->tensor.text == tensor) ||
         std::any_of(below.begin(), below.end(), [&](const syntax::Expr *child) { return reads(*child, tensor); });
}

static bool uses(const syntax::Kernel &kernel, const std::string &tensor) {
  return std::any_of(kernel.statements.begin(), kernel.statements.end(), [&](const syntax::Statement &statement) {
    return statement.target.tensor.text == tensor || reads(*statement.value, tensor);
  });
}

reference::Tensors evaluated(const std::string &text, const std::map<std::string, Given> &given,
                             const reference::Storages &storages) {
  SourceManager sources;
  Diagnostics diagnostics;
  const syntax::Kernel kernel = syntax::parse(sources.add("k.tex", text), diagnostics);
  sema::Options options{.function = "k"};
  for (const auto &[name, one] : given)
    if (uses(kernel, name))
      options.types.push_back({name, sema::spelling(one.type), {}, {}});
  const std::optional<sema::Program> program = sema::check(kernel, {}, options, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.all())
    UNSCOPED_INFO(diagnostic.message);
  REQUIRE(program);
  reference::Tensors tensors;
  for (const auto &[name, one] : given) {
    reference::Tensor &tensor = tensors.try_emplace(name, one.shape, one.type, one.isSparse, one.fill).first->second;
    tensor.fill({one.shape, one.coordinates, one.values, {}});
    if (one.isPadded)
      tensor.setPadded();
  }
  reference::evaluate(*program, tensors, storages);
  return tensors;
}

std::vector<double> valuesOf(const reference::Tensor &tensor, int64_t count) {
  std::vector<double> values;
  for (int64_t place = 0; place < count; ++place)
    values.push_back(tensor.at(place).number.real());
  return values;
}

} // namespace spc::testing
