#include "sema/divide/absent_values.h"

#include "sema/expression_types.h"
#include "sema/fold.h"
#include "sema/taken_in.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

/// The trees of a statement at an absent coordinate of one of its variables.
class AbsentTree {
public:
  AbsentTree(const Program &program, const Kernel &kernel, const Scope &scope, VariableId absent, ExtentId divided,
             const std::vector<TensorId> &listers, const AbsentValues &values)
      : program_(program), kernel_(kernel), scope_(scope), absent_(absent), divided_(divided), listers_(listers),
        values_(values) {}

  /// The value that a tree has there, whatever other operands hold; nullopt where that is not certain.
  std::optional<double> of(const Node &node, ValueType type) const {
    return std::visit([&](const auto &kind) { return value(kind, type); }, node.kind);
  }

  /// Whether reductions over the variable within a tree take in nothing there.
  bool areNeutral(const Node &node, ValueType type) const {
    if (const auto *reduce = std::get_if<ReduceNode>(&node.kind)) {
      const ValueType own = bodyType(*reduce, type, scope_, program_);
      if (reduce->rank == absent_ || (reduce->rank && has(reduce->variables, absent_)))
        return false;
      if (has(reduce->variables, absent_) && of(*reduce->body, own) != AbsentValues::identity(reduce->reduction, own))
        return false;
      return areNeutral(*reduce->body, own);
    }
    if (const auto *index = std::get_if<IndexNode>(&node.kind))
      return index->variable != absent_;
    if (const auto *call = std::get_if<CallNode>(&node.kind)) {
      for (size_t k = 0; k < call->arguments.size(); ++k)
        if (!areNeutral(*call->arguments[k], argumentType(*call, k, type, scope_, program_)))
          return false;
      return true;
    }
    const std::vector<const Node *> below = children(node);
    return std::all_of(below.begin(), below.end(), [&](const Node *child) { return areNeutral(*child, type); });
  }

private:
  std::optional<double> value(const NumberNode &number, ValueType type) const {
    return std::isinf(number.value) ? infinityOf(type, number.value < 0) : number.value;
  }

  std::optional<double> value(const IndexNode &, ValueType) const { return std::nullopt; }

  /// What missing entries of all that a tree reads make of it: where a condition leaves it out, that is its value.
  std::optional<double> ofMissing(const Node &node, ValueType type) const {
    AbsentTree missing = *this;
    missing.isAllMissing_ = true;
    return missing.of(node, type);
  }

  bool isAbsent(const Access &access) const {
    const Tensor &tensor = program_.tensors[access.tensor];
    if (isAllMissing_)
      return !kernel_.tensors[access.tensor].format.isDense();
    const int dim = dimOf(tensor, divided_);
    return has(listers_, access.tensor) && dim >= 0 && has(access.variables, absent_) &&
           scope_.variables[access.variables[dim]].kind != Variable::Kind::Derived;
  }

  std::optional<double> value(const AccessNode &use, ValueType type) const {
    const Access &access = scope_.accesses[use.access];
    const Tensor &tensor = kernel_.tensors[access.tensor];
    if (isAbsent(access))
      return foldCast(type, program_.tensors[access.tensor].type, program_.tensors[access.tensor].fill);
    if (!tensor.is<Fused>() && tensor.format.isDense())
      return std::nullopt; // a 0 that is stored makes no 0 of an infinity
    for (size_t dim = 0; dim < access.variables.size(); ++dim)
      if (access.variables[dim] == absent_)
        if (const std::optional<double> known = values_.of(access.tensor, dim))
          return foldCast(type, tensor.type, *known);
    return std::nullopt;
  }

  std::optional<double> value(const NegateNode &node, ValueType type) const {
    const std::optional<double> operand = of(*node.operand, type);
    return operand ? foldNegate(type, *operand) : std::nullopt;
  }

  std::optional<double> value(const BinaryNode &node, ValueType type) const {
    const std::optional<double> left = of(*node.left, type), right = of(*node.right, type);
    if (left && right)
      return fold(node.op, type, *left, *right);
    const bool isProduct = node.op == BinaryOp::Mul, isQuotient = node.op == BinaryOp::Div;
    if ((isProduct && (left == 0 || right == 0)) || (isQuotient && left == 0))
      return 0;
    if (isFloat(type) && node.op == BinaryOp::Add)
      for (const std::optional<double> &known : {left, right})
        if (known && std::isinf(*known))
          return known;
    return std::nullopt;
  }

  std::optional<double> value(const ReduceNode &node, ValueType type) const {
    const ValueType own = bodyType(node, type, scope_, program_);
    const std::optional<double> body = of(*node.body, own);
    const bool isNeutral = !node.rank && body == AbsentValues::identity(node.reduction, own);
    return isNeutral ? body : std::nullopt;
  }

