// Statements to terms: addends are split, and each is summed over the variables that the target lacks.
#include "sema/expression_types.h"
#include "sema/fold.h"
#include "sema/rankings.h"
#include "sema/taken_in.h"
#include "sema/terms/expander.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kTooManyTerms{"too-many-terms", Severity::Error};
constexpr DiagnosticKind kIndexValue{"index-value", Severity::Error};

/// Whether a statement works out where its target has entries, as far as is known before its sums are placed.
bool listsEntries(const Planning &planning, TensorId target, const Kernel &kernel) {
  const Tensor &tensor = kernel.tensors[target];
  return !tensor.format.isDense() && !tensor.shared() && !tensor.keepsStructure &&
         (tensor.isAssembled() || planning.symbols[target].boundBy);
}

NodePtr truthOf(NodePtr value) {
  const Span where = value->where;
  CallNode truth{Function::Cast, ValueType::Bool, {}};
  truth.arguments.push_back(std::move(value));
  return makeNode(std::move(truth), where);
}

NodePtr negated(NodePtr node) {
  if (auto *number = std::get_if<NumberNode>(&node->kind); number && !std::isinf(number->value)) {
    number->value = -number->value;
    number->spelling = "-" + number->spelling;
    return node;
  }
  Span where = node->where;
  return makeNode(NegateNode{std::move(node)}, where);
}

} // namespace

Expander::Expander(const Planning &planning, size_t statement, Kernel &kernel, Scope &scope, Diagnostics &diagnostics)
    : options_(planning.options), copies_(planning.copies), contractions_(planning.contractions), statement_(statement),
      kernel_(kernel), scope_(scope), diagnostics_(diagnostics), takesParts_(planning.mayReorderSums()),
      listsWheres_(listsEntries(planning, planning.statements[statement].target.tensor, kernel)),
      isGivenDense_(planning.symbols[planning.statements[statement].target.tensor].boundBy &&
                    kernel.tensors[planning.statements[statement].target.tensor].format.isDense()),
      isStandIn_(planning.standIns.contains(planning.statements[statement].target.tensor)),
      computeType_(computeTypeOf(planning.kernel, planning.statements[statement])) {}

Expansion Expander::expand(const ResolvedStatement &statement) {
  Expansion result;
  LogicalStatement &main = result.main;
  main_ = &main;
  main.statement = statement_;
  main.target = statement.target.tensor;
  main.targetVariables = statement.target.variables;
  main.accumulates = statement.op != language::AssignOp::Assign && !isStandIn_;
  main.computeType = computeType_;
  main.where = statement.where;
  if (const ReduceNode *ranking = rankingOf(statement)) {
    setRanking(*ranking, statement.value->where, main);
  } else {
    const NodePtr plain = withoutWheres(*statement.value, EntryPlace::Addend);
    const NodePtr listed = statement.takesIn && !isTargetDense(main) ? withListed(*plain) : nullptr;
    addValue(statement.op, listed ? *listed : *plain, main);
  }
  main.choosesEntries = choosesEntries_;
  result.temporaries = std::move(temporaries_);
  return result;
}

void Expander::addValue(language::AssignOp op, const Node &value, LogicalStatement &main) {
  const auto *reduction = std::get_if<ReduceNode>(&value.kind);
  if (const std::optional<Reduction> takesIn = takenInBy(op))
    takeIn(*takesIn, value, main);
  else if (reduction && reduction->reduction != Reduction::Sum && !main.accumulates && isOverTarget(value, main) &&
           isTakenIn(*reduction, main))
    setReduction(*reduction, value.where, main);
  else if (isWhole(value, main))
    addWhole(value, main);
  else
    for (const Addend &addend : openAddends(value, options_.strictFp))
      addTerms(addend, main);
}

/// `y(i) min= e`: the minimum of what y holds and of e for all values of the variables that y lacks.
void Expander::takeIn(Reduction kind, const Node &value, LogicalStatement &logical) {
  const auto *inner = std::get_if<ReduceNode>(&value.kind);
  ReduceNode reduction{kind, {}, clone(inner && inner->reduction == kind ? *inner->body : value)};
  for (VariableId variable : freeVariables(*reduction.body, scope_))
    if (!has(logical.targetVariables, variable))
      reduction.variables.push_back(variable);
  if (reduction.variables.empty() && sparseOperand(*reduction.body)) {
    // MLIR has reductions of sparse operands over loops alone.
    if (kind == Reduction::Any)
      reduction.body = truthOf(std::move(reduction.body));
    reduction.reduction = Reduction::Sum;
    const NodePtr reduced = makeNode(std::move(reduction), value.where);
    reduction = {kind, {}, temporaryFor(*reduced)};
  }
  setReduction(reduction, value.where, logical);
}

/// Whether a value is computed as one term: where missing entries are no zeros, its addends have no meaning apart, and
/// what is ranked is a number as an argument is, but for a sum alone.
bool Expander::isWhole(const Node &value, const LogicalStatement &logical) const {
  const Tensor &target = kernel_.tensors[logical.target];
  const auto *temporary = target.as<Temporary>();
  const auto *sum = std::get_if<ReduceNode>(&value.kind);
  const bool isRanked = temporary && temporary->isRanked && !(sum && sum->reduction == Reduction::Sum);
  return (target.fill != 0 || isRanked || hasFill(value, scope_, kernel_)) && !logical.accumulates &&
         isOverTarget(value, logical);
}

