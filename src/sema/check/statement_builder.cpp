// Names to tensors and index variables, one statement at a time.
#include "format/rule.h"
#include "sema/check/checking.h"
#include "sema/check/composed_reductions.h"
#include "sema/program_builder.h"

#include <algorithm>
#include <utility>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kOrderMismatch{"order-mismatch", Severity::Error};
constexpr DiagnosticKind kPatternArgument{"pattern-argument", Severity::Error};
constexpr DiagnosticKind kArgumentCount{"argument-count", Severity::Error};
constexpr DiagnosticKind kMissingSumVariable{"missing-sum-variable", Severity::Error};
constexpr DiagnosticKind kOrderTooHigh{"order-too-high", Severity::Error};
constexpr DiagnosticKind kUnboundVariable{"unbound-variable", Severity::Error};
constexpr DiagnosticKind kShadowedVariable{"shadowed-variable", Severity::Error};

std::string ofOrder(size_t order) {
  return order == 0 ? "a scalar" : "of order " + std::to_string(order);
}

/// What stands for an access that was reported.
NodePtr lost(Span where) {
  return makeNode(NumberNode{0, ""}, where);
}

} // namespace

StatementBuilder::StatementBuilder(Checking &checking, StatementTarget target, Span where)
    : checking_(checking), target_(std::move(target)) {
  statement_.op = target_.op;
  statement_.isTemporary = target_.isTemporary;
  statement_.where = where;
  statement_.targetWhere = target_.where;
  for (language::Index &index : target_.indices)
    if (!index.isPlain())
      tieTarget(index);
  for (const language::Index &index : target_.indices)
    if (!targetVariables_.contains(index.text))
      targetVariables_.emplace(index.text, addVariable(index.text, Variable::Kind::Target));
}

Diagnostic &StatementBuilder::fail(const DiagnosticKind &kind, Span where, std::string message) {
  failed_ = true;
  return checking_.diagnostics.report(kind, where, std::move(message));
}

VariableId StatementBuilder::addVariable(const std::string &name, Variable::Kind kind) {
  return statement_.scope.variables.add({name, kind});
}

VariableId StatementBuilder::variableOf(const std::string &name) {
  for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound)
    if (bound->first == name)
      return bound->second;
  if (auto target = targetVariables_.find(name); target != targetVariables_.end())
    return target->second;
  auto [implicit, isNew] = implicitVariables_.try_emplace(name);
  if (isNew)
    implicit->second = addVariable(name, Variable::Kind::Implicit);
  return implicit->second;
}

void StatementBuilder::noteIndexNames(const std::vector<language::Index> &indices) {
  for (const language::Index &index : indices)
    forEachVariable(
        index, [&](const language::Name &name) { checking_.program.indexNames.emplace_back(name.text, name.where); });
}

// The tensor that is accessed; nullopt when it has another order elsewhere.
std::optional<TensorId> StatementBuilder::tensorOf(const language::Name &accessed, size_t order, Span where) {
  const std::string &name = accessed.text;
  if (order > format::kMaxOrder) {
    fail(kOrderTooHigh, where, "a tensor has at most " + std::to_string(format::kMaxOrder) + " dimensions");
    return std::nullopt;
  }
  auto &tensors = checking_.program.tensors;
  auto known = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor &t) { return t.name == name; });
  const language::TensorDecl *declaration = checking_.declarationOf(name);
  size_t expected = declaration ? declaration->extents.size() : known != tensors.end() ? known->extents.size() : order;
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
  if (declaration && declaration->constant)
    tensor.role = Constant{};
  const TensorId added = tensors.add(std::move(tensor));
  checking_.program.symbols.push_back(
      {.declaration = declaration ? std::optional(*declaration) : std::nullopt, .firstUse = where});
  return added;
}

