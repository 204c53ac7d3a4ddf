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
  std::vector<std::string> bound;
  std::vector<std::string> around; ///< variables that have a value where it begins, at a sum that is kept

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
  Walker(Program &program, const Statement &statement, const std::set<std::string> &by, bool keepsSums)
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
  static Factor share(const Expr &expr, bool isDivisor = false) { return {clone(expr), isDivisor}; }

  void walk(const Expr &expr, const Path &path) {
    std::visit([&](const auto &node) { walkNode(node, path); }, expr.node);
  }

  void walkNode(const Literal & /*number*/, const Path & /*path*/) {}
  void walkNode(const IndexValue & /*value*/, const Path & /*path*/) {}

  void walkNode(const Access &use, const Path &path) {
    if (by_.contains(use.tensor))
      found_.push_back(partialAt(path, &use, {}));
  }

  Partial partialAt(const Path &path, const Access *use, std::vector<Partial> parts) const {
    Partial partial{use, std::move(parts), path.isNegative, path.before, path.bound, path.around};
    partial.factors.insert(partial.factors.end(), path.after.rbegin(), path.after.rend());
    if (path.around.empty())
      partial.summed.insert(partial.summed.begin(), term_->summed.begin(), term_->summed.end());
    return partial;
  }

  void walkNode(const Negate &minus, Path path) {
    path.isNegative = !path.isNegative;
    walk(*minus.operand, path);
  }

  /// Both sides of a sum; with a partial of its own where it is kept.
  void walkSum(const Expr &one, const Expr &other, bool isDifference, const Path &path) {
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
    found_.push_back(partialAt(path, nullptr, std::move(outside)));
  }

  /// How many places of an expression change.
  int usesIn(const Expr &expr) const {
    const auto *read = std::get_if<Access>(&expr.node);
    int count = read && by_.contains(read->tensor) ? 1 : 0;
    for (const Expr *child : differentiableChildren(expr))
      count += usesIn(*child);
    return count;
  }

  void walkNode(const Binary &node, const Path &path) {
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

  void walkNode(const Call &call, const Path &path) {
    if (call.function == Function::MinPlus || call.function == Function::MaxPlus)
      return walkSum(*call.arguments[0], *call.arguments[1], false, path);
    const std::vector<const Expr *> arguments = differentiableArguments(call);
    for (size_t k = 0; k < call.arguments.size(); ++k) {
      if (std::find(arguments.begin(), arguments.end(), call.arguments[k].get()) == arguments.end())
        continue;
      Path below = path;
      const ExprPtr value = isValue(call) ? access(statement_.target, statement_.indices) : nullptr;
      for (Factor &one : derivativeOf(call, k, program_, value.get()))
        below.add(std::move(one));
      walk(*call.arguments[k], below);
    }
  }

  /// Whether a call is what the statement computes, as it is or as entries of sparse tensors have it.
  bool isValue(const Call &call) const {
    const auto isCall = [&](const Expr &expr) { return std::get_if<Call>(&expr.node) == &call; };
    const auto isPattern = [](const Expr &expr) {
      const auto *other = std::get_if<Call>(&expr.node);
      return other && other->function == Function::Pattern;
    };
    const Expr &value = *statement_.value;
    const auto *product = std::get_if<Binary>(&value.node);
    return term_->summed.empty() && (isCall(value) || (product && product->op == BinaryOp::Mul &&
                                                       isPattern(*product->left) && isCall(*product->right)));
  }

  void walkNode(const Reduce &reduction, Path path) {
    path.bound.insert(path.bound.end(), reduction.variables.begin(), reduction.variables.end());
    switch (reduction.reduction) {
    case Reduction::Sum:
      break;
    case Reduction::Mean:
      for (std::vector<std::string> left = reduction.variables; !left.empty();)
        path.add({countOf(left, scopeOf(path), *statement_.value, program_), true});
      break;
    case Reduction::Min:
    case Reduction::Max:
      for (const ExprPtr &present : statement_.present)
        path.add({clone(*present), false, true});
      path.add(
          {call(Function::Equal, indexValue(reduction.variables.front()), access(statement_.place, statement_.indices)),
           false, true});
      break;
    case Reduction::Product:
      path.add(factor(productOfOthers(reduction)));
      break;
    case Reduction::Any:
    case Reduction::All:
    case Reduction::ArgMin:
    case Reduction::ArgMax:
    case Reduction::Count:
      return;
    }
    walk(*reduction.body, path);
  }

  /// The variables that have a value at a part of the statement.
  std::vector<std::string> scopeOf(const Path &path) const {
    std::vector<std::string> scope = path.around;
    if (scope.empty()) {
      scope = statement_.indices;
      scope.insert(scope.end(), term_->summed.begin(), term_->summed.end());
    }
    scope.insert(scope.end(), path.bound.begin(), path.bound.end());
    return scope;
  }

  /// `select(e == 0, select(zeros(i) == 1, rest(i), 0), select(zeros(i) == 0, rest(i)/e, 0))`
  ExprPtr productOfOthers(const Reduce &reduction) const {
    const Expr &one = *reduction.body;
    const auto zerosAre = [&](double count) {
      return call(Function::Equal, access(statement_.zeros, statement_.indices), number(count));
    };
    const auto rest = [&] { return access(statement_.rest, statement_.indices); };
    return select(call(Function::Equal, inFloats(one, program_), number(0)), select(zerosAre(1), rest(), number(0)),
                  select(zerosAre(0), binary(BinaryOp::Div, rest(), clone(one)), number(0)));
  }

  Program &program_;
  const Statement &statement_;
  const std::set<std::string> &by_;
  const bool keepsSums_;
  const Term *term_ = nullptr;
  std::vector<Partial> found_;
};

