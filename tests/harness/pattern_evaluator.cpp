#include "harness/pattern_evaluator.h"

#include "harness/dense_nodes.h"
#include "harness/number_types.h"
#include "harness/pattern_fills.h"
#include "harness/pattern_places.h"
#include "harness/taken_in.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace spc::testing {
namespace {

using syntax::Expr;

using Extents = std::map<std::string, int64_t>;

/// The addends of a right side, parentheses at the top opened. Signs do not matter here.
void collectAddends(const Expr &expr, std::vector<const Expr *> &addends) {
  if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
    return collectAddends(*paren->inner, addends);
  if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
    return collectAddends(*negate->operand, addends);
  const auto *binary = std::get_if<syntax::Binary>(&expr.node);
  if (!binary || binary->op == language::BinaryOp::Mul || binary->op == language::BinaryOp::Div) {
    addends.push_back(&expr);
    return;
  }
  collectAddends(*binary->left, addends);
  collectAddends(*binary->right, addends);
}

class StatementPattern {
public:
  StatementPattern(const syntax::Statement &statement, PatternMap &patterns, bool isWide)
      : statement_(statement), patterns_(patterns), isWide_(isWide), before_(withPadding(patterns)),
        fills_(statement, before_), places_(statement, before_) {
    evaluator::noteWindows(*statement.value, windows_);
    collectExtents(*statement.value, {}, anywhere_);
  }

  void run() {
    Pattern &target = patterns_.at(statement_.target.tensor.text);
    if (target.kind != Pattern::Kind::Assembled)
      return;
    target.isWritten = true;
    target.entries.clear();
    std::vector<const Expr *> addends;
    collectAddends(*statement_.value, addends);
    std::set<std::string> own;
    for (const syntax::Name &index : statement_.target.indices)
      own.insert(index.text);
    Point point = places_.nowhere();
    const auto visitElement = [&] {
      const int64_t element = places_.elementOf(statement_.target, point);
      bool isStored = statement_.op == language::AssignOp::Add && places_.tensorOf(statement_.target).isStored(element);
      if (const auto takesIn = evaluator::takenInBy(statement_.op))
        isStored = isTakenIn(*takesIn, own, point);
      else if (isWhole(target) && statement_.op == language::AssignOp::Add)
        isStored |= !(std::isinf(target.fill) && !sema::isInteger(target.type)) && addsSomewhere(addends, own, point);
      else if (isWhole(target)) // and overwritten
        isStored = makesOther(target) || differs(*statement_.value, point);
      const bool hasAddends = !isWhole(target) && !evaluator::takenInBy(statement_.op);
      for (const Expr *addend : hasAddends ? addends : std::vector<const Expr *>())
        isStored = isStored || holdsSomewhere(*addend, own, point);
      target.stored[static_cast<size_t>(element)] = isStored ? 1 : 0;
      return false;
    };
    Extents loops;
    addExtents(statement_.target, loops);
    anyPoint(places_.loops(loops), point, visitElement);
    target.masks.push_back(target.stored);
  }

private:
  static PatternMap withPadding(PatternMap patterns) {
    for (auto &[name, pattern] : patterns)
      if (pattern.isWritten && pattern.pad) {
        pattern.entries = pattern.stored;
        pattern.pad(pattern.stored);
      }
    return patterns;
  }

  bool addsSomewhere(const std::vector<const Expr *> &addends, const std::set<std::string> &own, const Point &point) {
    return std::any_of(addends.begin(), addends.end(),
                       [&](const Expr *addend) { return holdsSomewhere(*addend, own, point); });
  }

  bool isTakenIn(language::Reduction kind, const std::set<std::string> &own, const Point &outer) {
    const Pattern &target = before_.at(statement_.target.tensor.text);
    const Expr *value = statement_.value.get();
    Extents loops;
    const auto *inner = std::get_if<syntax::Reduce>(&bare(*value).node);
    if (inner && inner->reduction == kind && (!sema::isInteger(target.type) || fills_.typeOf(*value) == target.type))
      value = inner->body.get();
    collectExtents(*value, own, loops);
    Point point = outer;
    return isStoredAfter(
        {kind, target.type, target.fill, target.isStored(places_.elementOf(statement_.target, outer)),
         fills_.typeOf(*value),
         loops.empty() || indexesSome(*value, statement_.target.indices) ? fills_.fillOf(*value) : std::nullopt,
         !loops.empty(), anyPoint(places_.loops(loops), point, [&] { return mayDiffer(*value, point); })});
  }

  /// Whether the target's missing elements are no zeros, or its value is a reduction other than a sum.
  bool isWhole(const Pattern &target) const {
    const auto *reduction = std::get_if<syntax::Reduce>(&bare(*statement_.value).node);
    return target.fill != 0 ||
           (statement_.op == language::AssignOp::Assign && reduction &&
            reduction->reduction != language::Reduction::Sum && reduction->reduction <= language::Reduction::All);
  }

