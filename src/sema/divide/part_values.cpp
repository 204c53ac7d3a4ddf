#include "sema/divide/part_values.h"

#include "sema/expression_types.h"
#include "sema/taken_in.h"

#include <algorithm>
#include <functional>
#include <set>

namespace spc::sema {
namespace {

using language::spellingOf;

/// The trees of one statement.
class TreeValues {
public:
  TreeValues(const Program &program, const Scope &scope, ExtentId divided, const std::string &index,
             const PartArithmetic &arithmetic, const std::map<TensorId, PartValue> &partial)
      : program_(program), scope_(scope), divided_(divided), index_(index), arithmetic_(arithmetic), partial_(partial) {
  }

  /// Of a tree that is computed in `type`.
  PartValue of(const Node &node, ValueType type) const {
    return std::visit([&](const auto &kind) { return value(kind, type); }, node.kind);
  }

  /// `body` reduced over variables.
  PartValue reduced(PartValue body, const std::vector<VariableId> &variables, Reduction reduction,
                    ValueType type) const {
    if (variables.empty())
      return body;
    std::optional<VariableId> along;
    for (VariableId variable : variables) {
      if (!isDivided(variable))
        continue;
      if (along)
        return PartValue::refused("it brings together what is at two coordinates of '" + index_ + "'");
      along = variable;
    }
    if (!along)
      return arithmetic_.reduced(std::move(body), reduction, type);
    const bool keepsOrder = program_.strictFp && !isInteger(type) && type != ValueType::Bool;
    if (keepsOrder && (reduction == Reduction::Sum || reduction == Reduction::Product))
      return PartValue::refused("sums over '" + index_ + "' keep their order, as --fp=strict asks");
    return arithmetic_.reducedAlong(body, *along, reduction, type);
  }

private:
  bool isDivided(VariableId variable) const {
    const Variable &own = scope_.variables[variable];
    return own.kind != Variable::Kind::Derived && own.extent == divided_;
  }

  const std::string &nameOf(const Access &access) const { return program_.tensors[access.tensor].name; }

  PartValue value(const NumberNode &, ValueType) const { return {}; }

  PartValue value(const IndexNode &node, ValueType) const {
    return isDivided(node.variable)
               ? PartValue::refused("'" + index_ + "' is used as a number, and those of a part count from its own 0")
               : PartValue{};
  }

  PartValue value(const AccessNode &use, ValueType type) const {
    const Access &access = scope_.accesses[use.access];
    const Tensor &tensor = program_.tensors[access.tensor];
    if (const auto *size = tensor.as<Size>(); size && size->extent == divided_)
      return PartValue::refused("the size '" + tensor.name + "' is used as a number, and a part has one of its own");
    if (std::optional<PartValue> slice = sliceOf(access))
      return *slice;
    const auto known = partial_.find(access.tensor);
    return known == partial_.end() ? PartValue{} : arithmetic_.converted(known->second, tensor.type, type);
  }

  /// What an access is that has a divided dimension, or an index that would leave a part.
  std::optional<PartValue> sliceOf(const Access &access) const {
    const Tensor &tensor = program_.tensors[access.tensor];
    std::optional<PartValue> slice;
    for (size_t dim = 0; dim < access.variables.size(); ++dim) {
      const VariableId id = plainAt(access, dim, scope_);
      const Variable &variable = scope_.variables[id];
      const bool isOfDivided = std::any_of(variable.terms.begin(), variable.terms.end(),
                                           [&](const auto &term) { return isDivided(term.variable); });
      if (variable.kind == Variable::Kind::Derived && (isOfDivided || tensor.extents[dim] == divided_))
        return PartValue::refused("'" + tensor.name + "' is read at '" + variable.name +
                                  "', which may be in another part");
      if (isDivided(id))
        slice = slice ? arithmetic_.joined(*slice, PartValue::slice(id)) : PartValue::slice(id);
    }
    return slice;
  }

  PartValue value(const NegateNode &node, ValueType type) const {
    return arithmetic_.negative(of(*node.operand, type), type);
  }

  PartValue value(const BinaryNode &node, ValueType type) const {
    PartValue left = of(*node.left, type), right = of(*node.right, type);
    if (node.op == BinaryOp::Div)
      return arithmetic_.quotient(left, right);
    if (node.op != BinaryOp::Mul)
      return arithmetic_.sum(left, right, node.op, type);
    if (const auto *number = std::get_if<NumberNode>(&node.left->kind))
      return arithmetic_.scaled(std::move(right), number->value, type);
    if (const auto *number = std::get_if<NumberNode>(&node.right->kind))
      return arithmetic_.scaled(std::move(left), number->value, type);
    return arithmetic_.product(left, right, type);
  }

