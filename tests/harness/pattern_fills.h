// What expressions are where sparse tensors have no entries: a part of the pattern evaluator.
#pragma once

#include "harness/expression_types.h"
#include "harness/pattern_evaluator.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace spc::testing {

/// Of one statement, which it refers to. `tensors`: as they are before it.
class StatementFills {
public:
  StatementFills(const syntax::Statement &statement, const PatternMap &tensors);

  bool isSparse(const syntax::Access &access) const;

  /// The same of an access where it stands: within a call one at other indices than plain ones is a number.
  bool isSparseIn(const syntax::Expr &access) const;

  /// What an expression is where all sparse tensors miss their entries, if that is one number.
  std::optional<double> fillOf(const syntax::Expr &expr) const {
    return remembered(fills_, expr, [&] { return findFill(expr); });
  }

  bool readsSparse(const syntax::Expr &expr) const {
    return remembered(readers_, expr, [&] { return findSparse(expr); });
  }

  /// Whether an expression compares two values of index variables for equality: it has an entry where they are equal.
  bool isTie(const syntax::Expr &expr) const {
    return remembered(ties_, expr, [&] { return findTie(expr); });
  }

  /// Whether an expression has a value at every point, be it one that no entry makes.
  bool isEverywhere(const syntax::Expr &expr) const { return hasCalls(expr) || argued_.contains(&expr); }

  /// The type in which a part of the statement is computed.
  sema::ValueType typeOf(const syntax::Expr &expr) const { return types_.at(&expr); }

  /// The operator of an expression, a sum where it is a call that is one in its type.
  std::optional<language::BinaryOp> operatorOf(const syntax::Expr &expr) const;

  /// The call that an expression is, unless it is a sum; else nullptr.
  const syntax::Call *callIn(const syntax::Expr &expr) const;

  /// The body of a sum that is missing where nothing was summed. One that a function is called with is everywhere.
  const syntax::Expr *missingSum(const syntax::Expr &expr) const;

private:
  /// What was found of an expression: it is asked again at each element.
  template <typename Fact> using Facts = std::unordered_map<const syntax::Expr *, Fact>;
  template <typename Fact, typename Find>
  static Fact remembered(Facts<Fact> &facts, const syntax::Expr &expr, const Find &find) {
    const auto known = facts.find(&expr);
    return known != facts.end() ? known->second : facts.insert_or_assign(&expr, find()).first->second;
  }
  std::optional<double> findFill(const syntax::Expr &expr) const;
  bool findSparse(const syntax::Expr &expr) const;
  bool findTie(const syntax::Expr &expr) const;
  bool findCalls(const syntax::Expr &expr) const;
  bool isOfIndices(const syntax::Expr &expr, bool &hasIndex) const;
  evaluator::TensorTypes tensorTypes() const;
  bool hasCalls(const syntax::Expr &expr) const {
    return remembered(callers_, expr, [&] { return findCalls(expr); });
  }
  bool readsFill(const syntax::Expr &expr) const;
  void noteParts(const syntax::Expr &expr, bool isArgument, sema::ValueType type);

  const PatternMap &tensors_;
  bool lists_ = false; ///< sums within calls have values where they have entries alone
  std::unordered_map<const syntax::Expr *, sema::ValueType> types_;
  mutable Facts<bool> ties_, readers_, callers_;
  mutable Facts<std::optional<double>> fills_;
  std::set<const syntax::Expr *> argued_; ///< what stands inside of calls, or has a value where nothing is stored
};

/// An expression without parentheses around it.
const syntax::Expr &bare(const syntax::Expr &expr);

/// A of `pattern(A)`, else nullptr.
const syntax::Access *maskOf(const syntax::Expr &expr);

/// A of `not pattern(A)`, else nullptr.
const syntax::Access *complementOf(const syntax::Expr &expr);

/// Whether an addend is a sum, or has a factor that is one, of which something holds.
bool hasSum(const syntax::Expr &addend, const std::function<bool(const syntax::Reduce &)> &holds);

/// Whether an argument that is missing leaves the others of a function no say: of `and`, `or`, `min`, `max` and the
/// sums that absorb in a type.
bool settles(language::Function function, size_t argument, double fill, sema::ValueType type);

/// The value of a call that some argument's fill settles, else nullopt.
std::optional<double> settledBy(const syntax::Call &call, const std::vector<std::optional<double>> &fills,
                                sema::ValueType type);

} // namespace spc::testing
