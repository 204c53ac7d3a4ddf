// The format of outputs: bound by the user, else the pattern that the expression keeps, else dense.
#include "sema/terms/copy_advice.h"
#include "sema/terms/densifier.h"
#include "sema/terms/listed_temporaries.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/ranked_format.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"
#include "sema/terms/symmetry.h"
#include "sema/terms/target_fill.h"

#include <algorithm>
#include <numeric>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kAssembledOutput{"assembled-output", Severity::Error};
constexpr DiagnosticKind kUnboundSparseOutput{"unbound-sparse-output", Severity::Error};
constexpr DiagnosticKind kOutputFormat{"output-format", Severity::Note};
constexpr DiagnosticKind kDensify{"densify", Severity::Warning};

using Pattern = std::variant<KeptPattern, PatternLoss>;

/// What becomes of a target's storage.
struct Decision {
  enum class Kind {
    Unchanged,   ///< an earlier statement has decided it, or it is bound to be dense
    Dense,       ///< nothing says how it is stored, and no operand's pattern is kept
    Declared,    ///< it has another tensor's structure by declaration, which has to fit
    Shared,      ///< it shares the structure of the operand whose pattern is kept
    Assembled,   ///< it is built from entries
    Reassembled, ///< it is built from entries again
  };
  Kind kind = Kind::Unchanged;
  Pattern pattern = PatternLoss{};                     ///< the operand's that the statement keeps, or why it keeps none
  bool takesFormat = false;                            ///< Shared or Assembled in the operand's format
  std::optional<format::Format> listed = std::nullopt; ///< Assembled in this format, which nothing asks for
};

/// Each part of the target is decided from what is known, which changes nothing, and then applied and reported.
class OutputFormatInference {
public:
  OutputFormatInference(Planning &planning, LogicalStatement &logical)
      : planning_(planning), logical_(logical), scope_(planning.statements[logical.statement].scope),
        target_(planning.kernel.tensors[logical.target]), symbol_(planning.symbols[logical.target]) {}

  void run() {
    inferFill(planning_, logical_);
    if (!storeRanked(planning_, logical_))
      apply(decide());
    checkFill(planning_, logical_);
  }

private:
  Decision decide() const {
    using Kind = Decision::Kind;
    const bool isFirstWrite = symbol_.firstWrite == static_cast<int>(logical_.statement);
    if (isFirstWrite && planning_.copies.listed(logical_.target))
      return {Kind::Assembled};
    if (target_.isAssembled())
      return {Kind::Reassembled};
    const Pattern pattern = findKeptPattern(logical_, Stores::Entries, scope_, planning_.kernel);
    if (isFirstWrite && !symbol_.isOperand && !symbol_.boundBy)
      return decideOpen(pattern);
    if (target_.format.isDense())
      return {};
    if (target_.hasDeclaredOwner())
      return {Kind::Declared, pattern};
    if (!isFirstWrite)
      return {};
    return {sharesEverywhere(pattern) ? Kind::Shared : Kind::Assembled, pattern};
  }

  /// The pattern, or that of a canonical copy, which is asked for, where it is storage alone that loses it.
  Pattern orInCopy(const Pattern &pattern) const {
    if (const auto *loss = std::get_if<PatternLoss>(&pattern); loss && loss->byStorage)
      (void)planning_.copies.ask(planning_.kernel, *loss->byStorage, logical_.target, loss->where);
    return pattern;
  }

  /// Of a target that nothing binds to a format. What is assembled has no entries but those of the product.
  Decision decideOpen(const Pattern &ofEntries) const {
    Pattern pattern = keptByAll(planning_, logical_, Stores::Entries, orInCopy(ofEntries));
    if (std::holds_alternative<PatternLoss>(pattern)) {
      Pattern ofMask = keptByAll(planning_, logical_, Stores::Mask,
                                 findKeptPattern(logical_, Stores::Mask, scope_, planning_.kernel));
      if (const auto *mask = std::get_if<KeptPattern>(&ofMask); mask && !isRebuilt(mask->source))
        pattern = std::move(ofMask);
    }
    const auto *kept = std::get_if<KeptPattern>(&pattern);
    if (!kept && target_.is<Temporary>())
      if (std::optional<format::Format> listed = listedFormat(logical_, planning_))
        return {Decision::Kind::Assembled, std::move(pattern), false, std::move(listed)};
    if (kept && planning_.listed.contains(structureOf(kept->source)) && !target_.is<Temporary>())
      return {Decision::Kind::Dense, PatternLoss{logical_.where, "only temporaries decide where it has entries"}};
    if (kept && planning_.kernel.tensors[structureOf(kept->source)].is<Tie>() &&
        !target_.is<Temporary>()) // no format of the user's
      return {Decision::Kind::Dense, PatternLoss{logical_.where, "only ties of indices decide where it has entries"}};
    using Kind = Decision::Kind;
    const Kind kind = !kept ? Kind::Dense : isRebuilt(kept->source) ? Kind::Assembled : Kind::Shared;
    return {kind, std::move(pattern), kept != nullptr};
  }

