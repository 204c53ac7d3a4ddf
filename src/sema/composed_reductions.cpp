#include "sema/composed_reductions.h"

namespace spc::sema {
namespace {

/// The call of a function that a node is; null for anything else.
const CallNode *callOf(const Node &node, Function function) {
  const auto *call = std::get_if<CallNode>(&node.kind);
  return call && call->function == function ? call : nullptr;
}

const ReduceNode *reductionBy(const Node &node, Reduction reduction) {
  const auto *reduce = std::get_if<ReduceNode>(&node.kind);
  return reduce && reduce->reduction == reduction ? reduce : nullptr;
}

/// `sum(j, e) / i64(max(sum(j, 1), 1))`. Text cannot say the count, whose variables index nothing.
std::optional<ComposedReduction> asMean(const BinaryNode &node) {
  const ReduceNode *sum = reductionBy(*node.left, Reduction::Sum);
  const CallNode *whole = callOf(*node.right, Function::Cast);
  const CallNode *greatest = whole ? callOf(*whole->arguments.front(), Function::Max) : nullptr;
  const ReduceNode *count = greatest ? reductionBy(*greatest->arguments.front(), Reduction::Sum) : nullptr;
  if (node.op != BinaryOp::Div || !sum || !count || sum->variables != count->variables ||
      !std::holds_alternative<NumberNode>(count->body->kind))
    return std::nullopt;
  return ComposedReduction{Reduction::Mean, sum, sum->body.get()};
}

bool isSamePlace(Span a, Span b) {
  return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

/// `min(j, select(e == min(j, e) or e != e, j, inf))`, in which the inner variable is another one of that name; over
/// several variables with their linear place for j. Of what is written out like that, perhaps with another expression
/// inside, the inner reduction has a place of its own.
std::optional<ComposedReduction> asPlace(const ReduceNode &node, Span where) {
  const CallNode *choice = callOf(*node.body, Function::Select);
  const CallNode *either = choice ? callOf(*choice->arguments[0], Function::Or) : nullptr;
  const CallNode *equal = either ? callOf(*either->arguments[0], Function::Equal) : nullptr;
  const auto *extreme = equal ? std::get_if<ReduceNode>(&equal->arguments[1]->kind) : nullptr;
  if (!extreme || !isSamePlace(equal->arguments[1]->where, where) || !isSamePlace(choice->arguments[1]->where, where))
    return std::nullopt;
  return ComposedReduction{extreme->reduction == Reduction::Min ? Reduction::ArgMin : Reduction::ArgMax, &node,
                           equal->arguments[0].get()};
}

void noteLinearPlaces(const Node &node, const Scope &scope, Program &program) {
  const std::optional<ComposedReduction> written = composedReduction(node);
  const auto *ranking = std::get_if<ReduceNode>(&node.kind);
  const ReduceNode *over = written && written->reduction != Reduction::Mean ? written->over
                           : ranking && ranking->rank                       ? ranking
                                                                            : nullptr;
  if (over && over->variables.size() > 1) {
    LinearPlaces extents;
    for (VariableId variable : over->variables)
      extents.push_back(scope.variables[variable].extent);
    if (!has(program.linearPlaces, extents))
      program.linearPlaces.push_back(std::move(extents));
  }
  for (const Node *child : children(node))
    noteLinearPlaces(*child, scope, program);
}

} // namespace

void noteLinearPlaces(Program &program) {
  for (const ResolvedStatement &statement : program.statements)
    noteLinearPlaces(*statement.value, statement.scope, program);
}

std::optional<ComposedReduction> composedReduction(const Node &node) {
  if (const auto *quotient = std::get_if<BinaryNode>(&node.kind))
    return asMean(*quotient);
  const ReduceNode *least = reductionBy(node, Reduction::Min);
  return least ? asPlace(*least, node.where) : std::nullopt;
}

} // namespace spc::sema
