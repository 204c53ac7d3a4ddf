#include "sema/plan/outer_loops.h"

#include "format/levels.h"
#include "sema/nest.h"

#include <algorithm>

namespace spc::sema {
namespace {

using LoopsKind = OuterLoops::Kind;

/// Whether loops that visit an operand's entries visit places at which none of `roots` stores one.
bool leaves(const Term &term, OperandId operand, const std::vector<OperandId> &roots) {
  const OperandId leader = term.operands[operand].follows.value_or(operand);
  return std::find(roots.begin(), roots.end(), leader) == roots.end();
}

/// Whether a domain has places at which none of `roots` stores an entry.
bool exceeds(const Term &term, const Domain &domain, const std::vector<OperandId> &roots) {
  const auto partExceeds = [&](const Domain &part) { return exceeds(term, part, roots); };
  switch (domain.kind) {
  case DomainKind::Everywhere:
  case DomainKind::Missing:
    return true;
  case DomainKind::Stored:
    return leaves(term, domain.operand, roots);
  case DomainKind::All:
    return std::all_of(domain.parts.begin(), domain.parts.end(), partExceeds);
  case DomainKind::Any:
    break;
  }
  return std::any_of(domain.parts.begin(), domain.parts.end(), partExceeds);
}

/// The same of an expression without a domain: products and numerators are where all of their operands are stored,
/// sums where any is.
bool exceeds(const Kernel &kernel, const Term &term, const Expr &expr, const std::vector<OperandId> &roots) {
  const auto inner = [&](const ExprPtr &part) { return exceeds(kernel, term, *part, roots); };
  if (const auto *use = std::get_if<Use>(&expr.node))
    return kernel.tensors[term.operands[use->operand].tensor].format.isDense() || leaves(term, use->operand, roots);
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    return inner(negate->operand);
  if (const auto *call = std::get_if<Call>(&expr.node))
    return call->function != Function::Cast || inner(call->arguments.front());
  const auto *binary = std::get_if<Binary>(&expr.node);
  if (!binary)
    return true;
  if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub)
    return inner(binary->left) || inner(binary->right);
  return inner(binary->left) && (binary->op == BinaryOp::Div || inner(binary->right));
}

/// Whether level `k` of an operand lists coordinates that a loop of its own runs over.
bool listsAt(const Kernel &kernel, const Operand &operand, int k, LoopId loop) {
  const format::Format &format = kernel.tensors[operand.tensor].format;
  if (format.isDense() || operand.follows || k >= static_cast<int>(operand.indices.size()))
    return false;
  const Index &index = operand.indices[k];
  return index.terms.size() == 1 && index.terms.front().loop == loop && !format.levels[k].isFullyDense();
}

bool walksEntries(const Kernel &kernel, const Term &term) {
  return std::any_of(term.operands.begin(), term.operands.end(), [&](const Operand &operand) {
    return !operand.follows && !kernel.tensors[operand.tensor].format.isDense();
  });
}

/// Whether an array lists the root's coordinates, which ascend in its variable's extent.
bool listsInOrder(const format::Format &format) {
  const format::Level &root = format.levels.front();
  return format::kindOf(format, 0) == format::LevelKind::Compressed && root.ordered && !format.interleaved;
}

/// Whether some index is the sum of a diagonal and its row, so that the rows end where that leaves the matrix.
bool hasSum(const Term &term, LoopId diagonal, LoopId row) {
  const auto has = [&](const std::vector<Index> &indices) {
    return std::any_of(indices.begin(), indices.end(),
                       [&](const Index &index) { return index.has(diagonal) && index.has(row); });
  };
  return has(term.target) || std::any_of(term.operands.begin(), term.operands.end(),
                                         [&](const Operand &operand) { return has(operand.indices); });
}

/// Absent of what is no coordinate of a variable, and no block of them.
std::optional<Items> itemsOf(const Loop &loop) {
  if (loop.part == format::Part::Whole)
    return Items{loop.extent, 1};
  return loop.part == format::Part::Quotient ? std::optional(Items{loop.extent, loop.block}) : std::nullopt;
}

/// Completes what a term's loops are that one root lists, of diagonals.
void setDiagonals(OuterLoops &outer, const Term &term, const std::vector<LoopId> &loops) {
  outer.kind = LoopsKind::Diagonals;
  outer.rows = loops[1];
  const Loop &rows = term.loops[outer.rows];
  if (rows.part == format::Part::Whole && hasSum(term, loops.front(), outer.rows))
    outer.items = itemsOf(rows);
}

} // namespace

std::vector<OperandId> listsOf(const Kernel &kernel, const Term &term, LoopId loop) {
  std::vector<OperandId> lists;
  for (OperandId id : term.operands.ids())
    for (int k = 0; k < static_cast<int>(term.operands[id].indices.size()); ++k)
      if (listsAt(kernel, term.operands[id], k, loop))
        lists.push_back(id);
  return lists;
}

bool exceeds(const Kernel &kernel, const Term &term, const std::vector<OperandId> &lists) {
  return term.domain ? exceeds(term, *term.domain, lists) : exceeds(kernel, term, *term.expr, lists);
}

bool isElementwise(const Term &term, const OuterLoops &outer) {
  return term.overwrites || outer.kind == LoopsKind::Once || (outer.isDense && term.loops.size() <= term.target.size());
}

OuterLoops outerLoops(const Kernel &kernel, const Term &term) {
  const std::vector<LoopId> loops = usedLoops(term);
  OuterLoops outer;
  if (loops.empty())
    return outer;
  outer.rows = loops.front();
  outer.isDense = !walksEntries(kernel, term);
  for (OperandId id : term.operands.ids())
    if (listsAt(kernel, term.operands[id], 0, outer.rows))
      outer.roots.push_back(id);
  const Loop &loop = term.loops[outer.rows];
  if (outer.roots.empty()) {
    outer.kind = LoopsKind::Dense;
    outer.items = itemsOf(loop);
    return outer;
  }
  const auto formatOf = [&](OperandId root) -> const format::Format & {
    return kernel.tensors[term.operands[root].tensor].format;
  };
  const bool isOne = outer.roots.size() == 1;
  const auto isUnique = [&](OperandId root) { return formatOf(root).levels.front().unique; };
  outer.kind = isOne ? LoopsKind::Root : LoopsKind::Roots;
  if (exceeds(kernel, term, outer.roots) || (!isOne && !std::all_of(outer.roots.begin(), outer.roots.end(), isUnique)))
    outer.kind = LoopsKind::Mixed;
  else if (loop.part == format::Part::Difference && isOne && loops.size() > 1)
    setDiagonals(outer, term, loops);
  else if (loop.part == format::Part::Difference)
    outer.kind = LoopsKind::Mixed;
  else if (std::all_of(outer.roots.begin(), outer.roots.end(),
                       [&](OperandId id) { return listsInOrder(formatOf(id)); }))
    outer.items = itemsOf(loop);
  return outer;
}

} // namespace spc::sema
