// Copies of sparse operands in a storage that suits a term's loops. Private to this folder.
#pragma once

#include "sema/plan/level_space.h"
#include "sema/terms/planning.h"

#include <optional>
#include <utility>
#include <vector>

namespace spc::sema {

/// How loops come to the outermost level of a copy.
enum class RootUse {
  Whole,  ///< something that the term reads or writes stores all coordinates of its loop
  Listed, ///< nothing does: its extent may be larger than memory
  Found,  ///< at coordinates alone which another operand lists
};

/// Makes copies as loops are planned; a copy that several terms read is made once.
class OperandCopies {
public:
  explicit OperandCopies(Planning &planning) : planning_(planning), kernel_(planning.kernel) {}

  /// The copy of an access's tensor with levels (dense, compressed, …) in the order `order` of the space's loops; of a
  /// vector with one compressed level. The root is compressed as well where the tensor has no dense level and `root` is
  /// Listed; it is looked up where that is Found, and no tensor has memory for all of its coordinates. `dropsPadding`:
  /// the copy's zeros would be entries. Warns of the copy.
  TensorId copyFor(const Access &access, const SparseAccess &operand, const LevelSpace &space,
                   const std::vector<int> &order, RootUse root, bool dropsPadding, const Scope &scope);

  /// The dimensions of an operand in the order in which the levels of its copy store them, each behind the place of its
  /// innermost loop in `order`.
  static std::vector<std::pair<int, int>> levelPlaces(const SparseAccess &operand, const LevelSpace &space,
                                                      const std::vector<int> &order);

  /// Makes the canonical copies that are to be there before a statement of the source text is planned.
  void refreshBefore(size_t statement);

  /// Notes that the tensor is written: copies of it made so far are out of date.
  void noteWritten(TensorId tensor);

  /// The copies of written tensors that the step that is planned now needs, to be made before it.
  std::vector<RefreshCopy> takeSteps() { return std::exchange(steps_, {}); }

private:
  bool isCopyOf(TensorId id, TensorId source, bool dropsPadding) const;
  bool isWritten(TensorId tensor) const;
  std::optional<TensorId> copyWith(const format::Format &format, TensorId source, bool dropsPadding) const;
  TensorId listOf(TensorId source, const format::Format &found, bool dropsPadding) const;
  bool isStoredWhole(ExtentId extent) const;
  bool hasListedCopy(TensorId source, const std::vector<int> &dims) const;
  bool asksFor(TensorId copy, const format::Format &format) const;
  void reportCopy(const Access &access, const format::Format &format, TensorId from, bool rootIsListable,
                  const Scope &scope);

  Planning &planning_;
  Kernel &kernel_;
  std::vector<TensorId> written_; ///< by the statements planned so far
  std::vector<TensorId> current_; ///< copies that hold what a written tensor holds now
  std::vector<RefreshCopy> steps_;
  std::vector<TensorId> refreshed_; ///< canonical copies, so far
};

} // namespace spc::sema
