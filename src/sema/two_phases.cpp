#include "sema/two_phases.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Whether values alone say which stored places of a tensor, or of what it is a copy of, are entries.
bool isPadded(const Kernel &kernel, TensorId tensor) {
  const auto *copy = kernel.tensors[tensor].as<Converted>();
  const std::vector<TensorId> parts = copy ? partsOf(kernel, copy->source) : std::vector{tensor};
  return std::any_of(parts.begin(), parts.end(),
                     [&](TensorId part) { return format::hasPadding(kernel.tensors[part].format); });
}

/// Whether a domain is without the entries of a padded operand.
bool excludesPadded(const Kernel &kernel, const Term &term, const Domain &domain) {
  if (domain.kind == DomainKind::Missing)
    return isPadded(kernel, term.operands[domain.operand].tensor);
  return std::any_of(domain.parts.begin(), domain.parts.end(),
                     [&](const Domain &part) { return excludesPadded(kernel, term, part); });
}

/// Whether a format has dense levels above one list of coordinates, over whole dimensions in this order.
bool listsRows(const format::Format &format, const std::vector<int> &dims) {
  const int count = format.levelCount();
  if (count != static_cast<int>(dims.size()) || format.symmetry != format::Symmetry::None)
    return false;
  for (int k = 0; k < count; ++k) {
    const format::Level &level = format.levels[k];
    const format::LevelKind wanted = k + 1 < count ? format::LevelKind::Dense : format::LevelKind::Compressed;
    if (format::kindOf(format, k) != wanted || level.part != format::Part::Whole || level.dim != dims[k] ||
        level.hasLengths())
      return false;
  }
  return true;
}

/// Whether a format stores entries and nothing else, one after the other in the order of these dimensions.
bool listsEntries(const format::Format &format, const std::vector<int> &dims) {
  const int count = format.levelCount();
  if (count != static_cast<int>(dims.size()) || format.symmetry != format::Symmetry::None)
    return false;
  bool isListed = false;
  for (int k = 0; k < count; ++k) {
    const format::Level &level = format.levels[k];
    const format::LevelKind kind = format::kindOf(format, k);
    const bool isList = kind == format::LevelKind::Compressed || kind == format::LevelKind::Singleton;
    if ((!isList && (isListed || kind != format::LevelKind::Dense)) || level.part != format::Part::Whole ||
        level.dim != dims[k] || level.hasLengths())
      return false;
    isListed |= isList;
  }
  return isListed;
}

/// Whether indices are a term's loops, in their order.
bool areLoops(const Term &term, const std::vector<Index> &indices) {
  if (indices.size() != term.loops.size())
    return false;
  for (LoopId loop : term.loops.ids())
    if (indices[loop.index()] != Index{{IndexTerm{loop}}})
      return false;
  return true;
}

/// Whether a sparse operand lists what it has in each row of a term.
bool listsRows(const Kernel &kernel, const Term &term, const Operand &operand) {
  const format::Format &format = kernel.tensors[operand.tensor].format;
  std::vector<int> dims;
  for (const format::Level &level : format.levels)
    dims.push_back(level.dim);
  return !operand.follows && !operand.skipsDiagonal && areLoops(term, operand.indices) && listsRows(format, dims) &&
         format.levels.back().unique && format.levels.back().ordered;
}

/// Whether a domain is wherever any of so many operands has an entry.
bool isUnion(const Domain &domain, int operands) {
  const auto isStored = [](const Domain &part) { return part.kind == DomainKind::Stored; };
  if (isStored(domain))
    return operands == 1;
  return domain.kind == DomainKind::Any && static_cast<int>(domain.parts.size()) == operands &&
         std::all_of(domain.parts.begin(), domain.parts.end(), isStored);
}

bool isSparse(const Kernel &kernel, const Operand &operand) {
  return !operand.indices.empty() && !kernel.tensors[operand.tensor].format.isDense();
}