  /// Whether the value of missing entries is another one than the target's: all of it is stored.
  bool makesOther(const Pattern &target) const {
    const std::optional<double> fill = fills_.fillOf(*statement_.value);
    return target.fill != 0 && fill && fill != target.fill;
  }

  /// Whether a value may differ from what it is where all entries are missing.
  bool differs(const Expr &value, const Point &outer) {
    const auto *reduction = std::get_if<syntax::Reduce>(&bare(value).node);
    return reduction ? !isNeutral(*reduction) || differsInRange(*reduction, outer) : mayDiffer(value, outer);
  }

  /// Whether a reduction of missing entries is what a reduction of nothing is.
  bool isNeutral(const syntax::Reduce &reduction) const {
    using language::Reduction;
    const std::optional<double> fill = fills_.fillOf(*reduction.body);
    if (reduction.reduction == Reduction::Min || reduction.reduction == Reduction::Max)
      return fill == endOf(fills_.typeOf(*reduction.body), reduction.reduction == Reduction::Max);
    return fill == (reduction.reduction == Reduction::Any ? 0.0 : 1.0);
  }

  bool differsInRange(const syntax::Reduce &reduction, const Point &outer) {
    Point point = outer;
    return anyPoint(loopsOf(reduction), point, [&] { return mayDiffer(*reduction.body, point); });
  }

  /// Of a reduction's variables.
  const Loops &loopsOf(const syntax::Reduce &reduction) {
    const auto [place, isNew] = loops_.try_emplace(&reduction);
    if (isNew) {
      Extents all, loops;
      collectExtents(*reduction.body, {}, all);
      for (const syntax::Name &variable : reduction.variables)
        loops[variable.text] = all.at(variable.text);
      place->second = places_.loops(loops);
    }
    return place->second;
  }

  /// Whether `visit` says so for some values of the loops' variables; stops at the first.
  static bool anyPoint(const Loops &loops, Point &point, const std::function<bool()> &visit, size_t depth = 0) {
    if (depth == loops.size())
      return visit();
    const auto [variable, extent] = loops[depth];
    int64_t &at = point[static_cast<size_t>(variable)];
    const int64_t shadowed = at;
    bool isFound = false;
    for (at = 0; !isFound && at < extent; ++at)
      isFound = anyPoint(loops, point, visit, depth + 1);
    at = shadowed;
    return isFound;
  }

  /// Of an addend: its variables that neither the target has nor an inner sum binds range freely.
  bool isOverNothing(const syntax::Reduce &sum) {
    const Loops &loops = loopsOf(sum);
    return std::any_of(loops.begin(), loops.end(), [](const auto &loop) { return loop.second == 0; });
  }

  bool holdsSomewhere(const Expr &addend, const std::set<std::string> &bound, const Point &outer) {
    const auto [place, isNew] = free_.try_emplace(&addend);
    if (isNew) {
      Extents extents;
      collectExtents(addend, bound, extents);
      place->second = places_.loops(extents);
    }
    const Loops &loops = place->second;
    Point point = outer;
    if (hasSum(addend, [&](const syntax::Reduce &sum) { return isOverNothing(sum); }))
      return false;
    const bool isDense = fills_.isEverywhere(addend) && !fills_.readsSparse(addend);
    return anyPoint(loops, point, [&] { return isDense || holdsAsAddend(addend, point); });
  }

  /// A choice that is 0 but where index variables are equal has entries where they are.
  bool holdsAsAddend(const Expr &expr, const Point &point) {
    const auto *choice = std::get_if<syntax::Call>(&bare(expr).node);
    if (choice && choice->function == language::Function::Select && fills_.isTie(*choice->arguments[0]))
      if (const auto *otherwise = std::get_if<syntax::Literal>(&bare(*choice->arguments[2]).node);
          otherwise && otherwise->value == 0)
        return areEqual(*choice->arguments[0], point) && holds(*choice->arguments[1], point);
    return holds(expr, point);
  }

