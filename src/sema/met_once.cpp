#include "sema/met_once.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace spc::sema {
namespace {

/// A loop of an equation, with what its variable is multiplied by there.
struct Digit {
  LoopId loop;
  int64_t scale;
};

/// Which of a term's loops follow from those that are known.
class KnownLoops {
public:
  KnownLoops(const Kernel &kernel, const Term &term) : kernel_(kernel), term_(term) {}

  std::set<LoopId> known;

  bool areAll() const { return known.size() == term_.loops.size(); }

  void addIndex(const Index &index) {
    for (const IndexTerm &part : index.terms)
      known.insert(part.loop);
  }

  /// Adds what follows.
  void complete() {
    for (size_t before = known.size() + 1; before != known.size();) {
      before = known.size();
      for (const Operand &operand : term_.operands)
        follow(operand);
    }
  }

private:
  void follow(const Operand &operand);
  void followTie(const Tie &tie, const std::vector<LoopId> &loops);
  void followTemporary(TensorId source, const std::vector<LoopId> &loops);
  std::vector<LoopId> loopsOf(const Operand &operand) const;
  bool areDistinct(std::vector<Digit> parts) const;

  const Kernel &kernel_;
  const Term &term_;
};

/// By dimension of a sparse operand; none where an index is no single loop.
std::vector<LoopId> KnownLoops::loopsOf(const Operand &operand) const {
  const Tensor &tensor = kernel_.tensors[operand.tensor];
  const std::vector<format::Level> &levels = tensor.format.levels;
  if (tensor.format.isDense() || levels.size() != operand.indices.size() ||
      static_cast<int>(levels.size()) != tensor.order())
    return {};
  std::vector<LoopId> loops(levels.size());
  for (size_t k = 0; k < levels.size(); ++k) {
    if (operand.indices[k].terms.size() != 1 || levels[k].part != format::Part::Whole)
      return {};
    loops[static_cast<size_t>(levels[k].dim)] = operand.indices[k].terms.front().loop;
  }
  return loops;
}

/// Whether sums of the loops' variables, each multiplied, are different for different ones: as digits of a number are.
bool KnownLoops::areDistinct(std::vector<Digit> parts) const {
  std::sort(parts.begin(), parts.end(),
            [](Digit one, Digit other) { return std::abs(one.scale) < std::abs(other.scale); });
  int64_t most = 0; // that the loops so far come to, apart from one another
  for (size_t p = 0; p < parts.size(); ++p) {
    const int64_t scale = std::abs(parts[p].scale);
    if (scale <= most)
      return false;
    const std::optional<int64_t> extent = kernel_.extents[term_.loops[parts[p].loop].extent].fixed;
    int64_t reach;
    if (p + 1 == parts.size())
      return true;
    if (!extent || __builtin_mul_overflow(scale, std::max<int64_t>(*extent - 1, 0), &reach) ||
        __builtin_add_overflow(most, reach, &most))
      return false;
  }
  return true;
}

void KnownLoops::followTie(const Tie &tie, const std::vector<LoopId> &loops) {
  const auto isKnown = [&](LoopId loop) { return known.contains(loop); };
  if (std::all_of(loops.begin(), std::prev(loops.end()), isKnown)) {
    known.insert(loops.back());
    return;
  }
  if (tie.source || !isKnown(loops.back()))
    return;
  std::vector<Digit> unknown;
  for (size_t dim = 0; dim + 1 < loops.size(); ++dim) {
    const Amount &scale = tie.rowScales[dim];
    if (isKnown(loops[dim]))
      continue;
    if (!scale.isNumber() || scale.isZero())
      return;
    unknown.push_back({loops[dim], scale.number});
  }
  if (areDistinct(unknown))
    for (const Digit &part : unknown)
      known.insert(part.loop);
}

/// What a temporary's statement says of its coordinates.
void KnownLoops::followTemporary(TensorId source, const std::vector<LoopId> &loops) {
  const Statement *only = nullptr;
  for (const Step &step : kernel_.steps)
    if (const auto *statement = std::get_if<Statement>(&step); statement && statement->target == source) {
      if (only || statement->terms.size() != 1 || !statement->collecting)
        return;
      only = statement;
    }
  if (!only || only->terms.front().target.size() != loops.size())
    return;
  const std::vector<Index> &target = only->terms.front().target;
  KnownLoops inside(kernel_, only->terms.front());
  for (size_t dim = 0; dim < loops.size(); ++dim)
    if (target[dim].terms.size() != 1)
      return;
    else if (known.contains(loops[dim]))
      inside.addIndex(target[dim]);
  inside.complete();
  for (size_t dim = 0; dim < loops.size(); ++dim)
    if (inside.known.contains(target[dim].terms.front().loop))
      known.insert(loops[dim]);
}

void KnownLoops::follow(const Operand &operand) {
  const std::vector<LoopId> loops = loopsOf(operand);
  if (loops.empty() || std::all_of(loops.begin(), loops.end(), [&](LoopId loop) { return known.contains(loop); }))
    return;
  const auto *copy = kernel_.tensors[operand.tensor].as<Converted>();
  const TensorId source = copy ? copy->source : operand.tensor;
  const Tensor &tensor = kernel_.tensors[source];
  if (const auto *tie = tensor.as<Tie>())
    followTie(*tie, loops);
  else if (tensor.is<Temporary>() && tensor.isAssembled())
    followTemporary(source, loops);
}

} // namespace

bool meetsKeysOnce(const Kernel &kernel, const Statement &statement) {
  if (statement.terms.size() != 1)
    return false;
  const Term &term = statement.terms.front();
  KnownLoops loops(kernel, term);
  for (const Index &index : term.target)
    loops.addIndex(index);
  loops.complete();
  return loops.areAll();
}

} // namespace spc::sema
