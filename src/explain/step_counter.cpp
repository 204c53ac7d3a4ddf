#include "explain/step_counter.h"

#include "format/levels.h"
#include "sema/nest.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spc::explain {
namespace {

using sema::Domain;
using sema::DomainKind;
using sema::LoopId;
using sema::OperandId;
using Range = StoredTree::Range;

bool isWalked(const sema::Operand &operand, const sema::Kernel &kernel) {
  return !kernel.tensors[operand.tensor].format.isDense() && !operand.follows;
}

Domain joined(DomainKind kind, Domain left, Domain right) {
  const bool isAll = kind == DomainKind::All;
  if (left.kind == DomainKind::Everywhere)
    return isAll ? right : left;
  if (right.kind == DomainKind::Everywhere)
    return isAll ? left : right;
  Domain both{kind};
  both.parts = {std::move(left), std::move(right)};
  return both;
}

/// Of arithmetic without a domain of its own.
Domain domainOf(const sema::Expr &expr, const sema::Term &term, const sema::Kernel &kernel) {
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    return domainOf(*negate->operand, term, kernel);
  if (const auto *use = std::get_if<sema::Use>(&expr.node)) {
    const bool isStored = isWalked(term.operands[use->operand], kernel);
    return isStored ? Domain{DomainKind::Stored, use->operand} : Domain{};
  }
  const auto *binary = std::get_if<sema::Binary>(&expr.node);
  if (!binary)
    return {};
  Domain left = domainOf(*binary->left, term, kernel);
  if (binary->op == sema::BinaryOp::Div)
    return left;
  return joined(binary->op == sema::BinaryOp::Mul ? DomainKind::All : DomainKind::Any, std::move(left),
                domainOf(*binary->right, term, kernel));
}

class Walker {
public:
  Walker(const sema::Term &term, const CountInputs &inputs)
      : term_(term), inputs_(inputs), domain_(explain::domainOf(term, inputs.kernel)), at_(term.loops.size()) {}

  std::optional<double> count() {
    if (!prepare())
      return std::nullopt;
    const double steps = walk(0);
    return gaveUp_ ? std::nullopt : std::optional(steps);
  }

  /// The same where each fiber is added up (factor_fibers.cpp), if it is so below a node of the level around them.
  std::optional<double> countFibers(const sema::FiberSums &sums) {
    constexpr double kMostColumns = 256, kFewestUses = 4;
    if (!prepare())
      return std::nullopt;
    const StoredTree &tree = *cursors_.front().tree;
    if (tree.levelCount() != static_cast<int>(sums.entries.index()) + 1)
      return std::nullopt;
    const format::Format &format = inputs_.kernel.tensors[term_.operands[sums.walked].tensor].format;
    const int fibers = tree.levelCount() - 2;
    const bool isDense = format::kindOf(format, fibers) == format::LevelKind::Dense;
    const double columns = extentOf(static_cast<int>(sums.columns.index()));
    double uses = 1, steps = 0;
    for (size_t loop = sums.entries.index() + 1; loop < sums.columns.index(); ++loop)
      uses *= extentOf(static_cast<int>(loop));
    for (size_t node = 0; node < static_cast<size_t>(tree.nodes(fibers - 1)); ++node) {
      const Range own = tree.below(fibers - 1, node);
      const double entries = tree.leaves(fibers, own), some = static_cast<double>(own.end - own.begin);
      const double all = isDense ? extentOf(fibers) : some;
      const bool addsUp = columns <= kMostColumns && uses >= kFewestUses && entries * (uses - 1) > all * (uses + 2);
      steps += (addsUp ? entries + some * uses : entries * uses) * columns;
    }
    return steps;
  }

  std::optional<std::vector<int64_t>> writes(size_t most) {
    most_ = most;
    collects_ = true;
    if (!prepare())
      return std::nullopt;
    walk(0);
    return gaveUp_ ? std::nullopt : std::optional(std::move(written_));
  }

private:
  /// How far the walk has come in an operand's tree.
  struct Mark {
    int level = 0; ///< the next one
    Range range;   ///< of its nodes
    bool isThere = true;
  };
  struct Cursor : Mark {
    OperandId operand;
    const StoredTree *tree = nullptr;
    std::vector<int> loops; ///< by level: the loop at which its coordinate is known
  };

  bool prepare() {
    for (OperandId id : term_.operands.ids()) {
      const sema::Operand &operand = term_.operands[id];
      if (!isWalked(operand, inputs_.kernel))
        continue;
      Cursor cursor;
      cursor.operand = id;
      cursor.tree = inputs_.tree(operand.tensor);
      if (!cursor.tree)
        return false;
      for (const sema::Index &index : operand.indices) {
        isPlain_ &= index.isLoop();
        size_t known = 0;
        for (const sema::IndexTerm &part : index.terms)
          known = std::max(known, part.loop.index());
        cursor.loops.push_back(static_cast<int>(known));
      }
      cursor.range = cursor.tree->roots();
      cursor.isThere = cursor.range.begin < cursor.range.end;
      cursors_.push_back(std::move(cursor));
    }
    for (const sema::Loop &loop : term_.loops)
      isPlain_ &= !collects_ || loop.part == format::Part::Whole;
    return isPlain_ || (cursors_.size() == 1 && !collects_); // others are found at sums of loops
  }

