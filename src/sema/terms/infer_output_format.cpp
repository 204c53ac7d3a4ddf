// The format of outputs: bound by the user, else the pattern that the expression keeps, else dense.
#include "sema/fold.h"
#include "sema/terms/copy_advice.h"
#include "sema/terms/densifier.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kAssembledOutput{"assembled-output", Severity::Error};
constexpr DiagnosticKind kUnboundSparseOutput{"unbound-sparse-output", Severity::Error};
constexpr DiagnosticKind kOutputFormat{"output-format", Severity::Note};
constexpr DiagnosticKind kDensify{"densify", Severity::Warning};

using Pattern = std::variant<KeptPattern, PatternLoss>;

class OutputFormatInference {
public:
  OutputFormatInference(Analysis &analysis, LogicalStatement &logical)
      : analysis_(analysis), logical_(logical), scope_(analysis.statements[logical.statement].scope),
        target_(analysis.kernel.tensors[logical.target]), symbol_(analysis.symbols[logical.target]) {}

  void run() {
    bool isFirstWrite = symbol_.firstWrite == static_cast<int>(logical_.statement);
    inferFill(isFirstWrite);
    inferFormat(isFirstWrite);
    checkFill();
  }

private:
  void inferFormat(bool isFirstWrite) {
    if (target_.isAssembled()) {
      (void)refuseReduction();
      return;
    }
    bool isOpen = isFirstWrite && !symbol_.isOperand && !symbol_.boundBy;
    Pattern pattern = findKeptPattern(logical_, scope_, analysis_.kernel);
    if (isOpen)
      chooseFormat(laterStatementsKeep(pattern));
    else if (!target_.format.isDense())
      decideStructure(pattern, isFirstWrite);
  }

  /// A target without a declared fill takes what the first statement makes of places where nothing is stored; outputs
  /// only where an operand has such a fill, too.
  void inferFill(bool isFirstWrite) {
    const Kernel &kernel = analysis_.kernel;
    const Node &value = *logical_.terms.front().expr;
    const bool isDeclared = symbol_.declaration && symbol_.declaration->fill;
    const bool mayInfer = target_.is<Temporary>() || hasFill(value, scope_, kernel);
    if (isFirstWrite && !isDeclared && !symbol_.isOperand && !logical_.accumulates && mayInfer) {
      const std::optional<double> fill =
          isPlain() ? sparsityOf(value, logical_.computeType, scope_, kernel).fill : logical_.targetDefault;
      const bool isKnown = fill && hasDomain(value, logical_.reduction, scope_, kernel);
      target_.fill = isKnown ? foldCast(target_.type, logical_.computeType, *fill).value_or(0) : 0;
    }
    if (isPlain() && target_.fill != 0)
      logical_.targetDefault = target_.fill;
  }

  /// One value for each element, that of its one term.
  bool isPlain() const {
    return logical_.reduction == Reduction::Sum && logical_.terms.size() == 1 && !logical_.accumulates &&
           logical_.terms.front().reductions.empty();
  }

  /// A sparse target's missing entries are what the statement makes of them.
  void checkFill() {
    if (target_.format.isDense()) {
      target_.fill = 0;
      logical_.targetDefault = isPlain() ? 0 : logical_.targetDefault;
    }
    if (hasPadding(target_.format) && target_.fill != 0)
      return reportFillFormat(target_, analysis_.statements[logical_.statement].source->targetWhere,
                              analysis_.diagnostics);
    const bool hasMissing = hasDomain(*logical_.terms.front().expr, logical_.reduction, scope_, analysis_.kernel);
    const bool isRefused = logical_.accumulates && logical_.reduction != Reduction::Sum;
    if (target_.fill == 0 || isRefused ||
        (!logical_.accumulates && logical_.targetDefault == target_.fill && hasMissing))
      return;
    std::ostringstream fill;
    fill << target_.fill;
    refuse("missing entries of " + inQuotes(target_.name) + " are " + fill.str() +
           ", but this statement makes something else of them")
        .advise("declare it with another fill, or store it densely: --format " + target_.name + "=dense");
  }

  TensorId structureOf(TensorId tensor) const { return structureOwner(analysis_.kernel, tensor); }

  format::Format formatFrom(const KeptPattern &pattern) const {
    format::Format format = format::permuted(analysis_.kernel.tensors[pattern.source].format, pattern.targetDimension);
    if (!std::is_sorted(pattern.targetDimension.begin(), pattern.targetDimension.end()))
      format.name.clear();
    return format;
  }

