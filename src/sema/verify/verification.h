// One verification of a planned kernel on its way. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include <optional>
#include <string>
#include <string_view>

namespace spc::sema {

/// The kernel that is verified, the step and term that are looked at, and what was found. The functions below return
/// whether all that they look at holds, and note the first thing that does not.
class Verification {
public:
  explicit Verification(const Kernel &verified) : kernel(verified) {}

  const Kernel &kernel;
  // The place of `holds`, counted from 0.
  std::optional<TensorId> tensor;
  std::optional<size_t> step, term;
  std::optional<OperandId> operand;

  /// `condition`; where that is false, it is noted that the part looked at "has" or "is" what `otherwise` says.
  bool holds(bool condition, std::string_view otherwise) {
    if (!condition && !broken_)
      broken_ = place() + std::string(otherwise);
    return condition;
  }

  const std::optional<std::string> &broken() const { return broken_; }

private:
  std::string place() const;

  std::optional<std::string> broken_;
};

/// Names, extents, formats, structures, roles and parameters.
bool tensorsHold(Verification &verification);

/// The steps, each by itself. The tensors hold.
bool stepsHold(Verification &verification);

/// A term: its loops, and what it reads and writes by them. The statement's target is a tensor.
bool termHolds(Verification &verification, const Statement &statement, const Term &term);

/// A term's expression and its domain. Its loops and operands hold.
bool expressionHolds(Verification &verification, const Statement &statement, const Term &term);

/// Each step reads what the call or an earlier step has written, and copies that are up to date. The steps hold.
bool valuesHold(Verification &verification);

/// The steps of a sweep come to the rows of what they hold, and of all that they write, in their outermost loops alone.
/// The steps hold.
bool sweepsHold(Verification &verification);

/// Whether `dims` has each of so many dimensions once.
bool isPermutation(const std::vector<int> &dims, int order);

} // namespace spc::sema
