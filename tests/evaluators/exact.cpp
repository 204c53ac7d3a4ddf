#include "evaluators/exact.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

namespace spc::testing {
namespace {

Quad sizeOf(Quad value) {
  return value < 0 ? -value : value;
}

class ExactEvaluator {
public:
  explicit ExactEvaluator(ExactMap &tensors) : tensors_(tensors) {}

  void run(const syntax::Statement &statement) {
    extents_.clear();
    noteExtents(*statement.value);
    ExactTensor &target = tensors_.at(statement.target.tensor.text);
    std::vector<std::string> loops;
    for (size_t dim = 0; dim < target.shape.size(); ++dim) {
      loops.push_back(statement.target.indices[dim].text);
      extents_[loops.back()] = target.shape[dim];
    }
    std::vector<std::pair<const syntax::Expr *, bool>> addends;
    split(*statement.value, false, addends);
    const ExactTensor before = target;
    forEachPoint(loops, [&] {
      const size_t at = offset(statement.target);
      ExactValue total = statement.op == language::AssignOp::Add ? before.values[at] : ExactValue{};
      for (const auto &[addend, isNegated] : addends)
        add(total, sumOf(*addend, freeVariables(*addend)), isNegated);
      next_[at] = total;
    });
    for (const auto &[at, value] : next_)
      target.values[at] = value;
    next_.clear();
  }

private:
  static void add(ExactValue &total, const ExactValue &value, bool isNegated) {
    total.value += isNegated ? -value.value : value.value;
    total.magnitude += value.magnitude;
  }

  static void split(const syntax::Expr &expr, bool isNegated, std::vector<std::pair<const syntax::Expr *, bool>> &to) {
    const auto *binary = std::get_if<syntax::Binary>(&expr.node);
    if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
      return split(*paren->inner, isNegated, to);
    if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
      return split(*negate->operand, !isNegated, to);
    if (!binary || binary->op == language::BinaryOp::Mul || binary->op == language::BinaryOp::Div)
      return to.emplace_back(&expr, isNegated), void();
    split(*binary->left, isNegated, to);
    split(*binary->right, isNegated != (binary->op == language::BinaryOp::Sub), to);
  }

  void noteExtents(const syntax::Expr &expr) {
    if (const auto *access = std::get_if<syntax::Access>(&expr.node))
      for (size_t dim = 0; dim < access->indices.size(); ++dim)
        extents_[access->indices[dim].text] = tensors_.at(access->tensor.text).shape[dim];
    for (const syntax::Expr *child : syntax::children(expr))
      noteExtents(*child);
  }

  /// Variables that have no value yet and are not bound within.
  std::vector<std::string> freeVariables(const syntax::Expr &expr) const {
    std::vector<std::string> free;
    std::set<std::string> bound;
    const std::function<void(const syntax::Expr &)> visit = [&](const syntax::Expr &node) {
      if (const auto *reduce = std::get_if<syntax::Reduce>(&node.node))
        for (const syntax::Name &variable : reduce->variables)
          bound.insert(variable.text);
      if (const auto *access = std::get_if<syntax::Access>(&node.node))
        for (const syntax::Index &index : access->indices)
          if (!at_.contains(index.text) && !bound.contains(index.text) &&
              std::find(free.begin(), free.end(), index.text) == free.end())
            free.push_back(index.text);
      for (const syntax::Expr *child : syntax::children(node))
        visit(*child);
    };
    visit(expr);
    return free;
  }

  void forEachPoint(const std::vector<std::string> &loops, const std::function<void()> &visit, size_t depth = 0) {
    if (depth == loops.size())
      return visit();
    for (int64_t at = 0; at < extents_.at(loops[depth]); ++at) {
      at_[loops[depth]] = at;
      forEachPoint(loops, visit, depth + 1);
    }
    at_.erase(loops[depth]);
  }

  ExactValue sumOf(const syntax::Expr &body, const std::vector<std::string> &loops) {
    ExactValue total;
    forEachPoint(loops, [&] { add(total, evaluate(body), false); });
    return total;
  }

  size_t offset(const syntax::Access &access) const {
    const std::vector<int64_t> &shape = tensors_.at(access.tensor.text).shape;
    int64_t offset = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      offset = offset * shape[dim] + at_.at(access.indices[dim].text);
    return static_cast<size_t>(offset);
  }

  ExactValue evaluate(const syntax::Expr &expr) {
    return std::visit([&](const auto &node) { return compute(node); }, expr.node);
  }

  ExactValue compute(const syntax::Literal &literal) { return {literal.value, literal.value}; }
  ExactValue compute(const syntax::Paren &paren) { return evaluate(*paren.inner); }
  ExactValue compute(const syntax::Access &access) { return tensors_.at(access.tensor.text).values[offset(access)]; }

  ExactValue compute(const syntax::Negate &negate) {
    const ExactValue value = evaluate(*negate.operand);
    return {-value.value, value.magnitude};
  }

  ExactValue compute(const syntax::Binary &binary) {
    ExactValue left = evaluate(*binary.left);
    const ExactValue right = evaluate(*binary.right);
    switch (binary.op) {
    case language::BinaryOp::Add:
    case language::BinaryOp::Sub:
      add(left, right, binary.op == language::BinaryOp::Sub);
      return left;
    case language::BinaryOp::Mul:
      return {left.value * right.value, left.magnitude * right.magnitude};
    case language::BinaryOp::Div:
      break;
    }
    return {left.value / right.value, left.magnitude / sizeOf(right.value)};
  }

  ExactValue compute(const syntax::Reduce &reduce) {
    std::vector<std::string> loops;
    for (const syntax::Name &variable : reduce.variables)
      loops.push_back(variable.text);
    ExactValue sum = sumOf(*reduce.body, loops);
    if (reduce.reduction == language::Reduction::Sum)
      return sum;
    if (reduce.reduction != language::Reduction::Mean)
      throw std::runtime_error("this is no arithmetic");
    for (const std::string &loop : loops) {
      const auto extent = static_cast<double>(std::max<int64_t>(1, extents_.at(loop)));
      sum = {sum.value / extent, sum.magnitude / extent};
    }
    return sum;
  }

  ExactValue compute(const syntax::Call &call) {
    const auto *access = std::get_if<syntax::Access>(&call.arguments.front()->node);
    if (call.function != language::Function::Pattern || !access)
      throw std::runtime_error("this is no arithmetic");
    const std::vector<uint8_t> &stored = tensors_.at(access->tensor.text).stored;
    const double isThere = stored.empty() || stored[offset(*access)] ? 1 : 0;
    return {isThere, isThere};
  }

  ExactMap &tensors_;
  std::map<std::string, int64_t> extents_; ///< of the statement's variables
  std::map<std::string, int64_t> at_;
  std::map<size_t, ExactValue> next_; ///< what the target holds when the statement is over
};

} // namespace

ExactMap evaluateExactly(const syntax::Kernel &kernel, const TensorMap &tensors) {
  ExactMap exact;
  for (const auto &[name, tensor] : tensors) {
    ExactTensor &values = exact[name];
    values.shape = tensor.shape;
    if (tensor.sparse)
      values.stored = tensor.stored;
    for (size_t at = 0; at < tensor.values.size(); ++at) {
      const double value = tensor.sparse && !tensor.stored[at] ? 0 : tensor.values[at].real();
      values.values.push_back({value, sizeOf(value)});
    }
  }
  ExactEvaluator evaluator(exact);
  for (const syntax::Statement &statement : kernel.statements)
    evaluator.run(statement);
  return exact;
}

} // namespace spc::testing
