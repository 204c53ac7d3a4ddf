// Names to tensors and index variables, one statement at a time.
#include "sema/analysis.h"
#include "sema/check/composed_reductions.h"
#include "sema/expression_types.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kOrderMismatch{"order-mismatch", Severity::Error};
constexpr DiagnosticKind kRepeatedIndex{"repeated-index", Severity::Error};
constexpr DiagnosticKind kIndexExpression{"index-expression", Severity::Error};
constexpr DiagnosticKind kPatternArgument{"pattern-argument", Severity::Error};
constexpr DiagnosticKind kArgumentCount{"argument-count", Severity::Error};
constexpr DiagnosticKind kTemporaryTwice{"temporary-twice", Severity::Error};
constexpr DiagnosticKind kUnboundVariable{"unbound-variable", Severity::Error};
constexpr DiagnosticKind kShadowedVariable{"shadowed-variable", Severity::Error};

std::string ofOrder(size_t order) {
  return order == 0 ? "a scalar" : "of order " + std::to_string(order);
}

// Resolves one statement. A part that is wrong is reported and left out; `failed` then says so.
class Resolver {
public:
  Resolver(Analysis &analysis, int statement, ResolvedStatement &out)
      : analysis_(analysis), statement_(statement), out_(out) {}

  void run() {
    const syntax::Statement &source = *out_.source;
    collectIndexNames(source.target);
    collectIndexNames(*source.value);
    for (const syntax::Name &index : source.target.indices)
      if (!targetVariables_.contains(index.text))
        targetVariables_.emplace(index.text, addVariable(index.text, Variable::Kind::Target));
    NodePtr value = resolve(*source.value);
    bool targetIsFine = resolveTarget();
    if (!failed_ && targetIsFine)
      out_.value = std::move(value);
  }

private:
  void collectIndexNames(const syntax::Access &access) {
    for (size_t dim = 0; dim < access.indices.size(); ++dim) {
      const syntax::Index &index = access.indices[dim];
      for (const syntax::IndexTerm &term : index.terms)
        indexNames_.insert(term.variable.text);
      if (!index.isPlain() && !index.terms.empty())
        windows_.emplace(access.tensor.text, dim);
    }
  }

  void collectIndexNames(const syntax::Expr &expr) {
    if (const auto *access = std::get_if<syntax::Access>(&expr.node))
      collectIndexNames(*access);
    for (const syntax::Expr *child : syntax::children(expr))
      collectIndexNames(*child);
  }

  /// A name without indices that indexes something in the statement stands for the index's value.
  bool isIndexValue(const syntax::Access &access) const {
    const std::string &name = access.tensor.text;
    return access.indices.empty() && indexNames_.contains(name) && !analysis_.declarationOf(name);
  }

  VariableId addVariable(const std::string &name, Variable::Kind kind) {
    return out_.scope.variables.add({name, kind});
  }

