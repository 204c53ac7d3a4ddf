// Dense temporaries that are computed at every element, though all that reads them wants some: where one of several
// sparse operands has an entry, or what is no sum is wanted, no pattern is kept.
#include "sema/terms/densifier.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kUnmasked{"asymptotic", Severity::Warning};

class UnmaskedTemporaries {
public:
  UnmaskedTemporaries(Planning &planning, const std::vector<Expansion> &expansions) : planning_(planning) {
    for (const Expansion &expansion : expansions) {
      for (const LogicalStatement &temporary : expansion.temporaries)
        statements_.push_back(&temporary);
      statements_.push_back(&expansion.main);
    }
  }

  void run() {
    for (const LogicalStatement *logical : statements_)
      if (isComputedEverywhere(*logical) && !isLargeBesideSparse(*logical))
        if (const std::optional<std::string> wanted = wantedWhere(logical->target))
          planning_.diagnostics
              .report(kUnmasked, logical->where,
                      "this is computed for every element, though it is wanted only where sparse operands have entries")
              .advise("say so within it: with W = " + *wanted +
                      (reduces(*logical)
                           ? ", multiply by W what a sum adds up, and choose by W what another reduction takes"
                           : ", multiply it by W"));
  }

private:
  const Scope &scopeOf(const LogicalStatement &logical) const { return planning_.statements[logical.statement].scope; }

  static bool reduces(const LogicalStatement &logical) {
    return std::any_of(logical.terms.begin(), logical.terms.end(),
                       [](const LogicalTerm &term) { return !term.reductions.empty(); });
  }

  /// Whether no operand has as many dimensions as what is made of it.
  bool isSpread(const LogicalStatement &logical) const {
    const Scope &scope = scopeOf(logical);
    return std::all_of(logical.terms.begin(), logical.terms.end(), [&](const LogicalTerm &term) {
      const std::vector<AccessId> accesses = accessesOf(*term.expr);
      return std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
        return scope.accesses[id].variables.size() < logical.targetVariables.size();
      });
    });
  }

  /// Whether a statement makes an array of two or more dimensions from dense operands, each element by a reduction or
  /// of smaller operands, and no other one writes it.
  bool isComputedEverywhere(const LogicalStatement &logical) const {
    const Tensor &target = planning_.kernel.tensors[logical.target];
    const bool isNamed = logical.target == planning_.statements[logical.statement].target.tensor;
    const bool isArray =
        target.is<Temporary>() && target.format.isDense() && !(isNamed && planning_.symbols[logical.target].boundBy);
    return isArray && (reduces(logical) || isSpread(logical)) && !logical.isPart &&
           logical.targetVariables.size() > 1 &&
           std::none_of(
               logical.terms.begin(), logical.terms.end(),
               [&](const LogicalTerm &term) { return hasSparse(*term.expr, scopeOf(logical), planning_.kernel); }) &&
           std::none_of(statements_.begin(), statements_.end(), [&](const LogicalStatement *other) {
             return other != &logical && other->target == logical.target;
           });
  }

  /// Whether a temporary of a statement's has all indices of its target, which stores some elements: 'densify' names
  /// it.
  bool isLargeBesideSparse(const LogicalStatement &logical) const {
    const Access target = planning_.statements[logical.statement].target;
    return logical.target != target.tensor && target.variables.size() > 1 &&
           !planning_.kernel.tensors[target.tensor].format.isDense() &&
           std::all_of(target.variables.begin(), target.variables.end(),
                       [&](VariableId variable) { return has(logical.targetVariables, variable); });
  }

  /// The patterns by which all that reads a temporary wants it, in the readers' indices; nullopt where something wants
  /// all of it.
  std::optional<std::string> wantedWhere(TensorId temporary) const {
    std::optional<std::string> wanted;
    for (const LogicalStatement *reader : statements_)
      for (const LogicalTerm &term : reader->terms)
        for (AccessId id : accessesOf(*term.expr)) {
          const Scope &scope = scopeOf(*reader);
          if (scope.accesses[id].tensor != temporary)
            continue;
          const Sparsity sparsity = sparsityOf(*term.expr, reader->computeType, scope, planning_.kernel);
          const std::string own = sparsity.domain && sparsity.fill == reader->targetDefault
                                      ? patternsIn(*sparsity.domain, scope.accesses[id].variables, scope)
                                      : "";
          if (own.empty())
            return std::nullopt;
          if (!wanted || wanted->find(own) == std::string::npos)
            wanted = wanted ? *wanted + " or " + own : own;
        }
    return wanted;
  }

  /// The patterns of operands that have some of the variables and no others, one of which has an entry wherever the
  /// domain has one; empty where nothing says so.
  std::string patternsIn(const AccessDomain &domain, const std::vector<VariableId> &variables,
                         const Scope &scope) const {
    if (domain.kind == DomainKind::Stored) {
      const Access &own = scope.accesses[domain.operand];
      const bool isWithin = std::all_of(own.variables.begin(), own.variables.end(),
                                        [&](VariableId variable) { return has(variables, variable); });
      return isWithin && !planning_.kernel.tensors[own.tensor].is<Tie>() ? "pattern(" + textOf(own, scope) + ")" : "";
    }
    std::string text;
    for (const AccessDomain &part : domain.parts) {
      const std::string own = patternsIn(part, variables, scope);
      if (domain.kind == DomainKind::All && !own.empty())
        return own;
      if (domain.kind == DomainKind::Any && own.empty())
        return "";
      text += (text.empty() ? "" : " or ") + own;
    }
    return text;
  }

  /// 'A(i,j)'.
  std::string textOf(const Access &access, const Scope &scope) const {
    std::string indices;
    for (const std::string &name : namesOf(access.variables, scope))
      indices += (indices.empty() ? "" : ",") + name;
    return planning_.kernel.tensors[access.tensor].name + "(" + indices + ")";
  }

  Planning &planning_;
  std::vector<const LogicalStatement *> statements_;
};

} // namespace

void warnOfUnmasked(Planning &planning, const std::vector<Expansion> &expansions) {
  UnmaskedTemporaries(planning, expansions).run();
}

} // namespace spc::sema
