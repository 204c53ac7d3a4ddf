#include "sema/terms/densifier.h"

#include "sema/equations.h"
#include "sema/expression_types.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/expander.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <sstream>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kStoresAll{"densify", Severity::Warning};

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
    return Densifier{node.where, reasonFor(fill), adviceFor(node)};
  }

private:
  std::string adviceFor(const Node &node) const {
    if (equationsOfProduct(node, scope_, kernel_).empty())
      return "multiply this by pattern(...) where only stored entries are meant";
    return "write the condition of select as a factor, which is 0 elsewhere whatever it multiplies, c*(i == j) for "
           "c*select(i == j, 1, 0)";
  }

  const Scope &scope_;
  const Kernel &kernel_;
};

} // namespace

std::optional<Densifier> densifierOf(const Node &term, ValueType type, const Scope &scope, const Kernel &kernel) {
  return DensifierFinder(scope, kernel).find(term, type);
}

bool looksSparse(const LogicalStatement &logical, const Scope &scope, const Kernel &kernel) {
  const auto hasTargets = [&](AccessId id) {
    const std::vector<VariableId> own = plainVariables(scope.accesses[id], scope);
    const bool isRow = logical.targetVariables.size() == 1 && own.size() > 1;
    return !isRow && std::all_of(logical.targetVariables.begin(), logical.targetVariables.end(),
                                 [&](VariableId variable) { return has(own, variable); });
  };
  bool isSparse = false;
  for (const LogicalTerm &term : logical.terms) {
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    if (hasSparse(*term.expr, scope, kernel))
      isSparse |= std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
        return hasTargets(id) && !kernel.tensors[scope.accesses[id].tensor].format.isDense();
      });
    else if (std::any_of(accesses.begin(), accesses.end(), hasTargets))
      return false;
  }
  return isSparse;
}

/// The variables of an access that are dense for each entry of its structure.
static std::vector<VariableId> tailOf(const Access &access, const Kernel &kernel) {
  std::vector<VariableId> tail;
  for (size_t dim : tailDims(kernel, access.tensor))
    tail.push_back(access.variables[dim]);
  return tail;
}

bool couldBeSparse(const LogicalStatement &logical, const Scope &scope, const Kernel &kernel) {
  const std::vector<VariableId> &targets = logical.targetVariables;
  return std::all_of(logical.terms.begin(), logical.terms.end(), [&](const LogicalTerm &term) {
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    std::vector<VariableId> tails, covered;
    for (AccessId id : accesses)
      for (VariableId variable : tailOf(scope.accesses[id], kernel))
        tails.push_back(variable);
    const auto order = std::count_if(targets.begin(), targets.end(), [&](VariableId v) { return !has(tails, v); });
    for (AccessId id : accesses) {
      const Access &access = scope.accesses[id];
      const size_t own = access.variables.size() - tailOf(access, kernel).size();
      if (!kernel.tensors[access.tensor].format.isDense() && (order > 1 || own == 1))
        covered.insert(covered.end(), access.variables.begin(), access.variables.end());
    }
    return std::all_of(targets.begin(), targets.end(), [&](VariableId variable) { return has(covered, variable); });
  });
}

bool couldBeListed(const LogicalStatement &logical, const Planning &planning) {
  if (!holdsSum(*planning.statements[logical.statement].value))
    return false;
  Kernel kernel;
  kernel.extents = planning.kernel.extents;
  kernel.tensors = planning.kernel.tensors;
  format::Format &format = kernel.tensors[logical.target].format;
  format = plainFormat(format, true);
  Scope scope = planning.statements[logical.statement].scope;
  Diagnostics trial;
  // A trial asks for no copies, and no products that plans are chosen for.
  const CopyRequests copies = planning.copies;
  const Contractions contractions = planning.contractions;
  const LogicalStatement listed = expandTerms(planning, logical.statement, kernel, scope, trial).main;
  planning.copies = copies;
  planning.contractions = contractions;
  return !trial.hasErrors() && couldBeSparse(listed, scope, kernel) &&
         std::none_of(listed.terms.begin(), listed.terms.end(),
                      [&](const LogicalTerm &term) { return isEverywhere(term, listed, scope, kernel); });
}

bool isEverywhere(const LogicalTerm &term, const LogicalStatement &logical, const Scope &scope, const Kernel &kernel) {
  return hasDomain(*term.expr, logical.reduction, scope, kernel) &&
         domainOfTerm(*term.expr, logical.targetDefault, logical.computeType, scope, kernel).kind ==
             AccessDomain::Kind::Everywhere;
}

void warnIfFull(Planning &planning, const LogicalStatement &logical) {
  const Scope &scope = planning.statements[logical.statement].scope;
  const std::string target = quotedName(planning.kernel, logical.target);
  const bool isMixed = looksSparse(logical, scope, planning.kernel);
  for (const LogicalTerm &term : logical.terms) {
    if (!isEverywhere(term, logical, scope, planning.kernel) &&
        (!isMixed || hasSparse(*term.expr, scope, planning.kernel)))
      continue;
    const Densifier culprit = densifierOf(*term.expr, logical.computeType, scope, planning.kernel)
                                  .value_or(Densifier{term.where, "this term is not what missing entries are", ""});
    planning.diagnostics
        .report(kStoresAll, culprit.where, "every element of " + target + " is stored: " + culprit.reason)
        .advise("store " + target + " densely, or multiply the term by what it is wanted at");
  }
}

} // namespace spc::sema
