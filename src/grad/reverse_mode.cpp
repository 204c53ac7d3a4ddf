// From the outputs to the operands: what each tensor's element changes.
#include "grad/derivative_writer.h"

#include <algorithm>

namespace spc::grad {
namespace {

constexpr DiagnosticKind kZeroGradient{"zero-gradient", Severity::Warning};

/// Whether a dimension of a tensor is read in a window anywhere in an expression. Variables do not run over it then.
bool hasWindow(const Expr &expr, const std::string &tensor, size_t dim) {
  return any(expr, [&](const Expr &part) {
    const auto *read = std::get_if<Access>(&part.node);
    return read && read->tensor == tensor && dim < read->indices.size() && !read->indices[dim].isPlain() &&
           !read->indices[dim].terms.empty();
  });
}

/// What an index comes to, as a value: `2*i + p`.
ExprPtr valueOf(const Index &index) {
  ExprPtr sum;
  const auto add = [&](ExprPtr one) {
    sum = sum ? binary(BinaryOp::Add, std::move(sum), std::move(one)) : std::move(one);
  };
  for (const language::IndexTerm &term : index.terms) {
    ExprPtr variable = indexValue(term.variable.text);
    add(term.scale == 1 ? std::move(variable)
                        : binary(BinaryOp::Mul, number(static_cast<double>(term.scale)), std::move(variable)));
  }
  if (index.constant != 0 || !sum)
    add(number(static_cast<double>(index.constant)));
  return sum;
}

class ReverseMode : public DerivativeWriter {
public:
  ReverseMode(Program &program, const std::set<std::string> &between, Diagnostics &diagnostics)
      : DerivativeWriter(program, between, "d_"), diagnostics_(diagnostics) {}

  Derivative run(const Ends &ends) {
    std::vector<Argument> written;
    for (const std::string &output : ends.of)
      seed(output);
    for (const std::string &operand : ends.wrt)
      written.push_back({Argument::Kind::Derivative, nameOfGradient(operand), operand});
    for (auto statement = program_.statements.rbegin(); statement != program_.statements.rend(); ++statement)
      if (between_.contains(statement->target))
        passOn(*statement);
    for (const Argument &gradient : written)
      writeGradient(gradient);
    derivative.arguments.insert(derivative.arguments.end(), written.begin(), written.end());
    return std::move(derivative);
  }

private:
  std::string nameOfGradient(const std::string &operand) {
    const bool isSeeded = std::any_of(given_.begin(), given_.end(), [&](const auto &output) {
      return program_.info(output.first).source == operand;
    });
    return program_.fresh.tensor(prefix_ + operand + (isSeeded ? "_in" : ""));
  }

  void seed(const std::string &output) {
    const TensorInfo &info = program_.info(output);
    given_[output] = program_.fresh.tensor(prefix_ + info.source);
    derivative.arguments.push_back({Argument::Kind::Seed, given_[output], output});
    noteSeed(given_[output], output);
    if (!info.writer)
      return;
    const std::vector<std::string> &indices = program_.statements[*info.writer].indices;
    contributions_[output].push_back({indices, {access(given_[output], indices)}});
  }

  /// Gives the derivative by a statement's target to what the statement reads.
  void passOn(const Statement &statement) {
    const std::string given = derivativeBy(statement);
    if (given.empty())
      return;
    for (const Partial &partial : partialsOf(program_, statement, between_, /*keepsSums=*/false))
      contribute(statement, partial, given);
  }

  /// The name of the derivative by the target, of which all parts are known; empty where there is none.
  std::string derivativeBy(const Statement &statement) {
    std::vector<Contribution> all = std::move(contributions_[statement.target]);
    if (all.empty())
      return "";
    const auto *only = std::get_if<Access>(&all.front().addend.value->node);
    if (all.size() == 1 && only && all.front().addend.coefficient == 1 &&
        isSame(*all.front().addend.value, *access(only->tensor, all.front().indices)))
      return only->tensor;
    for (Contribution &one : all)
      one.addend.value = addends_.masked(std::move(one.addend.value), maskOf(statement.target, one.indices));
    const std::string name = nameFor(statement.target);
    writeSum(name, statement.target, std::move(all), true);
    return name;
  }

  void contribute(const Statement &statement, const Partial &partial, const std::string &given) {
    const std::string &tensor = partial.use->tensor;
    std::vector<std::string> summed = partial.summed, target;
    std::set<std::string> used(statement.indices.begin(), statement.indices.end());
    used.insert(summed.begin(), summed.end());
    std::vector<ExprPtr> last;
    ExprPtr place;
    for (size_t dim = 0; dim < partial.use->indices.size(); ++dim) {
      const Index &index = partial.use->indices[dim];
      const bool isWindow = hasWindow(*statement.value, tensor, dim);
      const bool isOwn = !isWindow && index.isPlain() && !contains(target, index.text);
      target.push_back(isOwn ? index.text : program_.fresh.variable(used));
      used.insert(target.back());
      if (isOwn)
        continue;
      ExprPtr isThere = call(Function::Equal, indexValue(target.back()), valueOf(index));
      if (isWindow)
        place = place ? call(Function::And, std::move(place), std::move(isThere)) : std::move(isThere);
      else
        last.push_back(std::move(isThere));
    }
    last.push_back(access(given, statement.indices));
    for (const std::string &index : statement.indices)
      summed.push_back(index);
    std::erase_if(summed, [&](const std::string &variable) { return contains(target, variable); });
    AddendParts parts{maskOf(tensor, target), partial, std::move(last), target, std::move(summed), std::move(place)};
    grad::contribute(contributions_[tensor], {target, addends_.write(std::move(parts), statement)});
  }

  void writeGradient(const Argument &gradient) {
    std::vector<Contribution> all = std::move(contributions_[gradient.value]);
    if (!all.empty())
      return writeSum(gradient.name, gradient.value, std::move(all), false);
    if (diagnostics_.hasErrors())
      return;
    diagnostics_.report(kZeroGradient, {}, "the derivative by '" + gradient.value + "' is 0 everywhere")
        .advise("nothing that is differentiated depends on it, but by steps");
    writeZero(gradient.name, gradient.value, gradient.value);
  }

  Diagnostics &diagnostics_;
  std::map<std::string, std::string> given_;
  std::map<std::string, std::vector<Contribution>> contributions_;
};

} // namespace

Derivative reverseMode(Program &program, const Ends &ends, const std::set<std::string> &between,
                       Diagnostics &diagnostics) {
  return ReverseMode(program, between, diagnostics).run(ends);
}

} // namespace spc::grad
