// Which operands have to be read entry by entry.
#include "format/levels.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/repeats.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// A term that reads parts of sums and mirror images apart has loops for each combination: above this, a copy is less.
constexpr size_t kMaxReadings = 4;

class TermRequests {
public:
  TermRequests(Planning &planning, const LogicalStatement &logical, const LogicalTerm &term)
      : planning_(planning), kernel_(planning.kernel), logical_(logical), term_(term),
        scope_(planning.statements[logical.statement].scope), accesses_(accessesOf(*term.expr)),
        hasDomain_(hasDomain(*term.expr, logical.reduction, scope_, kernel_)) {
    std::copy_if(accesses_.begin(), accesses_.end(), std::back_inserter(sparse_),
                 [&](AccessId id) { return !formatOf(id).isDense(); });
  }

  void run() {
    askForPatterns(*term_.expr);
    for (AccessId id : sparse_)
      if (needsEntries(id) || isSharedBadly(id))
        ask(id);
    if (readings() > kMaxReadings)
      for (AccessId id : sparse_)
        if (readingsOf(id) > 1)
          ask(id);
  }

private:
  const Tensor &tensorOf(AccessId id) const { return kernel_.tensors[scope_.accesses[id].tensor]; }
  const format::Format &formatOf(AccessId id) const { return tensorOf(id).format; }

  void ask(AccessId id) const {
    const Access &access = scope_.accesses[id];
    (void)planning_.copies.ask(kernel_, access.tensor, planning_.statements[logical_.statement].target.tensor,
                               access.where);
  }

  /// Padding is no entry.
  void askForPatterns(const Node &node) const {
    const auto *call = std::get_if<CallNode>(&node.kind);
    if (!call || call->function != Function::Pattern) {
      for (const Node *child : children(node))
        askForPatterns(*child);
      return;
    }
    const AccessId id = accessesOf(node).front();
    if (!formatOf(id).isDense() && isPadded(id))
      ask(id);
  }

  bool isPadded(AccessId id) const { return format::hasPadding(formatOf(id)); }

  /// Whether the term is no sum of what stored values, or parts, or triangles give.
  bool needsEntries(AccessId id) const {
    const format::Format &format = formatOf(id);
    if (tensorOf(id).fill != 0 && (format.isSum() || format::hasPadding(format))) // with 0, which is no fill of it
      return true;
    if (format.isSum())
      return hasDomain_ || !isSumOfParts(*term_.expr, id, scope_);
    if (!mayReadRepeats(*term_.expr, id, logical_.reduction, logical_.computeType, scope_, kernel_))
      return true;
    if (!hasDomain_)
      return false;
    if (format.symmetry != format::Symmetry::None && !isAlone(id))
      return true;
    return isPadded(id) && !(isAlone(id) && isZeroOfStoredZero(*term_.expr, id, logical_.computeType, scope_, kernel_));
  }

  /// Whether the term is computed only where this one sparse operand stores entries, and is summed.
  bool isAlone(AccessId id) const {
    const auto leads = [&](AccessId other) { return leaderOf(other, accesses_, scope_, kernel_) == other; };
    return logical_.reduction == Reduction::Sum && std::count_if(sparse_.begin(), sparse_.end(), leads) == 1 &&
           singleOperand(domainOfTerm(*term_.expr, logical_.targetDefault, logical_.computeType, scope_, kernel_)) ==
               id;
  }

  /// Whether another tensor of the term has the same structure, and is read at the same place, but not in step: entries
  /// that are stored in several places have no one position.
  bool isSharedBadly(AccessId id) const {
    return std::any_of(sparse_.begin(), sparse_.end(), [&](AccessId other) {
      return scope_.accesses[other].tensor != scope_.accesses[id].tensor &&
             scope_.accesses[other].variables == scope_.accesses[id].variables && contentOf(other) == contentOf(id) &&
             leaderOf(other, {id, other}, scope_, kernel_) == other &&
             leaderOf(id, {other, id}, scope_, kernel_) == id && !tensorOf(id).hasDeclaredOwner() &&
             !tensorOf(other).hasDeclaredOwner();
    });
  }

  /// The tensor whose entries an operand's structure is that of.
  TensorId contentOf(AccessId id) const {
    const TensorId owner = structureOwner(kernel_, scope_.accesses[id].tensor);
    return kernel_.tensors[owner].is<Converted>() ? *sourceOf(kernel_.tensors[owner]) : owner;
  }

  size_t readingsOf(AccessId id) const {
    const format::Format &format = formatOf(id);
    const Tensor &target = kernel_.tensors[logical_.target];
    const bool isMirrored = target.format.isDense() || target.isAssembled();
    return std::max<size_t>(1, format.parts.size()) * (format.symmetry != format::Symmetry::None && isMirrored ? 2 : 1);
  }

  size_t readings() const {
    size_t count = 1;
    for (AccessId id : sparse_)
      count = std::min<size_t>(count * readingsOf(id), 2 * kMaxReadings);
    return count;
  }

  Planning &planning_;
  const Kernel &kernel_;
  const LogicalStatement &logical_;
  const LogicalTerm &term_;
  const Scope &scope_;
  std::vector<AccessId> accesses_, sparse_;
  bool hasDomain_;
};

} // namespace

void requestCanonicalCopies(Planning &planning, const std::vector<Expansion> &expansions) {
  const auto request = [&](const LogicalStatement &logical) {
    for (const LogicalTerm &term : logical.terms)
      TermRequests(planning, logical, term).run();
  };
  for (const Expansion &expansion : expansions) {
    std::for_each(expansion.temporaries.begin(), expansion.temporaries.end(), request);
    request(expansion.main);
  }
}

} // namespace spc::sema
