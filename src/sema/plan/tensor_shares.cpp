#include "sema/plan/tensor_shares.h"

#include "sema/plan/outer_loops.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// The shares of the tensors of one statement, term by term.
class Sharing {
public:
  Sharing(const Kernel &kernel, const Statement &statement, const Division &division)
      : kernel_(kernel), statement_(statement), division_(division) {}

  std::vector<TensorShare> run() {
    const bool isCopy = division_.kind == Division::Kind::Copies;
    for (const Term &term : statement_.terms) {
      itemLoops_ = itemLoops(term);
      const Tensor &target = kernel_.tensors[statement_.target];
      if (isCopy && target.format.isDense())
        shares_ = shares_.empty() ? std::vector{TensorShare{statement_.target, Share::Copy}} : std::move(shares_);
      else
        add(statement_.target, term.target);
      findListing(term);
      for (const Operand &operand : term.operands)
        if (!operand.indices.empty() && operand.tensor != statement_.target)
          add(operand.tensor, operand.indices);
    }
    return std::move(shares_);
  }

private:
  /// Whether a loop is over the items, or over what they are blocks of.
  bool isOfItems(const Loop &loop) const {
    const bool isBlock = loop.part == format::Part::Quotient && loop.block == division_.items->block;
    return loop.extent == division_.items->extent && (isBlock || loop.part == format::Part::Whole);
  }

  /// The loop that is divided: the term's own outermost one where that is over the items, else any that is.
  std::vector<LoopId> itemLoops(const Term &term) const {
    const OuterLoops outer = outerLoops(kernel_, term);
    if (outer.kind == OuterLoops::Kind::Once)
      return {};
    if (!division_.items || outer.items == division_.items)
      return {outer.rows};
    std::vector<LoopId> loops;
    for (LoopId id : term.loops.ids())
      if (isOfItems(term.loops[id]))
        loops.push_back(id);
    return loops;
  }

  /// Whether an index has one of the loops, and is where that is.
  bool has(const Index &index, const std::vector<LoopId> &loops) const {
    return index.constant == 0 && std::any_of(loops.begin(), loops.end(), [&](LoopId loop) { return index.has(loop); });
  }

  /// The operand with a slice whose further levels list coordinates, and the loops over these.
  void findListing(const Term &term) {
    listing_.reset();
    listed_.clear();
    for (const Operand &operand : term.operands) {
      const format::Format &format = kernel_.tensors[operand.tensor].format;
      if (format.isDense() || operand.follows || !has(operand.indices.front(), itemLoops_))
        continue;
      listing_ = operand.tensor;
      for (size_t k = 1; k < operand.indices.size(); ++k)
        if (!format.levels[k].isFullyDense())
          for (const IndexTerm &part : operand.indices[k].terms)
            listed_.push_back(part.loop);
      return;
    }
  }

  /// A sparse tensor's slice is of its outermost level: there are no others to be had of it.
  TensorShare shareOf(TensorId tensor, const std::vector<Index> &indices) const {
    const format::Format &format = kernel_.tensors[tensor].format;
    const bool byLevel = !format.isDense() && !(tensor == statement_.target && statement_.collecting);
    const size_t last = byLevel ? std::min<size_t>(1, indices.size()) : indices.size();
    for (size_t k = 0; k < last; ++k)
      if (has(indices[k], itemLoops_))
        return {tensor, Share::Slice, byLevel ? format.levels[k].dim : static_cast<int>(k)};
    for (size_t k = 0; k < last; ++k)
      if (listing_ && has(indices[k], listed_))
        return {tensor, Share::Listed, byLevel ? format.levels[k].dim : static_cast<int>(k), listing_};
    return {tensor, Share::Whole};
  }

  void add(TensorId tensor, const std::vector<Index> &indices) {
    const TensorShare share = shareOf(tensor, indices);
    const auto known =
        std::find_if(shares_.begin(), shares_.end(), [&](const TensorShare &other) { return other.tensor == tensor; });
    if (known == shares_.end())
      shares_.push_back(share);
    else if (known->share != share.share || known->dim != share.dim || known->listing != share.listing)
      *known = {tensor, Share::Whole};
  }

  const Kernel &kernel_;
  const Statement &statement_;
  const Division &division_;
  std::vector<TensorShare> shares_;
  std::vector<LoopId> itemLoops_, listed_; ///< of the term
  std::optional<TensorId> listing_;        ///< of the term
};

} // namespace

std::vector<TensorShare> tensorShares(const Kernel &kernel, const Statement &statement, const Division &division) {
  return Sharing(kernel, statement, division).run();
}

} // namespace spc::sema