  /// Whether an expression has a value at a point. One with calls has, unless it is 0 because entries are missing.
  bool holds(const Expr &expr, const Point &point) {
    if (fills_.isTie(expr))
      return areEqual(expr, point);
    if (fills_.isEverywhere(expr))
      return fills_.fillOf(expr).value_or(1) != 0 || mayDiffer(expr, point);
    if (const auto *sum = std::get_if<syntax::Call>(&expr.node); sum && !fills_.callIn(expr))
      return holds(*sum->arguments[0], point) || holds(*sum->arguments[1], point);
    return std::visit([&](const auto &node) { return holdsAt(node, point); }, expr.node);
  }
  bool holdsAt(const syntax::Literal &, const Point &) { return true; }
  bool holdsAt(const syntax::Paren &paren, const Point &point) { return holds(*paren.inner, point); }
  bool holdsAt(const syntax::Negate &negate, const Point &point) { return holds(*negate.operand, point); }
  bool holdsAt(const syntax::Access &access, const Point &point) {
    return isIndexValue(access) || places_.tensorOf(access).fill != 0 || hasEntry(access, point);
  }
  /// The name of an index variable stands for its value.
  bool isIndexValue(const syntax::Access &access) const {
    return access.indices.empty() && !before_.contains(access.tensor.text);
  }
  bool hasEntry(const syntax::Access &access, const Point &point) const {
    return places_.tensorOf(access).isStored(places_.elementOf(access, point));
  }
  bool holdsAt(const syntax::Call &, const Point &) { return true; }
  bool holdsAt(const syntax::Binary &binary, const Point &point) {
    switch (binary.op) {
    case language::BinaryOp::Add:
    case language::BinaryOp::Sub:
      return holds(*binary.left, point) || holds(*binary.right, point);
    case language::BinaryOp::Mul:
      return holds(*binary.left, point) && holds(*binary.right, point);
    case language::BinaryOp::Div:
      return holds(*binary.left, point);
    }
    return false;
  }
  bool holdsAt(const syntax::Reduce &sum, const Point &outer) {
    if (sum.reduction != language::Reduction::Sum && sum.reduction != language::Reduction::Mean &&
        sum.reduction != language::Reduction::Count)
      return true;
    Point point = outer;
    return anyPoint(loopsOf(sum), point, [&] { return holdsAsAddend(*sum.body, point); });
  }

  /// Whether one of several expressions may differ from its fill.
  bool anyMayDiffer(const std::vector<const Expr *> &parts, const Point &point) {
    const auto sparse =
        std::count_if(parts.begin(), parts.end(), [&](const Expr *e) { return fills_.readsSparse(*e); });
    const int unions = std::exchange(unions_, unions_ + (sparse > 1 ? 1 : 0));
    const bool may = std::any_of(parts.begin(), parts.end(), [&](const Expr *part) { return mayDiffer(*part, point); });
    unions_ = unions;
    return may;
  }

  /// Whether an expression may differ from its fill at a point.
  bool mayDiffer(const Expr &expr, const Point &point) {
    if (fills_.isTie(expr))
      return areEqual(expr, point);
    if (const auto *mask = maskOf(expr))
      return !fills_.isSparse(*mask) || places_.tensorOf(*mask).isEntry(places_.elementOf(*mask, point));
    if (const auto *mask = complementOf(expr))
      return !fills_.isSparse(*mask) || (isWide_ && unions_ > 0) ||
             !places_.tensorOf(*mask).isEntry(places_.elementOf(*mask, point));
    if (const auto *access = std::get_if<syntax::Access>(&expr.node))
      return !fills_.isSparseIn(expr) || hasEntry(*access, point);
    if (fills_.missingSum(expr))
      return differsInRange(std::get<syntax::Reduce>(expr.node), point);
    std::vector<const Expr *> parts = syntax::children(expr);
    const auto differs = [&](const Expr *part) { return mayDiffer(*part, point); };
    const auto fill = [&](size_t k) { return fills_.fillOf(*parts[k]); };
    const syntax::Call *call = fills_.callIn(expr);
    const std::optional<language::BinaryOp> op = fills_.operatorOf(expr);
    const sema::ValueType type = fills_.typeOf(expr);
    if (std::holds_alternative<syntax::Reduce>(expr.node) || !(parts.empty() || fills_.fillOf(expr)))
      return true;
    if (call && call->function == language::Function::Select) {
      const bool isKnown = fill(0) && !fills_.isTie(*parts[0]);
      if (complementOf(*parts[0]) && !fills_.readsSparse(*parts[2]) && fill(2) && fill(1) == fill(2))
        return differs(parts[0]) && differs(parts[1]);
      return anyMayDiffer({parts[isKnown ? 0 : 1], parts[isKnown && *fill(0) != 0 ? 1 : 2]}, point);
    }
    if (op == language::BinaryOp::Div && fill(0) == 0.0)
      return differs(parts[0]);
    if (op && *op <= language::BinaryOp::Sub && !sema::isInteger(type) && evaluator::isInfinite(fills_.fillOf(expr)))
      return std::all_of(parts.begin(), parts.end(), [&](const Expr *part) {
        return !evaluator::isInfinite(fills_.fillOf(*part)) || differs(part);
      });
    const auto isSettled = [&](const Expr *part) {
      const std::optional<double> own = fills_.fillOf(*part);
      const size_t place = part == parts.front() ? 0 : 1;
      return own && (call ? settles(call->function, place, *own, type) : *own == 0);
    };
    const bool mayBeSettled = call || op == language::BinaryOp::Mul;
    if (!mayBeSettled || std::none_of(parts.begin(), parts.end(), isSettled))
      return anyMayDiffer(parts, point);
    return std::all_of(parts.begin(), parts.end(), [&](const Expr *part) { return !isSettled(part) || differs(part); });
  }

