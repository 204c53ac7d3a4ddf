#include "grad/companions.h"

#include <cmath>

namespace spc::grad {
namespace {

bool isInfinity(const Expr &expr, double infinity) {
  const auto *minus = std::get_if<Negate>(&expr.node);
  return minus ? isNumber(*minus->operand, -infinity) : isNumber(expr, infinity);
}

class CompanionWriter {
public:
  CompanionWriter(Program &program, Statement &statement)
      : program_(program), statement_(statement), reduction_(std::get<Reduce>(statement.value->node)) {}

  std::vector<Statement> write() {
    if (reduction_.reduction == Reduction::Product)
      countZeros();
    else
      findPlace();
    return std::move(companions_);
  }

private:
  const std::string &variable() const { return reduction_.variables.front(); }

  /// `let y_at(i) = min(j, select(e == y(i), j, inf))`
  void findPlace() {
    const double neutral = reduction_.reduction == Reduction::Min ? HUGE_VAL : -HUGE_VAL;
    const Expr *body = reduction_.body.get();
    std::vector<ExprPtr> conditions;
    const auto *choice = std::get_if<Call>(&body->node);
    if (choice && choice->function == Function::Select && isInfinity(*choice->arguments[2], neutral)) {
      conditions.push_back(clone(*choice->arguments[0]));
      body = choice->arguments[1].get();
    }
    collectPresent(*body, neutral);
    for (const ExprPtr &present : statement_.present)
      conditions.push_back(clone(*present));
    ExprPtr condition = call(Function::Equal, clone(*body), access(statement_.target, statement_.indices));
    for (auto one = conditions.rbegin(); one != conditions.rend(); ++one)
      condition = call(Function::And, std::move(*one), std::move(condition));
    ExprPtr place = select(std::move(condition), indexValue(variable()), infinity());
    statement_.place = add("_at", reduce(Reduction::Min, {variable()}, std::move(place)), sema::ValueType::I64);
  }

  /// Where a sum can be anything but neutral: where each sparse addend that is neutral elsewhere has entries.
  void collectPresent(const Expr &sum, double neutral) {
    if (const Access *read = asTensor(sum, program_.names)) {
      const TensorInfo &info = program_.info(read->tensor);
      if (!info.pattern.empty() && info.fill == neutral)
        statement_.present.push_back(call(Function::Pattern, clone(sum)));
      return;
    }
    const auto *node = std::get_if<Binary>(&sum.node);
    const auto *call = std::get_if<Call>(&sum.node);
    const bool isSum = (node && node->op == BinaryOp::Add) ||
                       (call && (call->function == Function::MinPlus || call->function == Function::MaxPlus));
    if (isSum)
      for (const Expr *child : children(sum))
        collectPresent(*child, neutral);
  }

  /// `let y_zeros(i) = sum(j, i64(e == 0))` and `let y_rest(i) = prod(j, select(e == 0, 1, e))`
  void countZeros() {
    const Expr &body = *reduction_.body;
    const auto isZero = [&] { return call(Function::Equal, inFloats(body, program_), number(0)); };
    statement_.zeros = add("_zeros", reduce(Reduction::Sum, {variable()}, wholeNumber(isZero())), sema::ValueType::I64);
    statement_.rest = add("_rest", reduce(Reduction::Product, {variable()}, select(isZero(), number(1), clone(body))),
                          program_.info(statement_.target).type);
  }

  /// The name of a new tensor over the statement's indices.
  std::string add(const std::string &suffix, ExprPtr value, sema::ValueType type) {
    Statement companion;
    companion.target = program_.fresh.tensor(statement_.target + suffix);
    companion.indices = statement_.indices;
    companion.value = std::move(value);
    companion.where = statement_.where;
    TensorInfo info;
    info.type = type;
    info.typeName = sema::spelling(type);
    info.extents = program_.info(statement_.target).extents;
    program_.add(companion.target, std::move(info));
    companions_.push_back(std::move(companion));
    return companions_.back().target;
  }

  Program &program_;
  Statement &statement_;
  const Reduce &reduction_;
  std::vector<Statement> companions_;
};

} // namespace

std::vector<Statement> companionsOf(Program &program, Statement &statement) {
  return CompanionWriter(program, statement).write();
}

} // namespace spc::grad
