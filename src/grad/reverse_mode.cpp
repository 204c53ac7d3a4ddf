// From the outputs to the operands: what each tensor's element changes.
#include "grad/derivative_writer.h"

#include <algorithm>
#include <map>

namespace spc::grad {
namespace {

constexpr DiagnosticKind kZeroGradient{"zero-gradient", Severity::Warning};

class ReverseMode : public DerivativeWriter {
public:
  ReverseMode(Program &program, const std::set<TensorId> &between, Diagnostics &diagnostics)
      : DerivativeWriter(program, between, "d_"), diagnostics_(diagnostics) {}

  Derivative run(const Ends &ends) {
    std::vector<Argument> written;
    for (const TensorId output : ends.of)
      seed(output);
    for (const TensorId operand : ends.wrt)
      written.push_back({Argument::Kind::Derivative, gradientFor(operand, ends), operand});
    for (auto statement = program_.statements.rbegin(); statement != program_.statements.rend(); ++statement)
      if (between_.contains(statement->target))
        passOn(*statement);
    for (const Argument &gradient : written)
      writeGradient(gradient);
    derivative.arguments.insert(derivative.arguments.end(), written.begin(), written.end());
    return std::move(derivative);
  }

private:
  TensorId gradientFor(TensorId operand, const Ends &ends) {
    const bool isSeeded = std::any_of(ends.of.begin(), ends.of.end(),
                                      [&](TensorId output) { return program_.info(output).source == operand; });
    return derivativeFor(operand, program_.nameOf(operand) + (isSeeded ? "_in" : ""));
  }

  void seed(TensorId output) {
    const TensorId given = seedFor(output, program_.nameOf(*program_.info(output).source));
    derivative.arguments.push_back({Argument::Kind::Seed, given, output});
    const std::optional<size_t> writer = program_.info(output).writer;
    if (!writer)
      return;
    const Variables &indices = program_.statements[*writer].indices;
    contributions_[output].push_back({indices, {program_.access(given, indices)}});
  }

  /// Gives the derivative by a statement's target to what the statement reads.
  void passOn(const Statement &statement) {
    if (const std::optional<TensorId> given = derivativeBy(statement))
      for (const Partial &partial : partialsOf(program_, statement, between_, /*keepsSums=*/false))
        contribute(statement, partial, *given);
  }

  /// The derivative by the target, of which all parts are known; nullopt where there is none.
  std::optional<TensorId> derivativeBy(const Statement &statement) {
    std::vector<Contribution> all = std::move(contributions_[statement.target]);
    if (all.empty())
      return std::nullopt;
    const Contribution &first = all.front();
    const Access *only = program_.accessIn(*first.addend.value);
    if (all.size() == 1 && only && first.addend.coefficient == 1 && only->variables == first.indices)
      return only->tensor;
    for (Contribution &one : all)
      one.addend.value = addends_.masked(std::move(one.addend.value), maskOf(statement.target, one.indices));
    const TensorId made = derivativeFor(statement.target, program_.nameOf(statement.target));
    writeSum(made, std::move(all), true);
    return made;
  }

  /// Whether a dimension of a tensor is read in a window anywhere in a tree. Variables do not run over it then.
  bool hasWindow(const Node &tree, TensorId tensor, size_t dim) const {
    return any(tree, [&](const Node &part) {
      const Access *read = program_.accessIn(part);
      return read && read->tensor == tensor && !program_.isPlain(read->variables[dim]) &&
             !program_.scope.variables[read->variables[dim]].terms.empty();
    });
  }

  /// What an index comes to, as a value: `2*i + p`.
  NodePtr valueOf(VariableId index) const {
    if (program_.isPlain(index))
      return indexValue(index);
    NodePtr sum;
    const auto add = [&](NodePtr one) {
      sum = sum ? binary(BinaryOp::Add, std::move(sum), std::move(one)) : std::move(one);
    };
    const sema::Variable &derived = program_.scope.variables[index];
    for (const sema::Variable::Multiple &term : derived.terms) {
      NodePtr variable = indexValue(term.variable);
      add(term.scale == 1 ? std::move(variable)
                          : binary(BinaryOp::Mul, number(static_cast<double>(term.scale)), std::move(variable)));
    }
    if (derived.constant != 0 || !sum)
      add(number(static_cast<double>(derived.constant)));
    return sum;
  }

  void contribute(const Statement &statement, const Partial &partial, TensorId given) {
    const Access use = program_.scope.accesses[*partial.use];
    Variables summed = partial.summed, target;
    std::set<VariableId> used(statement.indices.begin(), statement.indices.end());
    used.insert(summed.begin(), summed.end());
    std::vector<NodePtr> last;
    NodePtr place;
    for (size_t dim = 0; dim < use.variables.size(); ++dim) {
      const VariableId index = use.variables[dim];
      const bool isWindow = hasWindow(*statement.value, use.tensor, dim);
      const bool isOwn = !isWindow && program_.isPlain(index) && !contains(target, index);
      target.push_back(isOwn ? index : program_.freshVariable(used));
      used.insert(target.back());
      if (isOwn)
        continue;
      NodePtr isThere = call(Function::Equal, indexValue(target.back()), valueOf(index));
      if (isWindow)
        place = place ? call(Function::And, std::move(place), std::move(isThere)) : std::move(isThere);
      else
        last.push_back(std::move(isThere));
    }
    last.push_back(program_.access(given, statement.indices));
    summed.insert(summed.end(), statement.indices.begin(), statement.indices.end());
    std::erase_if(summed, [&](VariableId variable) { return contains(target, variable); });
    AddendParts parts{maskOf(use.tensor, target), partial,         std::move(last), target,
                      std::move(summed),          std::move(place)};
    add(contributions_[use.tensor], {target, addends_.write(std::move(parts), statement)});
  }

  void writeGradient(const Argument &gradient) {
    std::vector<Contribution> all = std::move(contributions_[gradient.value]);
    if (!all.empty())
      return writeSum(gradient.tensor, std::move(all), false);
    if (diagnostics_.hasErrors())
      return;
    diagnostics_
        .report(kZeroGradient, {}, "the derivative by '" + program_.nameOf(gradient.value) + "' is 0 everywhere")
        .advise("nothing that is differentiated depends on it, but by steps");
    writeZero(gradient.tensor, gradient.value);
  }

  Diagnostics &diagnostics_;
  std::map<TensorId, std::vector<Contribution>> contributions_;
};

} // namespace

Derivative reverseMode(Program &program, const Ends &ends, const std::set<TensorId> &between,
                       Diagnostics &diagnostics) {
  return ReverseMode(program, between, diagnostics).run(ends);
}

} // namespace spc::grad
