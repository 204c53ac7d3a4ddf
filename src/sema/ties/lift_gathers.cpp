// Elements at held indices within functions: `max(x(p(i)), 0)` is `sum(k, max(x(k), 0) * at(k, p(i)))`, as there is one
// k for each i. So they are read where they are, and none is put into a temporary before.
#include "sema/rankings.h"
#include "sema/simplify.h"
#include "sema/taken_in.h"
#include "sema/ties/gathers.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace spc::sema {
namespace {

/// Whether two accesses are of one tie, at the same rows.
bool isSameTie(const Access &a, const Access &b) {
  return a.tensor == b.tensor &&
         std::equal(a.variables.begin(), a.variables.end() - 1, b.variables.begin(), b.variables.end() - 1);
}

class StatementLifter {
public:
  StatementLifter(Program &program, ResolvedStatement &statement)
      : program_(program), statement_(statement), scope_(statement.scope) {}

  void run() {
    if (!statement_.value || rankingOf(statement_) || !isPlain(statement_.target) ||
        !std::all_of(scope_.accesses.begin(), scope_.accesses.end(),
                     [&](const Access &access) { return tieOf(access) || isPlain(access); }))
      return;
    const std::optional<Reduction> kind = takenInBy(statement_.op);
    if (!kind)
      return liftAddends(statement_.value);
    for (VariableId variable : liftReduced(*kind, statement_.value))
      scope_.variables[variable].kind = Variable::Kind::Implicit;
  }

private:
  template <typename... Arguments> static NodePtr call(Function function, Arguments... arguments) {
    CallNode node{function, ValueType::F64, {}};
    (node.arguments.push_back(std::move(arguments)), ...);
    const Span where = node.arguments.front()->where;
    return makeNode(std::move(node), where);
  }
  const Tie *tieOf(const Access &access) const { return program_.tensors[access.tensor].as<Tie>(); }
  bool isPlain(const Access &access) const {
    const Tensor &tensor = program_.tensors[access.tensor];
    return tensor.format.isDense() && tensor.fill == 0;
  }

  std::optional<AccessId> tieIn(const Node &node) const { return sema::tieIn(node, scope_, program_); }
  std::optional<Gather> gatherAt(NodePtr &node, bool isFactor) const;
  bool collect(NodePtr &node, bool isFactor, std::vector<Gather> &gathers) const;
  void addTies(const Node &node, std::vector<AccessId> &ties) const;
  bool covers(const Gather &gather, const Node &value) const;
  std::vector<AccessId> replace(const std::vector<Gather> &gathers, const std::vector<AccessId> &lifted);
  std::vector<AccessId> lift(NodePtr &value, bool liftsFactors);
  void liftWithin(NodePtr &node);
  void liftAddends(NodePtr &node);
  std::vector<VariableId> liftReduced(Reduction kind, NodePtr &body);