  double extentOf(int loop) const {
    const sema::Loop &one = term_.loops[LoopId(loop)];
    const auto size = static_cast<double>(inputs_.extents[one.extent]);
    return one.part == format::Part::Quotient    ? std::ceil(size / static_cast<double>(one.block))
           : one.part == format::Part::Remainder ? static_cast<double>(one.block)
                                                 : size;
  }

  const Cursor *cursorOf(OperandId id) const {
    for (const Cursor &cursor : cursors_)
      if (cursor.operand == id)
        return &cursor;
    return nullptr;
  }

  bool isOver(int loop) const { return loop == static_cast<int>(term_.loops.size()); }

  /// The one operand that decides alone what is visited from here on; null where there are several, or none.
  const Cursor *onlyCursor() const {
    const Cursor *only = nullptr;
    for (const Cursor &cursor : cursors_)
      if (cursor.isThere && cursor.level < cursor.tree->levelCount()) {
        if (only)
          return nullptr;
        only = &cursor;
      }
    const bool isNeeded =
        only && !holds(domain_, [&](OperandId id) { return id != only->operand && cursorOf(id)->isThere; });
    return isNeeded ? only : nullptr;
  }

  double walk(int loop) {
    if (gaveUp_ || !holds(domain_, [&](OperandId id) { return cursorOf(id)->isThere; }))
      return 0;
    if (isOver(loop)) {
      if (collects_)
        note();
      return 1;
    }
    if (!collects_)
      if (const Cursor *only = onlyCursor())
        return walkAlone(*only, loop);
    std::vector<Cursor *> listed;
    for (Cursor &cursor : cursors_)
      if (cursor.isThere && cursor.level < cursor.tree->levelCount() && cursor.loops[cursor.level] == loop)
        listed.push_back(&cursor);
    const bool visitsAll = holds(domain_, [&](OperandId id) {
      const Cursor *cursor = cursorOf(id);
      return cursor->isThere && std::find(listed.begin(), listed.end(), cursor) == listed.end();
    });
    return listed.empty() && !collects_ ? extentOf(loop) * walk(loop + 1) : merge(loop, listed, visitsAll);
  }

  /// What one operand stores, times the extents of the other loops.
  double walkAlone(const Cursor &only, int loop) const {
    double steps = only.tree->leaves(only.level, only.range);
    for (int other = loop; !isOver(other); ++other)
      if (!isIndexed(only, other))
        steps *= extentOf(other);
    return steps;
  }

  /// Whether a loop is over what the tree has; those over a tail are over all of it.
  bool isIndexed(const Cursor &cursor, int loop) const {
    const std::vector<sema::Index> &indices = term_.operands[cursor.operand].indices;
    return std::any_of(indices.begin(), indices.begin() + cursor.tree->levelCount(),
                       [&](const sema::Index &index) { return index.has(LoopId(loop)); });
  }

  /// The coordinate of a cursor's next level in terms of a loop; as the loop has it where it alone is the index.
  int64_t coordinateAt(const Cursor &cursor, size_t node) const { return cursor.tree->coordinate(cursor.level, node); }

  /// Moves cursors that are at the coordinate below it, walks on, and takes them back.
  double descend(int loop, const std::vector<Cursor *> &listed, int64_t coordinate, std::vector<size_t> &nodes) {
    const size_t before = marks_.size();
    for (size_t k = 0; k < listed.size(); ++k) {
      Cursor &cursor = *listed[k];
      marks_.push_back(cursor);
      cursor.isThere = nodes[k] < cursor.range.end && coordinateAt(cursor, nodes[k]) == coordinate;
      if (cursor.isThere) {
        if (cursor.level + 1 < cursor.tree->levelCount())
          cursor.range = cursor.tree->below(cursor.level, nodes[k]);
        ++cursor.level;
        ++nodes[k];
      }
    }
    at_[static_cast<size_t>(loop)] = coordinate;
    const double steps = walk(loop + 1);
    for (size_t k = 0; k < listed.size(); ++k)
      static_cast<Mark &>(*listed[k]) = marks_[before + k];
    marks_.resize(before);
    return steps;
  }