  PartValue value(const ReduceNode &node, ValueType type) const {
    const ValueType own = bodyType(node, type, scope_, program_);
    const auto isOwn = [&](VariableId variable) { return isDivided(variable); };
    if (node.rank && (isDivided(*node.rank) || std::any_of(node.variables.begin(), node.variables.end(), isOwn)))
      return PartValue::refused("'" + std::string(spellingOf(node.reduction)) + "' ranks what is at all of '" + index_ +
                                "'");
    PartValue body = of(*node.body, own);
    if (node.rank)
      return arithmetic_.joined(body, {});
    PartValue result = reduced(std::move(body), node.variables, node.reduction, own);
    return isLogical(node.reduction) ? arithmetic_.converted(std::move(result), ValueType::Bool, type) : result;
  }

  PartValue value(const CallNode &call, ValueType type) const {
    if (language::isOfPlaces(call.function))
      if (PartValue refused = places(call); refused.isRefused())
        return refused;
    std::vector<PartValue> arguments;
    std::vector<ValueType> types;
    bool isPartial = false;
    for (size_t k = 0; k < call.arguments.size(); ++k) {
      types.push_back(argumentType(call, k, type, scope_, program_));
      arguments.push_back(of(*call.arguments[k], types.back()));
      isPartial |= arguments.back().isPartial();
    }
    if (isPartial)
      return ofPartial(call, std::move(arguments), types, type);
    PartValue all;
    for (const PartValue &argument : arguments)
      all = arithmetic_.joined(all, argument);
    return all;
  }

  /// What says that an index is one that a tensor holds.
  PartValue places(const CallNode &call) const {
    const auto *own = std::get_if<IndexNode>(&call.arguments[0]->kind);
    const auto *held = std::get_if<AccessNode>(&call.arguments[1]->kind);
    if (own && held && isDivided(own->variable))
      return PartValue::refused("what '" + nameOf(scope_.accesses[held->access]) +
                                "' holds are indices that count from the beginning of '" + index_ + "'");
    for (VariableId variable : freeVariables(*call.arguments[1], scope_))
      if (call.function == Function::Once && isDivided(variable))
        return PartValue::refused("a part cannot see that no index comes twice over all of '" + index_ + "'");
    return {};
  }

  /// A call with shares of something among its arguments.
  PartValue ofPartial(const CallNode &call, std::vector<PartValue> arguments, const std::vector<ValueType> &types,
                      ValueType type) const {
    switch (call.function) {
    case Function::Cast:
      return arithmetic_.converted(arithmetic_.converted(std::move(arguments[0]), types[0], call.castTo), call.castTo,
                                   type);
    case Function::Min:
    case Function::Max:
      if (PartValue all = extreme(arguments, call.function == Function::Min ? Reduction::Min : Reduction::Max);
          !all.isRefused())
        return all;
      break;
    case Function::Or:
    case Function::And:
      if (std::all_of(types.begin(), types.end(), [](ValueType own) { return own == ValueType::Bool; }))
        if (PartValue all = extreme(arguments, call.function == Function::Or ? Reduction::Any : Reduction::All);
            !all.isRefused())
          return arithmetic_.converted(std::move(all), ValueType::Bool, type);
      break;
    case Function::Not:
      if (types[0] == ValueType::Bool)
        return arithmetic_.converted(arithmetic_.inverted(std::move(arguments[0])), ValueType::Bool, type);
      break;
    case Function::Select:
      if (arguments[0].isSame() && arguments[1].isPartial() && arguments[2].isPartial(arguments[1].by))
        return arguments[1];
      break;
    case Function::MinPlus:
    case Function::MaxPlus:
      if (const PartValue &partial = arguments[0].isPartial() ? arguments[0] : arguments[1];
          partial.isPartial(Reduction::Min) || partial.isPartial(Reduction::Max))
        if ((arguments[0].isPartial() ? arguments[1] : arguments[0]).isSame())
          return partial;
      break;
    case Function::Conj:
    case Function::Real:
    case Function::Imag:
      if (arguments[0].isPartial(Reduction::Sum))
        return arguments[0];
      break;
    default:
      if (isMonotone(call.function) &&
          (arguments[0].isPartial(Reduction::Min) || arguments[0].isPartial(Reduction::Max)))
        return arguments[0];
    }
    return needed(call, arguments);
  }

  PartValue needed(const CallNode &call, const std::vector<PartValue> &arguments) const {
    for (const PartValue &argument : arguments)
      if (argument.isRefused())
        return argument;
    const auto share =
        std::find_if(arguments.begin(), arguments.end(), [](const auto &one) { return one.isPartial(); });
    return PartValue::refused("'" + std::string(spellingOf(call.function).text) + "' is taken of " +
                              arithmetic_.nameOf(*share) + ", of which a part has a share");
  }

  PartValue extreme(const std::vector<PartValue> &arguments, Reduction reduction) const {
    PartValue all = arguments.front();
    for (size_t k = 1; k < arguments.size(); ++k)
      all = arithmetic_.extreme(all, arguments[k], reduction);
    return all;
  }

