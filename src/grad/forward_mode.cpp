// From the operands to the outputs: how each tensor changes with them.
#include "grad/derivative_writer.h"

namespace spc::grad {
namespace {

class ForwardMode : public DerivativeWriter {
public:
  ForwardMode(Program &program, const std::set<std::string> &between) : DerivativeWriter(program, between, "t_") {}

  Derivative run(const Ends &ends) {
    for (const std::string &operand : ends.wrt) {
      tangents_[operand] = nameFor(operand);
      noteSeed(tangents_[operand], operand);
      derivative.arguments.push_back({Argument::Kind::Seed, tangents_[operand], operand});
    }
    for (const std::string &output : ends.of) {
      const std::string &source = program_.info(output).source;
      const bool isOperandToo = program_.names.contains(source) && source != output;
      outputs_[output] = program_.fresh.tensor(prefix_ + source + (isOperandToo ? "_out" : ""));
      derivative.arguments.push_back({Argument::Kind::Derivative, outputs_[output], output});
    }
    for (const Statement &statement : program_.statements)
      if (between_.contains(statement.target))
        follow(statement);
    for (const auto &[output, name] : outputs_)
      if (!tangents_.contains(output))
        writeZero(name, output, program_.info(output).pattern);
    return std::move(derivative);
  }

private:
  /// Writes the change of a statement's target, unless it has none.
  void follow(const Statement &statement) {
    std::vector<Contribution> changes;
    for (const Partial &partial : partialsOf(program_, statement, between_, /*keepsSums=*/true))
      if (ExprPtr change = changeAt(partial, statement)) {
        AddendParts parts{maskOf(statement.target, statement.indices), partial, {}, statement.indices, partial.summed};
        parts.last.push_back(std::move(change));
        contribute(changes, {statement.indices, addends_.write(std::move(parts), statement)});
      }
    if (changes.empty())
      return;
    const auto output = outputs_.find(statement.target);
    const bool isOutput = output != outputs_.end();
    const std::string name = isOutput ? output->second : nameFor(statement.target);
    tangents_[statement.target] = name;
    writeSum(name, statement.target, std::move(changes), !isOutput);
  }

  /// The change of what is read at a place, or of a sum; nullptr where there is none.
  ExprPtr changeAt(const Partial &partial, const Statement &statement) {
    if (partial.use) {
      const auto tangent = tangents_.find(partial.use->tensor);
      return tangent == tangents_.end() ? nullptr : access(tangent->second, partial.use->indices);
    }
    std::vector<Contribution> changes;
    for (const Partial &part : partial.parts)
      if (ExprPtr change = changeAt(part, statement)) {
        AddendParts parts{{}, part, {}, part.around, part.summed, nullptr, /*isInner=*/true};
        parts.last.push_back(std::move(change));
        contribute(changes, {{}, addends_.write(std::move(parts), statement)});
      }
    std::vector<Addend> addends;
    for (Contribution &one : changes)
      addends.push_back(std::move(one.addend));
    return addends.empty() ? nullptr : sumOf(std::move(addends));
  }

  std::map<std::string, std::string> outputs_;  ///< by tensor of the program, what the caller is given
  std::map<std::string, std::string> tangents_; ///< by tensor of the program, of those that change
};

} // namespace

Derivative forwardMode(Program &program, const Ends &ends, const std::set<std::string> &between) {
  return ForwardMode(program, between).run(ends);
}

} // namespace spc::grad