void Expander::addWhole(const Node &value, LogicalStatement &logical) {
  const ScopedArgument within(*this, true);
  NodePtr whole = withTemporaries(value);
  checkIndexValues(*whole, *whole, logical);
  logical.terms.push_back({std::move(whole), {}, false, value.where});
}

// A sparse operand that would be part of this node's arithmetic; those inside sum() are not when it is a temporary.
std::optional<Span> Expander::sparseOperand(const Node &node) const {
  std::optional<Span> found;
  forEachAccess(node, false, [&](const AccessNode &use, Span where) {
    if (!found && isSparse(use.access))
      found = where;
  });
  return found;
}

void Expander::addTerms(const Addend &addend, LogicalStatement &logical) {
  const Node &node = *addend.node;
  std::vector<VariableId> reductions;
  for (VariableId variable : freeVariables(node, scope_))
    if (!has(logical.targetVariables, variable))
      reductions.push_back(variable);
  // A group of addends with sums of their own is added up before anything is added to it.
  const bool isGroup = options_.strictFp && asSum(node) && !reductions.empty();
  Products products = isGroup ? single(groupApart(node, logical)) : multiplyOut(node, Place::Factor, logical);
  for (Product &product : products) {
    LogicalTerm term{std::move(product.expr), {}, false, node.where, std::move(product.multipliedOut)};
    term.isScaledSum = product.isScaledSum;
    term.partSums = sumsOfFactors(*term.expr);
    if (!isGroup)
      term.reductions = reductions;
    term.reductions.insert(term.reductions.end(), product.bound.begin(), product.bound.end());
    if (product.negative != addend.negative)
      term.expr = negated(std::move(term.expr));
    checkIndexValues(*term.expr, *term.expr, logical);
    contract(term, logical);
    if (logical.asksForEntries && !term.written && isTold(*term.expr))
      term.toldBy = conditionOf(*term.expr);
    logical.terms.push_back(std::move(term));
  }
  if (logical.terms.size() > kMaxTerms)
    refuseSize(node.where, logical.terms.size());
  logical.terms.resize(std::min(logical.terms.size(), kMaxTerms));
}

/// The loop over a variable is as long as what it indexes: without that, its values have no end.
void Expander::checkIndexValues(const Node &node, const Node &term, const LogicalStatement &logical) {
  const auto *index = std::get_if<IndexNode>(&node.kind);
  const std::vector<VariableId> &targets = logical.targetVariables;
  if (index && !has(targets, index->variable) && !indexes(index->variable, term, scope_))
    diagnostics_
        .report(kIndexValue, node.where,
                "the value of " + inQuotes(scope_.variables[index->variable].name) +
                    " is used in a term that it indexes nothing in")
        .advise("write that part as a statement of its own");
  for (const Node *child : children(node))
    checkIndexValues(*child, term, logical);
}

/// Whether a reduction may be taken in the target's own type.
bool Expander::isTakenIn(const ReduceNode &reduction, const LogicalStatement &logical) const {
  const ValueType target = kernel_.tensors[logical.target].type;
  if (isLogical(reduction.reduction))
    return target == ValueType::Bool;
  const ValueType own = typeOfTemporary(*reduction.body);
  return target == own || (isFloat(target) && isFloat(own));
}

/// Whether the target has all of an expression's variables.
bool Expander::isOverTarget(const Node &node, const LogicalStatement &logical) const {
  const std::vector<VariableId> variables = freeVariables(node, scope_);
  return std::all_of(variables.begin(), variables.end(),
                     [&](VariableId variable) { return has(logical.targetVariables, variable); });
}

/// A statement that computes a reduction other than a sum, whose body is one term.
void Expander::setReduction(const ReduceNode &reduction, Span where, LogicalStatement &logical) {
  const ValueType type = computeType_;
  computeType_ = bodyType(reduction, type, scope_, kernel_);
  const ScopedArgument within(*this, true);
  NodePtr body = withTemporaries(*reduction.body);
  computeType_ = type;
  logical.reduction = reduction.reduction;
  logical.targetDefault = identityOf(reduction.reduction, type);
  if (isLogical(reduction.reduction)) {
    logical.computeType = ValueType::Bool;
    body = truthOf(std::move(body));
  }
  checkIndexValues(*body, *body, logical);
  logical.terms.push_back({std::move(body), reduction.variables, false, where});
}

/// A ranking of what is there already (sema/rankings.h).
void Expander::setRanking(const ReduceNode &ranking, Span where, LogicalStatement &logical) {
  logical.reduction = ranking.reduction;
  logical.rank = ranking.rank;
  logical.computeType = kernel_.tensors[logical.target].type;
  logical.terms.push_back({clone(*ranking.body), ranking.variables, false, where});
}

void Expander::refuseSize(Span where, size_t count) {
  diagnostics_
      .report(kTooManyTerms, where,
              "multiplying this out gives " + std::to_string(count) + " terms; the limit is " +
                  std::to_string(kMaxTerms))
      .advise("split it into several statements");
}

Expansion expandTerms(const Planning &planning, size_t statement, Kernel &kernel, Scope &scope,
                      Diagnostics &diagnostics) {
  return Expander(planning, statement, kernel, scope, diagnostics).expand(planning.statements[statement]);
}

} // namespace spc::sema
