#include "support/pattern_evaluator.h"

#include <functional>
#include <optional>
#include <set>
#include <stdexcept>

namespace spc::testing {
namespace {

using syntax::Expr;

/// Values of index variables.
using Point = std::map<std::string, int64_t>;
using Extents = std::map<std::string, int64_t>;

/// The addends of a right side, parentheses at the top opened. Signs do not matter here.
void collectAddends(const Expr &expr, std::vector<const Expr *> &addends) {
  if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
    return collectAddends(*paren->inner, addends);
  if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
    return collectAddends(*negate->operand, addends);
  const auto *binary = std::get_if<syntax::Binary>(&expr.node);
  if (!binary || binary->op == syntax::BinaryOp::Mul || binary->op == syntax::BinaryOp::Div) {
    addends.push_back(&expr);
    return;
  }
  collectAddends(*binary->left, addends);
  collectAddends(*binary->right, addends);
}

class StatementPattern {
public:
  StatementPattern(const syntax::Statement &statement, PatternMap &patterns)
      : statement_(statement), patterns_(patterns), before_(patterns) {}

  void run() {
    Pattern &target = patterns_.at(statement_.target.tensor.text);
    if (target.kind != Pattern::Kind::Assembled)
      return;
    std::vector<const Expr *> addends;
    collectAddends(*statement_.value, addends);
    std::set<std::string> own;
    for (const syntax::Name &index : statement_.target.indices)
      own.insert(index.text);
    Point point;
    const auto visitElement = [&] {
      uint8_t &stored = target.stored[static_cast<size_t>(elementOf(statement_.target, point))];
      bool isStored = statement_.op == syntax::AssignOp::Add && stored != 0;
      for (const Expr *addend : addends)
        isStored = isStored || holdsSomewhere(*addend, own, point);
      stored = isStored ? 1 : 0;
      return false;
    };
    Extents loops;
    addExtents(statement_.target, loops);
    anyPoint(loops, point, visitElement);
  }

private:
  /// Whether `visit` says so for some values of the loops' variables; stops at the first.
  static bool anyPoint(const Extents &loops, Point &point, const std::function<bool()> &visit) {
    return anyFrom(loops.begin(), loops.end(), point, visit);
  }

  static bool anyFrom(Extents::const_iterator loop, Extents::const_iterator end, Point &point,
                      const std::function<bool()> &visit) {
    if (loop == end)
      return visit();
    const auto outer = point.find(loop->first);
    const std::optional<int64_t> shadowed = outer == point.end() ? std::nullopt : std::optional(outer->second);
    int64_t &at = point[loop->first];
    bool isFound = false;
    for (at = 0; !isFound && at < loop->second; ++at)
      isFound = anyFrom(std::next(loop), end, point, visit);
    at = shadowed.value_or(0);
    return isFound;
  }

  /// Of an addend: its variables that neither the target has nor an inner sum binds range freely.
  bool holdsSomewhere(const Expr &addend, const std::set<std::string> &bound, const Point &outer) {
    Extents loops;
    collectExtents(addend, bound, loops);
    Point point = outer;
    return anyPoint(loops, point, [&] { return holds(addend, point); });
  }

  bool holds(const Expr &expr, const Point &point) {
    return std::visit([&](const auto &node) { return holdsAt(node, point); }, expr.node);
  }
  bool holdsAt(const syntax::Literal &, const Point &) { return true; }
  bool holdsAt(const syntax::Paren &paren, const Point &point) { return holds(*paren.inner, point); }
  bool holdsAt(const syntax::Negate &negate, const Point &point) { return holds(*negate.operand, point); }
  bool holdsAt(const syntax::Access &access, const Point &point) {
    return before_.at(access.tensor.text).isStored(elementOf(access, point));
  }
  bool holdsAt(const syntax::Binary &binary, const Point &point) {
    switch (binary.op) {
    case syntax::BinaryOp::Add:
    case syntax::BinaryOp::Sub:
      return holds(*binary.left, point) || holds(*binary.right, point);
    case syntax::BinaryOp::Mul:
      return holds(*binary.left, point) && holds(*binary.right, point);
    case syntax::BinaryOp::Div:
      return holds(*binary.left, point);
    }
    return false;
  }
  bool holdsAt(const syntax::Sum &sum, const Point &outer) {
    Extents all, loops;
    collectExtents(*sum.body, {}, all);
    for (const syntax::Name &variable : sum.variables)
      loops[variable.text] = all.at(variable.text);
    Point point = outer;
    return anyPoint(loops, point, [&] { return holds(*sum.body, point); });
  }

  int64_t elementOf(const syntax::Access &access, const Point &point) const {
    const std::vector<int64_t> &shape = before_.at(access.tensor.text).shape;
    int64_t element = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      element = element * shape[dim] + point.at(access.indices[dim].text);
    return element;
  }

  void addExtents(const syntax::Access &access, Extents &extents) const {
    const std::vector<int64_t> &shape = before_.at(access.tensor.text).shape;
    if (shape.size() != access.indices.size())
      throw std::out_of_range("another order");
    for (size_t dim = 0; dim < shape.size(); ++dim)
      extents[access.indices[dim].text] = shape[dim];
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
  void collect(const syntax::Sum &sum, std::set<std::string> bound, Extents &extents) const {
    for (const syntax::Name &variable : sum.variables)
      bound.insert(variable.text);
    collectExtents(*sum.body, bound, extents);
  }
  void collect(const syntax::Access &access, const std::set<std::string> &bound, Extents &extents) const {
    Extents own;
    addExtents(access, own);
    for (const auto &[variable, extent] : own)
      if (!bound.contains(variable))
        extents[variable] = extent;
  }

  const syntax::Statement &statement_;
  PatternMap &patterns_;
  const PatternMap before_; ///< a target that is read is read as it was
};

} // namespace

std::string evaluatePatterns(const syntax::Kernel &kernel, PatternMap &patterns) {
  try {
    for (const syntax::Statement &statement : kernel.statements)
      StatementPattern(statement, patterns).run();
    return {};
  } catch (const std::out_of_range &) {
    return "a tensor is unknown, or has another order than it is used with";
  }
}

} // namespace spc::testing