  /// All coordinates of the operands that have this loop, in ascending order, as long as the domain may hold.
  double merge(int loop, const std::vector<Cursor *> &listed, bool visitsAll) {
    if (const std::optional<OperandId> kept = sema::lookedUpIn(inputs_.kernel, term_, LoopId(loop));
        kept && !collects_ && listed.size() == 2) {
      const size_t place = listed[0]->operand == *kept ? 0 : 1;
      if (mayLookUp(loop, *listed[place]))
        return lookUp(loop, listed, place);
    }
    std::vector<size_t> nodes;
    for (const Cursor *cursor : listed)
      nodes.push_back(cursor->range.begin);
    const auto isLeft = [&](OperandId id) {
      const Cursor *cursor = cursorOf(id);
      const auto place = std::find(listed.begin(), listed.end(), cursor);
      return cursor->isThere && (place == listed.end() || nodes[place - listed.begin()] < cursor->range.end);
    };
    const bool isInnermost = isOver(loop + 1);
    const auto extent = static_cast<int64_t>(extentOf(loop));
    double steps = 0;
    for (int64_t next = 0; !gaveUp_ && holds(domain_, isLeft); ++next) {
      int64_t least = std::numeric_limits<int64_t>::max();
      for (size_t k = 0; k < listed.size(); ++k)
        if (nodes[k] < listed[k]->range.end)
          least = std::min(least, coordinateAt(*listed[k], nodes[k]));
      if (visitsAll)
        least = next;
      if (visitsAll ? next >= extent : least == std::numeric_limits<int64_t>::max())
        break;
      gaveUp_ |= ++walked_ > inputs_.mostWalked;
      const double below = descend(loop, listed, least, nodes);
      steps += isInnermost ? 1 : below;
    }
    return steps;
  }

  /// Whether a call has an array for a list that is looked up (look_up_merges.cpp, makePositions() of the entry).
  bool mayLookUp(int loop, const Cursor &kept) const {
    constexpr size_t kFewest = 4;
    double least = std::numeric_limits<double>::infinity();
    for (const Cursor &cursor : cursors_)
      least = std::min(least, cursor.tree->nodes(cursor.tree->levelCount() - 1));
    return extentOf(loop) <= least && kept.range.end - kept.range.begin >= kFewest;
  }

  /// The entries of one of two lists, each of which is looked up in the other one, `kept`; of long lists up to its last
  /// coordinate.
  double lookUp(int loop, const std::vector<Cursor *> &listed, size_t kept) {
    constexpr size_t kShort = 16;
    const Range own = listed[kept]->range, other = listed[1 - kept]->range;
    std::vector<size_t> nodes{listed[0]->range.begin, listed[1]->range.begin};
    size_t &place = nodes[1 - kept];
    const int64_t last = coordinateAt(*listed[kept], own.end - 1);
    const bool isInnermost = isOver(loop + 1);
    double steps = 0;
    while (!gaveUp_ && place < other.end) {
      const int64_t next = coordinateAt(*listed[1 - kept], place);
      if (next > last && other.end - other.begin > kShort)
        break;
      gaveUp_ |= ++walked_ > inputs_.mostWalked;
      while (nodes[kept] < own.end && coordinateAt(*listed[kept], nodes[kept]) < next)
        ++nodes[kept];
      const size_t before = place;
      const double below = descend(loop, listed, next, nodes);
      place = before + 1;
      steps += isInnermost ? 1 : below;
    }
    return steps;
  }

  void note() {
    if (written_.size() >= most_ * term_.target.size()) {
      gaveUp_ = true;
      return;
    }
    for (const sema::Index &index : term_.target) {
      int64_t coordinate = index.constant;
      for (const sema::IndexTerm &part : index.terms)
        coordinate += part.scale * at_[part.loop.index()];
      written_.push_back(coordinate);
    }
  }

  const sema::Term &term_;
  const CountInputs &inputs_;
  const Domain domain_;
  std::vector<Cursor> cursors_;
  std::vector<Mark> marks_; ///< where cursors were before loops that are under way
  std::vector<int64_t> at_; ///< by loop
  double walked_ = 0;
  bool gaveUp_ = false;
  bool isPlain_ = true; ///< each level has a loop of its own
  bool collects_ = false;
  size_t most_ = 0;
  std::vector<int64_t> written_;
};

} // namespace

sema::Domain domainOf(const sema::Term &term, const sema::Kernel &kernel) {
  return term.domain ? *term.domain : domainOf(*term.expr, term, kernel);
}

std::optional<double> countSteps(const sema::Statement &statement, const sema::Term &term, const CountInputs &inputs) {
  const std::optional<sema::FiberSums> sums = sema::fiberSumsIn(statement, term, inputs.kernel);
  return sums ? Walker(term, inputs).countFibers(*sums) : Walker(term, inputs).count();
}

std::optional<std::vector<int64_t>> writtenAt(const sema::Term &term, const CountInputs &inputs, size_t most) {
  return Walker(term, inputs).writes(most);
}

} // namespace spc::explain
