// What terms cost of which each fiber is added up once (transforms/vector/factor_fibers.cpp).
#include "format/levels.h"
#include "sema/cost.h"
#include "sema/nest.h"

#include <algorithm>

namespace spc::sema {
namespace {

bool isPlainProduct(const Expr &expr) {
  if (const auto *binary = std::get_if<Binary>(&expr.node))
    return binary->op == BinaryOp::Mul && isPlainProduct(*binary->left) && isPlainProduct(*binary->right);
  return std::holds_alternative<Use>(expr.node) || std::holds_alternative<Literal>(expr.node);
}

bool has(const std::vector<Index> &indices, LoopId loop) {
  return std::any_of(indices.begin(), indices.end(), [&](const Index &index) { return index.has(loop); });
}

/// The one sparse operand, with three levels or more, each of a loop of its own, which are the outermost ones in that
/// order; nullopt where it is otherwise.
std::optional<OperandId> walkedIn(const Term &term, const Kernel &kernel) {
  std::optional<OperandId> walked;
  for (OperandId id : term.operands.ids()) {
    const Operand &operand = term.operands[id];
    if (kernel.tensors[operand.tensor].format.isDense())
      continue;
    if (walked || operand.follows)
      return std::nullopt;
    walked = id;
  }
  if (!walked || term.operands[*walked].indices.size() < 3)
    return std::nullopt;
  const format::Format &format = kernel.tensors[term.operands[*walked].tensor].format;
  if (format::kindOf(format, format.levelCount() - 1) != format::LevelKind::Compressed)
    return std::nullopt; // one list of all entries has no fibers
  const std::vector<Index> &indices = term.operands[*walked].indices;
  for (size_t k = 0; k < indices.size(); ++k)
    if (!indices[k].isLoop() || indices[k].terms.front().loop != LoopId(k))
      return std::nullopt;
  return walked;
}

/// Whether the loops between the last one of `walked` and the innermost one are of factors that entries do not change.
bool multiplyOut(const Term &term, OperandId walked) {
  const LoopId last(term.operands[walked].indices.size() - 1), innermost(term.loops.size() - 1);
  if (innermost.index() < last.index() + 2 || has(term.target, last))
    return false;
  bool isRow = false;
  for (OperandId id : term.operands.ids()) {
    if (id == walked || !has(term.operands[id].indices, last))
      continue;
    isRow |= has(term.operands[id].indices, innermost);
    for (size_t around = last.index() + 1; around < innermost.index(); ++around)
      if (has(term.operands[id].indices, LoopId(around)))
        return false;
  }
  return isRow;
}

CostFactor runsOf(const Term &term, LoopId loop) {
  const Loop &one = term.loops[loop];
  return {{}, one.extent, one.part, one.block};
}

} // namespace

std::optional<FiberSums> fiberSumsIn(const Statement &statement, const Term &term, const Kernel &kernel) {
  const bool mayFactor = !kernel.strictFp && !statement.collecting && statement.reduction == Reduction::Sum &&
                         (statement.computeType == ValueType::F32 || statement.computeType == ValueType::F64);
  const std::optional<OperandId> walked =
      mayFactor && !term.domain && isPlainProduct(*term.expr) ? walkedIn(term, kernel) : std::nullopt;
  if (!walked || !multiplyOut(term, *walked))
    return std::nullopt;
  return FiberSums{*walked, LoopId(term.operands[*walked].indices.size() - 1), LoopId(term.loops.size() - 1)};
}

std::optional<std::vector<CostProduct>> costByFibers(const Statement &statement, const Term &term,
                                                     const Kernel &kernel) {
  const std::optional<FiberSums> fibers = fiberSumsIn(statement, term, kernel);
  if (!fibers)
    return std::nullopt;
  CostProduct sums{{entriesOwner(kernel, term.operands[fibers->walked].tensor)}, runsOf(term, fibers->columns)};
  CostProduct products;
  for (LoopId loop : term.loops.ids())
    if (loop != fibers->entries)
      products.push_back(runsOf(term, loop));
  return std::vector<CostProduct>{std::move(sums), std::move(products)};
}

} // namespace spc::sema
