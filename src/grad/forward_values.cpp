// Values of the forward kernel in the derivative: passed to it, or computed anew.
#include "grad/derivative.h"

#include <algorithm>

namespace spc::grad {
namespace {

class ForwardValues {
public:
  ForwardValues(const Program &program, Derivative &derivative) : program_(program), derivative_(derivative) {}

  void add() {
    for (const Assignment &statement : derivative_.statements)
      need(*statement.value);
    dropUnusedSeeds();
    std::vector<Argument> arguments;
    addArguments(Argument::Kind::Operand, operands_, arguments);
    addArguments(Argument::Kind::Result, results_, arguments);
    derivative_.arguments.insert(derivative_.arguments.begin(), arguments.begin(), arguments.end());
    for (const Statement &statement : program_.statements)
      if (recomputed_.contains(statement.target))
        derivative_.recomputed.push_back(again(statement));
  }

private:
  /// Seeds on which nothing depends are no arguments.
  void dropUnusedSeeds() {
    const auto isRead = [&](const std::string &name) {
      return std::any_of(derivative_.statements.begin(), derivative_.statements.end(), [&](const auto &statement) {
        return any(*statement.value, [&](const Expr &part) {
          const auto *read = std::get_if<Access>(&part.node);
          return read && read->tensor == name;
        });
      });
    };
    std::erase_if(derivative_.arguments, [&](const Argument &argument) {
      return argument.kind == Argument::Kind::Seed && !isRead(argument.name);
    });
  }

  void need(const Expr &expr) {
    forEachTensor(expr, program_.names, [&](const Access &read) { need(read.tensor); });
  }

  void need(const std::string &name) {
    const TensorInfo &info = program_.info(name);
    if (!info.writer)
      operands_.insert(name);
    else if (info.isFinal && takesReductions(name))
      results_.insert(name);
    else if (recomputed_.insert(name).second)
      need(*program_.statements[*info.writer].value);
  }

  /// Whether computing a tensor anew takes a reduction, results that can be passed left out.
  bool takesReductions(const std::string &name) {
    const TensorInfo &info = program_.info(name);
    if (!info.writer)
      return false;
    const auto [known, isNew] = takesReductions_.try_emplace(name, false);
    if (!isNew)
      return known->second;
    const Statement &statement = program_.statements[*info.writer];
    bool takes = any(*statement.value, [](const Expr &part) { return std::holds_alternative<Reduce>(part.node); });
    for (const Term &term : termsOf(program_, statement))
      takes |= !term.summed.empty();
    forEachTensor(*statement.value, program_.names, [&](const Access &read) {
      takes = takes || (!program_.info(read.tensor).isFinal && takesReductions(read.tensor));
    });
    return takesReductions_[name] = takes;
  }

  /// In the order in which the forward kernel has them.
  void addArguments(Argument::Kind kind, const std::set<std::string> &names, std::vector<Argument> &arguments) const {
    std::set<std::string> added;
    const auto addOne = [&](const std::string &name) {
      if (names.contains(name) && added.insert(name).second)
        arguments.push_back({kind, name, name});
    };
    for (const std::string &name : program_.operands)
      addOne(name);
    for (const Statement &statement : program_.statements)
      addOne(statement.target);
  }

  static Assignment again(const Statement &statement) {
    Assignment result;
    result.target = std::get<Access>(access(statement.target, statement.indices)->node);
    result.op = language::AssignOp::Assign;
    result.value = clone(*statement.value);
    result.isTemporary = true;
    return result;
  }

  const Program &program_;
  Derivative &derivative_;
  std::set<std::string> operands_, results_, recomputed_;
  std::map<std::string, bool> takesReductions_;
};

} // namespace

void addForwardValues(const Program &program, Derivative &derivative) {
  ForwardValues(program, derivative).add();
}

} // namespace spc::grad
