// Copies of sparse operands in a storage that suits a term's loops. Private to this folder.
#pragma once

#include "sema/analysis.h"
#include "sema/level_space.h"

#include <vector>

namespace spc::sema {

/// Makes copies as loops are planned; a copy that several terms read is made once.
class OperandCopies {
public:
  explicit OperandCopies(Analysis &analysis) : analysis_(analysis), kernel_(analysis.kernel) {}

  /// The copy of an access's tensor with levels (dense, compressed, …) in the order `order` of the space's loops; of a
  /// vector with one compressed level. The root is compressed as well where the tensor has no dense level, the
  /// outermost loop is over the root, and nothing that the term reads or writes stores all of that loop's coordinates
  /// (`isListed`): then the extent may be larger than memory. Warns of the copy, or reports an error where the tensor
  /// is not the caller's any more.
  TensorId copyFor(const Access &access, const SparseAccess &operand, const LevelSpace &space,
                   const std::vector<int> &order, bool isListed, const Scope &scope);

  /// From now on the tensor holds what the kernel computes.
  void noteWritten(TensorId tensor) { written_.push_back(tensor); }

private:
  bool isWritten(TensorId tensor) const;
  TensorId addCopy(TensorId source, format::Format format, Span where);
  void reportCopy(const Access &access, const format::Format &format, bool rootIsListable, const Scope &scope);

  Analysis &analysis_;
  Kernel &kernel_;
  std::vector<TensorId> written_; ///< by the statements planned so far
};

} // namespace spc::sema
