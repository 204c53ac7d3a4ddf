// What expressions are where sparse tensors have no entries: a part of the pattern evaluator.
#pragma once

#include "harness/pattern_evaluator.h"

#include <optional>
#include <set>

namespace spc::testing {

/// Of one statement, which it refers to. `tensors`: as they are before it.
class StatementFills {
public:
  StatementFills(const syntax::Statement &statement, const PatternMap &tensors);

  bool isSparse(const syntax::Access &access) const;

  /// What an expression is where all sparse tensors miss their entries, if that is one number.
  std::optional<double> fillOf(const syntax::Expr &expr) const;

  bool readsSparse(const syntax::Expr &expr) const;

  /// Whether an expression has a value at every point, be it one that no entry makes.
  bool isEverywhere(const syntax::Expr &expr) const { return hasCalls(expr) || argued_.contains(&expr); }

  /// The body of a sum that is missing where nothing was summed. One that a function is called with is everywhere.
  const syntax::Expr *missingSum(const syntax::Expr &expr) const;

private:
  bool hasCalls(const syntax::Expr &expr) const;
  bool readsFill(const syntax::Expr &expr) const;
  void noteArguments(const syntax::Expr &expr, bool isArgument);

  const PatternMap &tensors_;
  std::set<const syntax::Expr *> argued_; ///< what stands inside of calls, or has a value where nothing is stored
};

/// An expression without parentheses around it.
const syntax::Expr &bare(const syntax::Expr &expr);

/// A of `pattern(A)`, else nullptr.
const syntax::Access *maskOf(const syntax::Expr &expr);

/// A of `not pattern(A)`, else nullptr.
const syntax::Access *complementOf(const syntax::Expr &expr);

/// Whether an argument that is missing leaves the others of a function no say: of `and`, `or`, `min` and `max`.
bool settles(syntax::Function function, double fill);

/// The value of a call that some argument's fill settles, else nullopt.
std::optional<double> settledBy(const syntax::Call &call, const std::vector<std::optional<double>> &fills);

} // namespace spc::testing
