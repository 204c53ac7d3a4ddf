#include "harness/dense_evaluator.h"

#include "harness/dense_nodes.h"
#include "harness/dense_places.h"
#include "harness/dense_values.h"
#include "harness/function_values.h"
#include "harness/named_sizes.h"
#include "harness/number_types.h"
#include "harness/taken_in.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace spc::testing {
namespace {

using namespace evaluator;
class StatementEvaluator {
public:
  StatementEvaluator(std::vector<Variable> &variables, sema::ValueType type)
      : variables_(variables), type_(type), epsilon_(epsilonOf(sema::isHalf(type) ? sema::ValueType::F32 : type)) {}

  /// Of one operation. Half floats are computed with, and added up, in f32.
  double epsilon() const { return epsilon_; }

  Value sum(const Node &body, const std::vector<int> &loops) {
    Accumulator total;
    const bool isDense = !readsSparse(body); // then it has a value everywhere, be it a 0 whatever its operands are
    const Guard guard = guardOf(body, loops);
    const auto enters = [&] { return !guard.factor || read(*guard.factor).present; };
    forEachPoint(variables_, loops, guard.loops, enters, [&] {
      Value value = evaluate(body);
      if (isDense && body.hasCalls)
        value.present = value.stored = true;
      total.add(value);
    });
    return total.total(epsilon_, body.type, Openness::Reduction);
  }

  int64_t offset(const Node &access) const {
    const std::vector<int64_t> &shape = access.tensor->shape;
    int64_t offset = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t at = access.indices[dim].constant;
      for (auto [variable, scale] : access.indices[dim].terms)
        at += scale * variables_[static_cast<size_t>(variable)].at;
      if (at >= shape[dim])
        throw std::runtime_error("an index is outside of its tensor");
      offset = offset * shape[dim] + at;
    }
    return offset;
  }

  /// What a statement makes of what its target holds and of all values that it takes in; `lists`: stored where one of
  /// the values may make a difference.
  Value takenIn(language::Reduction kind, Value held, const Node &body, const std::vector<int> &loops, bool lists) {
    const Within within(isTerm_, false), listing(lists_, lists);
    bool isStored = false;
    forEachPoint(variables_, loops, [&] {
      Value next = evaluate(body);
      isStored |= next.stored;
      if (kind == language::Reduction::Any) // the truth of a value, in whatever type that has
        next.value = next.value != Element(0) ? 1 : 0;
      held = taken(kind, type_, held, next);
    });
    held.stored = isStored;
    return held;
  }

  int64_t offset(const std::vector<int64_t> &shape, const std::vector<int> &indices) const {
    int64_t offset = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      offset = offset * shape[dim] + variables_[static_cast<size_t>(indices[dim])].at;
    return offset;
  }

  /// Of all values, those of missing entries among them; stored where one of them may make a difference.
  Value reduce(const Node &node) { return reduceValues(node); }

private:
  Value evaluate(const Node &node) {
    Value value = compute(node);
    if (node.kind >= NodeKind::Negate && node.kind <= NodeKind::Multiply && sema::isInteger(node.type)) {
      // Wrapped around; with an end of 64 bits, an infinity, nothing can be worked out.
      if (!isFinite(value.value))
        value.error = std::numeric_limits<double>::infinity();
      value.value = isFinite(value.value) ? converted(value.value, node.type) : 0;
    }
    if (!node.hasCalls)
      return value;
    // What no one number stands for may be anything anywhere; where that number is not 0, it counts.
    value.stored |= !node.fill;
    value.present |= node.fill.value_or(1) != 0;
    return value;
  }

  Value compute(const Node &node) {
    switch (node.kind) {
    case NodeKind::Literal:
      return {node.literal, std::abs(node.literal), epsilon_ * std::abs(node.literal), true};
    case NodeKind::Index: {
      const auto at = static_cast<double>(variables_[static_cast<size_t>(node.variables.front())].at);
      return {at, at, 0, true, true};
    }
    case NodeKind::Call:
      return call(node);
    case NodeKind::Access:
      return read(node);
    case NodeKind::Negate: {
      Value value = evaluate(*node.left);
      value.value = -value.value;
      return value;
    }
    case NodeKind::Add:
    case NodeKind::Subtract:
      return addition(node);
    case NodeKind::Multiply:
      return product(node);
    case NodeKind::Divide:
      return division(node);
    case NodeKind::Sum:
      return reduction(node);
    }
    return {};
  }

