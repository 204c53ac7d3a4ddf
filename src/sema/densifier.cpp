#include "sema/densifier.h"

#include "sema/expression_types.h"
#include "sema/sparsity.h"

#include <algorithm>
#include <sstream>

namespace spc::sema {
namespace {

std::string reasonFor(std::optional<double> fill) {
  std::ostringstream reason;
  reason << "this ";
  if (fill)
    reason << "is " << *fill;
  else
    reason << "has a value";
  reason << " where nothing is stored";
  return reason.str();
}

class DensifierFinder {
public:
  DensifierFinder(const Scope &scope, const Kernel &kernel) : scope_(scope), kernel_(kernel) {}

  std::optional<Densifier> find(const Node &node, ValueType type) const {
    const std::optional<double> fill = sparsityOf(node, type, scope_, kernel_).fill;
    if (fill == 0.0)
      return std::nullopt;
    const std::vector<const Node *> below = children(node);
    const auto *call = std::get_if<CallNode>(&node.kind);
    const auto *binary = std::get_if<BinaryNode>(&node.kind);
    for (size_t k = 0; k < below.size(); ++k) {
      // Of a product, or a quotient, only a factor with a sparse operand could have been 0.
      const bool isFactor = binary && (binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div);
      if (isFactor && (!hasSparse(*below[k], scope_, kernel_) || (binary->op == BinaryOp::Div && k == 1)))
        continue;
      const ValueType inside = call ? argumentType(*call, k, type, scope_, kernel_) : type;
      if (const std::optional<Densifier> part = find(*below[k], inside))
        return part;
    }
    return Densifier{node.where, reasonFor(fill)};
  }

private:
  const Scope &scope_;
  const Kernel &kernel_;
};

} // namespace

std::optional<Densifier> densifierOf(const Node &term, ValueType type, const Scope &scope, const Kernel &kernel) {
  return DensifierFinder(scope, kernel).find(term, type);
}

bool looksSparse(const Draft &draft, const Scope &scope, const Kernel &kernel) {
  bool hasSparse = false;
  for (const DraftTerm &term : draft.terms)
    for (AccessId id : accessesOf(*term.expr)) {
      const std::vector<VariableId> variables = plainVariables(scope.accesses[id], scope);
      const bool hasAll =
          std::all_of(draft.targetVariables.begin(), draft.targetVariables.end(), [&](VariableId variable) {
            return std::find(variables.begin(), variables.end(), variable) != variables.end();
          });
      if (!hasAll)
        continue;
      const bool isVector = draft.targetVariables.size() == 1 && variables.size() > 1;
      const bool isDense = kernel.tensors[scope.accesses[id].tensor].format.isDense();
      if (isDense)
        return false;
      hasSparse |= !isVector;
    }
  return hasSparse;
}

} // namespace spc::sema