  /// Whether a target that is bound to a sparse format keeps an operand's pattern in all of the statements that write
  /// it, and can have its arrays; it is assembled otherwise.
  bool sharesEverywhere(const Pattern &pattern) const {
    const auto *kept = std::get_if<KeptPattern>(&pattern);
    return kept && sharesStorage(*kept) && !addsToOther(*kept) && !isRebuilt(kept->source) &&
           std::holds_alternative<KeptPattern>(keptByAll(planning_, logical_, Stores::Entries, pattern));
  }

  void apply(const Decision &decision) {
    using Kind = Decision::Kind;
    if (decision.takesFormat) {
      const auto formatOf = decision.kind == Kind::Assembled ? assembledFrom : formatFrom;
      target_.format = formatOf(planning_.kernel, std::get<KeptPattern>(decision.pattern), target_.order());
    }
    if (decision.listed) {
      target_.format = *decision.listed;
      planning_.listed.insert(logical_.target);
    }
    switch (decision.kind) {
    case Kind::Unchanged:
      return;
    case Kind::Dense:
      return reportOpen(std::get<PatternLoss>(decision.pattern));
    case Kind::Declared:
      return checkDeclaredStructure(decision.pattern);
    case Kind::Shared:
      share(std::get<KeptPattern>(decision.pattern));
      break;
    case Kind::Assembled:
      assemble();
      return reportListed(decision);
    case Kind::Reassembled:
      (void)(refuseReduction() || refuseAsymmetry(planning_, logical_));
      return;
    }
    if (decision.takesFormat)
      reportFormat(quotedName(planning_.kernel, std::get<KeptPattern>(decision.pattern).source), " takes");
  }

  /// Reports the format of what is assembled, and asks for its conditions to be listed.
  void reportListed(const Decision &decision) {
    const CopyRequests::Listed *known = planning_.copies.listed(logical_.target);
    std::optional<std::string> owner;
    if (known || decision.takesFormat)
      owner = known ? known->owner : nameInMessages(planning_.kernel, std::get<KeptPattern>(decision.pattern).source);
    if (owner)
      reportFormat(*owner, " has");
    const bool isFree = target_.is<Temporary>() && !symbol_.boundBy; // zeros change nothing in it
    if (logical_.choosesEntries && !isFree && !planning_.standIns.contains(logical_.target))
      planning_.copies.askForEntries(logical_.target, {target_.format, std::move(owner)});
  }

  void reportFormat(const std::string &owner, const char *takes) {
    if (target_.name.starts_with('$')) // which no text has
      return;
    planning_.diagnostics.report(kOutputFormat, logical_.where,
                                 kindOfTarget() + inQuotes(target_.name) + takes + " the pattern of " + owner + ": " +
                                     storage(target_.format) + fillInWords());
  }

  /// A target that nothing binds, and that keeps no operand's pattern.
  void reportOpen(const PatternLoss &loss) {
    if (!symbol_.declaration || !symbol_.declaration->sparse)
      return reportDense(loss);
    planning_.diagnostics
        .report(kUnboundSparseOutput, symbol_.declaration->where,
                inQuotes(target_.name) + " is declared sparse, but nothing says how it is stored")
        .note(loss.where, "no operand's pattern is kept: " + loss.reason)
        .advise("drop 'sparse' for a dense result, or bind it, for instance --format " + target_.name + "=" +
                shippedFormat(inOrder()));
  }

  void reportDense(const PatternLoss &loss) {
    bool hasSparse = false;
    for (const Access &access : scope_.accesses)
      hasSparse |= !planning_.kernel.tensors[access.tensor].format.isDense() &&
                   !planning_.kernel.tensors[access.tensor].is<Tie>();
    if (!hasSparse || target_.order() == 0 || isDenseByTerm())
      return;
    const bool isByChoice = couldBeSparse(logical_, scope_, planning_.kernel) ||
                            (target_.order() > 1 && couldBeListed(logical_, planning_));
    const std::string choice = isByChoice ? shippedFormat(inOrder()) : "";
    if (isWrittenOnce())
      target_.couldBe = choice;
    Diagnostic &dense =
        isByChoice ? planning_.diagnostics
                         .report(kDensify, logical_.where,
                                 kindOfTarget() + inQuotes(target_.name) +
                                     " is dense, though only sparse operands decide which of its elements are set")
                         .advise("bind it, to say what is meant: --format " + target_.name + "=" + choice +
                                 ", for instance, or --format " + target_.name + "=dense")
                   : planning_.diagnostics.report(kOutputFormat, logical_.where,
                                                  kindOfTarget() + inQuotes(target_.name) + " is dense");
    if (loss.byStorage)
      dense.note(loss.where, loss.reason);
  }