  // The pattern of the first statement stands only when the later ones that write the target keep it too.
  Pattern laterStatementsKeep(Pattern pattern) const {
    for (size_t later = logical_.statement + 1; later < analysis_.statements.size(); ++later) {
      if (analysis_.statements[later].target.tensor != logical_.target || !std::holds_alternative<KeptPattern>(pattern))
        continue;
      Kernel kernel;
      kernel.tensors = analysis_.kernel.tensors;
      kernel.tensors[logical_.target].format = formatFrom(std::get<KeptPattern>(pattern));
      Scope scope = analysis_.statements[later].scope;
      Diagnostics trial;
      LogicalStatement other = expandTerms(analysis_, later, kernel, scope, trial).main;
      Pattern kept = findKeptPattern(other, scope, kernel);
      if (auto *same = std::get_if<KeptPattern>(&kept); same && isSelf(*same))
        continue;
      if (!std::holds_alternative<KeptPattern>(kept) || std::get<KeptPattern>(kept) != std::get<KeptPattern>(pattern))
        return PatternLoss{other.where, "a later statement does not keep the same pattern"};
    }
    return pattern;
  }

  bool isSelf(const KeptPattern &pattern) const {
    return pattern.source == logical_.target &&
           std::is_sorted(pattern.targetDimension.begin(), pattern.targetDimension.end());
  }