bool isPlain(const Access &read) {
  return std::all_of(read.indices.begin(), read.indices.end(), [](const Index &index) { return index.isPlain(); }) &&
         variablesOf(read).size() == read.indices.size();
}

/// An access that a variable indexes, if possible one with plain indices.
const Access &indexedBy(const std::string &variable, const Expr &around, const Program &program) {
  const Access *found = nullptr;
  forEachTensor(around, program.names, [&](const Access &read) {
    for (const Index &index : read.indices)
      if (index.isPlain() && index.text == variable && (!found || (isPlain(read) && !isPlain(*found))))
        found = &read;
  });
  if (!found)
    throw std::logic_error("a variable of a sum indexes nothing: " + variable);
  return *found;
}

/// `pattern(A(i,j))`; what indexes A beside variables that have a value is looked at everywhere.
ExprPtr patternAt(const Access &indexed, const std::vector<std::string> &known, NameSource &fresh) {
  std::vector<std::string> indices, elsewhere;
  std::set<std::string> used(known.begin(), known.end());
  for (const Index &index : indexed.indices) {
    const bool isPlain = index.isPlain() && !contains(indices, index.text);
    indices.push_back(isPlain ? index.text : fresh.variable(used));
    used.insert(indices.back());
    if (!contains(known, indices.back()))
      elsewhere.push_back(indices.back());
  }
  ExprPtr stored = call(Function::Pattern, access(indexed.tensor, indices));
  if (!elsewhere.empty())
    stored = reduce(Reduction::Any, elsewhere, std::move(stored));
  return stored;
}

} // namespace

std::vector<Partial> partialsOf(Program &program, const Statement &statement, const std::set<std::string> &by,
                                bool keepsSums) {
  return Walker(program, statement, by, keepsSums).walk();
}

ExprPtr countOf(std::vector<std::string> &variables, std::vector<std::string> scope, const Expr &around,
                Program &program) {
  const Access &indexed = indexedBy(variables.front(), around, program);
  std::vector<std::string> counted;
  for (const Index &index : indexed.indices)
    if (index.isPlain() && contains(variables, index.text) && !contains(counted, index.text))
      counted.push_back(index.text);
  std::erase_if(variables, [&](const std::string &variable) { return contains(counted, variable); });
  scope.insert(scope.end(), counted.begin(), counted.end());
  ExprPtr zero = binary(BinaryOp::Mul, number(0), patternAt(indexed, scope, program.fresh));
  return reduce(Reduction::Sum, counted, binary(BinaryOp::Add, number(1), std::move(zero)));
}

ExprPtr presenceOf(const std::string &variable, const std::vector<std::string> &scope, const Expr &around,
                   Program &program) {
  return call(Function::Or, patternAt(indexedBy(variable, around, program), scope, program.fresh), truth());
}

} // namespace spc::grad
