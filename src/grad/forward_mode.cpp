// From the operands to the outputs: how each tensor changes with them.
#include "grad/derivative_writer.h"

#include <map>

namespace spc::grad {
namespace {

class ForwardMode : public DerivativeWriter {
public:
  ForwardMode(Program &program, const std::set<TensorId> &between) : DerivativeWriter(program, between, "t_") {}

  Derivative run(const Ends &ends) {
    for (const TensorId operand : ends.wrt) {
      tangents_[operand] = seedFor(operand, program_.nameOf(operand));
      derivative.arguments.push_back({Argument::Kind::Seed, tangents_[operand], operand});
    }
    for (const TensorId output : ends.of) {
      const TensorId source = *program_.info(output).source;
      outputs_[output] = derivativeFor(output, program_.nameOf(source) + (source == output ? "" : "_out"));
      derivative.arguments.push_back({Argument::Kind::Derivative, outputs_[output], output});
    }
    for (const Statement &statement : program_.statements)
      if (between_.contains(statement.target))
        follow(statement);
    std::map<std::string, TensorId> unchanged;
    for (const TensorId output : ends.of)
      if (!tangents_.contains(output))
        unchanged.emplace(program_.nameOf(output), output);
    for (const auto &[name, output] : unchanged)
      writeZero(outputs_[output], program_.info(output).pattern);
    return std::move(derivative);
  }

private:
  /// Writes the change of a statement's target, unless it has none.
  void follow(const Statement &statement) {
    std::vector<Contribution> changes;
    for (const Partial &partial : partialsOf(program_, statement, between_, /*keepsSums=*/true))
      if (NodePtr change = changeAt(partial, statement)) {
        AddendParts parts{maskOf(statement.target, statement.indices), partial, {}, statement.indices, partial.summed};
        parts.last.push_back(std::move(change));
        add(changes, {statement.indices, addends_.write(std::move(parts), statement)});
      }
    if (changes.empty())
      return;
    const auto output = outputs_.find(statement.target);
    const bool isOutput = output != outputs_.end();
    const TensorId tangent =
        isOutput ? output->second : derivativeFor(statement.target, program_.nameOf(statement.target));
    tangents_[statement.target] = tangent;
    writeSum(tangent, std::move(changes), !isOutput);
  }

  /// The change of what is read at a place, or of a sum; nullptr where there is none.
  NodePtr changeAt(const Partial &partial, const Statement &statement) {
    if (partial.use) {
      const Access &use = program_.scope.accesses[*partial.use];
      const auto tangent = tangents_.find(use.tensor);
      return tangent == tangents_.end() ? nullptr : program_.access(tangent->second, use.variables);
    }
    std::vector<Contribution> changes;
    for (const Partial &part : partial.parts)
      if (NodePtr change = changeAt(part, statement)) {
        AddendParts parts{{}, part, {}, part.around, part.summed, nullptr, /*isInner=*/true};
        parts.last.push_back(std::move(change));
        add(changes, {{}, addends_.write(std::move(parts), statement)});
      }
    std::vector<Addend> addends;
    for (Contribution &one : changes)
      addends.push_back(std::move(one.addend));
    return addends.empty() ? nullptr : sumOf(std::move(addends));
  }

  std::map<TensorId, TensorId> outputs_;  ///< by tensor of the program, what the caller is given
  std::map<TensorId, TensorId> tangents_; ///< by tensor of the program, of those that change
};

} // namespace

Derivative forwardMode(Program &program, const Ends &ends, const std::set<TensorId> &between) {
  return ForwardMode(program, between).run(ends);
}

} // namespace spc::grad