/// The scalar of a declared extent's name; nullopt where that is the name of something else, or of none.
std::optional<TensorId> StatementBuilder::sizeNamed(const language::Name &name) {
  auto &tensors = checking_.program.tensors;
  for (TensorId id : tensors.ids())
    if (tensors[id].name == name.text)
      return tensors[id].is<Size>() ? std::optional(id) : std::nullopt;
  const auto &declarations = checking_.program.declarations;
  const auto isNamed = [&](const language::ExtentDecl &extent) {
    const auto *own = std::get_if<std::string>(&extent.value);
    return own && *own == name.text;
  };
  if (checking_.declarationOf(name.text) ||
      std::none_of(declarations.begin(), declarations.end(), [&](const language::TensorDecl &declaration) {
        return std::any_of(declaration.extents.begin(), declaration.extents.end(), isNamed);
      }))
    return std::nullopt;
  Tensor size;
  size.name = name.text;
  size.role = Size{};
  size.type = ValueType::I64;
  size.isRead = true;
  size.where = name.where;
  checking_.program.symbols.push_back({.firstUse = name.where});
  return tensors.add(std::move(size));
}

NodePtr StatementBuilder::number(double value, std::string spelling, Span where) {
  return makeNode(NumberNode{value, std::move(spelling)}, where);
}

NodePtr StatementBuilder::access(const language::Name &name, const std::vector<language::Index> &indices, Span where) {
  if (std::any_of(indices.begin(), indices.end(), [](const language::Index &index) { return !index.isWindow(); }))
    return gathered(Function::At, name, indices, where);
  noteIndexNames(indices);
  const std::optional<TensorId> size = indices.empty() ? sizeNamed(name) : std::nullopt;
  const std::optional<TensorId> tensor = size ? size : tensorOf(name, indices.size(), where);
  if (!tensor)
    return lost(where);
  PendingAccess access{*tensor, indices, {}, where};
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    if (!indices[dim].isPlain() && !indices[dim].terms.empty())
      windows_.emplace(*tensor, dim);
    std::vector<Variable::Multiple> &terms = access.terms.emplace_back();
    for (const language::IndexTerm &term : indices[dim].terms) {
      terms.push_back({variableOf(term.variable.text), term.scale});
      used_.insert(terms.back().variable);
    }
    if (indices[dim].constant < 0)
      reportNegative(indices[dim], name.text);
  }
  Symbol &symbol = checking_.program.symbols[*tensor];
  if (symbol.firstWrite < 0 && !size)
    symbol.isOperand = true;
  return makeNode(AccessNode{pending_.add(std::move(access))}, where);
}

NodePtr StatementBuilder::indexValue(const language::Name &variable) {
  return makeNode(IndexNode{variableOf(variable.text)}, variable.where);
}

NodePtr StatementBuilder::negate(NodePtr operand, Span where) {
  return makeNode(NegateNode{std::move(operand)}, where);
}

NodePtr StatementBuilder::binary(BinaryOp op, NodePtr left, NodePtr right, Span where) {
  return makeNode(BinaryNode{op, std::move(left), std::move(right)}, where);
}

NodePtr StatementBuilder::call(Function function, const std::string &name, std::vector<NodePtr> arguments, Span where) {
  const std::string_view called = function == Function::Cast ? name : language::spellingOf(function).text;
  if (const std::string wrong = language::wrongCount(function, called, arguments.size()); !wrong.empty()) {
    fail(kArgumentCount, where, wrong);
    return lost(where);
  }
  CallNode node{function, ValueType::F64, std::move(arguments)};
  if (function == Function::Cast) {
    node.castTo = castTo({name, where});
    if (checking_.program.typeParameters.contains(name))
      node.typeParameter = name;
  }
  if (function == Function::Pattern)
    checkPatternArgument("pattern", *node.arguments.front());
  if (language::isOfPlaces(function)) {
    noteHolder(*node.arguments.back());
    if (const auto *index = std::get_if<IndexNode>(&node.arguments.front()->kind))
      whole_.insert(index->variable);
  }
  return makeNode(std::move(node), where);
}

/// The type that a cast is named after; a parameter's that is wrong has been reported where it is declared.
ValueType StatementBuilder::castTo(const language::Name &name) {
  const std::optional<ValueType> type = typeNamed(checking_, name.text);
  const std::vector<language::TypeDecl> &parameters = checking_.program.types;
  if (!type && std::none_of(parameters.begin(), parameters.end(),
                            [&](const language::TypeDecl &parameter) { return parameter.name.text == name.text; })) {
    reportUnknownType(checking_, name, /*mayBeParameter=*/true);
    failed_ = true;
  }
  return type.value_or(ValueType::F64);
}