  Value read(const Node &node) const {
    const DenseTensor &tensor = *node.tensor;
    const auto at = static_cast<size_t>(offset(node));
    if (tensor.sparse && !tensor.stored[at]) {
      if (tensor.fill == 0 && !node.picks)
        return {};
      const double fill = readAs(tensor.fill, tensor.type, node.type);
      return node.picks && (fill != 0 || !(isTerm_ || lists_))
                 ? Value{fill, std::isinf(fill) ? 0 : std::abs(fill), 0, true, true}
                 : ofFill(fill);
    }
    const Element value =
        sema::isInteger(tensor.type) ? readAs(tensor.values[at].real(), tensor.type, node.type) : tensor.values[at];
    return {value, sizeOf(value), tensor.errors.empty() ? 0 : tensor.errors[at], true, true};
  }

  Value product(const Node &node) {
    const Within listing(lists_, lists_ && !node.multiplies);
    const Value left = evaluate(*node.left);
    if (!left.present)
      return {};
    const Value right = evaluate(*node.right);
    return isMissing(node, left.stored, right.stored) ? Value{} : multiply(left, right, epsilon_, node.type);
  }

  Value addition(const Node &node) {
    const Value left = evaluate(*node.left), right = evaluate(*node.right);
    if (isMissing(node, left.stored, right.stored))
      return {};
    const bool byLeft = isInfinite(node.left->fill), byRight = isInfinite(node.right->fill);
    if (isInfinite(node.fill) && !sema::isInteger(node.type) &&
        ((byLeft && !left.stored) || (byRight && !right.stored)))
      return ofFill(*node.fill);
    Accumulator total;
    total.add(addendOf(left));
    total.add(addendOf(right), node.kind == NodeKind::Subtract);
    return total.total(epsilon_, node.type, readsSparse(node) ? Openness::Sum : Openness::Number);
  }

  Value division(const Node &node) {
    const Within listing(lists_, lists_ && !node.multiplies);
    const Value numerator = evaluate(*node.left);
    const Within within(isTerm_, false);
    const Value divisor = evaluate(*node.right);
    return isMissing(node, numerator.stored, divisor.stored) ? Value{} : divide(numerator, divisor, epsilon_);
  }

  /// What a sum is multiplied with is multiplied with its terms. Where that is not so, in functions, divisors and what
  /// is not summed up, it is a number as any other, that of no term, too.
  Value partialSum(const Node &node) {
    const bool isNumber = !isTerm_ && !lists_;
    const Within within(isTerm_, true);
    Value value = sum(*node.left, node.variables);
    value.present |= isNumber;
    value.stored |= isNumber;
    return value;
  }

  Value reduction(const Node &node) {
    switch (node.reduction) {
    case language::Reduction::Sum:
      return partialSum(node);
    case language::Reduction::Mean: {
      double count = 1;
      for (int variable : node.variables)
        count *= static_cast<double>(variables_[static_cast<size_t>(variable)].extent);
      count = std::max(count, 1.0); // of nothing it is 0, as the sum is
      return divide(partialSum(node), {count, count, 0, true, true}, epsilon_);
    }
    case language::Reduction::Count: {
      double count = 0;
      forEachPoint(variables_, node.variables, [&] { count += read(*node.left).stored ? 1 : 0; });
      return {count, count, 0, count > 0, count > 0};
    }
    case language::Reduction::ArgMin:
    case language::Reduction::ArgMax:
      return firstPlace(node, valuesOf(node), type_);
    case language::Reduction::Top:
    case language::Reduction::Bottom:
    case language::Reduction::ArgTop:
    case language::Reduction::ArgBottom:
      return atRank(node, valuesOf(node), variables_[static_cast<size_t>(node.rank)].at, type_);
    default:
      return reduceValues(node);
    }
  }

