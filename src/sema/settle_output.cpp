// The format of outputs: bound by the user, else the pattern that the expression keeps, else dense.
#include "sema/draft.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kAssembledOutput{"assembled-output", Severity::Error};
constexpr DiagnosticKind kUnboundSparseOutput{"unbound-sparse-output", Severity::Error};
constexpr DiagnosticKind kOutputFormat{"output-format", Severity::Note};
constexpr DiagnosticKind kDensify{"densify", Severity::Warning};

using Pattern = std::variant<KeptPattern, PatternLoss>;

class OutputSettler {
public:
  OutputSettler(Analysis &analysis, const Draft &draft)
      : analysis_(analysis), draft_(draft), scope_(analysis.statements[draft.statement].scope),
        target_(analysis.kernel.tensors[draft.target]), symbol_(analysis.symbols[draft.target]) {}

  void settle() {
    bool isFirstWrite = symbol_.firstWrite == static_cast<int>(draft_.statement);
    bool isOpen = isFirstWrite && !symbol_.isOperand && !symbol_.boundBy;
    Pattern pattern = findKeptPattern(draft_, scope_, analysis_.kernel);
    if (isOpen)
      chooseFormat(laterStatementsKeep(pattern));
    else if (!target_.format.isDense())
      checkSparseTarget(pattern);
  }

private:
  // The tensor whose structure `tensor` has: itself, or the one that it shares it with.
  TensorId structureOf(TensorId tensor) const {
    const Tensor &sharing = analysis_.kernel.tensors[tensor];
    const std::optional<TensorId> owner = sharing.structureOf ? sharing.structureOf : sharing.patternOf;
    return owner && *owner != tensor ? structureOf(*owner) : tensor;
  }

  format::Format formatFrom(const KeptPattern &pattern) const {
    format::Format format = format::permuted(analysis_.kernel.tensors[pattern.source].format, pattern.targetDimension);
    if (!std::is_sorted(pattern.targetDimension.begin(), pattern.targetDimension.end()))
      format.name.clear();
    return format;
  }

  // The pattern of the first statement stands only when the later ones that write the target keep it too.
  Pattern laterStatementsKeep(Pattern pattern) const {
    for (size_t later = draft_.statement + 1; later < analysis_.statements.size(); ++later) {
      if (analysis_.statements[later].target.tensor != draft_.target || !std::holds_alternative<KeptPattern>(pattern))
        continue;
      Kernel kernel;
      kernel.tensors = analysis_.kernel.tensors;
      kernel.tensors[draft_.target].format = formatFrom(std::get<KeptPattern>(pattern));
      Scope scope = analysis_.statements[later].scope;
      Diagnostics trial;
      Draft other = expandTerms(analysis_, later, kernel, scope, trial).main;
      Pattern kept = findKeptPattern(other, scope, kernel);
      if (auto *same = std::get_if<KeptPattern>(&kept); same && isSelf(*same))
        continue;
      if (!std::holds_alternative<KeptPattern>(kept) || std::get<KeptPattern>(kept) != std::get<KeptPattern>(pattern))
        return PatternLoss{other.where, "a later statement does not keep the same pattern"};
    }
    return pattern;
  }

  bool isSelf(const KeptPattern &pattern) const {
    return pattern.source == draft_.target &&
           std::is_sorted(pattern.targetDimension.begin(), pattern.targetDimension.end());
  }

  void chooseFormat(const Pattern &pattern) {
    if (const auto *kept = std::get_if<KeptPattern>(&pattern)) {
      target_.format = formatFrom(*kept);
      target_.patternOf = structureOf(kept->source);
      analysis_.diagnostics.report(kOutputFormat, draft_.where,
                                   "output " + inQuotes(target_.name) + " takes the pattern of " +
                                       inQuotes(analysis_.kernel.tensors[kept->source].name) + ": " +
                                       storage(target_.format));
      return;
    }
    if (symbol_.declaration && symbol_.declaration->sparse) {
      const auto &loss = std::get<PatternLoss>(pattern);
      analysis_.diagnostics
          .report(kUnboundSparseOutput, symbol_.declaration->where,
                  inQuotes(target_.name) + " is declared sparse, but nothing says how it is stored")
          .note(loss.where, "no operand's pattern is kept: " + loss.reason)
          .advise("drop 'sparse' for a dense result");
      return;
    }
    reportDense(std::get<PatternLoss>(pattern));
  }

