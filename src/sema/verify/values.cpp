#include "sema/alternatives.h"
#include "sema/amounts.h"
#include "sema/tree.h"
#include "sema/verify/verification.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Follows the steps of a call that takes an alternative: what each tensor holds by then.
class ValueVerifier {
public:
  ValueVerifier(Verification &verification, size_t alternative, bool recomputes)
      : verification_(verification), kernel_(verification.kernel), alternative_(alternative), recomputes_(recomputes),
        holds_(kernel_.tensors.size()), isFresh_(kernel_.tensors.size()), isMadeLater_(kernel_.tensors.size()) {}

  bool run();

private:
  void begin();
  bool isFilled(TensorId id) const;
  /// Whether it is a copy, or a tie.
  bool isMadeFrom(TensorId id) const { return kernel_.tensors[id].is<Converted>() || kernel_.tensors[id].is<Tie>(); }
  /// What a copy, or a tie, is made of.
  std::vector<TensorId> sourcesOfMade(TensorId id) const {
    const auto *copy = kernel_.tensors[id].as<Converted>();
    const auto *tie = kernel_.tensors[id].as<Tie>();
    return copy ? std::vector{copy->source} : tie ? readBy(*tie) : std::vector<TensorId>();
  }
  bool areFilled(const std::vector<TensorId> &ids) const {
    return std::all_of(ids.begin(), ids.end(), [&](TensorId id) { return isFilled(id); });
  }
  bool reads(TensorId id);
  void write(TensorId id);
  void outdateCopies(TensorId source);
  bool stepHolds(const Statement &statement);
  bool stepHolds(const Copy &copy) { return reads(copy.from) && written(copy.to); }
  bool stepHolds(const Conversion &conversion) { return reads(conversion.from) && written(conversion.to); }
  bool stepHolds(const RefreshCopy &refresh);
  bool stepHolds(const Distribution &distribution);
  bool stepHolds(const Placement &placement);
  bool stepHolds(const Ranking &ranking) { return reads(ranking.from) && written(ranking.to); }
  bool written(TensorId id) {
    write(id);
    return true;
  }

  Verification &verification_;
  const Kernel &kernel_;
  const size_t alternative_;
  const bool recomputes_;                ///< the call runs the recomputation
  IdVector<TensorId, bool> holds_;       ///< it has values
  IdVector<TensorId, bool> isFresh_;     ///< a copy: it has those that its source has now
  IdVector<TensorId, bool> isMadeLater_; ///< a copy: by a step
};

/// What there is before the first step: what is passed, and the copies of it that no step makes.
void ValueVerifier::begin() {
  for (const Step &step : kernel_.steps)
    if (const auto *refresh = std::get_if<RefreshCopy>(&step))
      isMadeLater_[refresh->copy] = true;
  for (TensorId id : kernel_.tensors.ids())
    holds_[id] = kernel_.tensors[id].is<Size>() || kernel_.tensors[id].is<Constant>() ||
                 (kernel_.tensors[id].is<Parameter>() && kernel_.tensors[id].isRead);
  for (TensorId id : kernel_.tensors.ids())
    if (const auto *tie = kernel_.tensors[id].as<Tie>())
      holds_[id] = isFresh_[id] = !isMadeLater_[id] && areFilled(readBy(*tie));
  for (TensorId id : kernel_.tensors.ids())
    if (const auto *copy = kernel_.tensors[id].as<Converted>())
      holds_[id] = isFresh_[id] = !isMadeLater_[id] && isFilled(copy->source);
}

bool ValueVerifier::isFilled(TensorId id) const {
  if (const auto *view = kernel_.tensors[id].as<View>())
    return holds_[view->source];
  return holds_[id] && (isFresh_[id] || !isMadeFrom(id));
}

bool ValueVerifier::reads(TensorId id) {
  if (isFilled(id))
    return true;
  verification_.tensor = id;
  return verification_.holds(!isMadeFrom(id), "is a copy that is out of date where it is read") &&
         verification_.holds(false, "is read before it has values");
}

/// Copies of what is written are out of date.
void ValueVerifier::write(TensorId id) {
  holds_[id] = true;
  outdateCopies(id);
}

void ValueVerifier::outdateCopies(TensorId source) {
  for (TensorId other : kernel_.tensors.ids())
    if (has(sourcesOfMade(other), source)) {
      isFresh_[other] = false;
      outdateCopies(other);
    }
}

bool ValueVerifier::stepHolds(const Statement &statement) {
  const bool isSet =
      statement.zeroFirst || statement.collecting || (!statement.terms.empty() && statement.terms.front().overwrites);
  if (!isSet && !reads(statement.target))
    return false;
  // Terms after the first one read of the target what those before them have written.
  for (const Term &term : statement.terms)
    for (const Operand &operand : term.operands)
      if ((&term == &statement.terms.front() || operand.tensor != statement.target) && !reads(operand.tensor))
        return false;
  write(statement.target);
  return true;
}

bool ValueVerifier::stepHolds(const RefreshCopy &refresh) {
  for (TensorId source : sourcesOfMade(refresh.copy))
    if (!reads(source))
      return false;
  write(refresh.copy);
  isFresh_[refresh.copy] = true;
  return true;
}

bool ValueVerifier::stepHolds(const Distribution &distribution) {
  if (!reads(distribution.from))
    return false;
  for (TensorId part : distribution.parts)
    write(part);
  return true;
}

bool ValueVerifier::stepHolds(const Placement &placement) {
  if (!reads(placement.from) || (placement.adds && !reads(placement.to)))
    return false;
  write(placement.to);
  return true;
}

bool ValueVerifier::run() {
  begin();
  for (size_t k = 0; k < kernel_.steps.size(); ++k) {
    verification_.step = k;
    const bool isAgain = isRecomputed(kernel_, k) && alternativeOf(kernel_, k).value_or(alternative_) == alternative_;
    if (!runs(kernel_, k, alternative_) && !(recomputes_ && isAgain))
      continue;
    if (!std::visit([&](const auto &step) { return stepHolds(step); }, kernel_.steps[k]))
      return false;
  }
  verification_.step.reset();
  for (TensorId id : kernel_.parameters) {
    verification_.tensor = id;
    if (!verification_.holds(!kernel_.tensors[id].isWritten || holds_[id], "is an output that nothing writes"))
      return false;
  }
  verification_.tensor.reset();
  return true;
}

} // namespace

bool valuesHold(Verification &verification) {
  const size_t ways = std::max<size_t>(1, verification.kernel.alternatives.size());
  for (size_t k = 0; k < ways; ++k)
    if (!ValueVerifier(verification, k, false).run() ||
        (verification.kernel.recomputation && !ValueVerifier(verification, k, true).run()))
      return false;
  return true;
}

} // namespace spc::sema
