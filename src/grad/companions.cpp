#include "grad/companions.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace spc::grad {
namespace {

bool isInfinity(const Node &expr, double infinity) {
  const auto *minus = std::get_if<NegateNode>(&expr.kind);
  return minus ? isNumber(*minus->operand, -infinity) : isNumber(expr, infinity);
}

/// Whether a function gives one of its arguments, a whole number or a truth, and so rounds nothing.
bool isExact(Function function) {
  constexpr std::array exact{Function::Abs,     Function::Sign,         Function::Relu,   Function::Floor,
                             Function::Ceil,    Function::Trunc,        Function::Round,  Function::RoundEven,
                             Function::Min,     Function::Max,          Function::Select, Function::Pattern,
                             Function::Equal,   Function::NotEqual,     Function::Less,   Function::LessEqual,
                             Function::Greater, Function::GreaterEqual, Function::And,    Function::Or,
                             Function::Not};
  return std::find(exact.begin(), exact.end(), function) != exact.end();
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

  /// `let y_at(i) = min(j, select(e == y(i), j, inf))`, where y is what the forward kernel has computed if e is the
  /// same in the derivative, bit by bit; else e of no place may be equal to it, so that y is computed again beside e.
  void findPlace() {
    const TensorId target =
        isFound() ? statement_.target : add("_again", clone(*statement_.value), program_.typeOf(statement_.target));
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
    NodePtr condition = call(Function::Equal, clone(*body), program_.access(target, statement_.indices));
    for (auto one = conditions.rbegin(); one != conditions.rend(); ++one)
      condition = call(Function::And, std::move(*one), std::move(condition));
    NodePtr place = select(std::move(condition), indexValue(variable()), infinity());
    statement_.place = add("_at", reduce(Reduction::Min, {variable()}, std::move(place)), sema::ValueType::I64);
  }

  /// Whether the derivative compares the values of which the extreme is one.
  bool isFound() const {
    const sema::ValueType type = program_.typeOf(statement_.target);
    const bool isRounded = type != sema::ValueType::F32 && type != sema::ValueType::F64;
    return !program_.info(statement_.target).isFinal || (!isRounded && operationsIn(*reduction_.body) <= 1);
  }

  /// How many operations that round a value takes, of which several may be done in another order or as one; many where
  /// it reads what is computed, or calls a function that may be computed in several ways.
  size_t operationsIn(const Node &value) const {
    constexpr size_t many = 1000;
    if (const Access *read = program_.readIn(value))
      return program_.info(read->tensor).writer ? many : 0;
    const auto *called = std::get_if<CallNode>(&value.kind);
    const bool isSum = called && (called->function == Function::MinPlus || called->function == Function::MaxPlus);
    if (std::holds_alternative<ReduceNode>(value.kind) || (called && !isSum && !isExact(called->function)))
      return many;
    size_t operations = isSum || std::holds_alternative<BinaryNode>(value.kind);
    for (const Node *child : sema::children(value))
      operations += operationsIn(*child);
    return operations;
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