  std::optional<double> value(const CallNode &call, ValueType type) const {
    std::vector<std::optional<double>> arguments;
    std::vector<double> known;
    for (size_t k = 0; k < call.arguments.size(); ++k) {
      arguments.push_back(of(*call.arguments[k], argumentType(call, k, type, scope_, program_)));
      if (arguments.back())
        known.push_back(*arguments.back());
    }
    const ValueType own = argumentType(call, 0, type, scope_, program_);
    switch (call.function) {
    case Function::Pattern:
      return isMissing(*call.arguments[0]) ? std::optional(0.0) : std::nullopt;
    case Function::Cast:
      return arguments[0] ? foldCast(call.castTo, own, *arguments[0]) : std::nullopt;
    case Function::Select:
      return arguments[0]                   ? arguments[*arguments[0] != 0 ? 1 : 2]
             : arguments[1] == arguments[2] ? arguments[1]
                                            : std::nullopt;
    case Function::Where: {
      const std::optional<double> otherwise = ofMissing(*call.arguments[1], type);
      return arguments[0]                ? (*arguments[0] != 0 ? arguments[1] : otherwise)
             : arguments[1] == otherwise ? otherwise
                                         : std::nullopt;
    }
    case Function::And:
      return arguments[0] == 0 || arguments[1] == 0 ? std::optional(0.0) : std::nullopt;
    case Function::Or:
      return arguments[0] == 0 && arguments[1] == 0 ? std::optional(0.0) : std::nullopt;
    case Function::MinPlus:
    case Function::MaxPlus:
      for (const std::optional<double> &one : arguments)
        if (one == infinityOf(type, call.function == Function::MaxPlus))
          return one;
      break;
    case Function::Padded:
    case Function::Xor:
      return std::nullopt;
    default:
      break;
    }
    return known.size() == arguments.size() ? fold(call.function, own, known) : std::nullopt;
  }

  /// Whether an access is of what lists the coordinates.
  bool isMissing(const Node &node) const {
    const auto *use = std::get_if<AccessNode>(&node.kind);
    return use && isAbsent(scope_.accesses[use->access]);
  }

  const Program &program_;
  const Kernel &kernel_;
  const Scope &scope_;
  const VariableId absent_;
  const ExtentId divided_;
  const std::vector<TensorId> &listers_;
  const AbsentValues &values_;
  bool isAllMissing_ = false;
};

} // namespace

double AbsentValues::identity(Reduction reduction, ValueType type) {
  return identityOf(reduction, type);
}

std::optional<double> AbsentValues::of(TensorId tensor, size_t dim) const {
  const auto known = known_.find({tensor, dim});
  return known == known_.end() ? std::nullopt : std::optional(known->second);
}

bool AbsentValues::changeNothing() {
  const std::vector<const ResolvedStatement *> statements = statementsThatMatter(program_);
  return std::all_of(statements.begin(), statements.end(),
                     [&](const ResolvedStatement *statement) { return changeNothing(*statement); });
}

bool AbsentValues::changeNothing(const ResolvedStatement &statement) {
  const Scope &scope = statement.scope;
  const ValueType type = computeTypeOf(program_, statement);
  for (const Access &access : scope.accesses)
    for (size_t dim = 0; dim < access.variables.size(); ++dim) {
      const Variable &variable = scope.variables[access.variables[dim]];
      const auto isOf = [&](const Variable::Multiple &term) {
        return scope.variables[term.variable].extent == extent_;
      };
      if (variable.kind == Variable::Kind::Derived && (program_.tensors[access.tensor].extents[dim] == extent_ ||
                                                       std::any_of(variable.terms.begin(), variable.terms.end(), isOf)))
        return false;
    }
  const std::vector<VariableId> &target = statement.target.variables;
  const bool takesIn = statement.op != AssignOp::Assign && statement.op != AssignOp::Add;
  for (VariableId id : scope.variables.ids()) {
    if (scope.variables[id].kind == Variable::Kind::Derived || scope.variables[id].extent != extent_)
      continue;
    const AbsentTree tree(program_, kernel_, scope, id, divided_, listers_, *this);
    if (!tree.areNeutral(*statement.value, type))
      return false;
    const bool isTarget = has(target, id);
    std::vector<Addend> addends = openAddends(*statement.value, /*keepGroups=*/false);
    if (takesIn)
      addends = {{statement.value.get(), false}};
    bool areZero = !takesIn;
    for (const Addend &addend : addends) {
      const std::optional<double> value = tree.of(*addend.node, type);
      areZero &= value == 0;
      if (!isTarget && has(freeVariables(*addend.node, scope), id) &&
          value != identity(takenInBy(statement.op).value_or(Reduction::Sum), type))
        return false;
    }
    if (!isTarget)
      continue;
    const std::pair<TensorId, size_t> place{statement.target.tensor, placeOf(id, target)};
    const std::vector<VariableId> free = freeVariables(*statement.value, scope);
    const bool hasSums = std::any_of(free.begin(), free.end(), [&](VariableId one) { return !has(target, one); });
    std::optional<double> value = areZero   ? std::optional(0.0)
                                  : hasSums ? std::nullopt
                                            : tree.of(*statement.value, type);
    if (statement.op == AssignOp::Add && (of(place.first, place.second) != 0 || value != 0))
      value = std::nullopt;
    if (takesIn || !value)
      known_.erase(place);
    else
      known_[place] = *value;
  }
  return true;
}

} // namespace spc::sema
