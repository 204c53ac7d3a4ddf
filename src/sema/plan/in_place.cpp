#include "sema/plan/in_place.h"

#include "sema/alternatives.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace spc::sema {
namespace {

/// Whether a tensor has another one's elements, or is made of them.
bool isSource(const Kernel &kernel, TensorId id) {
  return std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [&](const Tensor &tensor) {
    const auto *tie = tensor.as<Tie>();
    return sourceOf(tensor) == id || (tie && tie->source == id);
  });
}

/// Whether the elements of one dense tensor fit in another one's memory, each in the other's place.
bool areAlike(const Tensor &one, const Tensor &other) {
  return one.order() > 0 && one.type == other.type && one.extents == other.extents && one.format.isDense() &&
         one.format.sameStorage(other.format);
}

class InPlace {
public:
  explicit InPlace(Kernel &kernel) : kernel_(kernel) {}

  void run() {
    for (size_t reader = kernel_.steps.size(); reader-- > 0;)
      for (const TensorId temporary : fittingAt(reader))
        if (const std::optional<size_t> first = firstWriter(temporary, reader)) {
          hold(temporary, *first, reader);
          if (setsToItself(std::get<Statement>(kernel_.steps[reader])) && !sweepOf(kernel_, reader))
            drop(reader);
          break;
        }
  }

private:
  /// The temporaries from which a step sets each element of its target, which has them at the same place.
  std::vector<TensorId> fittingAt(size_t step) const {
    std::vector<TensorId> fitting;
    const auto *statement = std::get_if<Statement>(&kernel_.steps[step]);
    if (!statement || statement->terms.empty() || !statement->terms.front().overwrites ||
        holderOf(kernel_, statement->target))
      return fitting;
    const Tensor &target = kernel_.tensors[statement->target];
    const Term &term = statement->terms.front();
    for (const Operand &operand : term.operands) {
      const Tensor &tensor = kernel_.tensors[operand.tensor];
      const auto *temporary = tensor.as<Temporary>();
      if (temporary && !temporary->marksMissing && !temporary->standsFor && !temporary->isRanked &&
          !temporary->isRestricted && areAlike(tensor, target) && operand.indices == term.target &&
          !holderOf(kernel_, operand.tensor) && isReadOnce(*statement, operand.tensor))
        fitting.push_back(operand.tensor);
    }
    return fitting;
  }

  /// Whether one operand of a statement, and no other, is a tensor, and none its target.
  static bool isReadOnce(const Statement &statement, TensorId tensor) {
    int count = 0;
    for (const Term &term : statement.terms)
      for (const Operand &operand : term.operands) {
        if (operand.tensor == statement.target)
          return false;
        count += operand.tensor == tensor ? 1 : 0;
      }
    return count == 1;
  }

  /// The first of the statements that write the temporary that is read at `reader`, where nothing else is done with it,
  /// or with what holds it, up to there; else nullopt.
  std::optional<size_t> firstWriter(TensorId temporary, size_t reader) const {
    const TensorId target = std::get<Statement>(kernel_.steps[reader]).target;
    if (isSource(kernel_, temporary) || isSource(kernel_, target))
      return std::nullopt;
    std::optional<size_t> first;
    for (size_t k = 0; k < kernel_.steps.size(); ++k) {
      if (k != reader && uses(kernel_.steps[k], temporary)) {
        const auto *writer = std::get_if<Statement>(&kernel_.steps[k]);
        if (k > reader || !writer || writer->target != temporary || !runTogether(k, reader))
          return std::nullopt;
        first = first.value_or(k);
      }
      if (first && k < reader && uses(kernel_.steps[k], target))
        return std::nullopt;
    }
    return first;
  }

  /// Whether each call that runs one of two steps runs the other.
  bool runTogether(size_t one, size_t other) const {
    return alternativeOf(kernel_, one) == alternativeOf(kernel_, other) &&
           isRecomputed(kernel_, one) == isRecomputed(kernel_, other);
  }

  void hold(TensorId temporary, size_t first, size_t reader) {
    const TensorId holder = std::get<Statement>(kernel_.steps[reader]).target;
    for (size_t k = first; k <= reader; ++k)
      if (auto *statement = std::get_if<Statement>(&kernel_.steps[k])) {
        if (statement->target == temporary)
          statement->target = holder;
        for (Term &term : statement->terms)
          for (Operand &operand : term.operands)
            if (operand.tensor == temporary)
              operand.tensor = holder;
      }
    kernel_.tensors[temporary].role = Held{holder};
  }

  static bool setsToItself(const Statement &statement) {
    return statement.terms.size() == 1 && std::holds_alternative<Use>(statement.terms.front().expr->node);
  }

  void drop(size_t step) {
    kernel_.steps.erase(kernel_.steps.begin() + static_cast<std::ptrdiff_t>(step));
    const auto shift = [step](auto &range) {
      range.begin -= range.begin > step ? 1 : 0;
      range.end -= range.end > step ? 1 : 0;
    };
    std::ranges::for_each(kernel_.alternatives, shift);
    std::ranges::for_each(kernel_.sweeps, shift);
    if (kernel_.recomputation) {
      shift(*kernel_.recomputation);
      std::ranges::for_each(kernel_.recomputation->alternatives, shift);
    }
  }

  Kernel &kernel_;
};

} // namespace

void computeInPlace(Kernel &kernel) {
  InPlace(kernel).run();
}

} // namespace spc::sema
