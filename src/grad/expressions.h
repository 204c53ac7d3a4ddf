// Trees of the language that are made here: their parts, what they read, and how they are written out. Private to this
// folder.
#pragma once

#include "syntax/ast.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace spc::grad {

using language::BinaryOp;
using language::Function;
using language::Reduction;
using syntax::Access;
using syntax::Binary;
using syntax::Call;
using syntax::Expr;
using syntax::ExprPtr;
using syntax::Index;
using syntax::Literal;
using syntax::Negate;
using syntax::Paren;
using syntax::Reduce;

/// The names of tensors: any other name without indices is that of an index variable.
using TensorNames = std::set<std::string>;

ExprPtr clone(const Expr &expr);

/// A number as few digits say it.
ExprPtr number(double value);

/// `inf`, and `true`.
ExprPtr infinity();
ExprPtr truth();

/// An index variable as an index.
Index indexOf(const std::string &variable);

/// `A(i, j)`; the value of an index variable, or a scalar, without indices.
ExprPtr access(const std::string &tensor, std::vector<Index> indices = {});
ExprPtr access(const std::string &tensor, const std::vector<std::string> &variables);

ExprPtr negate(ExprPtr operand);
ExprPtr binary(BinaryOp op, ExprPtr left, ExprPtr right);
ExprPtr call(Function function, ExprPtr operand);
ExprPtr call(Function function, ExprPtr left, ExprPtr right);
ExprPtr select(ExprPtr condition, ExprPtr chosen, ExprPtr other);
/// A conversion to i64, and one to f64.
ExprPtr wholeNumber(ExprPtr operand);
ExprPtr floatOf(ExprPtr operand);
ExprPtr reduce(Reduction reduction, const std::vector<std::string> &variables, ExprPtr body);

/// The direct parts, left to right.
std::vector<Expr *> mutableChildren(Expr &expr);

/// What parentheses stand around.
const Expr &inside(const Expr &expr);

/// The access that an expression is, of a tensor, else nullptr.
const Access *asTensor(const Expr &expr, const TensorNames &tensors);

/// Whether two expressions are written the same way.
bool isSame(const Expr &a, const Expr &b);

/// Whether an expression is the number.
bool isNumber(const Expr &expr, double value);

/// The index variables of an expression that no reduction in it binds, in order of appearance.
std::vector<std::string> freeVariables(const Expr &expr, const TensorNames &tensors);

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
