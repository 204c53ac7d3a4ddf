// The arithmetic of a term, and where it is computed.
#pragma once

#include "language/function.h"
#include "language/operators.h"
#include "sema/index.h"
#include "sema/value_type.h"

#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace spc::sema {

using OperandId = Id<struct OperandTag>; ///< into Term::operands

using language::AssignOp;
using language::BinaryOp;
using language::Function;
using language::Reduction;

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Literal {
  double value;
};
struct Use {
  OperandId operand;
};
struct Negate {
  ExprPtr operand;
};

enum class DomainKind { Everywhere, Stored, Missing, All, Any };

/// The places of its iteration space at which a term is computed: all, those where an operand stores an entry, or
/// stores none, those that all of several domains have, or that one of them has. Sparse operands that are missing at
/// such a point have their fill there.
template <typename OperandName> struct DomainOver {
  using Kind = DomainKind;
  Kind kind = Kind::Everywhere;
  OperandName operand = {};      ///< of Stored and Missing
  std::vector<DomainOver> parts; ///< of All and Any: two or more
};

/// A domain of a term, whose operands are listed.
using Domain = DomainOver<OperandId>;

struct Binary {
  BinaryOp op;
  ExprPtr left;
  ExprPtr right;
  /// Outside of this domain, in a term that has one, a missing operand decides the value whatever the others are: a
  /// factor 0, or an infinite addend.
  std::optional<Domain> domain;
  double outside = 0; ///< that value
  bool masks = false; ///< of a product: the right side compares index variables, and where it is false the value is 0,
                      ///< whatever the left one is
};

/// The value of an index variable.
struct IndexValue {
  Index index;
};
/// Arguments of a comparison have one type, those of `and`, `or`, `not` and the first of `select` are true where they
/// are not 0, those of a cast have the type that is cast from, all others that of the call.
struct Call {
  Function function;
  std::vector<ExprPtr> arguments;
  /// The same as Binary's, for a minimum or a maximum: an infinite argument decides it.
  std::optional<Domain> domain = std::nullopt;
  double outside = 0;
};

/// Arithmetic of one term. Sides have the type of what they are combined to, or where that is complex the one of its
/// parts, as has all that is computed of real numbers alone: in a product or quotient a real side multiplies or divides
/// both parts. No sums: reductions are the term's loops. In a term without a domain a sparse operand occurs
/// only as a factor or in a numerator. Both sides of a sum then have one, or neither has, and where the target is not
/// assembled and rounding need not be kept, sums of them are multiplied out; no argument of a call has one, but of a
/// cast, and where there is one, there are no index values.
struct Expr {
  std::variant<Literal, Use, IndexValue, Negate, Binary, Call> node;
  ValueType type = ValueType::F64; ///< of the value
};

inline ExprPtr makeExpr(decltype(Expr::node) node, ValueType type) {
  return std::make_unique<Expr>(Expr{std::move(node), type});
}

} // namespace spc::sema
