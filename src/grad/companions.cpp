#include "grad/companions.h"

#include <cmath>

namespace spc::grad {
namespace {

bool isInfinity(const Node &expr, double infinity) {
  const auto *minus = std::get_if<NegateNode>(&expr.kind);
  return minus ? isNumber(*minus->operand, -infinity) : isNumber(expr, infinity);
}

class CompanionWriter {
public:
  CompanionWriter(Program &program, Statement &statement)
      : program_(program), statement_(statement), reduction_(std::get<ReduceNode>(statement.value->kind)) {}

  std::vector<Statement> write() {
    if (reduction_.reduction == Reduction::Product)
      countZeros();
    else if (reduction_.rank)
      rankPlaces();
    else
      findPlace();
    return std::move(companions_);
  }

private:
  VariableId variable() const { return reduction_.variables.front(); }

  /// `let y_at(i,r) = argtop(r, j, e)`
  void rankPlaces() {
    const bool isLeast = language::ranksLeast(reduction_.reduction);
    NodePtr places = reduce(isLeast ? Reduction::ArgBottom : Reduction::ArgTop, {variable()}, clone(*reduction_.body));
    std::get<ReduceNode>(places->kind).rank = reduction_.rank;
    statement_.place = add("_at", std::move(places), sema::ValueType::I64);
  }

  /// `let y_at(i) = min(j, select(e == y(i), j, inf))`
  void findPlace() {
    const double neutral = reduction_.reduction == Reduction::Min ? HUGE_VAL : -HUGE_VAL;
    const Node *body = reduction_.body.get();
    std::vector<NodePtr> conditions;
    const CallNode *choice = callOf(*body, Function::Select);
    if (choice && isInfinity(*choice->arguments[2], neutral)) {
      conditions.push_back(clone(*choice->arguments[0]));
      body = choice->arguments[1].get();
    }
    collectPresent(*body, neutral);
    for (const NodePtr &present : statement_.present)
      conditions.push_back(clone(*present));
    NodePtr condition = call(Function::Equal, clone(*body), program_.access(statement_.target, statement_.indices));
    for (auto one = conditions.rbegin(); one != conditions.rend(); ++one)
      condition = call(Function::And, std::move(*one), std::move(condition));
    NodePtr place = select(std::move(condition), indexValue(variable()), infinity());
    statement_.place = add("_at", reduce(Reduction::Min, {variable()}, std::move(place)), sema::ValueType::I64);
  }

  /// Where a sum can be anything but neutral: where each sparse addend that is neutral elsewhere has entries.
  void collectPresent(const Node &sum, double neutral) {
    if (const Access *read = program_.readIn(sum)) {
      if (program_.info(read->tensor).pattern && program_.kernel.tensors[read->tensor].fill == neutral)
        statement_.present.push_back(call(Function::Pattern, clone(sum)));
      return;
    }
    const auto *node = std::get_if<BinaryNode>(&sum.kind);
    const auto *call = std::get_if<CallNode>(&sum.kind);
    const bool isSum = (node && node->op == BinaryOp::Add) ||
                       (call && (call->function == Function::MinPlus || call->function == Function::MaxPlus));
    if (isSum)
      for (const Node *child : sema::children(sum))
        collectPresent(*child, neutral);
  }

  /// `let y_zeros(i) = sum(j, i64(e == 0))` and `let y_rest(i) = prod(j, select(e == 0, 1, e))`
  void countZeros() {
    const Node &body = *reduction_.body;
    const auto isZero = [&] { return call(Function::Equal, inFloats(body, program_), number(0)); };
    statement_.zeros = add("_zeros", reduce(Reduction::Sum, {variable()}, wholeNumber(isZero())), sema::ValueType::I64);
    statement_.rest = add("_rest", reduce(Reduction::Product, {variable()}, select(isZero(), number(1), clone(body))),
                          program_.typeOf(statement_.target));
  }

  /// A new tensor over the statement's indices.
  TensorId add(const std::string &suffix, NodePtr value, sema::ValueType type) {
    const sema::Tensor &like = program_.kernel.tensors[statement_.target];
    const TensorId target = program_.add(like.name + suffix, {.typeName = sema::spelling(type)}, type, like.extents);
    companions_.push_back({target, statement_.indices, std::move(value), statement_.where});
    return target;
  }

  Program &program_;
  Statement &statement_;
  const ReduceNode &reduction_;
  std::vector<Statement> companions_;
};

} // namespace

std::vector<Statement> companionsOf(Program &program, Statement &statement) {
  return CompanionWriter(program, statement).write();
}

} // namespace spc::grad