  bool isWrittenOnce() const {
    return std::count_if(planning_.statements.begin(), planning_.statements.end(),
                         [&](const auto &statement) { return statement.target.tensor == logical_.target; }) == 1;
  }

  /// Reports a term that makes the result dense though it looks sparse.
  bool isDenseByTerm() {
    if (!looksSparse(logical_, scope_, planning_.kernel))
      return false;
    for (const LogicalTerm &term : logical_.terms)
      if (const auto culprit = densifierOf(*term.expr, logical_.computeType, scope_, planning_.kernel)) {
        planning_.diagnostics
            .report(kDensify, culprit->where, kindOfTarget() + inQuotes(target_.name) + " is dense: " + culprit->reason)
            .advise(culprit->advice + ", or say that it is: --format " + target_.name + "=dense");
        return true;
      }
    return false;
  }

  TensorId structureOf(TensorId tensor) const { return structureOwner(planning_.kernel, tensor); }
  void share(const KeptPattern &kept) {
    const TensorId owner = structureOf(kept.source);
    if (target_.is<Temporary>())
      planning_.copies.noteKept(logical_.target, kept.source);
    else
      planning_.copies.noteInPlace(logical_.target, kept.source);
    if (owner != logical_.target)
      target_.structure = SharedWith{owner};
  }

  bool sharesStorage(const KeptPattern &kept) const {
    return formatFrom(planning_.kernel, kept, target_.order()).sameStorage(target_.format);
  }

  /// Whether the entries that the target has before the call may lie elsewhere than those of the operand.
  bool addsToOther(const KeptPattern &kept) const {
    return logical_.accumulates && structureOf(kept.source) != structureOf(logical_.target) &&
           !format::hasFixedPattern(target_.format);
  }

  /// Whether the target cannot have the arrays that `source` has its structure in: the kernel may replace them, or they
  /// are gone when the call is over, or not there when it begins.
  bool isRebuilt(TensorId source) const {
    const TensorId owner = structureOf(source);
    const Tensor &tensor = planning_.kernel.tensors[owner];
    if (tensor.is<Converted>() || tensor.is<Tie>() || tensor.is<Constant>())
      return !target_.is<Temporary>() || planning_.refreshes.contains(owner);
    // Each entry is an array in a temporary's tail, and a caller's struct counts the owner's entries alone.
    if (!target_.is<Temporary>() && planning_.kernel.tensors[source].format.levels.size() > tensor.format.levels.size())
      return true;
    bool isWrittenLater = false;
    for (size_t later = logical_.statement + 1; later < planning_.statements.size(); ++later)
      isWrittenLater |= planning_.statements[later].target.tensor == owner;
    return owner != logical_.target && (tensor.isAssembled() || isWrittenLater);
  }

  /// Reports a reduction that no sparse target takes: one with a value for every element.
  bool refuseReduction() {
    if (logical_.reduction == Reduction::Sum || keepsMissing())
      return false;
    refuse(quotedName(planning_.kernel, logical_.target) + " is stored as " + storage(target_.format) + ", and " +
           inQuotes(language::spellingOf(logical_.reduction)) + " has a value for every element")
        .advise("store it densely: --format " + target_.name + "=dense");
    return true;
  }

  void assemble() {
    if (refuseReduction() || refuseAsymmetry(planning_, logical_))
      return;
    target_.structure = Assembled{};
    warnIfFull(planning_, logical_);
    checkDependents();
  }

  /// Whether a reduction leaves elements out: it is its identity where nothing is stored, and so are missing entries.
  bool keepsMissing() const {
    const Node &value = *logical_.terms.front().expr;
    return logical_.targetDefault == target_.fill && hasDomain(value, logical_.reduction, scope_, planning_.kernel) &&
           domainOfTerm(value, logical_.targetDefault, logical_.computeType, scope_, planning_.kernel).kind !=
               AccessDomain::Kind::Everywhere;
  }

