#include "sema/substitution.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace spc::sema {
namespace {

void addMultiple(IndexSum &sum, Variable::Multiple multiple) {
  const auto same = std::find_if(sum.terms.begin(), sum.terms.end(),
                                 [&](const Variable::Multiple &other) { return other.variable == multiple.variable; });
  if (same == sum.terms.end())
    sum.terms.push_back(multiple);
  else if ((same->scale += multiple.scale) == 0)
    sum.terms.erase(same);
}

class Substitution {
public:
  Substitution(const Substituted &sums, Scope &scope, const KernelHead &kernel)
      : sums_(sums), scope_(scope), kernel_(kernel) {}

  /// `isCompared`: the node is in a comparison of indices.
  bool run(Node &node, bool isCompared) {
    if (auto *use = std::get_if<AccessNode>(&node.kind)) {
      use->access = substituted(use->access);
      return true;
    }
    if (const auto *index = std::get_if<IndexNode>(&node.kind)) {
      const auto known = sums_.find(index->variable);
      if (known == sums_.end())
        return true;
      node = std::move(*valueOf(known->second, node.where));
      return isCompared || !known->second.terms.empty();
    }
    const auto *call = std::get_if<CallNode>(&node.kind);
    const bool isMask = call && language::isComparison(call->function) && isIndexMask(node, scope_, kernel_);
    const std::vector<Node *> below = children(node);
    return std::all_of(below.begin(), below.end(), [&](Node *child) { return run(*child, isCompared || isMask); }) &&
           (!isMask || isIndexMask(node, scope_, kernel_));
  }

private:
  IndexSum substituted(const IndexSum &sum) const {
    IndexSum result{{}, sum.constant};
    for (const Variable::Multiple &term : sum.terms) {
      const auto known = sums_.find(term.variable);
      if (known == sums_.end()) {
        addMultiple(result, term);
        continue;
      }
      for (const Variable::Multiple &part : known->second.terms)
        addMultiple(result, {part.variable, part.scale * term.scale});
      result.constant += known->second.constant * term.scale;
    }
    return result;
  }

  AccessId substituted(AccessId id) {
    Access access = scope_.accesses[id];
    std::vector<VariableId> indices;
    for (size_t dim = 0; dim < access.variables.size(); ++dim) {
      const VariableId before = access.variables[dim];
      const IndexSum sum = substituted(sumOf(before, scope_));
      // An index that does not run over the whole dimension is a window of it.
      const bool isRepeated =
          sum.isVariable() &&
          scope_.variables[sum.terms.front().variable].extent == kernel_.tensors[access.tensor].extents[dim] &&
          (scope_.variables[before].kind != Variable::Kind::Derived || scope_.variables[before].isRepeated);
      const bool isPlain = isRepeated && !has(indices, sum.terms.front().variable);
      indices.push_back(isPlain ? sum.terms.front().variable : derived(access.tensor, dim, sum, isRepeated));
    }
    access.variables = std::move(indices);
    return scope_.intern(std::move(access));
  }

  /// The variable that indexes a dimension by a sum.
  VariableId derived(TensorId tensor, size_t dim, const IndexSum &sum, bool isRepeated) {
    const Variable own{textOf(sum, scope_),
                       Variable::Kind::Derived,
                       kernel_.tensors[tensor].extents[dim],
                       tensor,
                       static_cast<int>(dim),
                       sum.terms,
                       sum.constant,
                       isRepeated};
    for (VariableId id : scope_.variables.ids())
      if (const Variable &other = scope_.variables[id];
          other.kind == own.kind && other.tensor == own.tensor && other.dim == own.dim && other.terms == own.terms &&
          other.constant == own.constant && other.isRepeated == own.isRepeated)
        return id;
    return scope_.variables.add(own);
  }

  const Substituted &sums_;
  Scope &scope_;
  const KernelHead &kernel_;
};

} // namespace

std::string textOf(const IndexSum &sum, const Scope &scope) {
  std::string text;
  const auto add = [&](int64_t number, const std::string &what) {
    const std::string size = what.empty() || std::abs(number) != 1 ? std::to_string(std::abs(number)) : "";
    text += text.empty() ? (number < 0 ? "-" : "") : (number < 0 ? " - " : " + ");
    text += size + (size.empty() || what.empty() ? "" : "*") + what;
  };
  for (const Variable::Multiple &term : sum.terms)
    add(term.scale, scope.variables[term.variable].name);
  if (sum.constant != 0 || text.empty())
    add(sum.constant, "");
  return text;
}

NodePtr valueOf(const IndexSum &sum, Span where) {
  const auto numberOf = [&](int64_t number) {
    return makeNode(NumberNode{static_cast<double>(number), std::to_string(number)}, where);
  };
  NodePtr value;
  const auto add = [&](NodePtr addend) {
    value = value ? makeBinary(BinaryOp::Add, std::move(value), std::move(addend)) : std::move(addend);
  };
  for (const Variable::Multiple &term : sum.terms) {
    NodePtr index = makeNode(IndexNode{term.variable}, where);
    add(term.scale == 1 ? std::move(index) : makeBinary(BinaryOp::Mul, numberOf(term.scale), std::move(index)));
  }
  if (sum.constant != 0 || !value)
    add(numberOf(sum.constant));
  return value;
}

IndexSum sumOf(VariableId index, const Scope &scope) {
  const Variable &variable = scope.variables[index];
  if (variable.kind != Variable::Kind::Derived)
    return {{{index, 1}}, 0};
  return {variable.terms, variable.constant};
}

bool substitute(Node &node, const Substituted &sums, Scope &scope, const KernelHead &kernel) {
  return Substitution(sums, scope, kernel).run(node, /*isCompared=*/false);
}

} // namespace spc::sema
