// Sparse targets that take values in, by `min=`, `max=` or `or=`.
#pragma once

#include "harness/dense_evaluator.h"
#include "harness/dense_nodes.h"
#include "harness/dense_values.h"
#include "language/function.h"
#include "language/index.h"
#include "sema/value_type.h"

#include <optional>

namespace spc::testing {

/// An element of such a target, and the values that it takes in.
struct TakenIn {
  language::Reduction kind;   ///< Min, Max or Any
  sema::ValueType type;       ///< the target's
  double held;                ///< its fill
  bool isHeld;                ///< it stores the element
  sema::ValueType from;       ///< the values'
  std::optional<double> fill; ///< what they are where nothing is stored, if that is one number
  bool isReduced;             ///< they are those of variables that the target lacks
  bool mayDiffer;             ///< one of them may be another number than the fill
};

/// Whether one of some index variables occurs in an expression.
bool indexesSome(const syntax::Expr &expr, const std::vector<language::Index> &variables);

/// Whether the statement stores the element.
bool isStoredAfter(const TakenIn &element);

namespace evaluator {

/// What a target of a type makes of what an element holds and of one more value.
Value taken(language::Reduction kind, sema::ValueType type, const Value &held, const Value &next);

/// An element of a target: its fill where it stores none.
Value heldBy(const DenseTensor &target, size_t at);

/// Notes whether a target stores an element, which one that keeps its structure does not decide.
void keep(DenseTensor &target, size_t at, bool hasEntry);

/// Stores what a statement that takes values in makes of an element. `result`: stored where one of the values may
/// differ from their fill.
void storeTaken(language::Reduction takesIn, DenseTensor &target, size_t at, const Term &term, const Value &result);

/// Makes `y(i) min= min(k, e)` take in e for each k, where conversions to the target's type change no order. One value
/// that all elements take in has no fill.
void unwrap(language::Reduction takesIn, sema::ValueType type, const syntax::Statement &statement, Term &term);

} // namespace evaluator
} // namespace spc::testing
