#include "sema/plan/sweeps.h"

#include "format/levels.h"
#include "sema/division.h"
#include "sema/plan/outer_loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace spc::sema {
namespace {

/// The dimension in which all accesses to a tensor are at the row; -1 where there is none.
constexpr int kElsewhere = -1;

/// The tensor whose elements a view or a copy has, else itself.
TensorId elementsOf(const Kernel &kernel, TensorId tensor) {
  while (const std::optional<TensorId> source = sourceOf(kernel.tensors[tensor]))
    tensor = *source;
  return tensor;
}

/// What the steps of a sweep access, and how.
struct Accesses {
  std::optional<Items> items;
  std::set<TensorId> written;
  std::map<TensorId, int> dims; ///< by tensor of order 1 and more: the dimension of the rows, or kElsewhere
  int listing = 0;              ///< how many steps read at coordinates that entries list

  void add(TensorId tensor, int dim) {
    const auto [known, isNew] = dims.emplace(tensor, dim);
    if (!isNew && known->second != dim)
      known->second = kElsewhere;
  }
};

/// Whether an index is at the row that the loop `rows` is at: in its dense dimension, or in the level of the rows.
bool isAtRow(const Term &term, const Index &index, LoopId rows, const Items &items, bool isLevel) {
  bool found = false;
  for (const IndexTerm &part : index.terms) {
    const Loop &loop = term.loops[part.loop];
    if (part.loop == rows)
      found = part.scale == (isLevel ? 1 : items.block);
    else if (loop.part != format::Part::Remainder || loop.block != items.block || part.scale != 1)
      return false;
  }
  return found && index.constant == 0;
}

/// The dimension in which an access is at the row. A sparse tensor's rows are those of its outermost level.
int dimOf(const Kernel &kernel, const Term &term, TensorId tensor, const std::vector<Index> &indices, LoopId rows,
          const Items &items) {
  const format::Format &format = kernel.tensors[tensor].format;
  if (!format.isDense())
    return isAtRow(term, indices.front(), rows, items, true) ? format.levels.front().dim : kElsewhere;
  for (size_t dim = 0; dim < indices.size(); ++dim)
    if (isAtRow(term, indices[dim], rows, items, false))
      return static_cast<int>(dim);
  return kElsewhere;
}

/// Whether entries of a sparse operand list one of the coordinates.
bool isListed(const Kernel &kernel, const Term &term, const std::vector<Index> &indices) {
  for (const Index &index : indices)
    for (const IndexTerm &part : index.terms)
      if (!listsOf(kernel, term, part.loop).empty())
        return true;
  return false;
}

/// Adds the accesses of a term, and notes whether there are `lists`. False where it reads a tensor as a whole, row
/// after row.
bool addTerm(const Kernel &kernel, const Statement &statement, const Term &term, LoopId rows, Accesses &accesses,
             bool &lists) {
  accesses.add(statement.target, dimOf(kernel, term, statement.target, term.target, rows, *accesses.items));
  for (const Operand &operand : term.operands) {
    if (operand.indices.empty())
      continue;
    const int dim = dimOf(kernel, term, operand.tensor, operand.indices, rows, *accesses.items);
    if (dim == kElsewhere && !isListed(kernel, term, operand.indices))
      return false;
    accesses.add(operand.tensor, dim);
    lists |= dim == kElsewhere;
  }
  return true;
}

/// Adds the accesses of a step, in front of those that are there. False where the step can be in no sweep of theirs, by
/// itself.
bool addStep(const Kernel &kernel, const Step &step, Accesses &accesses) {
  const auto *statement = std::get_if<Statement>(&step);
  if (!statement || statement->collecting)
    return false;
  const Division division = divisionOf(kernel, *statement);
  if (division.kind != Division::Kind::Owners || (accesses.items && accesses.items != division.items))
    return false;
  accesses.items = division.items;
  accesses.written.insert(statement->target);
  bool lists = false;
  for (const Term &term : statement->terms) {
    const OuterLoops outer = outerLoops(kernel, term);
    const bool isOverRows = outer.kind == OuterLoops::Kind::Dense || outer.kind == OuterLoops::Kind::Root;
    if (!isOverRows || outer.items != division.items || !addTerm(kernel, *statement, term, outer.rows, accesses, lists))
      return false;
  }
  accesses.listing += lists ? 1 : 0;
  return true;
}

/// Rule 2, and that of one tensor.
bool mayRunTogether(const Kernel &kernel, const Accesses &accesses) {
  std::set<TensorId> elsewhere;
  for (const auto &[tensor, dim] : accesses.dims) {
    const TensorId elements = elementsOf(kernel, tensor);
    const bool isWritten = accesses.written.count(elements) > 0;
    if (isWritten && (elements != tensor || dim == kElsewhere))
      return false;
    if (dim == kElsewhere)
      elsewhere.insert(elements);
  }
  return elsewhere.size() <= 1;
}

/// Whether a step, a tensor that has another one's elements, or a tie that is made of these, uses a tensor outside of
/// some steps.
bool isUsedOutside(const Kernel &kernel, TensorId tensor, size_t begin, size_t end) {
  for (const Tensor &other : kernel.tensors)
    if (const auto *tie = other.as<Tie>(); sourceOf(other) == tensor || (tie && tie->source == tensor))
      return true;
  for (size_t k = 0; k < kernel.steps.size(); ++k)
    if ((k < begin || k >= end) && uses(kernel.steps[k], tensor))
      return true;
  return false;
}

/// Whether the elements of rows that follow each other do so in memory, at places that the entry can work out.
bool hasRowsInPlace(const Kernel &kernel, TensorId id, int dim, const Items &items) {
  const Tensor &tensor = kernel.tensors[id], &owner = kernel.tensors[structureOwner(kernel, id)];
  const format::Level &root = owner.format.levels.front();
  if (root.dim != dim || tensor.extents[static_cast<size_t>(dim)] != items.extent)
    return false;
  if (tensor.format.isDense())
    return root.part == format::Part::Whole;
  const bool isOfRows = items.block == 1 ? root.part == format::Part::Whole
                                         : root.part == format::Part::Quotient && root.block == items.block;
  const auto isClosed = [&](int k) {
    const format::LevelKind kind = format::kindOf(owner.format, k);
    return kind == format::LevelKind::ClosedDense || kind == format::LevelKind::ClosedCompressed;
  };
  bool hasPlaces = isOfRows && root.isFullyDense() && !root.isFound && !owner.isAssembled() && tensor.shared();
  for (int k = 1; k < static_cast<int>(owner.format.levels.size()); ++k)
    hasPlaces = hasPlaces && !isClosed(k);
  return hasPlaces;
}

std::vector<TensorId> heldBy(const Kernel &kernel, const Accesses &accesses, size_t begin, size_t end) {
  std::vector<TensorId> held;
  for (const TensorId id : accesses.written) {
    const Tensor &tensor = kernel.tensors[id];
    const auto *temporary = tensor.as<Temporary>();
    if (temporary && !temporary->standsFor && !tensor.isAssembled() && !isUsedOutside(kernel, id, begin, end) &&
        hasRowsInPlace(kernel, id, accesses.dims.at(id), *accesses.items))
      held.push_back(id);
  }
  return held;
}

} // namespace

std::vector<Sweep> findSweeps(const Kernel &kernel) {
  std::vector<Sweep> sweeps;
  if (!kernel.alternatives.empty() || kernel.recomputation || kernel.schedule.chunk || kernel.schedule.parallel)
    return sweeps;
  for (size_t end = kernel.steps.size(); end > 0;) {
    Accesses accesses;
    size_t begin = end;
    for (Accesses more; begin > 0 && addStep(kernel, kernel.steps[begin - 1], more) && mayRunTogether(kernel, more);) {
      accesses = more;
      --begin;
    }
    if (end - begin > 1) {
      std::vector<TensorId> held = heldBy(kernel, accesses, begin, end);
      if (std::any_of(held.begin(), held.end(), [&](TensorId id) { return kernel.tensors[id].order() > 1; }))
        sweeps.push_back({begin, end, std::move(held), accesses.listing > 1});
    }
    end = std::min(begin, end - 1);
  }
  std::reverse(sweeps.begin(), sweeps.end());
  return sweeps;
}

} // namespace spc::sema
