#include "grad/partials.h"

#include <algorithm>
#include <stdexcept>

namespace spc::grad {
namespace {

/// The way from a statement's value down to one of its parts.
struct Path {
  bool isNegative = false;
  bool isConditional = false;
  std::vector<Factor> before, after; ///< what is multiplied with it from the left, and, backwards, from the right
  Variables bound;
  Variables around; ///< variables that have a value where it begins, at a sum that is kept

  /// Whether nothing is multiplied or summed on the way.
  bool isPlain() const { return before.empty() && after.empty() && bound.empty(); }

  void add(Factor one) {
    one.isConditional |= isConditional;
    isConditional |= one.isCondition;
    before.push_back(std::move(one));
  }
  void addAfter(Factor one) {
    one.isConditional |= isConditional;
    after.push_back(std::move(one));
  }
};

class Walker {
public:
  Walker(Program &program, const Statement &statement, const std::set<TensorId> &by, bool keepsSums)
      : program_(program), statement_(statement), by_(by), keepsSums_(keepsSums) {}

  std::vector<Partial> walk() {
    for (const Term &term : termsOf(program_, statement_)) {
      term_ = &term;
      Path path;
      path.isNegative = term.isNegative;
      walk(*term.value, path);
    }
    return std::move(found_);
  }

private:
  static Factor share(const Node &expr, bool isDivisor = false) { return {clone(expr), isDivisor}; }

  void walk(const Node &node, const Path &path) {
    if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
      if (isChanging(node))
        found_.push_back(partialAt(path, use->access, {}));
    } else if (const auto *minus = std::get_if<NegateNode>(&node.kind)) {
      Path below = path;
      below.isNegative = !path.isNegative;
      walk(*minus->operand, below);
    } else if (const auto *binary = std::get_if<BinaryNode>(&node.kind)) {
      walkBinary(*binary, path);
    } else if (const auto *reduction = std::get_if<ReduceNode>(&node.kind)) {
      walkReduction(*reduction, path);
    } else if (std::holds_alternative<CallNode>(node.kind)) {
      walkCall(node, path);
    }
  }

  bool isChanging(const Node &node) const {
    const Access *read = program_.accessIn(node);
    return read && by_.contains(read->tensor);
  }

  Partial partialAt(const Path &path, std::optional<AccessId> use, std::vector<Partial> parts) const {
    Partial partial{use, std::move(parts), path.isNegative, path.before, path.bound, path.around};
    partial.factors.insert(partial.factors.end(), path.after.rbegin(), path.after.rend());
    if (path.around.empty())
      partial.summed.insert(partial.summed.begin(), term_->summed.begin(), term_->summed.end());
    return partial;
  }

  /// Both sides of a sum; with a partial of its own where it is kept.
  void walkSum(const Node &one, const Node &other, bool isDifference, const Path &path) {
    const bool isKept = keepsSums_ && !path.isPlain() && usesIn(one) + usesIn(other) > 1;
    std::vector<Partial> outside;
    Path left;
    if (isKept) {
      left.around = scopeOf(path);
      std::swap(outside, found_);
    } else {
      left = path;
    }
    Path right = left;
    right.isNegative = right.isNegative != isDifference;
    walk(one, left);
    walk(other, right);
    if (!isKept)
      return;
    std::swap(outside, found_);
    found_.push_back(partialAt(path, std::nullopt, std::move(outside)));
  }

  /// How many places of an expression change.
  int usesIn(const Node &node) const {
    int count = isChanging(node) ? 1 : 0;
    for (const Node *child : differentiableChildren(node))
      count += usesIn(*child);
    return count;
  }

  void walkBinary(const BinaryNode &node, const Path &path) {
    Path left = path, right = path;
    switch (node.op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return walkSum(*node.left, *node.right, node.op == BinaryOp::Sub, path);
    case BinaryOp::Mul:
      left.addAfter(share(*node.right));
      right.add(share(*node.left));
      break;
    case BinaryOp::Div:
      left.addAfter(share(*node.right, true));
      right.isNegative = !right.isNegative;
      right.add(share(*node.left));
      right.add(share(*node.right, true));
      right.add(share(*node.right, true));
      break;
    }
    walk(*node.left, left);
    walk(*node.right, right);
  }

  void walkCall(const Node &node, const Path &path) {
    const auto &call = std::get<CallNode>(node.kind);
    if (call.function == Function::MinPlus || call.function == Function::MaxPlus)
      return walkSum(*call.arguments[0], *call.arguments[1], false, path);
    const std::vector<const Node *> arguments = differentiableChildren(node);
    for (size_t k = 0; k < call.arguments.size(); ++k) {
      if (std::find(arguments.begin(), arguments.end(), call.arguments[k].get()) == arguments.end())
        continue;
      Path below = path;
      const NodePtr value = isValue(node) ? program_.access(statement_.target, statement_.indices) : nullptr;
      for (Factor &one : derivativeOf(node, k, program_, value.get()))
        below.add(std::move(one));
      walk(*call.arguments[k], below);
    }
  }