  int64_t indexOf(const Expr &expr, const Point &point) const {
    if (const auto *literal = std::get_if<syntax::Literal>(&expr.node))
      return static_cast<int64_t>(literal->value);
    if (const auto *variable = std::get_if<syntax::Access>(&expr.node))
      return places_.valueOf(*variable, point);
    if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
      return -indexOf(*negate->operand, point);
    const auto *binary = std::get_if<syntax::Binary>(&expr.node);
    if (!binary)
      return indexOf(*std::get<syntax::Paren>(expr.node).inner, point);
    const int64_t left = indexOf(*binary->left, point), right = indexOf(*binary->right, point);
    return binary->op == language::BinaryOp::Add   ? left + right
           : binary->op == language::BinaryOp::Sub ? left - right
                                                   : left * right;
  }

  bool areEqual(const Expr &tie, const Point &point) const {
    const auto &call = std::get<syntax::Call>(bare(tie).node);
    if (call.function == language::Function::And)
      return areEqual(*call.arguments[0], point) && areEqual(*call.arguments[1], point);
    return indexOf(*call.arguments[0], point) == indexOf(*call.arguments[1], point);
  }

  void addExtents(const syntax::Access &access, Extents &extents) const {
    const std::vector<int64_t> &shape = before_.at(access.tensor.text).shape;
    if (shape.size() != access.indices.size())
      throw std::out_of_range("another order");
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (access.indices[dim].isPlain() && !windows_.contains({access.tensor.text, dim}))
        extents.try_emplace(access.indices[dim].text, shape[dim]);
  }

  /// The variables of an expression that are not among `bound`.
  void collectExtents(const Expr &expr, const std::set<std::string> &bound, Extents &extents) const {
    std::visit([&](const auto &node) { collect(node, bound, extents); }, expr.node);
  }
  void collect(const syntax::Literal &, const std::set<std::string> &, Extents &) const {}
  void collect(const syntax::Paren &paren, const std::set<std::string> &bound, Extents &extents) const {
    collectExtents(*paren.inner, bound, extents);
  }
  void collect(const syntax::Negate &negate, const std::set<std::string> &bound, Extents &extents) const {
    collectExtents(*negate.operand, bound, extents);
  }
  void collect(const syntax::Binary &binary, const std::set<std::string> &bound, Extents &extents) const {
    collectExtents(*binary.left, bound, extents);
    collectExtents(*binary.right, bound, extents);
  }
  void collect(const syntax::Call &call, const std::set<std::string> &bound, Extents &extents) const {
    for (const syntax::ExprPtr &argument : call.arguments)
      collectExtents(*argument, bound, extents);
  }
  void collect(const syntax::Reduce &sum, std::set<std::string> bound, Extents &extents) const {
    for (const syntax::Name &variable : sum.variables)
      bound.insert(variable.text);
    collectExtents(*sum.body, bound, extents);
  }
  void collect(const syntax::Access &access, const std::set<std::string> &bound, Extents &extents) const {
    if (isIndexValue(access))
      return;
    Extents own;
    addExtents(access, own);
    for (const auto &[variable, extent] : own)
      if (!bound.contains(variable))
        extents[variable] = extent;
    for (const syntax::Index &index : access.indices)
      for (const syntax::IndexTerm &term : index.terms)
        if (const auto known = anywhere_.find(term.variable.text);
            known != anywhere_.end() && !bound.contains(term.variable.text))
          extents.insert(*known);
  }

  const syntax::Statement &statement_;
  PatternMap &patterns_;
  const bool isWide_;
  int unions_ = 0;          ///< around what is looked at
  const PatternMap before_; ///< a target that is read is read as it was
  const StatementFills fills_;
  const PatternPlaces places_;
  std::unordered_map<const syntax::Reduce *, Loops> loops_; ///< of its variables
  std::unordered_map<const Expr *, Loops> free_;            ///< of an addend's variables that the target lacks
  evaluator::Windows windows_;
  Extents anywhere_; ///< of variables that no reduction binds, wherever in the statement they say how far they run
};

} // namespace

std::string evaluatePatterns(const syntax::Kernel &kernel, PatternMap &patterns, bool isWide) {
  try {
    for (const syntax::Statement &statement : kernel.statements)
      StatementPattern(statement, patterns, isWide).run();
    return {};
  } catch (const std::out_of_range &) {
    return "a tensor is unknown, or has another order than it is used with";
  }
}

} // namespace spc::testing
