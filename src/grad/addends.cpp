#include "grad/addends.h"

#include "grad/factors.h"

#include <algorithm>

namespace spc::grad {
namespace {

/// Multiplies by how many values the summed variables have that nothing in the product has. Returns the variables that
/// have a value in it.
Variables countRest(const AddendParts &parts, const std::function<bool(VariableId)> &occurs, const Statement &statement,
                    Program &program, Factors &factors) {
  Variables left = parts.summed, scope, known, uncounted;
  while (true) { // a count that is left out takes variables with it that only it has
    scope = parts.target;
    for (const VariableId variable : left)
      (occurs(variable) ? scope : uncounted).push_back(variable);
    known = scope; // a new variable of the target may have the name of one that is bound in the statement
    std::erase_if(known, [&](VariableId one) {
      return !contains(statement.indices, one) && !contains(parts.partial.summed, one) &&
             !contains(parts.partial.around, one);
    });
    if (uncounted.empty())
      break;
    const Variables before = uncounted;
    factors.multiplyByCount(countOf(uncounted, known, *statement.value, program));
    std::erase_if(left, [&](VariableId one) { return contains(before, one) && !contains(uncounted, one); });
    uncounted.clear();
  }
  for (const VariableId variable : left)
    if (!factors.isExtentKnown(variable))
      factors.plain.push_back(presenceOf(variable, known, *statement.value, program));
  return scope;
}

/// The value that a sum of choices between it and 0 adds up, `e` in `sum(i, select(q == i + 1, e, 0))`; else nullptr.
NodePtr *chosenIn(Node &expr) {
  auto *sum = std::get_if<ReduceNode>(&expr.kind);
  auto *choice = sum ? std::get_if<CallNode>(&sum->body->kind) : nullptr;
  const bool isChoice = choice && choice->function == Function::Select && isNumber(*choice->arguments[2], 0);
  return isChoice ? &choice->arguments[1] : nullptr;
}

/// `2*a*b` of `a*b`.
NodePtr scaled(NodePtr value, double by) {
  if (NodePtr *chosen = chosenIn(*value)) { // inside, so that nothing is added elsewhere
    *chosen = scaled(std::move(*chosen), by);
    return value;
  }
  auto *node = std::get_if<BinaryNode>(&value->kind);
  if (node && (node->op == BinaryOp::Mul || node->op == BinaryOp::Div)) {
    node->left = scaled(std::move(node->left), by);
    return value;
  }
  if (by == 1)
    return value;
  if (isNumber(*value, 1))
    return number(by);
  return by == -1 ? negate(std::move(value)) : binary(BinaryOp::Mul, number(by), std::move(value));
}

} // namespace

bool AddendWriter::isWithin(const Node &factor, const Mask &mask) const {
  const CallNode *pattern = callOf(factor, Function::Pattern);
  const Access *read = program_.accessIn(pattern ? *pattern->arguments.front() : factor);
  if (!read || read->variables != mask.indices)
    return false;
  return (pattern || !isFilled(factor)) && ownerOf(read->tensor) == mask.owner;
}

bool AddendWriter::isFilled(const Node &factor) const {
  const Access *read = program_.accessIn(factor);
  return read && !program_.info(read->tensor).like && program_.kernel.tensors[read->tensor].fill != 0;
}

bool AddendWriter::isSeed(const Node &node) const {
  const Access *read = program_.accessIn(node);
  return read && program_.info(read->tensor).isSeed;
}

NodePtr AddendWriter::masked(NodePtr value, const Mask &mask) const {
  if (!mask.owner || !isSeed(*value))
    return value;
  return binary(BinaryOp::Mul, call(Function::Pattern, program_.access(*mask.owner, mask.indices)), std::move(value));
}

bool AddendWriter::readsOthers(const Node &expr, const Mask &mask, bool isDivisor) const {
  const auto *node = std::get_if<BinaryNode>(&expr.kind);
  if (isDivisor && node && node->op == BinaryOp::Mul && isNumber(*node->left, 0))
    return false; // of a count, which is computed first
  if (node && node->op == BinaryOp::Div)
    return readsOthers(*node->left, mask, isDivisor) || readsOthers(*node->right, mask, true);
  const Access *read = program_.accessIn(expr);
  if (read && !read->variables.empty() && ownerOf(read->tensor) && !isWithin(expr, mask))
    return true;
  const std::vector<const Node *> below = sema::children(expr);
  return std::any_of(below.begin(), below.end(),
                     [&](const Node *child) { return readsOthers(*child, mask, isDivisor); });
}

bool AddendWriter::hasFactorWithin(const Node &expr, const Mask &mask) const {
  if (const auto *minus = std::get_if<NegateNode>(&expr.kind))
    return hasFactorWithin(*minus->operand, mask);
  if (const auto *sum = std::get_if<ReduceNode>(&expr.kind))
    return sum->reduction == Reduction::Sum && hasFactorWithin(*sum->body, mask);
  const auto *node = std::get_if<BinaryNode>(&expr.kind);
  if (node && node->op == BinaryOp::Mul)
    return hasFactorWithin(*node->left, mask) || hasFactorWithin(*node->right, mask);
  if (node && (node->op == BinaryOp::Add || node->op == BinaryOp::Sub))
    return hasFactorWithin(*node->left, mask) && hasFactorWithin(*node->right, mask);
  return node && node->op == BinaryOp::Div ? hasFactorWithin(*node->left, mask) : isWithin(expr, mask);
}

std::optional<TensorId> AddendWriter::inferredOwner(const Statement &statement) const {
  std::set<TensorId> owners;
  for (const Term &term : termsOf(program_, statement)) {
    bool mayKeep = false;
    any(*term.value, [&](const Node &part) {
      const Access *read = program_.accessIn(part);
      const std::optional<TensorId> owner = read && !read->variables.empty() ? ownerOf(read->tensor) : std::nullopt;
      if (!owner)
        return false;
      const Variables variables = program_.variablesOf(*read);
      const bool isFull =
          std::is_permutation(variables.begin(), variables.end(), statement.indices.begin(), statement.indices.end());
      const bool isSure = isFull && hasFactorWithin(*term.value, {owner, statement.indices});
      owners.insert(isSure ? *owner : statement.target);
      mayKeep |= isFull;
      return false;
    });
    if (!mayKeep)
      return std::nullopt;
  }
  return owners.size() == 1 ? *owners.begin() : statement.target;
}

std::optional<TensorId> AddendWriter::ownerOf(TensorId tensor) const {
  const TensorInfo &info = program_.info(tensor);
  if (info.like || info.pattern || !info.writer)
    return info.pattern;
  const auto [known, isNew] = inferred_.try_emplace(tensor);
  if (isNew) // what is computed anew is stored as its statement alone suggests
    inferred_[tensor] = inferredOwner(program_.statements[*info.writer]);
  return inferred_[tensor];
}

void AddendWriter::dropPatterns(std::vector<NodePtr> &factors) const {
  const auto isImplied = [&](const NodePtr &one) {
    const CallNode *pattern = callOf(*one, Function::Pattern);
    const Access *read = pattern ? program_.readIn(*pattern->arguments.front()) : nullptr;
    const Mask mask = read ? Mask{ownerOf(read->tensor), program_.variablesOf(*read)} : Mask{};
    return mask.owner && std::any_of(factors.begin(), factors.end(), [&](const NodePtr &other) {
             return program_.accessIn(*other) && !isSeed(*other) && isWithin(*other, mask);
           });
  };
  std::vector<bool> implied;
  for (const NodePtr &one : factors)
    implied.push_back(isImplied(one));
  size_t k = 0;
  std::erase_if(factors, [&](const NodePtr &) { return implied[k++]; });
}

Addend AddendWriter::write(AddendParts parts, const Statement &statement) const {
  Factors factors(program_);
  factors.isNegative = parts.partial.isNegative;
  for (const Factor &one : parts.partial.factors)
    factors.add(one);
  factors.closeConditions();
  for (NodePtr &one : parts.last)
    factors.add(Factor{std::move(one)});
  const auto isMasked = [&](const NodePtr &one) { return isWithin(*one, parts.mask) && !isSeed(*one); };
  const auto addPattern = [&] {
    factors.plain.insert(factors.plain.begin(),
                         call(Function::Pattern, program_.access(*parts.mask.owner, parts.mask.indices)));
  };
  if (parts.mask.owner && std::none_of(factors.plain.begin(), factors.plain.end(), isMasked))
    addPattern();
  dropPatterns(factors.plain);
  // Beside what has values everywhere, planning takes a factor that is a sum for a number, missing entries for 0.
  const auto isPattern = [&](const NodePtr &one) { return isMasked(one) && callOf(*one, Function::Pattern); };
  const auto isEverywhere = [&](const NodePtr &one) { return isFilled(*one); };
  if (parts.mask.owner && std::any_of(factors.plain.begin(), factors.plain.end(), isEverywhere) &&
      std::none_of(factors.plain.begin(), factors.plain.end(), isPattern))
    addPattern();
  const auto occurs = [&](VariableId variable) {
    return factors.have(variable) || (parts.place && contains(program_.freeVariables(*parts.place), variable));
  };
  const Variables scope = countRest(parts, occurs, statement, program_, factors);
  Variables unclear;
  for (const VariableId variable : parts.summed)
    if (occurs(variable) && (parts.place || parts.isInner || !factors.isSumClear(variable)))
      unclear.push_back(variable);
  NodePtr product = factors.take();
  if (parts.place)
    product = select(std::move(parts.place), std::move(product), number(0));
  program_.separateNested(*product, {scope.begin(), scope.end()});
  if (!unclear.empty())
    product = reduce(Reduction::Sum, unclear, std::move(product));
  return {std::move(product), factors.isNegative ? -factors.coefficient : factors.coefficient};
}

NodePtr sumOf(std::vector<Addend> addends) {
  NodePtr sum;
  for (Addend &one : addends) {
    const bool isSubtracted = sum && one.coefficient < 0;
    NodePtr value = scaled(std::move(one.value), isSubtracted ? -one.coefficient : one.coefficient);
    sum =
        sum ? binary(isSubtracted ? BinaryOp::Sub : BinaryOp::Add, std::move(sum), std::move(value)) : std::move(value);
  }
  return sum;
}

} // namespace spc::grad
