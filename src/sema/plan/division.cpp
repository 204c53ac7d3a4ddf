#include "sema/division.h"

#include "format/levels.h"
#include "sema/plan/outer_loops.h"
#include "sema/plan/tensor_shares.h"

#include <algorithm>

namespace spc::sema {
namespace {

using Kind = Division::Kind;
using LoopsKind = OuterLoops::Kind;

/// Where an item's elements are: in which dimension of the target, and how many of its coordinates one item has.
struct Owned {
  int dim;
  int64_t count;
  bool operator==(const Owned &) const = default;
};

class Divider {
public:
  Divider(const Kernel &kernel, const Statement &statement)
      : kernel_(kernel), statement_(statement), target_(kernel.tensors[statement.target]) {
    for (const Term &term : statement.terms)
      nests_.push_back(outerLoops(kernel, term));
  }

  Division run() const {
    Division division = decide();
    if (division.kind != Kind::None)
      division.shares = tensorShares(kernel_, statement_, division);
    return division;
  }

private:
  static Division none(std::string reason) { return {Kind::None, {}, {}, {}, std::move(reason)}; }
  const Term &termOf(const OuterLoops &nest) const { return statement_.terms[&nest - nests_.data()]; }
  const format::Format &formatOf(TensorId tensor) const { return kernel_.tensors[tensor].format; }

  Division decide() const {
    if (nests_.empty() || (statement_.collecting && statement_.collecting->rowOrder == 0))
      return none(nests_.empty() ? "there is nothing to compute" : "its entries are collected as a whole");
    for (const Items &items : candidates())
      if (mayOwn(items))
        return {Kind::Owners, items, rootOf(items), {}, {}};
    return statement_.collecting ? none("its rows are not those of one loop") : copies();
  }

  /// Those that a root lists go first: they may be few.
  std::vector<Items> candidates() const {
    std::vector<Items> found;
    const auto add = [&](const std::optional<Items> &items) {
      if (items && std::find(found.begin(), found.end(), *items) == found.end())
        found.push_back(*items);
    };
    const auto addAll = [&](auto isOne) {
      for (const OuterLoops &nest : nests_)
        if (isOne(nest.kind))
          add(nest.items);
    };
    addAll([](LoopsKind kind) { return kind == LoopsKind::Root; });
    add(filledApart());
    addAll([](LoopsKind kind) { return kind == LoopsKind::Dense || kind == LoopsKind::Roots; });
    addAll([](LoopsKind kind) { return kind == LoopsKind::Diagonals; });
    return found;
  }

  /// The rows of the loops that set a dense target first, where the next loops do not do that for their own rows.
  std::optional<Items> filledApart() const {
    if (!statement_.zeroFirst || statement_.collecting || !target_.format.isDense() || target_.order() == 0)
      return std::nullopt;
    const OuterLoops &next = nests_.front();
    for (int dim = 0; next.kind == LoopsKind::Dense && next.items && dim < target_.order(); ++dim)
      if (ownedIn(next, *next.items, dim))
        return std::nullopt;
    return Items{target_.extents[target_.format.levels.front().dim]};
  }

  bool mayOwn(const Items &items) const {
    if (statement_.collecting) {
      const int first = statement_.collecting->dims.front();
      return std::all_of(nests_.begin(), nests_.end(),
                         [&](const OuterLoops &nest) { return nest.items == items && ownedIn(nest, items, first); });
    }
    if (!target_.format.isDense() && statement_.zeroFirst && format::hasSlotsOutside(target_.format))
      return false; // loops over all slots set them to 0
    const int dims = static_cast<int>(statement_.terms.front().target.size());
    for (int dim = 0; dim < dims; ++dim) {
      const std::optional<Owned> first = ownedIn(nests_.front(), items, dim);
      const auto isAlike = [&](const OuterLoops &nest) { return ownedIn(nest, items, dim) == first; };
      if (first && std::all_of(nests_.begin(), nests_.end(), isAlike))
        return true;
    }
    return false;
  }