  // A tensor that has another one's structure by declaration has the one with which the call begins: there is one where
  // the target is read, and it is not written with the new one.
  void checkDependents() {
    for (TensorId id : planning_.kernel.tensors.ids()) {
      const Tensor &tensor = planning_.kernel.tensors[id];
      if (!tensor.hasDeclaredOwner() || tensor.shared()->owner != logical_.target || (isReadSoFar() && !isTarget(id)))
        continue;
      refuse(inQuotes(tensor.name) + " is bound to the structure of " + inQuotes(target_.name) +
             ", which this statement builds anew")
          .advise("bind " + inQuotes(tensor.name) + " to a format of its own");
    }
  }

  bool isTarget(TensorId tensor) const {
    return std::any_of(planning_.statements.begin(), planning_.statements.end(),
                       [&](const auto &statement) { return statement.target.tensor == tensor; });
  }

  // Whether this statement or one before it reads the target.
  bool isReadSoFar() const {
    bool isRead = logical_.accumulates;
    for (size_t statement = 0; statement <= logical_.statement; ++statement)
      for (const Access &access : planning_.statements[statement].scope.accesses)
        isRead |= access.tensor == logical_.target;
    return isRead;
  }

  // A target whose structure is declared to be another tensor's has no arrays to build.
  void checkDeclaredStructure(const Pattern &pattern) {
    const auto *keeps = std::get_if<KeptPattern>(&pattern);
    const bool isOwners = keeps && sharesStorage(*keeps) && structureOf(keeps->source) == structureOf(logical_.target);
    if (!isOwners && mayBePlaced())
      return planning_.copies.askForPlaces(logical_.target);
    const std::string owner = nameInMessages(planning_.kernel, target_.shared()->owner);
    const std::string bound = inQuotes(target_.name) + " is bound to the structure of " + owner;
    if (const auto *loss = std::get_if<PatternLoss>(&pattern)) {
      refuse(bound + ", and this statement does not keep its pattern")
          .note(loss->where, loss->reason)
          .advise("drop the binding, or bind it to a format of its own");
      return;
    }
    const auto &kept = std::get<KeptPattern>(pattern);
    planning_.copies.noteInPlace(logical_.target, kept.source);
    if (!isOwners)
      refuse(bound + ", but this statement keeps that of " + quotedName(planning_.kernel, kept.source))
          .advise("drop the binding, or bind it to a format of its own");
  }

  /// Whether the statement's entries are to be looked up in the structure that the target has: where they are added to
  /// what is there, or cannot lie elsewhere.
  bool mayBePlaced() const {
    const bool adds = planning_.statements[logical_.statement].op == language::AssignOp::Add;
    return logical_.reduction == Reduction::Sum && target_.fill == 0 && target_.is<Parameter>() &&
           hasPlaces(target_.format) &&
           (adds || std::all_of(logical_.terms.begin(), logical_.terms.end(),
                                [&](const LogicalTerm &term) { return isMasked(term); })) &&
           std::all_of(logical_.terms.begin(), logical_.terms.end(), [&](const LogicalTerm &term) {
             return !isEverywhere(term, logical_, scope_, planning_.kernel) &&
                    hasSparse(*term.expr, scope_, planning_.kernel);
           });
  }

  /// Whether a term has entries only where the target's structure has them.
  bool isMasked(const LogicalTerm &term) const {
    const AccessDomain domain =
        domainOfTerm(*term.expr, logical_.targetDefault, logical_.computeType, scope_, planning_.kernel);
    const auto isOwners = [&](const AccessDomain &part) {
      if (part.kind != AccessDomain::Kind::Stored)
        return false;
      const Access &access = scope_.accesses[part.operand];
      return structureOf(access.tensor) == structureOf(logical_.target) && access.variables == logical_.targetVariables;
    };
    return isOwners(domain) ||
           (domain.kind == AccessDomain::Kind::All && std::any_of(domain.parts.begin(), domain.parts.end(), isOwners));
  }

  std::string fillInWords() const {
    return target_.hasFill() ? ", missing entries are " + textOf(target_.type, target_.fill) : "";
  }

  std::string kindOfTarget() const {
    const bool isOutput =
        planning_.sumOutputs.contains(logical_.target) || planning_.standIns.contains(logical_.target);
    return target_.is<Temporary>() && !isOutput ? "temporary " : "output ";
  }

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
    return planning_.diagnostics.report(kAssembledOutput, planning_.statements[logical_.statement].targetWhere,
                                        std::move(message));
  }

  Planning &planning_;
  LogicalStatement &logical_;
  const Scope &scope_;
  Tensor &target_;
  const Symbol &symbol_;
};

} // namespace

void inferOutputFormat(Planning &planning, LogicalStatement &logical) {
  OutputFormatInference(planning, logical).run();
}

} // namespace spc::sema