  void chooseFormat(const Pattern &pattern) {
    if (const auto *kept = std::get_if<KeptPattern>(&pattern)) {
      target_.format = formatFrom(*kept);
      const bool shares = !isRebuilt(kept->source);
      if (shares)
        share(*kept);
      else
        assemble(pattern);
      analysis_.diagnostics.report(kOutputFormat, logical_.where,
                                   kindOfTarget() + inQuotes(target_.name) + (shares ? " takes" : " has") +
                                       " the pattern of " + inQuotes(analysis_.kernel.tensors[kept->source].name) +
                                       ": " + storage(target_.format));
      return;
    }
    if (symbol_.declaration && symbol_.declaration->sparse) {
      const auto &loss = std::get<PatternLoss>(pattern);
      analysis_.diagnostics
          .report(kUnboundSparseOutput, symbol_.declaration->where,
                  inQuotes(target_.name) + " is declared sparse, but nothing says how it is stored")
          .note(loss.where, "no operand's pattern is kept: " + loss.reason)
          .advise("drop 'sparse' for a dense result, or bind it, for instance --format " + target_.name + "=" +
                  shippedFormat(inOrder()));
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
    if (isDenseByTerm())
      return;
    Diagnostic &dense =
        couldBeSparse()
            ? analysis_.diagnostics
                  .report(kDensify, logical_.where,
                          kindOfTarget() + inQuotes(target_.name) +
                              " is dense, though only sparse operands decide which of its elements are set")
                  .advise("bind it, to say what is meant: --format " + target_.name + "=" + shippedFormat(inOrder()) +
                          ", for instance, or --format " + target_.name + "=dense")
            : analysis_.diagnostics.report(kOutputFormat, logical_.where,
                                           kindOfTarget() + inQuotes(target_.name) + " is dense");
    if (loss.byStorage)
      dense.note(loss.where, loss.reason);
  }

  /// Reports a term that makes the result dense though it looks sparse.
  bool isDenseByTerm() {
    if (!looksSparse(logical_, scope_, analysis_.kernel))
      return false;
    for (const LogicalTerm &term : logical_.terms)
      if (const auto culprit = densifierOf(*term.expr, logical_.computeType, scope_, analysis_.kernel)) {
        analysis_.diagnostics
            .report(kDensify, culprit->where, kindOfTarget() + inQuotes(target_.name) + " is dense: " + culprit->reason)
            .advise("multiply this by pattern(...) where only stored entries are meant, or say that it is: --format " +
                    target_.name + "=dense");
        return true;
      }
    return false;
  }

  // Does every term have sparse operands that cover the target's variables? A vector from a matrix is dense by nature.
  bool couldBeSparse() const {
    return std::all_of(logical_.terms.begin(), logical_.terms.end(), [&](const LogicalTerm &term) {
      std::vector<VariableId> covered;
      for (AccessId id : accessesOf(*term.expr)) {
        const Access &access = scope_.accesses[id];
        const Tensor &tensor = analysis_.kernel.tensors[access.tensor];
        if (!tensor.format.isDense() && (target_.order() > 1 || tensor.order() == 1))
          covered.insert(covered.end(), access.variables.begin(), access.variables.end());
      }
      return std::all_of(logical_.targetVariables.begin(), logical_.targetVariables.end(), [&](VariableId variable) {
        return std::find(covered.begin(), covered.end(), variable) != covered.end();
      });
    });
  }

  // A target bound to a sparse format shares a pattern where all of the statements that write it keep it, and is
  // assembled otherwise.
  void decideStructure(const Pattern &pattern, bool isFirstWrite) {
    const auto *kept = std::get_if<KeptPattern>(&pattern);
    if (target_.hasDeclaredOwner())
      return checkDeclaredStructure(pattern);
    if (!isFirstWrite)
      return; // decided then, for all statements
    if (kept && sharesStorage(*kept) && !addsToOther(*kept) && !isRebuilt(kept->source) &&
        std::holds_alternative<KeptPattern>(laterStatementsKeep(pattern)))
      share(*kept);
    else
      assemble(pattern);
  }

  void share(const KeptPattern &kept) {
    const TensorId owner = structureOf(kept.source);
    if (owner != logical_.target)
      target_.structure = SharedWith{owner};
  }

  bool sharesStorage(const KeptPattern &kept) const { return formatFrom(kept).sameStorage(target_.format); }

  /// Whether the entries that the target has before the call may lie elsewhere than those of the operand; a format that
  /// cannot be assembled takes them for the same.
  bool addsToOther(const KeptPattern &kept) const {
    return logical_.accumulates && structureOf(kept.source) != structureOf(logical_.target) &&
           !whyNotAssembled(target_.format);
  }

  /// Whether the kernel may replace the arrays that `source` has its structure in: then nothing else can keep them.
  bool isRebuilt(TensorId source) const {
    const TensorId owner = structureOf(source);
    const Tensor &tensor = analysis_.kernel.tensors[owner];
    bool isWrittenLater = false;
    for (size_t later = logical_.statement + 1; later < analysis_.statements.size(); ++later)
      isWrittenLater |= analysis_.statements[later].target.tensor == owner;
    return owner != logical_.target && (tensor.isAssembled() || (isWrittenLater && !whyNotAssembled(tensor.format)));
  }

  /// Reports a reduction that no sparse target takes: one into what it holds, or one with a value for every element.
  bool refuseReduction() {
    if (logical_.reduction == Reduction::Sum || (!logical_.accumulates && keepsMissing()))
      return false;
    const std::string stored = inQuotes(target_.name) + " is stored as " + storage(target_.format) + ", and ";
    Diagnostic &refused =
        logical_.accumulates
            ? refuse(stored + inQuotes(syntax::spellingOf(analysis_.statements[logical_.statement].source->op)) +
                     " takes values into dense targets alone")
            : refuse(stored + inQuotes(syntax::spellingOf(logical_.reduction)) + " has a value for every element");
    refused.advise("store it densely: --format " + target_.name + "=dense");
    return true;
  }

  void assemble(const Pattern &pattern) {
    if (refuseReduction())
      return;
    const std::optional<std::string> reason = whyNotAssembled(target_.format);
    if (!reason) {
      target_.structure = Assembled{};
      warnIfFull();
      return checkDependents();
    }
    Diagnostic &refused = refuse(inQuotes(target_.name) + " is stored as " + storage(target_.format) +
                                 ", and this statement does not keep an operand's pattern that it could share");
    if (const auto *loss = std::get_if<PatternLoss>(&pattern))
      refused.note(loss->where, loss->reason);
    refused.note({}, "such a format cannot be built entry by entry: " + *reason)
        .advise("store the output in another format, for instance " + shippedFormat(inOrder()));
  }

  /// Whether a reduction leaves elements out: it is its identity where nothing is stored, and so are missing entries.
  bool keepsMissing() const {
    const Node &value = *logical_.terms.front().expr;
    return !logical_.accumulates && logical_.targetDefault == target_.fill &&
           hasDomain(value, logical_.reduction, scope_, analysis_.kernel) &&
           domainOfTerm(value, logical_.targetDefault, logical_.computeType, scope_, analysis_.kernel).kind !=
               AccessDomain::Kind::Everywhere;
  }

  void warnIfFull() {
    const bool isMixed = looksSparse(logical_, scope_, analysis_.kernel);
    for (const LogicalTerm &term : logical_.terms)
      if (isEverywhere(term) || (isMixed && !hasSparse(*term.expr, scope_, analysis_.kernel)))
        analysis_.diagnostics
            .report(kDensify, culpritOf(term).where,
                    "every element of " + inQuotes(target_.name) + " is stored: " + culpritOf(term).reason)
            .advise("store " + inQuotes(target_.name) + " densely, or multiply the term by what it is wanted at");
  }

  /// Whether a term of sparse operands has a value where they have no entries.
  bool isEverywhere(const LogicalTerm &term) const {
    return hasDomain(*term.expr, logical_.reduction, scope_, analysis_.kernel) &&
           domainOfTerm(*term.expr, logical_.targetDefault, logical_.computeType, scope_, analysis_.kernel).kind ==
               AccessDomain::Kind::Everywhere;
  }

  Densifier culpritOf(const LogicalTerm &term) const {
    return densifierOf(*term.expr, logical_.computeType, scope_, analysis_.kernel)
        .value_or(Densifier{term.where, "this term is not what missing entries are"});
  }

  // What has the structure of a tensor by declaration has that with which the call begins: there is one where the
  // target is read, and it is not written with the new one.
  void checkDependents() {
    for (TensorId id : analysis_.kernel.tensors.ids()) {
      const Tensor &tensor = analysis_.kernel.tensors[id];
      if (!tensor.hasDeclaredOwner() || tensor.shared()->owner != logical_.target || (isReadSoFar() && !isTarget(id)))
        continue;
      refuse(inQuotes(tensor.name) + " is bound to the structure of " + inQuotes(target_.name) +
             ", which this statement builds anew")
          .advise("bind " + inQuotes(tensor.name) + " to a format of its own");
    }
  }

  bool isTarget(TensorId tensor) const {
    return std::any_of(analysis_.statements.begin(), analysis_.statements.end(),
                       [&](const auto &statement) { return statement.target.tensor == tensor; });
  }

  // Whether this statement or one before it reads the target.
  bool isReadSoFar() const {
    bool isRead = logical_.accumulates;
    for (size_t statement = 0; statement <= logical_.statement; ++statement)
      for (const Access &access : analysis_.statements[statement].scope.accesses)
        isRead |= access.tensor == logical_.target;
    return isRead;
  }

  // A target whose structure is declared to be another tensor's has no arrays to build.
  void checkDeclaredStructure(const Pattern &pattern) {
    const std::string owner = inQuotes(analysis_.kernel.tensors[target_.shared()->owner].name);
    const std::string bound = inQuotes(target_.name) + " is bound to the structure of " + owner;
    if (const auto *loss = std::get_if<PatternLoss>(&pattern)) {
      refuse(bound + ", and this statement does not keep its pattern")
          .note(loss->where, loss->reason)
          .advise("drop the binding, or bind it to a format of its own");
      return;
    }
    const auto &kept = std::get<KeptPattern>(pattern);
    if (!sharesStorage(kept) || structureOf(kept.source) != structureOf(logical_.target))
      refuse(bound + ", but this statement keeps that of " + inQuotes(analysis_.kernel.tensors[kept.source].name))
          .advise("drop the binding, or bind it to a format of its own");
  }

  std::string kindOfTarget() const { return target_.is<Temporary>() ? "temporary " : "output "; }

  std::vector<int> inOrder() const {
    std::vector<int> dims(target_.order());
    std::iota(dims.begin(), dims.end(), 0);
    return dims;
  }

  /// A format of the target in words, with the statement's own index variables.
  std::string storage(const format::Format &format) const {
    return format::describe(format, namesOf(logical_.targetVariables, scope_));
  }

  Diagnostic &refuse(std::string message) {
    return analysis_.diagnostics.report(kAssembledOutput, analysis_.statements[logical_.statement].source->targetWhere,
                                        std::move(message));
  }

  Analysis &analysis_;
  LogicalStatement &logical_;
  const Scope &scope_;
  Tensor &target_;
  const Symbol &symbol_;
};

} // namespace

void inferOutputFormat(Analysis &analysis, LogicalStatement &logical) {
  OutputFormatInference(analysis, logical).run();
}

} // namespace spc::sema
