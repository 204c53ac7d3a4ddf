// Expressions with their names resolved. Private to this folder.
#pragma once

#include "reference/reference.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace spc::reference {

/// An index variable of one addend.
struct Variable {
  std::string name;
  int64_t extent = -1; ///< unknown until an access says it
  int64_t at = 0;
};
using Variables = std::vector<Variable>;

/// The multiples of variables and the constant that an index is.
struct IndexSum {
  std::vector<std::pair<size_t, int64_t>> terms; ///< variable and scale
  int64_t constant = 0;
  bool isPlain = false;
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
  enum class Kind { Literal, Access, Index, Convert, Negate, Add, Subtract, Multiply, Divide, Call, Reduce };
  Kind kind = Kind::Literal;
  sema::ValueType type = sema::ValueType::F64; ///< of the value; operands of sums and products have it, too
  double literal = 0;
  const Tensor *tensor = nullptr;
  std::vector<IndexSum> indices;
  std::vector<size_t> variables; ///< of a reduction; the one of an index's value
  syntax::Reduction reduction = syntax::Reduction::Sum;
  const syntax::Call *call = nullptr;
  std::vector<NodePtr> operands;
};

/// What a whole evaluation shares.
struct Evaluation {
  double epsilon; ///< of the least precise type that is computed in
  int64_t points = 0;

  /// Counts a point. Throws Unsupported where there are too many.
  void visit() {
    if (++points > kMostPoints)
      throw Unsupported(kTooMany);
  }

  static constexpr const char *kTooMany = "visit more than 10^8 points";
};

/// Resolves the names of one addend: variables that nothing binds are those of the whole addend.
class Resolver {
public:
  Resolver(const Tensors &tensors, const Types &types, Variables &variables)
      : tensors_(tensors), types_(types), variables_(variables) {}

  /// `type`: the one in which the expression is computed.
  NodePtr resolve(const syntax::Expr &expr, sema::ValueType type);
  /// The variable of that name, which is made where there is none.
  size_t lookUp(const std::string &name);

private:
  NodePtr node(const syntax::Literal &literal, sema::ValueType type);
  NodePtr node(const syntax::Access &access, sema::ValueType type);
  NodePtr node(const syntax::Negate &negate, sema::ValueType type);
  NodePtr node(const syntax::Binary &binary, sema::ValueType type);
  NodePtr node(const syntax::Call &call, sema::ValueType type);
  NodePtr node(const syntax::Reduce &reduce, sema::ValueType type);
  NodePtr node(const syntax::Paren &paren, sema::ValueType type) { return resolve(*paren.inner, type); }

  const Tensors &tensors_;
  const Types &types_;
  Variables &variables_;
  std::map<std::string, size_t> scope_;
};

/// The type of an expression's value by itself: the widest of its operands. nullopt where only literals are.
std::optional<sema::ValueType> typeOf(const syntax::Expr &expr, const Tensors &tensors, const Types &types);

/// The place of an access in its tensor. Throws std::out_of_range outside of it.
int64_t placeOf(const Node &access, const Variables &variables);

/// The value of an expression where its variables are.
Value valueOf(const Node &node, Variables &variables, Evaluation &evaluation);

/// What a function makes of its arguments, which have the types `from`; `type` is that of the result.
Value callOf(syntax::Function function, const std::vector<Value> &values, const std::vector<sema::ValueType> &from,
             sema::ValueType type, double epsilon);

/// Arithmetic in a type. Integers wrap around; to bools + is or, and * is and.
Value sumOf(const Value &a, const Value &b, sema::ValueType type, double epsilon, bool subtracts = false);
Value productOf(const Value &a, const Value &b, sema::ValueType type, double epsilon);
Value quotientOf(const Value &a, const Value &b, double epsilon);
Value negated(const Value &value, sema::ValueType type);

/// The lesser or the greater of two; NaN where one is.
Value betterOf(const Value &a, const Value &b, sema::ValueType type, bool isGreater);

/// Whether all is exact in a type: of integers and bools.
inline bool isExact(sema::ValueType type) {
  return epsilonOf(type) == 0;
}

/// A number of `type`; what an integer type does not reach is its end.
Value numberIn(sema::ValueType type, double number);

/// The value that has these bits in an integer type, or as a bool that of any but 0. `isCertain`: else it may be any.
Value wrapped(sema::ValueType type, uint64_t bits, bool isCertain);

/// The value in another type, as conversions make it.
Value converted(const Value &value, sema::ValueType from, sema::ValueType to);

/// Whether a number is not 0, as a bool.
Value truthOf(const Value &value);

/// The largest number of a float type: what is beyond may be an infinity.
double largestOf(sema::ValueType type);

} // namespace spc::reference