bool StatementBuilder::mayBind(const std::string &reduction, const language::Name &variable) {
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

/// Reports what is no access of a tensor with indices where stored entries are asked for.
void StatementBuilder::checkPatternArgument(const std::string &function, const Node &argument) {
  const auto *access = std::get_if<AccessNode>(&argument.kind);
  const auto *number = std::get_if<NumberNode>(&argument.kind);
  const bool isLost = number && number->spelling.empty();
  if (!isLost && (!access || pending_[access->access].indices.empty()))
    fail(kPatternArgument, argument.where,
         inQuotes(function) + " asks where a tensor stores entries, and this is no tensor with indices")
        .advise("as in " + function + (function == "count" ? "(j, A(i,j))" : "(A(i,j))"));
}

NodePtr StatementBuilder::reduce(Reduction reduction, const std::vector<language::Name> &variables,
                                 const std::function<NodePtr()> &body, Span where) {
  if (variables.empty()) {
    fail(kMissingSumVariable, where,
         inQuotes(language::spellingOf(reduction)) + " needs the index variables that it runs over");
    return lost(where);
  }
  const auto once = [&](Reduction by) { return reduceOnce(by, reduction, variables, body, where); };
  switch (reduction) {
  case Reduction::Mean:
    return meanOf(once(Reduction::Sum));
  case Reduction::Count: {
    NodePtr sum = once(Reduction::Sum);
    auto &counted = std::get<ReduceNode>(sum->kind);
    checkPatternArgument("count", *counted.body);
    return countOf(std::move(counted.variables), std::move(counted.body), where);
  }
  case Reduction::ArgMin:
  case Reduction::ArgMax: {
    NodePtr values = once(Reduction::Min);
    if (std::get<ReduceNode>(values->kind).variables.empty())
      return values; // reported
    return placeOf(std::move(values), once(reduction == Reduction::ArgMin ? Reduction::Min : Reduction::Max));
  }
  case Reduction::Top:
  case Reduction::Bottom:
  case Reduction::ArgTop:
  case Reduction::ArgBottom:
    return rank(reduction, variables, body, where);
  default:
    return once(reduction);
  }
}

NodePtr StatementBuilder::rank(Reduction reduction, const std::vector<language::Name> &variables,
                               const std::function<NodePtr()> &body, Span where) {
  const std::string spelled(language::spellingOf(reduction));
  if (variables.size() < 2) {
    fail(kMissingSumVariable, where, inQuotes(spelled) + " needs a rank, and the index variables that it runs over")
        .advise("as in 'V(i, r) = " + spelled + "(r, j, A(i,j))'");
    return lost(where);
  }
  const language::Name &rank = variables.front();
  checking_.program.indexNames.emplace_back(rank.text, rank.where);
  const VariableId variable = variableOf(rank.text);
  NodePtr node = reduceOnce(reduction, reduction, {variables.begin() + 1, variables.end()}, body, where);
  std::get<ReduceNode>(node->kind).rank = variable;
  return node;
}

NodePtr StatementBuilder::reduceOnce(Reduction by, Reduction written, const std::vector<language::Name> &variables,
                                     const std::function<NodePtr()> &body, Span where) {
  size_t outside = bound_.size();
  bool failedBefore = std::exchange(failed_, false);
  const std::string spelled(language::spellingOf(written));
  ReduceNode node{by, {}, nullptr};
  std::vector<const language::Name *> names;
  for (const language::Name &variable : variables) {
    checking_.program.indexNames.emplace_back(variable.text, variable.where);
    if (!mayBind(spelled, variable))
      continue;
    node.variables.push_back(addVariable(variable.text, Variable::Kind::Bound));
    names.push_back(&variable);
    bound_.emplace_back(variable.text, node.variables.back());
  }
  node.body = body();
  bound_.resize(outside);
  for (size_t k = 0; k < names.size() && !failed_; ++k)
    if (!used_.contains(node.variables[k]))
      fail(kUnboundVariable, names[k]->where,
           spelled + " over " + inQuotes(names[k]->text) + ", which indexes nothing in what it is taken of");
  failed_ |= failedBefore;
  return makeNode(std::move(node), where);
}

} // namespace spc::sema
