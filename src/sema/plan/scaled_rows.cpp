#include "sema/plan/scaled_rows.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Whether a value is a product, or a quotient, of whatever operands and functions make, and not chosen.
bool isProduct(const Expr &expr) {
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    return isProduct(*negate->operand);
  if (const auto *call = std::get_if<Call>(&expr.node))
    return call->function != Function::Select;
  const auto *binary = std::get_if<Binary>(&expr.node);
  if (!binary)
    return true;
  if (binary->domain || binary->masks)
    return false;
  if (binary->op == BinaryOp::Div)
    return isProduct(*binary->left);
  return binary->op != BinaryOp::Mul || (isProduct(*binary->left) && isProduct(*binary->right));
}

bool reads(const Operand &operand, LoopId loop) {
  return std::any_of(operand.indices.begin(), operand.indices.end(),
                     [&](const Index &index) { return index.has(loop); });
}

/// The number of sparse operands, and whether one, and no more, lists the entries of each row that a loop adds up, each
/// with a coordinate of its own and none of them padding.
struct Listing {
  size_t sparse = 0, operands = 0;
  bool isPlain = true;
};

Listing listingOf(const Term &term, LoopId loop, const Kernel &kernel) {
  Listing listing;
  for (const Operand &operand : term.operands) {
    const format::Format &format = kernel.tensors[operand.tensor].format;
    if (format.isDense())
      continue;
    ++listing.sparse;
    if (operand.follows || !reads(operand, loop))
      continue;
    ++listing.operands;
    listing.isPlain &=
        !holdsPadding(kernel, operand.tensor) &&
        std::all_of(format.levels.begin(), format.levels.end(), [](const auto &level) { return level.unique; });
  }
  return listing;
}

/// Whether a loop runs over all places, as no sparse operand has it.
bool isDense(const Term &term, LoopId loop, const Kernel &kernel) {
  return std::all_of(term.operands.begin(), term.operands.end(), [&](const Operand &operand) {
    return kernel.tensors[operand.tensor].format.isDense() || !reads(operand, loop);
  });
}

/// Whether a statement's one term is added up in its target, whose type is the one that is computed in.
bool isInPlace(const Statement &statement, const Kernel &kernel) {
  const Tensor &target = kernel.tensors[statement.target];
  return statement.zeroFirst && target.type == statement.computeType && target.format.isDense();
}

} // namespace

Scaling scalingOf(const Term &term, bool isOnly, const Statement &statement, const Kernel &kernel) {
  const bool isWide = statement.computeType == ValueType::F32 || statement.computeType == ValueType::F64;
  const bool isStored = !term.domain || term.domain->kind == DomainKind::Stored;
  if (!isWide || !isStored || !term.equations.empty() || !isProduct(*term.expr))
    return Scaling::Apart;
  const auto addsUp = [](const Loop &loop) { return loop.isReduction; };
  if (std::count_if(term.loops.begin(), term.loops.end(), addsUp) != 1)
    return Scaling::Apart;
  const LoopId sum(
      static_cast<size_t>(std::find_if(term.loops.begin(), term.loops.end(), addsUp) - term.loops.begin()));
  const Listing listing = listingOf(term, sum, kernel);
  if (term.loops[sum].part != format::Part::Whole || !listing.isPlain || listing.sparse == 0 || listing.operands > 1)
    return Scaling::Apart;
  if (sum.index() + 1 == term.loops.size())
    return Scaling::Carried;
  for (size_t inner = sum.index() + 1; inner < term.loops.size(); ++inner)
    if (!isDense(term, LoopId(inner), kernel))
      return Scaling::Apart;
  return listing.operands == 1 && isOnly && isInPlace(statement, kernel) ? Scaling::InMemory : Scaling::Apart;
}

} // namespace spc::sema