  /// What of dimension `dim` belongs to one item, so that no other item's iteration accesses it; nullopt where nothing
  /// does.
  std::optional<Owned> ownedIn(const OuterLoops &nest, const Items &items, int dim) const {
    const Index &index = termOf(nest).target[dim];
    if (nest.items == items) {
      if (nest.kind == LoopsKind::Roots && !statement_.collecting)
        return std::nullopt;
      for (const IndexTerm &part : index.terms)
        if (part.loop == nest.rows && isBounded(nest, index))
          return Owned{dim, part.scale};
      return std::nullopt;
    }
    if (!nest.isDense || !index.isLoop())
      return std::nullopt;
    // Loops over all of a dimension may be cut wherever they are.
    const Loop &loop = termOf(nest).loops[index.terms.front().loop];
    const bool isItself = loop.part == format::Part::Whole && loop.extent == items.extent;
    return isItself ? std::optional(Owned{dim, items.block}) : std::nullopt;
  }

  /// Whether an index that has the items' loop stays below the next item's: what is added to that is where in a block
  /// it is, in a loop over all of it.
  bool isBounded(const OuterLoops &nest, const Index &index) const {
    const Term &term = termOf(nest);
    return index.constant == 0 && std::all_of(index.terms.begin(), index.terms.end(), [&](const IndexTerm &part) {
             return part.loop == nest.rows ||
                    (nest.kind != LoopsKind::Diagonals && term.loops[part.loop].part == format::Part::Remainder &&
                     listsOf(kernel_, term, part.loop).empty());
           });
  }

  std::optional<TensorId> rootOf(const Items &items) const {
    for (const OuterLoops &nest : nests_)
      if (nest.items == items && !nest.roots.empty())
        return termOf(nest).operands[nest.roots.front()].tensor;
    return std::nullopt;
  }

  /// What the loops of all terms but elementwise ones run over may be dealt out where they do nothing but add.
  Division copies() const {
    const ValueType type = sumType(kernel_, statement_);
    if (!target_.format.isDense())
      return none("its iterations write each other's elements, which are in a pattern");
    if (statement_.reduction != Reduction::Sum || isComplex(type))
      return none("its iterations write each other's elements, and not in sums of real numbers");
    if (kernel_.strictFp && !isInteger(type))
      return none("its iterations add to each other's elements, and sums keep their order");
    const OuterLoops *common = nullptr;
    for (const OuterLoops &nest : nests_) {
      if (isElementwise(termOf(nest), nest))
        continue;
      if (!mayAdd(nest))
        return none("its iterations write each other's elements, in loops over several lists at once");
      if (common && !isOverTheSame(*common, nest))
        return none("its terms write each other's elements, in loops over different items");
      common = &nest;
    }
    if (!common)
      return none("there is too little to compute");
    if (common->roots.empty())
      return {Kind::Copies, common->items, {}, {}, {}};
    return {Kind::Copies, {}, termOf(*common).operands[common->roots.front()].tensor, {}, {}};
  }

  /// Whether loops can carry a term's sums: not over a list that has no array of its own coordinates and repeats them.
  bool mayAdd(const OuterLoops &nest) const {
    const Term &term = termOf(nest);
    const auto isReadable = [&](OperandId root) {
      const format::Format &format = formatOf(term.operands[root].tensor);
      return !format.interleaved || format.levels.front().unique;
    };
    return nest.kind != LoopsKind::Roots && nest.kind != LoopsKind::Mixed && (nest.items || !nest.roots.empty()) &&
           std::all_of(nest.roots.begin(), nest.roots.end(), isReadable);
  }

  bool isOverTheSame(const OuterLoops &one, const OuterLoops &other) const {
    if (one.roots.empty() || other.roots.empty())
      return one.roots.empty() && other.roots.empty() && one.items == other.items;
    return termOf(one).operands[one.roots.front()].tensor == termOf(other).operands[other.roots.front()].tensor;
  }

  const Kernel &kernel_;
  const Statement &statement_;
  const Tensor &target_;
  std::vector<OuterLoops> nests_; ///< by term
};

} // namespace

Division divisionOf(const Kernel &kernel, const Statement &statement) {
  return Divider(kernel, statement).run();
}

} // namespace spc::sema
