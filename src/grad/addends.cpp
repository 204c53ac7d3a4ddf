#include "grad/addends.h"

#include "grad/factors.h"

#include <algorithm>

namespace spc::grad {
namespace {

/// Multiplies by how many values the summed variables have that nothing in the product has. Returns the variables that
/// have a value in it.
std::vector<std::string> countRest(const AddendParts &parts, const std::function<bool(const std::string &)> &occurs,
                                   const Statement &statement, Program &program, Factors &factors) {
  std::vector<std::string> left = parts.summed, scope, known, uncounted;
  while (true) { // a count that is left out takes variables with it that only it has
    scope = parts.target;
    for (const std::string &variable : left)
      (occurs(variable) ? scope : uncounted).push_back(variable);
    known = scope; // a new variable of the target may have the name of one that is bound in the statement
    std::erase_if(known, [&](const std::string &one) {
      return !contains(statement.indices, one) && !contains(parts.partial.summed, one) &&
             !contains(parts.partial.around, one);
    });
    if (uncounted.empty())
      break;
    const std::vector<std::string> before = uncounted;
    factors.multiplyByCount(countOf(uncounted, known, *statement.value, program));
    std::erase_if(left, [&](const std::string &one) { return contains(before, one) && !contains(uncounted, one); });
    uncounted.clear();
  }
  for (const std::string &variable : left)
    if (!factors.isExtentKnown(variable))
      factors.plain.push_back(presenceOf(variable, known, *statement.value, program));
  return scope;
}

/// The value that a sum of choices between it and 0 adds up, `e` in `sum(i, select(q == i + 1, e, 0))`; else nullptr.
ExprPtr *chosenIn(Expr &expr) {
  auto *sum = std::get_if<Reduce>(&expr.node);
  auto *choice = sum ? std::get_if<Call>(&sum->body->node) : nullptr;
  const bool isChoice = choice && choice->function == Function::Select && isNumber(*choice->arguments[2], 0);
  return isChoice ? &choice->arguments[1] : nullptr;
}

/// `2*a*b` of `a*b`.
ExprPtr scaled(ExprPtr value, double by) {
  if (ExprPtr *chosen = chosenIn(*value)) { // inside, so that nothing is added elsewhere
    *chosen = scaled(std::move(*chosen), by);
    return value;
  }
  auto *node = std::get_if<Binary>(&value->node);
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

bool AddendWriter::isWithin(const Expr &factor, const Mask &mask) const {
  const auto *pattern = std::get_if<Call>(&factor.node);
  const bool isPattern = pattern && pattern->function == Function::Pattern;
  const Expr *expr = isPattern ? pattern->arguments.front().get() : &factor;
  const auto *read = std::get_if<Access>(&expr->node);
  if (!read || read->indices.size() != mask.indices.size())
    return false;
  for (size_t dim = 0; dim < mask.indices.size(); ++dim)
    if (!read->indices[dim].isPlain() || read->indices[dim].text != mask.indices[dim])
      return false;
  if (!isPattern && program_.names.contains(read->tensor) && program_.info(read->tensor).fill != 0)
    return false;
  return ownerOf(read->tensor) == mask.owner;
}

ExprPtr AddendWriter::masked(ExprPtr value, const Mask &mask) const {
  const auto *read = std::get_if<Access>(&value->node);
  if (mask.owner.empty() || !read || !seeds_.contains(read->tensor))
    return value;
  return binary(BinaryOp::Mul, call(Function::Pattern, access(mask.owner, mask.indices)), std::move(value));
}

bool AddendWriter::readsOthers(const Expr &expr, const Mask &mask, bool isDivisor) const {
  const auto *node = std::get_if<Binary>(&expr.node);
  if (isDivisor && node && node->op == BinaryOp::Mul && isNumber(*node->left, 0))
    return false; // of a count, which is computed first
  if (node && node->op == BinaryOp::Div)
    return readsOthers(*node->left, mask, isDivisor) || readsOthers(*node->right, mask, true);
  const auto *read = std::get_if<Access>(&expr.node);
  if (read && !read->indices.empty() && !ownerOf(read->tensor).empty() && !isWithin(expr, mask))
    return true;
  const std::vector<const Expr *> below = children(expr);
  return std::any_of(below.begin(), below.end(),
                     [&](const Expr *child) { return readsOthers(*child, mask, isDivisor); });
}

bool AddendWriter::hasFactorWithin(const Expr &expr, const Mask &mask) const {
  if (const auto *minus = std::get_if<Negate>(&expr.node))
    return hasFactorWithin(*minus->operand, mask);
  if (const auto *sum = std::get_if<Reduce>(&expr.node))
    return sum->reduction == Reduction::Sum && hasFactorWithin(*sum->body, mask);
  const auto *node = std::get_if<Binary>(&expr.node);
  if (node && node->op == BinaryOp::Mul)
    return hasFactorWithin(*node->left, mask) || hasFactorWithin(*node->right, mask);
  if (node && (node->op == BinaryOp::Add || node->op == BinaryOp::Sub))
    return hasFactorWithin(*node->left, mask) && hasFactorWithin(*node->right, mask);
  return node && node->op == BinaryOp::Div ? hasFactorWithin(*node->left, mask) : isWithin(expr, mask);
}

std::string AddendWriter::inferredOwner(const std::string &name, const Statement &statement) const {
  std::set<std::string> owners;
  for (const Term &term : termsOf(program_, statement)) {
    std::set<std::string> mayKeep;
    any(*term.value, [&](const Expr &part) {
      const auto *read = std::get_if<Access>(&part.node);
      if (!read || read->indices.empty() || ownerOf(read->tensor).empty())
        return false;
      const std::vector<std::string> variables = variablesOf(*read);
      const bool isFull =
          std::is_permutation(variables.begin(), variables.end(), statement.indices.begin(), statement.indices.end());
      const std::string &owner = ownerOf(read->tensor);
      const bool isSure = isFull && hasFactorWithin(*term.value, {owner, statement.indices});
      owners.insert(isSure ? owner : name);
      if (isFull)
        mayKeep.insert(owner);
      return false;
    });
    if (mayKeep.empty())
      return "";
  }
  return owners.size() == 1 ? *owners.begin() : name;
}

std::string AddendWriter::ownerOf(const std::string &tensor) const {
  if (const auto own = patterns_.find(tensor); own != patterns_.end())
    return own->second;
  if (!program_.names.contains(tensor))
    return "";
  const TensorInfo &info = program_.info(tensor);
  if (!info.pattern.empty() || !info.writer)
    return info.pattern;
  const auto [known, isNew] = inferred_.try_emplace(tensor);
  if (isNew) // what is computed anew is stored as its statement alone suggests
    inferred_[tensor] = inferredOwner(tensor, program_.statements[*info.writer]);
  return inferred_[tensor];
}

void AddendWriter::dropPatterns(std::vector<ExprPtr> &factors) const {
  const auto isImplied = [&](const ExprPtr &one) {
    const auto *node = std::get_if<Call>(&one->node);
    const Access *read =
        node && node->function == Function::Pattern ? asTensor(*node->arguments.front(), program_.names) : nullptr;
    const Mask mask = read ? Mask{ownerOf(read->tensor), variablesOf(*read)} : Mask{};
    return read && !mask.owner.empty() && std::any_of(factors.begin(), factors.end(), [&](const ExprPtr &other) {
             const auto *value = std::get_if<Access>(&other->node);
             return value && !seeds_.contains(value->tensor) && isWithin(*other, mask);
           });
  };
  std::vector<bool> implied;
  for (const ExprPtr &one : factors)
    implied.push_back(isImplied(one));
  size_t k = 0;
  std::erase_if(factors, [&](const ExprPtr &) { return implied[k++]; });
}

Addend AddendWriter::write(AddendParts parts, const Statement &statement) const {
  Factors factors(program_);
  factors.isNegative = parts.partial.isNegative;
  for (const Factor &one : parts.partial.factors)
    factors.add(one);
  factors.closeConditions();
  for (ExprPtr &one : parts.last)
    factors.add(Factor{std::move(one)});
  const auto isMasked = [&](const ExprPtr &one) {
    const auto *read = std::get_if<Access>(&one->node);
    return isWithin(*one, parts.mask) && !(read && seeds_.contains(read->tensor));
  };
  if (!parts.mask.owner.empty() && std::none_of(factors.plain.begin(), factors.plain.end(), isMasked))
    factors.plain.insert(factors.plain.begin(), call(Function::Pattern, access(parts.mask.owner, parts.mask.indices)));

  dropPatterns(factors.plain);
  const auto occurs = [&](const std::string &variable) {
    return factors.have(variable) || (parts.place && contains(freeVariables(*parts.place), variable));
  };
  const std::vector<std::string> scope = countRest(parts, occurs, statement, program_, factors);
  std::vector<std::string> unclear;
  for (const std::string &variable : parts.summed)
    if (occurs(variable) && (parts.place || parts.isInner || !factors.isSumClear(variable)))
      unclear.push_back(variable);
  ExprPtr product = factors.take();
  if (parts.place)
    product = select(std::move(parts.place), std::move(product), number(0));
  program_.fresh.separateNested(*product, {scope.begin(), scope.end()});
  if (!unclear.empty())
    product = reduce(Reduction::Sum, unclear, std::move(product));
  return {std::move(product), factors.isNegative ? -factors.coefficient : factors.coefficient};
}

ExprPtr sumOf(std::vector<Addend> addends) {
  ExprPtr sum;
  for (Addend &one : addends) {
    const bool isSubtracted = sum && one.coefficient < 0;
    ExprPtr value = scaled(std::move(one.value), isSubtracted ? -one.coefficient : one.coefficient);
    sum =
        sum ? binary(isSubtracted ? BinaryOp::Sub : BinaryOp::Add, std::move(sum), std::move(value)) : std::move(value);
  }
  return sum;
}

} // namespace spc::grad