bool hasSparse(const Kernel &kernel, const Term &term, const Expr &expr) {
  if (const auto *use = std::get_if<Use>(&expr.node))
    return isSparse(kernel, term.operands[use->operand]);
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    return hasSparse(kernel, term, *negate->operand);
  if (const auto *binary = std::get_if<Binary>(&expr.node))
    return hasSparse(kernel, term, *binary->left) || hasSparse(kernel, term, *binary->right);
  const auto *call = std::get_if<Call>(&expr.node);
  return call && std::any_of(call->arguments.begin(), call->arguments.end(),
                             [&](const ExprPtr &argument) { return hasSparse(kernel, term, *argument); });
}

/// Whether a term without a domain has an entry wherever any of its sparse operands does: none is a factor of another.
bool isUnion(const Kernel &kernel, const Term &term, const Expr &expr) {
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    return isUnion(kernel, term, *negate->operand);
  if (const auto *call = std::get_if<Call>(&expr.node))
    return std::all_of(call->arguments.begin(), call->arguments.end(),
                       [&](const ExprPtr &argument) { return isUnion(kernel, term, *argument); });
  const auto *binary = std::get_if<Binary>(&expr.node);
  if (!binary)
    return true;
  const bool isSum = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
  const bool areBoth = hasSparse(kernel, term, *binary->left) && hasSparse(kernel, term, *binary->right);
  return (isSum || !areBoth) && isUnion(kernel, term, *binary->left) && isUnion(kernel, term, *binary->right);
}

} // namespace

bool hasPhases(const Kernel &kernel) {
  const auto builds = [](const Step &step) {
    return std::holds_alternative<Conversion>(step) || assemblingStatement(step);
  };
  // The symbolic phase would release the values that an output is added to.
  const auto isReplaced = [](const Tensor &tensor) { return tensor.isAssembled() && tensor.isRead; };
  // The symbolic phase would leave out the places of padding, too.
  const auto needsValues = [&](const Term &term) { return term.domain && excludesPadded(kernel, term, *term.domain); };
  if (const Statement *statement = kernel.steps.size() == 1 ? assemblingStatement(kernel.steps.front()) : nullptr)
    if (std::any_of(statement->terms.begin(), statement->terms.end(), needsValues))
      return false;
  return kernel.steps.size() == 1 && builds(kernel.steps.front()) && !kernel.dropZeros &&
         std::none_of(kernel.tensors.begin(), kernel.tensors.end(), isReplaced);
}

bool keepsPlaces(const Kernel &kernel, const Statement &statement) {
  const format::Format &format = kernel.tensors[statement.target].format;
  const Collecting &collecting = *statement.collecting;
  const bool isMatrix = collecting.rowOrder == 1 && collecting.dims.size() == 2;
  const auto isOf = [&](const Operand &operand) { return isPadded(kernel, operand.tensor); };
  return hasPhases(kernel) && statement.terms.size() == 1 && (isMatrix || collecting.rowOrder == 0) &&
         listsEntries(format, collecting.dims) &&
         std::none_of(statement.terms.front().operands.begin(), statement.terms.front().operands.end(), isOf);
}

bool isProductOfTwo(const Term &term) {
  const auto isOperand = [](const Expr &expr) { return std::holds_alternative<Use>(expr.node); };
  const auto *binary = std::get_if<Binary>(&term.expr->node);
  return isOperand(*term.expr) ||
         (binary && binary->op == BinaryOp::Mul && isOperand(*binary->left) && isOperand(*binary->right));
}

/// Whether an expression is a sum or a difference.
static const Binary *asSum(const Expr &expr) {
  const auto *binary = std::get_if<Binary>(&expr.node);
  return binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub) ? binary : nullptr;
}

std::vector<Summand> summandsOf(const Term &term) {
  std::vector<Summand> addends;
  const Expr *rest = term.expr.get();
  for (const Binary *sum = asSum(*rest); sum; sum = asSum(*rest)) {
    addends.push_back({sum->right.get(), sum->op == BinaryOp::Sub});
    rest = sum->left.get();
  }
  addends.push_back({rest, false});
  std::reverse(addends.begin(), addends.end());
  return addends;
}

