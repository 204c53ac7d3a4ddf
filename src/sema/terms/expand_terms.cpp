// Right sides to terms: addends are split, sums that hold a sparse operand multiplied out unless that gives many
// products, sum() put into the term's
// reductions or, where it stands below an addition or in a divisor, into a temporary.
#include "format/rule.h"
#include "sema/expression_types.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/pick_entries.h"
#include "sema/terms/products.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kTooManyTerms{"too-many-terms", Severity::Error};
constexpr DiagnosticKind kIndexValue{"index-value", Severity::Error};
constexpr DiagnosticKind kTemporaryOrderLimit{"temporary-order-limit", Severity::Error};

// Nested: below an addition, or below any operator where source rounding must be kept; a sum() there is a temporary.
enum class Place { Factor, Nested };

class Expander {
public:
  Expander(const Analysis &analysis, size_t statement, Kernel &kernel, Scope &scope, Diagnostics &diagnostics)
      : options_(analysis.options), statement_(statement), kernel_(kernel), scope_(scope), diagnostics_(diagnostics),
        computeType_(computeTypeOf(analysis, analysis.statements[statement])) {}

  Expansion expand(const ResolvedStatement &statement) {
    Expansion result;
    LogicalStatement &main = result.main;
    main.statement = statement_;
    main.target = statement.target.tensor;
    main.targetVariables = statement.target.variables;
    main.accumulates = statement.source->op != syntax::AssignOp::Assign;
    main.computeType = computeType_;
    main.where = statement.source->where;
    const auto *reduction = std::get_if<ReduceNode>(&statement.value->kind);
    if (const std::optional<Reduction> takesIn = reductionOf(statement.source->op))
      takeIn(*takesIn, *statement.value, main);
    else if (reduction && reduction->reduction != Reduction::Sum && !main.accumulates &&
             isOverTarget(*statement.value, main) && isTakenIn(reduction->reduction, main))
      setReduction(*reduction, statement.value->where, main);
    else if (isWhole(*statement.value, main))
      addWhole(*statement.value, main);
    else
      for (const Addend &addend : openAddends(*statement.value, options_.strictFp))
        addTerms(addend, main);
    result.temporaries = std::move(temporaries_);
    return result;
  }

private:
  /// What a statement that takes values in, other than by adding them, makes of them.
  static std::optional<Reduction> reductionOf(syntax::AssignOp op) {
    switch (op) {
    case syntax::AssignOp::Min:
      return Reduction::Min;
    case syntax::AssignOp::Max:
      return Reduction::Max;
    case syntax::AssignOp::Or:
      return Reduction::Any;
    default:
      return std::nullopt;
    }
  }

