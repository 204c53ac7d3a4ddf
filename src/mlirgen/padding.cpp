#include "mlirgen/padding.h"

#include "format/levels.h"

#include <algorithm>
#include <set>

namespace spc::mlirgen {
namespace {

using format::Level;
using format::Part;
using sema::Index;

Index sum(Index left, const Index &right, int64_t scale) {
  for (const sema::IndexTerm &term : right.terms)
    left.terms.push_back({term.loop, scale * term.scale});
  left.constant += scale * right.constant;
  return left;
}

/// The coordinates of a sparse operand by dimension, empty where they cannot leave the extent.
std::vector<Index> paddedCoordinates(const format::Format &format, const std::vector<Index> &byLevel) {
  std::vector<Index> whole(static_cast<size_t>(format.order()));
  std::set<int> padded;
  for (size_t k = 0; k < format.levels.size(); ++k) {
    const Level &level = format.levels[k];
    if (level.part == Part::Difference)
      continue;
    Index &index = whole[static_cast<size_t>(level.dim)];
    index = sum(index, byLevel[k], level.part == Part::Quotient ? level.block : 1);
    if (level.part == Part::Remainder)
      padded.insert(level.dim);
  }
  for (size_t k = 0; k < format.levels.size(); ++k) {
    const Level &level = format.levels[k];
    if (level.part != Part::Difference)
      continue;
    Index &later = whole[static_cast<size_t>(level.dim)], &earlier = whole[static_cast<size_t>(level.minus)];
    padded.insert(later.terms.empty() ? level.dim : level.minus);
    if (later.terms.empty())
      later = sum(earlier, byLevel[k], 1);
    else
      earlier = sum(later, byLevel[k], -1);
  }
  for (size_t dim = 0; dim < whole.size(); ++dim)
    if (!padded.contains(static_cast<int>(dim)))
      whole[dim] = {};
  return whole;
}

bool isSame(Index a, Index b) {
  std::sort(a.terms.begin(), a.terms.end());
  std::sort(b.terms.begin(), b.terms.end());
  return a == b;
}

/// Whether one of the indices by which a dense tensor, or a sparse one's dense root, is accessed is `index`.
bool isClippedBy(const sema::Tensor &tensor, const std::vector<Index> &indices, const Index &index) {
  const size_t checked = tensor.format.isDense() ? indices.size() : std::min<size_t>(1, indices.size());
  return std::any_of(indices.begin(), indices.begin() + static_cast<ptrdiff_t>(checked),
                     [&](const Index &other) { return isSame(other, index); });
}

/// The operands whose padding shows in an expression: those that others follow in their place.
void collectPadded(const sema::Kernel &kernel, const sema::Term &term, const sema::Expr &expr,
                   std::vector<sema::OperandId> &padded) {
  if (const auto *use = std::get_if<sema::Use>(&expr.node)) {
    const sema::OperandId id = term.operands[use->operand].follows.value_or(use->operand);
    if (sema::holdsPadding(kernel, term.operands[id].tensor) &&
        std::find(padded.begin(), padded.end(), id) == padded.end())
      padded.push_back(id);
  }
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    collectPadded(kernel, term, *negate->operand, padded);
  if (const auto *binary = std::get_if<sema::Binary>(&expr.node)) {
    collectPadded(kernel, term, *binary->left, padded);
    collectPadded(kernel, term, *binary->right, padded);
  }
  if (const auto *call = std::get_if<sema::Call>(&expr.node))
    for (const sema::ExprPtr &argument : call->arguments)
      collectPadded(kernel, term, *argument, padded);
}

/// The operands whose padding makes an expression 0 as its factors.
void collectPaddedFactors(const sema::Kernel &kernel, const sema::Term &term, const sema::Expr &expr,
                          std::vector<sema::OperandId> &padded) {
  if (std::holds_alternative<sema::Use>(expr.node))
    collectPadded(kernel, term, expr, padded);
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    collectPaddedFactors(kernel, term, *negate->operand, padded);
  const auto *binary = std::get_if<sema::Binary>(&expr.node);
  if (binary && (binary->op == sema::BinaryOp::Mul || binary->op == sema::BinaryOp::Div))
    collectPaddedFactors(kernel, term, *binary->left, padded);
  if (binary && binary->op == sema::BinaryOp::Mul)
    collectPaddedFactors(kernel, term, *binary->right, padded);
}

} // namespace

std::vector<OpenCoordinate> openCoordinates(const sema::Kernel &kernel, const sema::Statement &statement,
                                            const sema::Term &term) {
  const auto tensorAt = [&](sema::TensorId id) -> const sema::Tensor & { return kernel.tensors[id]; };
  std::vector<OpenCoordinate> open;
  for (const sema::Operand &operand : term.operands) {
    const sema::Tensor &tensor = tensorAt(operand.tensor);
    if (tensor.format.isDense())
      continue;
    const std::vector<Index> coordinates = paddedCoordinates(tensor.format, operand.indices);
    for (size_t dim = 0; dim < coordinates.size(); ++dim) {
      const Index &index = coordinates[dim];
      const bool isSummed = std::any_of(index.terms.begin(), index.terms.end(),
                                        [&](const sema::IndexTerm &part) { return term.loops[part.loop].isReduction; });
      // Functions may read nothing of an operand: its pattern alone, or the other branch of a choice.
      const bool isClipped =
          isClippedBy(tensorAt(statement.target), term.target, index) ||
          (!term.domain && std::any_of(term.operands.begin(), term.operands.end(), [&](const sema::Operand &other) {
            return isClippedBy(tensorAt(other.tensor), other.indices, index);
          }));
      const bool isKnown = std::any_of(open.begin(), open.end(),
                                       [&](const OpenCoordinate &other) { return isSame(other.index, index); });
      if (isSummed && !isClipped && !isKnown)
        open.push_back({index, tensor.extents[dim]});
    }
  }
  return open;
}

std::vector<sema::OperandId> paddedBeside(const sema::Kernel &kernel, const sema::Term &term,
                                          const sema::Expr &numerator) {
  std::vector<sema::OperandId> padded;
  collectPaddedFactors(kernel, term, *term.expr, padded);
  collectPadded(kernel, term, numerator, padded);
  return padded;
}

} // namespace spc::mlirgen