  /// Whether a call is what the statement computes, as it is or as entries of sparse tensors have it.
  bool isValue(const Node &call) const {
    const Node &value = *statement_.value;
    const auto *product = std::get_if<BinaryNode>(&value.kind);
    return term_->summed.empty() &&
           (&value == &call || (product && product->op == BinaryOp::Mul && callOf(*product->left, Function::Pattern) &&
                                product->right.get() == &call));
  }

  void walkReduction(const ReduceNode &reduction, Path path) {
    path.bound.insert(path.bound.end(), reduction.variables.begin(), reduction.variables.end());
    switch (reduction.reduction) {
    case Reduction::Sum:
      break;
    case Reduction::Mean:
      for (Variables left = reduction.variables; !left.empty();)
        path.add({countOf(left, scopeOf(path), *statement_.value, program_), true});
      break;
    case Reduction::Min:
    case Reduction::Max:
    case Reduction::Top:
    case Reduction::Bottom:
      for (const NodePtr &present : statement_.present)
        path.add({clone(*present), false, true});
      path.add({call(Function::Equal, indexValue(reduction.variables.front()),
                     program_.access(*statement_.place, statement_.indices)),
                false, true});
      break;
    case Reduction::Product:
      path.add(factor(productOfOthers(reduction)));
      break;
    case Reduction::Any:
    case Reduction::All:
    case Reduction::ArgMin:
    case Reduction::ArgMax:
    case Reduction::ArgTop:
    case Reduction::ArgBottom:
    case Reduction::Count:
      return;
    }
    walk(*reduction.body, path);
  }

  /// The variables that have a value at a part of the statement.
  Variables scopeOf(const Path &path) const {
    Variables scope = path.around;
    if (scope.empty()) {
      scope = statement_.indices;
      scope.insert(scope.end(), term_->summed.begin(), term_->summed.end());
    }
    scope.insert(scope.end(), path.bound.begin(), path.bound.end());
    return scope;
  }

  /// `select(e == 0, select(zeros(i) == 1, rest(i), 0), select(zeros(i) == 0, rest(i)/e, 0))`
  NodePtr productOfOthers(const ReduceNode &reduction) const {
    const Node &one = *reduction.body;
    const auto zerosAre = [&](double count) {
      return call(Function::Equal, program_.access(*statement_.zeros, statement_.indices), number(count));
    };
    const auto rest = [&] { return program_.access(*statement_.rest, statement_.indices); };
    return select(call(Function::Equal, inFloats(one, program_), number(0)), select(zerosAre(1), rest(), number(0)),
                  select(zerosAre(0), binary(BinaryOp::Div, rest(), clone(one)), number(0)));
  }

  Program &program_;
  const Statement &statement_;
  const std::set<TensorId> &by_;
  const bool keepsSums_;
  const Term *term_ = nullptr;
  std::vector<Partial> found_;
};

/// An access that a variable indexes, if possible one with plain indices.
Access indexedBy(VariableId variable, const Node &around, const Program &program) {
  const auto isPlain = [&](const Access &read) { return program.variablesOf(read) == read.variables; };
  const Access *found = nullptr;
  program.forEachRead(around, [&](const Access &read) {
    if (contains(read.variables, variable) && (!found || (isPlain(read) && !isPlain(*found))))
      found = &read;
  });
  if (!found)
    throw std::logic_error("a variable of a sum indexes nothing: " + program.nameOf(variable));
  return *found;
}

/// `pattern(A(i,j))`; what indexes A beside variables that have a value is looked at everywhere.
NodePtr patternAt(const Access &indexed, const Variables &known, Program &program) {
  Variables indices, elsewhere;
  std::set<VariableId> used(known.begin(), known.end());
  for (const VariableId index : indexed.variables) {
    const bool isPlain = program.isPlain(index) && !contains(indices, index);
    indices.push_back(isPlain ? index : program.freshVariable(used));
    used.insert(indices.back());
    if (!contains(known, indices.back()))
      elsewhere.push_back(indices.back());
  }
  NodePtr stored = call(Function::Pattern, program.access(indexed.tensor, indices));
  if (!elsewhere.empty())
    stored = reduce(Reduction::Any, elsewhere, std::move(stored));
  return stored;
}

} // namespace

std::vector<Partial> partialsOf(Program &program, const Statement &statement, const std::set<TensorId> &by,
                                bool keepsSums) {
  return Walker(program, statement, by, keepsSums).walk();
}

NodePtr countOf(Variables &variables, Variables scope, const Node &around, Program &program) {
  const Access indexed = indexedBy(variables.front(), around, program);
  Variables counted;
  for (const VariableId index : indexed.variables)
    if (contains(variables, index) && !contains(counted, index))
      counted.push_back(index);
  std::erase_if(variables, [&](VariableId variable) { return contains(counted, variable); });
  scope.insert(scope.end(), counted.begin(), counted.end());
  NodePtr zero = binary(BinaryOp::Mul, number(0), patternAt(indexed, scope, program));
  return reduce(Reduction::Sum, counted, binary(BinaryOp::Add, number(1), std::move(zero)));
}

NodePtr presenceOf(VariableId variable, const Variables &scope, const Node &around, Program &program) {
  return call(Function::Or, patternAt(indexedBy(variable, around, program), scope, program), truth());
}

} // namespace spc::grad