  /// `y(i) min= e`: the minimum of what y holds and of e for all values of the variables that y lacks.
  void takeIn(Reduction kind, const Node &value, LogicalStatement &logical) {
    const auto *inner = std::get_if<ReduceNode>(&value.kind);
    ReduceNode reduction{kind, {}, clone(inner && inner->reduction == kind ? *inner->body : value)};
    for (VariableId variable : freeVariables(*reduction.body, scope_))
      if (std::find(logical.targetVariables.begin(), logical.targetVariables.end(), variable) ==
          logical.targetVariables.end())
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

  /// Whether a value is computed as one term: where missing entries are no zeros, its addends have no meaning apart.
  bool isWhole(const Node &value, const LogicalStatement &logical) const {
    const bool ofTarget = kernel_.tensors[logical.target].fill != 0;
    return (ofTarget || hasFill(value, scope_, kernel_)) && !logical.accumulates && isOverTarget(value, logical);
  }

  void addWhole(const Node &value, LogicalStatement &logical) {
    NodePtr whole = withTemporaries(value);
    checkIndexValues(*whole, *whole, logical);
    logical.terms.push_back({std::move(whole), {}, false, value.where});
  }

  static NodePtr truthOf(NodePtr value) {
    const Span where = value->where;
    CallNode truth{Function::Cast, ValueType::Bool, {}};
    truth.arguments.push_back(std::move(value));
    return makeNode(std::move(truth), where);
  }

  bool isSparse(AccessId access) const { return !kernel_.tensors[scope_.accesses[access].tensor].format.isDense(); }

  // A sparse operand that would be part of this node's arithmetic; those inside sum() are not when it is a temporary.
  std::optional<Span> sparseOperand(const Node &node) const {
    std::optional<Span> found;
    forEachAccess(node, false, [&](const AccessNode &use, Span where) {
      if (!found && isSparse(use.access))
        found = where;
    });
    return found;
  }

  void addTerms(const Addend &addend, LogicalStatement &logical) {
    std::vector<VariableId> reductions;
    for (VariableId variable : freeVariables(*addend.node, scope_))
      if (std::find(logical.targetVariables.begin(), logical.targetVariables.end(), variable) ==
          logical.targetVariables.end())
        reductions.push_back(variable);
    Products products = multiplyOut(*addend.node, Place::Factor);
    bool isGroup = asSum(*addend.node) != nullptr;
    if (options_.strictFp && (products.size() > 1 || (isGroup && !reductions.empty())))
      refuseDistribution(*addend.node, products, reductions, scope_, kernel_, diagnostics_);
    for (Product &product : products) {
      LogicalTerm term{std::move(product.expr), reductions, false, addend.node->where};
      term.reductions.insert(term.reductions.end(), product.bound.begin(), product.bound.end());
      if (product.negative != addend.negative)
        term.expr = negated(std::move(term.expr));
      checkIndexValues(*term.expr, *term.expr, logical);
      logical.terms.push_back(std::move(term));
    }
    if (logical.terms.size() > kMaxTerms)
      refuseSize(addend.node->where, logical.terms.size());
    logical.terms.resize(std::min(logical.terms.size(), kMaxTerms));
  }

  /// The loop over a variable is as long as what it indexes: without that, its values have no end.
  void checkIndexValues(const Node &node, const Node &term, const LogicalStatement &logical) {
    const auto *index = std::get_if<IndexNode>(&node.kind);
    const std::vector<VariableId> &targets = logical.targetVariables;
    if (index && std::find(targets.begin(), targets.end(), index->variable) == targets.end() &&
        !indexes(index->variable, term, scope_))
      diagnostics_
          .report(kIndexValue, node.where,
                  "the value of " + inQuotes(scope_.variables[index->variable].name) +
                      " is used in a term that it indexes nothing in")
          .advise("write that part as a statement of its own");
    for (const Node *child : children(node))
      checkIndexValues(*child, term, logical);
  }

  /// Whether a reduction may be taken in the target's own type.
  bool isTakenIn(Reduction reduction, const LogicalStatement &logical) const {
    const ValueType target = kernel_.tensors[logical.target].type;
    return isLogical(reduction) ? target == ValueType::Bool
                                : target == computeType_ || (isFloat(target) && isFloat(computeType_));
  }

  /// Whether the target has all of an expression's variables.
  bool isOverTarget(const Node &node, const LogicalStatement &logical) const {
    const std::vector<VariableId> variables = freeVariables(node, scope_);
    return std::all_of(variables.begin(), variables.end(), [&](VariableId variable) {
      return std::find(logical.targetVariables.begin(), logical.targetVariables.end(), variable) !=
             logical.targetVariables.end();
    });
  }

  /// A statement that computes a reduction other than a sum, whose body is one term.
  void setReduction(const ReduceNode &reduction, Span where, LogicalStatement &logical) {
    const ValueType type = computeType_;
    if (isLogical(reduction.reduction))
      computeType_ = arithmeticType(typeOf(*reduction.body, scope_, kernel_).value_or(ValueType::Bool));
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

  static NodePtr negated(NodePtr node) {
    if (auto *number = std::get_if<NumberNode>(&node->kind); number && !std::isinf(number->value)) {
      number->value = -number->value;
      number->spelling = "-" + number->spelling;
      return node;
    }
    Span where = node->where;
    return makeNode(NegateNode{std::move(node)}, where);
  }

  static Products single(NodePtr expr) {
    Products products;
    products.push_back({false, std::move(expr), {}});
    return products;
  }

  Products multiplyOut(const Node &node, Place place) {
    if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
      Products products = multiplyOut(*negate->operand, place);
      for (Product &product : products)
        product.negative = !product.negative;
      return products;
    }
    if (const auto *sum = std::get_if<ReduceNode>(&node.kind)) {
      if (place == Place::Nested || sum->reduction != Reduction::Sum)
        return single(temporaryFor(node));
      Products products = multiplyOut(*sum->body, place);
      for (Product &product : products)
        product.bound.insert(product.bound.end(), sum->variables.begin(), sum->variables.end());
      return products;
    }
    const auto *binary = std::get_if<BinaryNode>(&node.kind);
    if (!binary)
      return single(withTemporaries(node));
    if (asSum(node))
      return addends(*binary, node);
    if (!options_.strictFp && staysWhole(node, scope_, kernel_))
      return single(withTemporaries(node));
    if (options_.strictFp)
      place = Place::Nested;
    Products left = multiplyOut(*binary->left, place);
    if (binary->op == BinaryOp::Div)
      return divided(std::move(left), *binary->right, node.where);
    return multiplied(std::move(left), multiplyOut(*binary->right, place), node.where);
  }

  // A sum of dense operands stays as it is; one with a sparse operand falls into its addends.
  Products addends(const BinaryNode &sum, const Node &node) {
    if (!sparseOperand(node))
      return single(withTemporaries(node));
    Products products = multiplyOut(*sum.left, Place::Nested);
    Products right = multiplyOut(*sum.right, Place::Nested);
    for (Product &product : right) {
      product.negative = product.negative != (sum.op == BinaryOp::Sub);
      products.push_back(std::move(product));
    }
    return products;
  }

  Products multiplied(Products left, Products right, Span where) {
    if (left.size() * right.size() > kMaxTerms) {
      refuseSize(where, left.size() * right.size());
      return left;
    }
    Products result;
    for (Product &a : left) {
      for (size_t k = 0; k < right.size(); ++k) {
        // Chains of plain factors are long: copy only what is used again.
        NodePtr first = k + 1 == right.size() ? std::move(a.expr) : clone(*a.expr);
        NodePtr second = &a == &left.back() ? std::move(right[k].expr) : clone(*right[k].expr);
        Product product{a.negative != right[k].negative, nullptr, a.bound};
        product.expr = makeNode(BinaryNode{BinaryOp::Mul, std::move(first), std::move(second)}, where);
        product.bound.insert(product.bound.end(), right[k].bound.begin(), right[k].bound.end());
        result.push_back(std::move(product));
      }
    }
    return result;
  }

  Products divided(Products numerators, const Node &divisor, Span where) {
    NodePtr by = withTemporaries(divisor);
    for (Product &product : numerators)
      product.expr = makeNode(BinaryNode{BinaryOp::Div, std::move(product.expr), clone(*by)}, where);
    return numerators;
  }

  NodePtr withTemporaries(const Node &node) {
    if (std::holds_alternative<ReduceNode>(node.kind))
      return temporaryFor(node);
    if (const auto *negate = std::get_if<NegateNode>(&node.kind))
      return makeNode(NegateNode{withTemporaries(*negate->operand)}, node.where);
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind)) {
      NodePtr left = withTemporaries(*binary->left);
      return makeNode(BinaryNode{binary->op, std::move(left), withTemporaries(*binary->right)}, node.where);
    }
    if (const auto *use = std::get_if<AccessNode>(&node.kind);
        use && isSparse(use->access) && hasDerived(scope_.accesses[use->access], scope_))
      return makeNode(AccessNode{pickedFrom(use->access, node.where)}, node.where);
    if (const auto *call = std::get_if<CallNode>(&node.kind)) {
      if (call->function == Function::Pattern) {
        checkPattern(accessesOf(node).front(), node.where, scope_, kernel_, diagnostics_);
        return clone(node);
      }
      CallNode copy{call->function, call->castTo, {}};
      const ValueType type = computeType_;
      for (size_t k = 0; k < call->arguments.size(); ++k) {
        computeType_ = argumentType(*call, k, type, scope_, kernel_);
        copy.arguments.push_back(withTemporaries(*call->arguments[k]));
      }
      computeType_ = type;
      return makeNode(std::move(copy), node.where);
    }
    return clone(node);
  }

  /// What stands for a sparse access with constants or repeated indices.
  AccessId pickedFrom(AccessId id, Span where) {
    if (const auto known = picked_.find(id); known != picked_.end())
      return known->second;
    for (VariableId variable : scope_.accesses[id].variables)
      if (const Variable &index = scope_.variables[variable];
          index.kind == Variable::Kind::Derived && index.terms.empty())
        kernel_.leastExtents.push_back({index.extent, index.constant + 1});
    LogicalStatement logical = pickEntries(id, where, scope_, kernel_, diagnostics_);
    logical.statement = statement_;
    const AccessId result = addTemporary(kernel_, scope_, logical.targetVariables, logical.computeType, where);
    logical.target = scope_.accesses[result].tensor;
    temporaries_.push_back(std::move(logical));
    picked_.emplace(id, result);
    return result;
  }

  NodePtr temporaryFor(const Node &sum) {
    LogicalStatement logical;
    logical.statement = statement_;
    logical.targetVariables = freeVariables(sum, scope_);
    logical.computeType = computeType_;
    logical.where = sum.where;
    if (logical.targetVariables.size() > format::kMaxOrder) {
      diagnostics_.report(kTemporaryOrderLimit, sum.where,
                          "this needs a temporary of order " + std::to_string(logical.targetVariables.size()) +
                              "; the highest is " + std::to_string(format::kMaxOrder));
      return makeNode(NumberNode{0, "0"}, sum.where);
    }
    const auto &reduction = std::get<ReduceNode>(sum.kind);
    if (reduction.reduction == Reduction::Sum)
      addTerms({&sum, false}, logical);
    else
      setReduction(reduction, sum.where, logical);
    AccessId access = addTemporary(kernel_, scope_, logical.targetVariables, logical.computeType, sum.where);
    logical.target = scope_.accesses[access].tensor;
    temporaries_.push_back(std::move(logical));
    return makeNode(AccessNode{access}, sum.where);
  }

  void refuseSize(Span where, size_t count) {
    diagnostics_
        .report(kTooManyTerms, where,
                "multiplying this out gives " + std::to_string(count) + " terms; the limit is " +
                    std::to_string(kMaxTerms))
        .advise("split it into several statements");
  }

  const Options &options_;
  size_t statement_;
  Kernel &kernel_;
  Scope &scope_;
  Diagnostics &diagnostics_;
  ValueType computeType_; ///< of what is looked at
  std::vector<LogicalStatement> temporaries_;
  std::map<AccessId, AccessId> picked_; ///< sparse accesses with derived indices: what stands for them
};

} // namespace

AccessId addTemporary(Kernel &kernel, Scope &scope, const std::vector<VariableId> &variables, ValueType type,
                      Span where) {
  Tensor tensor;
  const auto isCopy = [](const Tensor &other) { return other.is<Converted>(); };
  const auto copies = std::count_if(kernel.tensors.begin(), kernel.tensors.end(), isCopy);
  tensor.name = "$" + std::to_string(static_cast<ptrdiff_t>(kernel.tensors.size()) - copies);
  tensor.role = Temporary{};
  tensor.type = type;
  tensor.format = format::denseFormat(static_cast<int>(variables.size()));
  for (VariableId variable : variables)
    tensor.extents.push_back(scope.variables[variable].extent);
  tensor.isWritten = true;
  tensor.where = where;
  return scope.intern({kernel.tensors.add(std::move(tensor)), variables, {}, where});
}

Expansion expandTerms(const Analysis &analysis, size_t statement, Kernel &kernel, Scope &scope,
                      Diagnostics &diagnostics) {
  return Expander(analysis, statement, kernel, scope, diagnostics).expand(analysis.statements[statement]);
}

} // namespace spc::sema
