#include "harness/named_sizes.h"

#include <set>
#include <string>

namespace spc::testing {
namespace {

/// Names that index something alone.
void noteVariables(const syntax::Access &access, std::set<std::string> &variables) {
  for (const syntax::Index &index : access.indices)
    if (index.isPlain())
      variables.insert(index.text);
}

void noteVariables(const syntax::Expr &expr, std::set<std::string> &variables) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    noteVariables(*access, variables);
  for (const syntax::Expr *child : syntax::children(expr))
    noteVariables(*child, variables);
}

} // namespace

TensorMap sizesIn(const syntax::Kernel &kernel, const TensorMap &tensors) {
  std::set<std::string> variables;
  for (const syntax::Statement &statement : kernel.statements) {
    noteVariables(statement.target, variables);
    noteVariables(*statement.value, variables);
  }
  TensorMap sizes;
  for (const syntax::TensorDecl &declaration : kernel.declarations)
    if (const auto tensor = tensors.find(declaration.name.text); tensor != tensors.end())
      for (size_t dim = 0; dim < declaration.extents.size(); ++dim)
        if (const auto *name = std::get_if<std::string>(&declaration.extents[dim].value);
            name && !variables.contains(*name)) {
          DenseTensor size{.values = {static_cast<double>(tensor->second.shape[dim])}, .type = sema::ValueType::I64};
          sizes.emplace(*name, std::move(size));
        }
  return sizes;
}

} // namespace spc::testing