  VariableId variableOf(const syntax::Name &name) {
    for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound)
      if (bound->first == name.text)
        return bound->second;
    if (auto target = targetVariables_.find(name.text); target != targetVariables_.end())
      return target->second;
    auto [implicit, isNew] = implicitVariables_.try_emplace(name.text);
    if (isNew)
      implicit->second = addVariable(name.text, Variable::Kind::Implicit);
    return implicit->second;
  }

  Diagnostic &fail(const DiagnosticKind &kind, Span where, std::string message) {
    failed_ = true;
    return analysis_.diagnostics.report(kind, where, std::move(message));
  }

  bool checkTargetIndices(const syntax::Access &access) {
    bool fine = true;
    std::set<std::string> seen;
    for (const syntax::Index &index : access.indices) {
      if (index.isPlain() && seen.insert(index.text).second)
        continue;
      fine = false;
      if (index.isPlain())
        fail(kRepeatedIndex, index.where, "index " + inQuotes(index.text) + " occurs twice on the left side")
            .advise("a statement writes every element: name each dimension's index, and multiply by (" + index.text +
                    " == ...) for a diagonal");
      else
        fail(kIndexExpression, index.where, "an index of the left side is a plain variable")
            .advise("a statement writes every element of its target: shift the indices of the right side instead");
    }
    return fine;
  }

  void noteIndexNames(const syntax::Access &access) {
    for (const syntax::Index &index : access.indices)
      for (const syntax::IndexTerm &term : index.terms)
        analysis_.indexNames.emplace_back(term.variable.text, term.variable.where);
  }

  /// What indexes a dimension: a variable of the text, or one that is derived from such variables.
  VariableId indexOf(const syntax::Index &index, TensorId tensor, int dim, const Access &before) {
    const std::string &name = analysis_.kernel.tensors[tensor].name;
    const bool isWindow = windows_.contains({name, dim});
    if (index.isPlain() && !isWindow) {
      const VariableId plain = variableOf(index);
      const auto &seen = before.variables;
      if (std::find(seen.begin(), seen.end(), plain) == seen.end())
        return plain;
    }
    Variable derived{index.text,     Variable::Kind::Derived,     {}, tensor, dim, {},
                     index.constant, index.isPlain() && !isWindow};
    for (const syntax::IndexTerm &term : index.terms) {
      const VariableId variable = variableOf(term.variable);
      const auto same = std::find_if(derived.terms.begin(), derived.terms.end(),
                                     [&](const Variable::Multiple &other) { return other.variable == variable; });
      if (same == derived.terms.end())
        derived.terms.push_back({variable, term.scale});
      else
        same->scale += term.scale;
    }
    if (index.constant < 0)
      reportNegative(index, name);
    for (VariableId id : out_.scope.variables.ids()) {
      const Variable &other = out_.scope.variables[id];
      if (other.kind == derived.kind && other.tensor == tensor && other.dim == dim && other.terms == derived.terms &&
          other.constant == derived.constant && other.isRepeated == derived.isRepeated)
        return id;
    }
    return out_.scope.variables.add(std::move(derived));
  }

  void reportNegative(const syntax::Index &index, const std::string &tensor) {
    const std::string shown = inQuotes(index.text);
    if (index.terms.empty()) {
      fail(kIndexExpression, index.where, shown + " is negative").advise("index variables begin at 0");
    } else if (tensor == out_.source->target.tensor.text) {
      fail(kIndexExpression, index.where,
           shown + " would be an element of " + inQuotes(tensor) +
               " that this statement has just computed: there are no recurrences")
          .advise(
              "a running sum is 'sum(j, x(j) * (j <= i))', which takes n*n steps; or loop in the program that calls "
              "the kernel");
    } else {
      const std::string variable = index.terms.front().variable.text;
      fail(kIndexExpression, index.where,
           shown + " is negative at first: index variables begin at 0, and no index is shifted back")
          .advise("shift the others forward, so that the result begins later: 'x(" + variable + " + 1) - x(" +
                  variable + ")' for 'x(" + variable + ") - x(" + variable + " - 1)'");
    }
  }

  // The tensor that is accessed; nullopt when it has another order elsewhere.
  std::optional<TensorId> tensorOf(const syntax::Access &access, Span where) {
    const std::string &name = access.tensor.text;
    size_t order = access.indices.size();
    auto &tensors = analysis_.kernel.tensors;
    auto known = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor &t) { return t.name == name; });
    const syntax::TensorDecl *declaration = analysis_.declarationOf(name);
    size_t expected = declaration              ? declaration->extents.size()
                      : known != tensors.end() ? known->extents.size()
                                               : order;
    if (expected != order) {
      fail(kOrderMismatch, where,
           inQuotes(name) + " is " + ofOrder(expected) + " but is used with " + std::to_string(order) +
               (order == 1 ? " index" : " indices"))
          .note(declaration ? declaration->where : known->where, declaration ? "declared here" : "first used here")
          .advise(expected == 0 ? "a scalar is written without indices"
                                : "write an index for each dimension, as in 'y(i) = A(i,j) * x(j)'");
      return std::nullopt;
    }
    if (known != tensors.end())
      return TensorId(known - tensors.begin());
    Tensor tensor;
    tensor.name = name;
    tensor.extents.resize(order);
    for (size_t k = 0; k < order; ++k)
      tensor.format.levels.push_back({.dim = static_cast<int>(k)});
    tensor.where = declaration ? declaration->where : where;
    const TensorId added = tensors.add(std::move(tensor));
    analysis_.symbols.push_back({.declaration = declaration, .firstUse = where});
    return added;
  }

  std::optional<Access> accessOf(const syntax::Access &access, Span where) {
    noteIndexNames(access);
    std::optional<TensorId> tensor = tensorOf(access, where);
    if (!tensor)
      return std::nullopt;
    Access result{*tensor, {}, {}, where};
    for (const syntax::Index &index : access.indices) {
      result.variables.push_back(indexOf(index, *tensor, static_cast<int>(result.variables.size()), result));
      result.places.push_back(index.where);
    }
    return result;
  }

  bool resolveTarget() {
    const syntax::Statement &source = *out_.source;
    noteIndexNames(source.target);
    const bool isFine = checkTargetIndices(source.target);
    // Also of a target that is wrong: the kernel has the tensor, and a format may be bound to it.
    const std::optional<TensorId> tensor = tensorOf(source.target, source.targetWhere);
    if (!tensor || !isFine)
      return false;
    out_.target = {*tensor, {}, {}, source.targetWhere};
    for (const syntax::Index &index : source.target.indices) {
      out_.target.variables.push_back(variableOf(index));
      out_.target.places.push_back(index.where);
    }
    Symbol &symbol = analysis_.symbols[*tensor];
    if (source.isTemporary && !makeTemporary(*tensor))
      return false;
    if (symbol.firstWrite < 0)
      symbol.firstWrite = statement_;
    return true;
  }

  bool makeTemporary(TensorId tensor) {
    const Symbol &symbol = analysis_.symbols[tensor];
    Tensor &temporary = analysis_.kernel.tensors[tensor];
    if (!symbol.isOperand && symbol.firstWrite < 0) {
      temporary.role = Temporary{};
      return true;
    }
    fail(kTemporaryTwice, out_.source->target.tensor.where,
         temporary.is<Temporary>()
             ? "the temporary " + inQuotes(temporary.name) + " is made twice"
             : inQuotes(temporary.name) + " is an argument of the kernel, and cannot become a temporary")
        .note(symbol.firstUse, "first used here")
        .advise(temporary.is<Temporary>() ? "drop 'let' to write it anew, or use another name" : "use another name");
    return false;
  }

  NodePtr resolve(const syntax::Expr &expr) {
    if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
      return resolve(*paren->inner);
    if (const auto *literal = std::get_if<syntax::Literal>(&expr.node))
      return makeNode(NumberNode{literal->value, literal->spelling}, expr.where);
    if (const auto *negate = std::get_if<syntax::Negate>(&expr.node)) {
      // Of integers -inf is the least number, not the negative of the greatest.
      const auto *literal = std::get_if<syntax::Literal>(&negate->operand->node);
      if (literal && std::isinf(literal->value))
        return makeNode(NumberNode{-literal->value, "-" + literal->spelling}, expr.where);
      return makeNode(NegateNode{resolve(*negate->operand)}, expr.where);
    }
    if (const auto *reduction = std::get_if<syntax::Reduce>(&expr.node))
      return resolveReduction(*reduction, expr.where);
    if (const auto *binary = std::get_if<syntax::Binary>(&expr.node)) {
      NodePtr left = resolve(*binary->left);
      NodePtr right = resolve(*binary->right);
      return makeNode(BinaryNode{binary->op, std::move(left), std::move(right)}, expr.where);
    }
    if (const auto *call = std::get_if<syntax::Call>(&expr.node))
      return resolveCall(*call, expr.where);
    return resolveAccess(std::get<syntax::Access>(expr.node), expr.where);
  }

  NodePtr resolveCall(const syntax::Call &call, Span where) {
    CallNode node{call.function, ValueType::F64, {}};
    if (call.function == Function::Cast)
      node.castTo = typeNamed(analysis_, call.name.text).value_or(ValueType::F64);
    for (const syntax::ExprPtr &argument : call.arguments)
      node.arguments.push_back(resolve(*argument));
    if (call.function == Function::Pattern)
      checkPatternArgument("pattern", *call.arguments.front());
    return makeNode(std::move(node), where);
  }

  NodePtr resolveAccess(const syntax::Access &source, Span where) {
    if (isIndexValue(source))
      return makeNode(IndexNode{variableOf(source.tensor)}, where);
    std::optional<Access> access = accessOf(source, where);
    if (!access)
      return makeNode(NumberNode{0, "0"}, where);
    Symbol &symbol = analysis_.symbols[access->tensor];
    if (symbol.firstWrite < 0)
      symbol.isOperand = true;
    return makeNode(AccessNode{out_.scope.intern(std::move(*access))}, where);
  }

  bool mayBind(const std::string &reduction, const syntax::Name &variable) {
    bool isTarget = targetVariables_.contains(variable.text);
    bool isBound = std::any_of(bound_.begin(), bound_.end(), [&](const auto &b) { return b.first == variable.text; });
    if (!isTarget && !isBound)
      return true;
    fail(kShadowedVariable, variable.where,
         reduction + " over " + inQuotes(variable.text) +
             (isTarget ? ", which is an index of the left side" : ", which an enclosing one binds already"))
        .advise("use another name for it");
    return false;
  }

  NodePtr resolveReduction(const syntax::Reduce &source, Span where) {
    switch (source.reduction) {
    case Reduction::Mean:
      return meanOf(resolveReduction(source, Reduction::Sum, where));
    case Reduction::Count: {
      NodePtr sum = resolveReduction(source, Reduction::Sum, where);
      auto &reduction = std::get<ReduceNode>(sum->kind);
      checkPatternArgument("count", *source.body);
      return countOf(std::move(reduction.variables), std::move(reduction.body), where);
    }
    case Reduction::ArgMin:
    case Reduction::ArgMax: {
      const bool isMin = source.reduction == Reduction::ArgMin;
      if (source.variables.size() > 1)
        fail(kArgumentCount, source.variables[1].where, ofOneVariable(source)).advise(placesInSteps(source));
      NodePtr values = resolveReduction(source, Reduction::Min, where);
      if (std::get<ReduceNode>(values->kind).variables.empty())
        return values; // reported
      return placeOf(std::move(values), resolveReduction(source, isMin ? Reduction::Min : Reduction::Max, where));
    }
    default:
      return resolveReduction(source, source.reduction, where);
    }
  }

  /// Reports what is no access of a tensor with indices where stored entries are asked for.
  void checkPatternArgument(const std::string &function, const syntax::Expr &argument) {
    const auto *paren = std::get_if<syntax::Paren>(&argument.node);
    if (paren)
      return checkPatternArgument(function, *paren->inner);
    const auto *access = std::get_if<syntax::Access>(&argument.node);
    if (!access || access->indices.empty())
      fail(kPatternArgument, argument.where,
           inQuotes(function) + " asks where a tensor stores entries, and this is no tensor with indices")
          .advise("as in " + function + (function == "count" ? "(j, A(i,j))" : "(A(i,j))"));
  }

  NodePtr resolveReduction(const syntax::Reduce &sum, Reduction kind, Span where) {
    size_t outside = bound_.size();
    bool failedBefore = std::exchange(failed_, false);
    const std::string reduction(language::spellingOf(sum.reduction));
    ReduceNode node{kind, {}, nullptr};
    std::vector<const syntax::Name *> names;
    for (const syntax::Name &variable : sum.variables) {
      analysis_.indexNames.emplace_back(variable.text, variable.where);
      if (!mayBind(reduction, variable))
        continue;
      node.variables.push_back(addVariable(variable.text, Variable::Kind::Bound));
      names.push_back(&variable);
      bound_.emplace_back(variable.text, node.variables.back());
    }
    node.body = resolve(*sum.body);
    bound_.resize(outside);
    for (size_t k = 0; k < names.size() && !failed_; ++k)
      if (!indexes(node.variables[k], *node.body, out_.scope))
        fail(kUnboundVariable, names[k]->where,
             reduction + " over " + inQuotes(names[k]->text) + ", which indexes nothing in what it is taken of");
    failed_ |= failedBefore;
    return makeNode(std::move(node), where);
  }

  Analysis &analysis_;
  int statement_;
  ResolvedStatement &out_;
  std::map<std::string, VariableId> targetVariables_, implicitVariables_;
  std::vector<std::pair<std::string, VariableId>> bound_;
  std::set<std::string> indexNames_; ///< what indexes something in the statement
  /// Dimensions that some access has a window of: no index of theirs runs over the whole.
  std::set<std::pair<std::string, int>> windows_;
  bool failed_ = false;
};

} // namespace

void resolveStatements(Analysis &analysis) {
  // Reserved at once: resolvers and later steps keep references to the elements.
  analysis.statements.resize(analysis.source.statements.size());
  for (size_t k = 0; k < analysis.statements.size(); ++k) {
    analysis.statements[k].source = &analysis.source.statements[k];
    Resolver(analysis, static_cast<int>(k), analysis.statements[k]).run();
  }
}

ValueType computeTypeOf(const Analysis &analysis, const ResolvedStatement &statement) {
  if (statement.source->op == language::AssignOp::Or)
    return ValueType::Bool;
  const ValueType target = analysis.kernel.tensors[statement.target.tensor].type;
  const std::optional<ValueType> value = typeOf(*statement.value, statement.scope, analysis.kernel);
  return arithmeticType(value ? widest(target, *value) : target);
}

} // namespace spc::sema
