#include "explain/regroup.h"

#include <algorithm>
#include <set>

namespace spc::explain {
namespace {

using Variables = std::set<std::string>;

/// Of a loop over blocks, or within one, the variable itself.
std::string variableOf(const sema::Loop &loop) {
  return loop.variable.substr(0, loop.variable.find(' '));
}

Variables variablesOf(const sema::Term &term, const sema::Operand &operand) {
  Variables variables;
  for (const sema::Index &index : operand.indices)
    for (const sema::IndexTerm &part : index.terms)
      variables.insert(variableOf(term.loops[part.loop]));
  return variables;
}

bool isProduct(const sema::Expr &expr) {
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    return isProduct(*negate->operand);
  if (const auto *binary = std::get_if<sema::Binary>(&expr.node))
    return binary->op == sema::BinaryOp::Mul && isProduct(*binary->left) && isProduct(*binary->right);
  return std::holds_alternative<sema::Use>(expr.node) || std::holds_alternative<sema::Literal>(expr.node);
}

class Regrouper {
public:
  Regrouper(const sema::Kernel &kernel, const sema::Term &term) : kernel_(kernel), term_(term) {
    for (const sema::Operand &operand : term.operands)
      variables_.push_back(variablesOf(term, operand));
    for (const sema::Loop &loop : term.loops)
      all_.insert(variableOf(loop));
  }

  std::optional<Regrouping> of(const std::string &summed) const {
    Variables inside;
    for (const Variables &own : variables_)
      if (own.contains(summed))
        inside.insert(own.begin(), own.end());
    Regrouping result{summed, {}, {}, {}};
    bool isSparse = false, cutsSparse = false;
    for (const sema::OperandId id : term_.operands.ids()) {
      const Variables &own = variables_[id.index()];
      const bool isStored = !kernel_.tensors[term_.operands[id].tensor].format.isDense();
      const bool isFactor = std::includes(inside.begin(), inside.end(), own.begin(), own.end()) && !own.empty();
      if (isFactor)
        result.factors.push_back(id);
      const auto isInside = [&](const std::string &one) { return inside.contains(one); };
      (isFactor ? isSparse : cutsSparse) |= isStored && std::any_of(own.begin(), own.end(), isInside);
    }
    std::set_difference(all_.begin(), all_.end(), inside.begin(), inside.end(), std::back_inserter(result.outside));
    inside.erase(summed);
    result.indices.assign(inside.begin(), inside.end());
    const bool isWhole = result.outside.empty() || result.factors.size() < 2;
    return isWhole || (cutsSparse && !isSparse) ? std::nullopt : std::optional(std::move(result));
  }

private:
  const sema::Kernel &kernel_;
  const sema::Term &term_;
  std::vector<Variables> variables_; ///< by operand
  Variables all_;
};

} // namespace

std::optional<Regrouping> regroupingOf(const sema::Kernel &kernel, const sema::Statement &statement,
                                       const sema::Term &term) {
  if (statement.reduction != sema::Reduction::Sum || !isProduct(*term.expr))
    return std::nullopt;
  const Regrouper regrouper(kernel, term);
  for (auto loop = term.loops.end(); loop != term.loops.begin();) // those that are summed innermost first
    if ((--loop)->isReduction)
      if (std::optional<Regrouping> found = regrouper.of(variableOf(*loop)))
        return found;
  return std::nullopt;
}

} // namespace spc::explain