  Program &program_;
  ResolvedStatement &statement_;
  Scope &scope_;
};

/// A gather at different indices: no element is read at one variable twice.
std::optional<Gather> StatementLifter::gatherAt(NodePtr &node, bool isFactor) const {
  std::optional<Gather> gather = sema::gatherAt(node, isFactor, scope_, program_);
  if (!gather)
    return std::nullopt;
  for (size_t k = 0; k < gather->ties.size(); ++k)
    for (size_t other = 0; other < k; ++other)
      if (isSameTie(scope_.accesses[gather->ties[k]], scope_.accesses[gather->ties[other]]))
        return std::nullopt;
  return gather;
}

/// Collects the gathers of a value; false where it has other reductions, or entries by condition.
bool StatementLifter::collect(NodePtr &node, bool isFactor, std::vector<Gather> &gathers) const {
  if (std::optional<Gather> gather = gatherAt(node, isFactor)) {
    gathers.push_back(std::move(*gather));
    return true;
  }
  if (std::holds_alternative<ReduceNode>(node->kind))
    return false;
  if (auto *call = std::get_if<CallNode>(&node->kind))
    return call->function != Function::Where &&
           std::all_of(call->arguments.begin(), call->arguments.end(),
                       [&](NodePtr &argument) { return collect(argument, false, gathers); });
  if (auto *binary = std::get_if<BinaryNode>(&node->kind))
    return collect(binary->left, isFactor, gathers) &&
           collect(binary->right, isFactor && binary->op != BinaryOp::Div, gathers);
  auto *minus = std::get_if<NegateNode>(&node->kind);
  return !minus || collect(minus->operand, isFactor, gathers);
}

void StatementLifter::addTies(const Node &node, std::vector<AccessId> &ties) const {
  if (const std::optional<AccessId> tie = tieIn(node))
    ties.push_back(*tie);
  for (const Node *child : children(node))
    addTies(*child, ties);
}

/// Whether a value is computed no more often than a gather of it has elements: its variables are the gather's, and
/// those that ties find by them.
bool StatementLifter::covers(const Gather &gather, const Node &value) const {
  std::vector<VariableId> known = freeVariables(**gather.node, scope_);
  std::vector<AccessId> ties;
  addTies(value, ties);
  for (bool isNews = true; std::exchange(isNews, false);)
    for (AccessId tie : ties) {
      const std::vector<VariableId> &variables = scope_.accesses[tie].variables;
      const bool isFound = std::all_of(variables.begin(), variables.end() - 1,
                                       [&](VariableId variable) { return has(known, variable); });
      if (isFound && !has(known, variables.back())) {
        known.push_back(variables.back());
        isNews = true;
      }
    }
  const std::vector<VariableId> all = freeVariables(value, scope_);
  return std::all_of(all.begin(), all.end(), [&](VariableId variable) { return has(known, variable); });
}

/// Puts the elements themselves in place of gathers by the ties `lifted`. Returns those of them that are read.
std::vector<AccessId> StatementLifter::replace(const std::vector<Gather> &gathers,
                                               const std::vector<AccessId> &lifted) {
  std::vector<AccessId> read;
  for (const Gather &gather : gathers) {
    Access element = scope_.accesses[gather.element];
    std::vector<AccessId> own;
    for (AccessId tie : gather.ties) {
      const auto same = std::find_if(lifted.begin(), lifted.end(), [&](AccessId other) {
        return isSameTie(scope_.accesses[tie], scope_.accesses[other]);
      });
      if (same == lifted.end())
        break;
      own.push_back(*same);
      std::replace(element.variables.begin(), element.variables.end(), scope_.accesses[tie].variables.back(),
                   scope_.accesses[*same].variables.back());
    }
    if (own.size() != gather.ties.size())
      continue;
    *gather.node = makeNode(AccessNode{scope_.intern(std::move(element))}, (*gather.node)->where);
    std::copy_if(own.begin(), own.end(), std::back_inserter(read), [&](AccessId tie) { return !has(read, tie); });
  }
  return read;
}

/// Reads a value's elements where they are, if it has gathers in functions, or with `liftsFactors` any. Returns the
/// ties that say where; none where nothing is changed.
std::vector<AccessId> StatementLifter::lift(NodePtr &value, bool liftsFactors) {
  std::vector<Gather> gathers;
  if (!collect(value, true, gathers))
    return {};
  std::vector<AccessId> lifted;
  for (const Gather &gather : gathers) {
    if ((gather.isFactor && !liftsFactors) || !covers(gather, *value))
      continue;
    std::copy_if(gather.ties.begin(), gather.ties.end(), std::back_inserter(lifted), [&](AccessId tie) {
      return std::none_of(lifted.begin(), lifted.end(),
                          [&](AccessId other) { return isSameTie(scope_.accesses[tie], scope_.accesses[other]); });
    });
  }
  return replace(gathers, lifted);
}

/// What reductions within an addend are taken of.
void StatementLifter::liftWithin(NodePtr &node) {
  if (gatherAt(node, true))
    return;
  if (auto *reduction = std::get_if<ReduceNode>(&node->kind)) {
    if (reduction->reduction == Reduction::Sum)
      return liftAddends(reduction->body);
    const std::vector<VariableId> more = liftReduced(reduction->reduction, reduction->body);
    reduction->variables.insert(reduction->variables.end(), more.begin(), more.end());
    return;
  }
  if (auto *call = std::get_if<CallNode>(&node->kind))
    for (NodePtr &argument : call->arguments)
      liftWithin(argument);
  if (auto *minus = std::get_if<NegateNode>(&node->kind))
    liftWithin(minus->operand);
  if (auto *binary = std::get_if<BinaryNode>(&node->kind)) {
    liftWithin(binary->left);
    liftWithin(binary->right);
  }
}

void StatementLifter::liftAddends(NodePtr &node) {
  if (auto *minus = std::get_if<NegateNode>(&node->kind))
    return liftAddends(minus->operand);
  if (asSum(*node)) {
    auto &sum = std::get<BinaryNode>(node->kind);
    liftAddends(sum.left);
    return liftAddends(sum.right);
  }
  liftWithin(node);
  ReduceNode sum{Reduction::Sum, {}, nullptr};
  const Span where = node->where;
  const std::vector<AccessId> ties = lift(node, false);
  for (AccessId tie : ties) {
    node = makeBinary(BinaryOp::Mul, std::move(node), patternOf(tie, where));
    sum.variables.push_back(scope_.accesses[tie].variables.back());
  }
  if (ties.empty())
    return;
  sum.body = std::move(node);
  node = makeNode(std::move(sum), where);
}

/// The body of a minimum or a maximum, which others than there are take no part in. Returns the variables over which it
/// is taken besides.
std::vector<VariableId> StatementLifter::liftReduced(Reduction kind, NodePtr &body) {
  liftWithin(body);
  if (kind != Reduction::Min && kind != Reduction::Max)
    return {};
  const double none = (kind == Reduction::Min ? 1 : -1) * std::numeric_limits<double>::infinity();
  const Span where = body->where;
  const std::vector<AccessId> ties = lift(body, true);
  if (ties.empty())
    return {};
  NodePtr condition, value = std::move(body);
  auto *choice = std::get_if<CallNode>(&value->kind);
  const auto *other =
      choice && choice->function == Function::Select ? std::get_if<NumberNode>(&choice->arguments[2]->kind) : nullptr;
  if (other && other->value == none) {
    condition = std::move(choice->arguments[0]);
    NodePtr chosen = std::move(choice->arguments[1]);
    value = std::move(chosen);
  }
  std::vector<VariableId> variables;
  for (AccessId tie : ties) {
    variables.push_back(scope_.accesses[tie].variables.back());
    NodePtr pattern = patternOf(tie, where);
    condition = condition ? call(Function::And, std::move(condition), std::move(pattern)) : std::move(pattern);
  }
  body = call(Function::Select, std::move(condition), std::move(value),
              makeNode(NumberNode{none, none > 0 ? "inf" : "-inf"}, where));
  return variables;
}

} // namespace

void liftGathers(Program &program) {
  for (ResolvedStatement &statement : program.statements)
    StatementLifter(program, statement).run();
}

} // namespace spc::sema
