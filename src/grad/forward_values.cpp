// Values of the forward kernel in the derivative: passed to it, or computed anew.
#include "grad/derivative.h"

#include <algorithm>
#include <map>

namespace spc::grad {
namespace {

class ForwardValues {
public:
  ForwardValues(const Program &program, Derivative &derivative) : program_(program), derivative_(derivative) {}

  void add() {
    for (const Assignment &statement : derivative_.statements)
      need(*statement.value);
    dropUnusedSeeds();
    for (const TensorId tensor : operands_)
      if (program_.kernel.tensors[tensor].is<sema::Constant>())
        derivative_.constants.push_back(tensor);
    std::vector<Argument> arguments;
    addArguments(Argument::Kind::Operand, operands_, arguments);
    addArguments(Argument::Kind::Result, results_, arguments);
    derivative_.arguments.insert(derivative_.arguments.begin(), arguments.begin(), arguments.end());
    for (const Statement &statement : program_.statements)
      if (recomputed_.contains(statement.target))
        derivative_.recomputed.push_back({statement.target, statement.indices, language::AssignOp::Assign,
                                          clone(*statement.value), /*isTemporary=*/true});
  }

private:
  /// Seeds on which nothing depends are no arguments.
  void dropUnusedSeeds() {
    const auto isRead = [&](TensorId tensor) {
      return std::any_of(derivative_.statements.begin(), derivative_.statements.end(), [&](const auto &statement) {
        return any(*statement.value, [&](const Node &part) {
          const Access *read = program_.accessIn(part);
          return read && read->tensor == tensor;
        });
      });
    };
    std::erase_if(derivative_.arguments, [&](const Argument &argument) {
      return argument.kind == Argument::Kind::Seed && !isRead(argument.tensor);
    });
  }

  void need(const Node &expr) {
    program_.forEachRead(expr, [&](const Access &read) { need(read.tensor); });
  }

  void need(TensorId tensor) {
    const TensorInfo &info = program_.info(tensor);
    if (!info.writer)
      operands_.insert(tensor);
    else if (info.isFinal && takesReductions(tensor))
      results_.insert(tensor);
    else if (recomputed_.insert(tensor).second)
      need(*program_.statements[*info.writer].value);
  }

  /// Whether computing a tensor anew takes a reduction, results that can be passed left out.
  bool takesReductions(TensorId tensor) {
    const TensorInfo &info = program_.info(tensor);
    if (!info.writer)
      return false;
    const auto [known, isNew] = takesReductions_.try_emplace(tensor, false);
    if (!isNew)
      return known->second;
    const Statement &statement = program_.statements[*info.writer];
    bool takes = any(*statement.value, [](const Node &part) { return std::holds_alternative<ReduceNode>(part.kind); });
    for (const Term &term : termsOf(program_, statement))
      takes |= !term.summed.empty();
    program_.forEachRead(*statement.value, [&](const Access &read) {
      takes = takes || (!program_.info(read.tensor).isFinal && takesReductions(read.tensor));
    });
    return takesReductions_[tensor] = takes;
  }

  /// In the order in which the forward kernel has them.
  void addArguments(Argument::Kind kind, const std::set<TensorId> &tensors, std::vector<Argument> &arguments) const {
    std::set<TensorId> added;
    const auto addOne = [&](TensorId tensor) {
      if (tensors.contains(tensor) && added.insert(tensor).second)
        arguments.push_back({kind, tensor, tensor});
    };
    for (const TensorId tensor : program_.operands)
      addOne(tensor);
    for (const Statement &statement : program_.statements)
      addOne(statement.target);
  }

  const Program &program_;
  Derivative &derivative_;
  std::set<TensorId> operands_, results_, recomputed_;
  std::map<TensorId, bool> takesReductions_;
};

} // namespace

void addForwardValues(const Program &program, Derivative &derivative) {
  ForwardValues(program, derivative).add();
}

} // namespace spc::grad