  /// The values at all points of a reduction's variables, the last one running fastest.
  std::vector<Value> valuesOf(const Node &node) {
    const Within within(isTerm_, false);
    std::vector<Value> values;
    forEachPoint(variables_, node.variables, [&] { values.push_back(evaluate(*node.left)); });
    return values;
  }

  Value call(const Node &node) {
    if (node.call->function == language::Function::Pattern || isComplement(node)) {
      const bool isMask = node.call->function == language::Function::Pattern;
      const Node &access = isMask ? *node.arguments.front() : *node.arguments.front()->arguments.front();
      return maskOf(!access.tensor->sparse || read(access).stored == isMask, true);
    }
    if (node.call->function == language::Function::Where)
      return entryWhere(node);
    const Within within(isTerm_, false);
    std::vector<bool> differs;
    std::vector<double> values, errors;
    std::vector<Value> all;
    for (const NodePtr &argument : node.arguments) {
      all.push_back(evaluate(*argument));
      differs.push_back(all.back().stored);
      values.push_back(all.back().value.real());
      errors.push_back(all.back().error);
    }
    if (isIndexMask(node)) {
      return maskOf(valueOf(node, values) != 0, tiesIndices(node.call->function));
    }
    if (node.call->function == language::Function::Select && sema::isComplex(node.type))
      return filled(asNumber(all[values[0] != 0 ? 1 : 2]), node, mayDiffer(node, differs));
    Value result;
    if (sema::isComplex(node.arguments.front()->type) && node.arguments.size() == 1) {
      const Measured measured = valueOfComplex(node.call->function, all[0].value, all[0].error, epsilon_);
      const bool isStored = mayDiffer(node, differs);
      return {measured.value, std::abs(measured.value), measured.error, isStored || node.fill != 0.0, isStored};
    }
    if (node.call->function == language::Function::Complex) {
      const Element number(values[0], values[1]);
      const bool isStored = mayDiffer(node, differs);
      return {number, std::abs(number), errors[0] + errors[1], isStored || node.fill != 0.0, isStored};
    }
    const double value = valueOf(node, values);
    result.value = value;
    result.magnitude = std::isinf(value) && sema::isInteger(node.type) ? 0 : std::abs(value);
    result.error = isAbsorbingSum(*node.call) ? errors[0] + errors[1] : errorOf(*node.call, values, errors, epsilon_);
    result.stored = mayDiffer(node, differs);
    result.present = result.stored || node.fill != 0.0;
    return settledBy(node) && !result.stored ? ofFill(*node.fill) : result;
  }

  Value entryWhere(const Node &node) {
    const Node &own = *node.arguments[1];
    Value value = evaluate(own);
    const Within within(isTerm_, false);
    const Value holds = evaluate(*node.arguments[0]);
    if (holds.error > 0)
      value.error = std::numeric_limits<double>::infinity();
    if (holds.value == Element(0))
      return {ofFill(*node.fill).value, 0, value.error > 0 && holds.error > 0 ? value.error : 0, *node.fill != 0,
              false};
    if (own.fill != node.fill) // it has no missing entries
      value.present = value.stored = true;
    return value;
  }

  Value reduceValues(const Node &node) {
    const Within within(isTerm_, false);
    using language::Reduction;
    const Reduction kind = node.reduction;
    const double infinity = std::numeric_limits<double>::infinity();
    const double start = kind == Reduction::Min || kind == Reduction::Max ? endOf(node.type, kind == Reduction::Max)
                         : kind == Reduction::Any                         ? 0
                                                                          : 1;
    Value result{start, std::isinf(start) ? 0 : std::abs(start), 0, true, true};
    bool isStored = node.left->fill != start;
    forEachPoint(variables_, node.variables, [&] {
      const Value next = evaluate(*node.left);
      isStored |= next.stored;
      const double a = result.value.real(), b = next.value.real();
      if (kind == Reduction::Product)
        result = multiply(result, {next.value, next.magnitude, next.error, true, true}, epsilon_);
      else if (kind == Reduction::Any || kind == Reduction::All)
        result = {kind == Reduction::Any ? double(a != 0 || b != 0) : double(a != 0 && b != 0), 1,
                  next.error > 0 ? infinity : result.error, true, true};
      else if (!std::isnan(a) && (std::isnan(b) || (kind == Reduction::Min ? b < a : b > a)))
        result = {b, std::abs(b), worse(result.error, next.error), true, true};
      else
        result.error = worse(result.error, next.error);
    });
    result.present = true;
    result.stored = isStored;
    return result;
  }