  const Program &program_;
  const Scope &scope_;
  const ExtentId divided_;
  const std::string &index_;
  const PartArithmetic &arithmetic_;
  const std::map<TensorId, PartValue> &partial_;
};

/// The variables of a tree that the target lacks.
std::vector<VariableId> summedIn(const Node &node, const ResolvedStatement &statement) {
  std::vector<VariableId> summed;
  for (VariableId variable : freeVariables(node, statement.scope))
    if (!has(statement.target.variables, variable))
      summed.push_back(variable);
  return summed;
}

} // namespace

int dimOf(const Tensor &tensor, ExtentId extent) {
  const auto found = std::find(tensor.extents.begin(), tensor.extents.end(), extent);
  return found == tensor.extents.end() ? -1 : static_cast<int>(found - tensor.extents.begin());
}

VariableId plainAt(const Access &access, size_t dim, const Scope &scope) {
  const Variable &variable = scope.variables[access.variables[dim]];
  const bool isRepeated = variable.isRepeated && variable.terms.size() == 1 && variable.terms.front().scale == 1;
  return isRepeated && variable.constant == 0 ? variable.terms.front().variable : access.variables[dim];
}

namespace {

/// Whether a call may fail by what it finds at indices, or by their being outside.
bool isLookedAt(const ResolvedStatement &statement) {
  const auto isDerived = [](const Variable &variable) { return variable.kind == Variable::Kind::Derived; };
  const std::function<bool(const Node &)> hasPlaces = [&](const Node &node) {
    const auto *call = std::get_if<CallNode>(&node.kind);
    const std::vector<const Node *> below = children(node);
    return (call && language::isOfPlaces(call->function)) ||
           std::any_of(below.begin(), below.end(), [&](const Node *child) { return hasPlaces(*child); });
  };
  const IdVector<VariableId, Variable> &variables = statement.scope.variables;
  return std::any_of(variables.begin(), variables.end(), isDerived) || hasPlaces(*statement.value);
}

} // namespace

std::vector<const ResolvedStatement *> statementsThatMatter(const Program &program) {
  std::vector<const ResolvedStatement *> found;
  std::set<TensorId> read;
  for (TensorId id : program.tensors.ids())
    if (program.tensors[id].is<Parameter>())
      read.insert(id);
  for (auto statement = program.statements.rbegin(); statement != program.statements.rend(); ++statement) {
    if (!read.contains(statement->target.tensor) && !isLookedAt(*statement))
      continue;
    found.insert(found.begin(), &*statement);
    if (statement->op == AssignOp::Assign)
      read.erase(statement->target.tensor);
    forEachAccess(*statement->value, true,
                  [&](const AccessNode &use, Span) { read.insert(statement->scope.accesses[use.access].tensor); });
  }
  return found;
}

const PartValue &PartValues::of(TensorId tensor) const {
  static const PartValue kSame;
  const auto known = partial_.find(tensor);
  return known == partial_.end() ? kSame : known->second;
}

PartValue PartValues::rightSide(const ResolvedStatement &statement) const {
  const ValueType type = computeTypeOf(program_, statement);
  const TreeValues values(program_, statement.scope, divided_, index_, arithmetic_, partial_);
  if (const std::optional<Reduction> takesIn = takenInBy(statement.op))
    return values.reduced(values.of(*statement.value, type), summedIn(*statement.value, statement), *takesIn, type);
  std::optional<PartValue> all;
  for (const Addend &addend : openAddends(*statement.value, /*keepGroups=*/false)) {
    PartValue one =
        values.reduced(values.of(*addend.node, type), summedIn(*addend.node, statement), Reduction::Sum, type);
    if (addend.negative && !one.isPartial(Reduction::Sum))
      one = arithmetic_.negative(std::move(one), type);
    all = all ? arithmetic_.sum(*all, one, BinaryOp::Add, type) : std::move(one);
  }
  return *all;
}

PartValue PartValues::stored(const ResolvedStatement &statement, const PartValue &value) const {
  const Tensor &target = program_.tensors[statement.target.tensor];
  const PartValue made = arithmetic_.converted(value, computeTypeOf(program_, statement), target.type);
  if (dimOf(target, divided_) >= 0)
    return arithmetic_.joined(made, {});
  const PartValue &before = of(statement.target.tensor);
  switch (statement.op) {
  case AssignOp::Assign:
    return made;
  case AssignOp::Add:
    if (before.isSame() && made.isPartial(Reduction::Sum))
      return PartValue::refused("what '" + target.name + "' holds before would be counted once for each part");
    return arithmetic_.sum(before, made, BinaryOp::Add, target.type);
  default:
    return arithmetic_.extreme(before, made, *takenInBy(statement.op));
  }
}

std::string PartValues::refusal() {
  for (const ResolvedStatement *statement : statementsThatMatter(program_)) {
    PartValue value = rightSide(*statement);
    if (!value.isRefused())
      value = stored(*statement, value);
    if (value.isRefused())
      return value.reason;
    if (value.isPartial())
      partial_[statement->target.tensor] = value;
    else
      partial_.erase(statement->target.tensor);
  }
  return {};
}

} // namespace spc::sema