/// The sparse operands that an expression reads.
static void collectSparse(const Kernel &kernel, const Term &term, const Expr &expr, std::vector<OperandId> &found) {
  if (const auto *use = std::get_if<Use>(&expr.node); use && isSparse(kernel, term.operands[use->operand]))
    found.push_back(use->operand);
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    collectSparse(kernel, term, *negate->operand, found);
  if (const auto *binary = std::get_if<Binary>(&expr.node)) {
    collectSparse(kernel, term, *binary->left, found);
    collectSparse(kernel, term, *binary->right, found);
  }
  if (const auto *call = std::get_if<Call>(&expr.node))
    for (const ExprPtr &argument : call->arguments)
      collectSparse(kernel, term, *argument, found);
}

OperandId sparseOperandOf(const Kernel &kernel, const Term &term, const Expr &expr) {
  std::vector<OperandId> found;
  collectSparse(kernel, term, expr, found);
  return found.front();
}

/// Whether an expression has a sum of what sparse operands have in it.
static bool hasInnerSum(const Kernel &kernel, const Term &term, const Expr &expr) {
  const auto isIn = [&](const Expr &part) { return hasInnerSum(kernel, term, part); };
  if (asSum(expr) && hasSparse(kernel, term, expr))
    return true;
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    return isIn(*negate->operand);
  if (const auto *binary = std::get_if<Binary>(&expr.node))
    return isIn(*binary->left) || isIn(*binary->right);
  const auto *call = std::get_if<Call>(&expr.node);
  return call && std::any_of(call->arguments.begin(), call->arguments.end(),
                             [&](const ExprPtr &argument) { return isIn(*argument); });
}

/// Whether a term is a sum of addends that may be added to the target one after the other, as they are.
static bool isPlainSum(const Kernel &kernel, const Statement &statement) {
  const Term &term = statement.terms.front();
  const ValueType type = kernel.tensors[statement.target].type;
  if (term.domain || statement.computeType != type || sumType(kernel, statement) != type)
    return false;
  for (const Summand &addend : summandsOf(term)) {
    std::vector<OperandId> found;
    collectSparse(kernel, term, *addend.expr, found);
    if (found.size() != 1 || hasInnerSum(kernel, term, *addend.expr))
      return false;
  }
  return true;
}

MergePlan mergePlan(const Kernel &kernel, const Statement &statement) {
  constexpr int mostOperands = 8; // a bit of a byte each
  if (!keepsPlaces(kernel, statement) ||
      !listsRows(kernel.tensors[statement.target].format, statement.collecting->dims) || statement.collecting->isWide ||
      statement.reduction != Reduction::Sum)
    return MergePlan::None;
  const Term &term = statement.terms.front();
  std::vector<Index> collected;
  for (int dim : statement.collecting->dims)
    collected.push_back(term.target[static_cast<size_t>(dim)]);
  const auto isWhole = [](const Loop &loop) { return loop.part == format::Part::Whole && !loop.isReduction; };
  if (!areLoops(term, collected) || !std::all_of(term.loops.begin(), term.loops.end(), isWhole))
    return MergePlan::None;
  int sparse = 0;
  for (const Operand &operand : term.operands) {
    if (!isSparse(kernel, operand))
      continue;
    if (!listsRows(kernel, term, operand))
      return MergePlan::None;
    ++sparse;
  }
  const bool hasEach = term.domain ? isUnion(*term.domain, sparse) : isUnion(kernel, term, *term.expr);
  if (sparse == 0 || !hasEach)
    return MergePlan::None;
  if (isPlainSum(kernel, statement))
    return MergePlan::Places;
  return sparse <= mostOperands ? MergePlan::Masks : MergePlan::None;
}

} // namespace spc::sema
