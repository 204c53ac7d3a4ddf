// The kernel language's syntax tree, as written: no sums placed, no names resolved.
#pragma once

#include "language/declarations.h"
#include "language/function.h"
#include "language/index.h"
#include "language/operators.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spc::syntax {

using language::AssignOp;
using language::BinaryOp;
using language::ExtentDecl;
using language::ExtentSum;
using language::FillDecl;
using language::Function;
using language::Index;
using language::IndexTerm;
using language::Name;
using language::Reduction;
using language::SignatureDecl;
using language::TensorDecl;
using language::TypeDecl;

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Literal {
  double value; ///< not negative; may be infinite
  std::string spelling;
};

/// `A(i, k)`, `padded(A(i - 1, k))`, or `alpha` (no indices, no parentheses)
struct Access {
  Name tensor;
  std::vector<Index> indices;
  bool isPadded = false; ///< outside of the tensor is its fill
};

struct Negate {
  ExprPtr operand;
};

struct Binary {
  BinaryOp op;
  ExprPtr left;
  ExprPtr right;
};

/// `max(x(i), 0)`, `f32(x(i))`, `pattern(A(i,j))`, and the operators that are no arithmetic: `x(i) < 0`, `a and b`,
/// `not a`, `i % 2`
struct Call {
  Function function;
  Name name; ///< as written; the type of a cast, or a type parameter
  std::vector<ExprPtr> arguments;
};

/// `sum(j, k, e)`, `max(j, e)`
struct Reduce {
  Reduction reduction = Reduction::Sum;
  std::vector<Name> variables;
  ExprPtr body;
};

/// Parentheses are kept: whether a sum is ambiguous depends on them.
struct Paren {
  ExprPtr inner;
};

struct Expr {
  std::variant<Literal, Access, Negate, Binary, Call, Reduce, Paren> node;
  Span where;
};

/// The direct children, left to right.
std::vector<const Expr *> children(const Expr &expr);
std::vector<Expr *> children(Expr &expr);

/// `y(i) = ...`, `y(i) += ...`, `y(i) min= ...`
struct Statement {
  Access target;
  Span targetWhere;
  AssignOp op;
  ExprPtr value;
  bool isTemporary = false; ///< `let y(i) = ...`
  Span where;
};

/// A whole kernel file. Declarations may stand anywhere before, between or after statements.
struct Kernel {
  std::vector<TypeDecl> types;
  std::optional<SignatureDecl> signature;
  std::vector<TensorDecl> declarations;
  std::vector<Statement> statements;
};

} // namespace spc::syntax