  std::vector<Variable> &variables_;
  sema::ValueType type_; ///< the target's
  double epsilon_;
  bool isTerm_ = true;
  bool lists_ = false; ///< sums have values where they have entries alone
};

void run(const syntax::Statement &statement, TensorMap &tensors) {
  auto found = tensors.find(statement.target.tensor.text);
  if (found == tensors.end() || found->second.shape.size() != statement.target.indices.size())
    throw std::runtime_error("no target of that order: " + statement.target.tensor.text);
  DenseTensor target = found->second; // a target that is read is read as it was
  target.errors.resize(target.values.size(), 0);
  std::vector<Variable> variables;
  Resolver resolver(tensors, variables, computeTypeOf(statement, typesOf(tensors)));
  Scope scope;
  const std::vector<int> indices = bindTarget(statement, target, resolver, scope);
  std::vector<int> loops(variables.size());
  std::iota(loops.begin(), loops.end(), 0);
  const std::optional<language::Reduction> takesIn = takenInBy(statement.op);
  resolver.noteWindows(*statement.value);
  resolver.noteExtents(*statement.value);
  const bool isWhole = statement.op == language::AssignOp::Assign && readsFill(*statement.value, tensors) &&
                       indexesOnly(*statement.value, scope);
  std::vector<Term> terms;
  for (const Addend &addend : addendsOf(statement, isWhole))
    terms.push_back(resolver.term(addend, scope, isWhole, takesIn && target.sparse));
  if (takesIn)
    unwrap(*takesIn, target.type, statement, terms.front());

  StatementEvaluator evaluator(variables, target.type);
  forEachPoint(variables, loops, [&] {
    const auto at = static_cast<size_t>(evaluator.offset(target.shape, indices));
    const bool isStored = !target.sparse || target.stored[at];
    if (takesIn) {
      const Term &term = terms.front();
      return storeTaken(*takesIn, target, at, term,
                        evaluator.takenIn(*takesIn, heldBy(target, at), *term.expr, term.reductions, target.sparse));
    }
    if (const Node *reduction = reductionOf(terms);
        reduction && target.assembled && statement.op == language::AssignOp::Assign) {
      const Value result = evaluator.reduce(*reduction);
      target.stored[at] = result.stored ? 1 : 0;
      target.values[at] = converted(result.value, target.type);
      target.errors[at] = storedError(result, target.type);
      return;
    }
    Accumulator total;
    if (statement.op == language::AssignOp::Add && (isStored || target.fill != 0))
      total.add(heldBy(target, at));
    bool isTaken = false;
    for (const Term &term : terms) {
      const Value sum = evaluator.sum(*term.expr, term.reductions);
      isTaken |= sum.present;
      total.add(sum, term.isNegated);
    }
    const Value result = total.total(evaluator.epsilon(), terms.front().expr->type, Openness::Reduction);
    target.values[at] = converted(result.value, target.type);
    const bool isAbsorbed = std::isinf(target.fill) && !sema::isInteger(target.type); // whatever is added
    const bool hasEntry = target.fill == 0                          ? result.present
                          : statement.op == language::AssignOp::Add ? isStored || (isTaken && !isAbsorbed)
                                                                    : result.stored || target.values[at] != target.fill;
    keep(target, at, hasEntry);
    target.errors[at] = storedError(result, target.type);
  });
  found->second = std::move(target);
}

} // namespace

std::string evaluate(const syntax::Kernel &kernel, TensorMap &tensors) {
  try {
    const TensorMap sizes = sizesIn(kernel, tensors);
    tensors.insert(sizes.begin(), sizes.end());
    for (const syntax::Statement &statement : kernel.statements)
      run(statement, tensors);
    for (const auto &[name, size] : sizes)
      tensors.erase(name);
    return {};
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

} // namespace spc::testing
