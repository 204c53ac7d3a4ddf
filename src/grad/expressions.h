// Trees of the language that are made here: their parts, what they read, and how they are written out. Private to this
// folder.
#pragma once

#include "language/function.h"
#include "language/index.h"
#include "language/operators.h"
#include "sema/value_type.h"
#include "support/source.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace spc::grad {

using language::BinaryOp;
using language::Function;
using language::Index;
using language::Reduction;

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Literal {
  double value; ///< not negative; may be infinite
  std::string spelling;
};

/// `A(i, k)`; `alpha` without indices.
struct Access {
  std::string tensor;
  std::vector<Index> indices;
};

/// The value of an index variable.
struct IndexValue {
  std::string variable;
};

struct Negate {
  ExprPtr operand;
};

struct Binary {
  BinaryOp op;
  ExprPtr left;
  ExprPtr right;
};

struct Call {
  Function function;
  std::vector<ExprPtr> arguments;
  sema::ValueType castTo = sema::ValueType::F64; ///< of a cast
  std::string typeParameter = {};                ///< that a cast is named after; empty where it is a type
};

/// Means, counts and places of extremes are reductions as any other.
struct Reduce {
  Reduction reduction;
  std::vector<std::string> variables;
  ExprPtr body;
};

struct Expr {
  std::variant<Literal, Access, IndexValue, Negate, Binary, Call, Reduce> node;
  Span where; ///< in the source text; none of what is made here
};

/// The names of some tensors.
using TensorNames = std::set<std::string>;

ExprPtr clone(const Expr &expr);
ExprPtr clone(const Call &call);

ExprPtr literal(Literal literal);

/// A number as few digits say it.
ExprPtr number(double value);

/// `inf`, and `true`.
ExprPtr infinity();
ExprPtr truth();

/// An index variable as an index.
Index indexOf(const std::string &variable);

/// `A(i, j)`; a scalar without indices.
ExprPtr access(const std::string &tensor, std::vector<Index> indices = {});
ExprPtr access(const std::string &tensor, const std::vector<std::string> &variables);

ExprPtr indexValue(const std::string &variable);

ExprPtr negate(ExprPtr operand);
ExprPtr binary(BinaryOp op, ExprPtr left, ExprPtr right);
ExprPtr call(Call call);
ExprPtr call(Function function, ExprPtr operand);
ExprPtr call(Function function, ExprPtr left, ExprPtr right);
ExprPtr select(ExprPtr condition, ExprPtr chosen, ExprPtr other);
/// A conversion to i64, and one to f64.
ExprPtr wholeNumber(ExprPtr operand);
ExprPtr floatOf(ExprPtr operand);
ExprPtr reduce(Reduction reduction, const std::vector<std::string> &variables, ExprPtr body);

/// The direct parts, left to right.
std::vector<const Expr *> children(const Expr &expr);
std::vector<Expr *> mutableChildren(Expr &expr);

/// The access that an expression is, of a tensor, else nullptr.
const Access *asTensor(const Expr &expr, const TensorNames &tensors);

/// An expression as the language writes it, with the parentheses that it needs.
std::string textOf(const Expr &expr);

/// Whether two expressions are written the same way.
bool isSame(const Expr &a, const Expr &b);

/// Whether an expression is the number.
bool isNumber(const Expr &expr, double value);

/// The index variables of an expression that no reduction in it binds, in order of appearance.
std::vector<std::string> freeVariables(const Expr &expr);

/// The index variables of an access, each once.
std::vector<std::string> variablesOf(const Access &access);

/// Whether a variable is among those.
bool contains(const std::vector<std::string> &variables, const std::string &variable);

/// Puts an index variable in the place of another one, wherever it stands.
void renameVariable(Expr &expr, const std::string &from, const std::string &to);

/// Calls `visit` for each tensor that is read, the arguments of pattern() among them.
void forEachTensor(const Expr &expr, const TensorNames &tensors, const std::function<void(const Access &)> &visit);

/// Whether some part of an expression, itself among them, is such.
bool any(const Expr &expr, const std::function<bool(const Expr &)> &holds);

} // namespace spc::grad