  void reportDense(const PatternLoss &loss) {
    bool hasSparse = false;
    for (const Access &access : scope_.accesses)
      hasSparse |= !analysis_.kernel.tensors[access.tensor].format.isDense();
    if (!hasSparse || target_.order() == 0)
      return;
    Diagnostic &dense =
        couldBeSparse() ? analysis_.diagnostics
                              .report(kDensify, draft_.where,
                                      "output " + inQuotes(target_.name) +
                                          " is dense, though only sparse operands decide which of its elements are set")
                              .advise("bind it, --format " + target_.name + "=dense, to say that dense is meant")
                        : analysis_.diagnostics.report(kOutputFormat, draft_.where,
                                                       "output " + inQuotes(target_.name) + " is dense");
    if (loss.byStorage)
      dense.note(loss.where, loss.reason);
  }

  // Does every term have sparse operands that cover the target's variables? A vector from a matrix is dense by nature.
  bool couldBeSparse() const {
    return std::all_of(draft_.terms.begin(), draft_.terms.end(), [&](const DraftTerm &term) {
      std::vector<VariableId> covered;
      for (AccessId id : accessesOf(*term.expr)) {
        const Access &access = scope_.accesses[id];
        const Tensor &tensor = analysis_.kernel.tensors[access.tensor];
        if (!tensor.format.isDense() && (target_.order() > 1 || tensor.order() == 1))
          covered.insert(covered.end(), access.variables.begin(), access.variables.end());
      }
      return std::all_of(draft_.targetVariables.begin(), draft_.targetVariables.end(), [&](VariableId variable) {
        return std::find(covered.begin(), covered.end(), variable) != covered.end();
      });
    });
  }

  void checkSparseTarget(const Pattern &pattern) {
    const std::string name = inQuotes(target_.name);
    const char *message = " is sparse, and this statement does not keep an operand's pattern that it could share";
    if (const auto *loss = std::get_if<PatternLoss>(&pattern)) {
      refuse(name + message).note(loss->where, loss->reason).advise("store the output densely");
      return;
    }
    const auto &kept = std::get<KeptPattern>(pattern);
    const std::string source = inQuotes(analysis_.kernel.tensors[kept.source].name);
    format::Format needed = formatFrom(kept);
    if (!needed.sameStorage(target_.format)) {
      refuse(name + " is stored as " + storage(target_.format) + ", which is not the storage of " + source)
          .advise("to share its pattern, " + name + " must be " + storage(needed) +
                  ", which it is when nothing binds it");
      return;
    }
    TensorId structure = structureOf(kept.source);
    if (target_.structureOf && structure != structureOf(draft_.target))
      refuse(name + " is bound to the structure of " + inQuotes(analysis_.kernel.tensors[*target_.structureOf].name) +
             ", but this statement keeps that of " + source)
          .advise("drop the binding, or store the output densely");
    else if (target_.patternOf && structure != structureOf(draft_.target))
      refuse(name + " already shares the pattern of " + inQuotes(analysis_.kernel.tensors[*target_.patternOf].name) +
             ", not that of " + source)
          .advise("store the output densely");
    else if (!target_.patternOf)
      target_.patternOf = kept.source == draft_.target ? draft_.target : structure; // itself, when scaled in place
  }

  /// A format of the target in words, with the statement's own index variables.
  std::string storage(const format::Format &format) const {
    return format::describe(format, namesOf(draft_.targetVariables, scope_));
  }

  Diagnostic &refuse(std::string message) {
    return analysis_.diagnostics.report(kAssembledOutput, analysis_.statements[draft_.statement].source->targetWhere,
                                        std::move(message));
  }

  Analysis &analysis_;
  const Draft &draft_;
  const Scope &scope_;
  Tensor &target_;
  const Symbol &symbol_;
};

} // namespace

void settleOutput(Analysis &analysis, const Draft &draft) {
  OutputSettler(analysis, draft).settle();
}

} // namespace spc::sema
