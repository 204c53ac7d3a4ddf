// Expressions with their names resolved. Private to this folder.
#pragma once

#include "reference/reference.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spc::reference {

using sema::VariableId;

/// An index variable of a statement.
struct Variable {
  std::string name;
  int64_t extent = -1; ///< -1: nothing says it
  int64_t at = 0;
};
using Variables = IdVector<VariableId, Variable>;

/// The multiples of variables and the constant that an index is.
struct IndexSum {
  std::vector<sema::Variable::Multiple> terms;
  int64_t constant = 0;
};

struct Node;
class Ranks;
using NodePtr = std::unique_ptr<Node>;

struct Node {
  enum class Kind { Literal, Access, Index, Convert, Cast, Negate, Sum, Product, Divide, Call, Reduce };
  Kind kind = Kind::Literal;
  sema::ValueType type = sema::ValueType::F64; ///< of the value; operands of sums and products have it, too
  double literal = 0;
  const Tensor *tensor = nullptr;
  std::vector<IndexSum> indices;
  std::vector<VariableId> variables; ///< of a reduction; the one of an index's value
  std::optional<VariableId> rank;    ///< of a ranking
  language::Reduction reduction = language::Reduction::Sum;
  language::Function function = language::Function::Cast; ///< of a call
  std::vector<NodePtr> operands;
  std::vector<bool> isSubtracted; ///< of a sum, by operand

  // The findings of settle().
  bool isOneTerm = false;    ///< it is part of what is computed at once, in a function or a reduction other than a sum
  bool isNumber = false;     ///< of a sum over indices: it is one as any other, that of nothing a 0
  bool readsSparse = false;  ///< entries of a sparse tensor
  int sums = 0;              ///< factors of it that are sum(...), or sums with sparse operands
  std::optional<Value> fill; ///< what it is where all sparse tensors miss their entries, if that is one value

  mutable std::shared_ptr<const Ranks> ranks; ///< of a ranking: the row that was ranked last
  const Value *joined = nullptr;              ///< of an access whose entries are gone through: the present one
};

/// The state of a whole evaluation.
struct Evaluation {
  int64_t points = 0;
  double sumEpsilon = 0; ///< of the type that a statement's terms are added up in, where a sum may be one with them

  /// Counts a point. Throws Unsupported where there are too many.
  void visit() {
    if (++points > kMostPoints)
      throw Unsupported(kTooMany);
  }

  static constexpr const char *kTooMany = "visit more than 10^8 points";
};

/// Makes nodes of a statement's tree, in which each part has the type that it is computed in.
class Resolver {
public:
  Resolver(const sema::Program &program, const sema::Scope &scope, const Tensors &tensors)
      : program_(program), scope_(scope), tensors_(tensors) {}

  /// `type`: the one in which the expression is computed.
  NodePtr resolve(const sema::Node &expr, sema::ValueType type) const;
  NodePtr access(const sema::Access &access, sema::ValueType type) const;

private:
  NodePtr node(const sema::NumberNode &number, sema::ValueType type) const;
  NodePtr node(const sema::AccessNode &use, sema::ValueType type) const;
  NodePtr node(const sema::IndexNode &index, sema::ValueType type) const;
  NodePtr node(const sema::NegateNode &negate, sema::ValueType type) const;
  NodePtr node(const sema::BinaryNode &binary, sema::ValueType type) const;
  NodePtr node(const sema::CallNode &call, sema::ValueType type) const;
  NodePtr node(const sema::ReduceNode &reduce, sema::ValueType type) const;
  NodePtr reduced(language::Reduction reduction, const std::vector<VariableId> &variables, const sema::Node &body,
                  sema::ValueType type) const;

  const sema::Program &program_;
  const sema::Scope &scope_;
  const Tensors &tensors_;
};

/// Whether an access has variables for indices, each once. At others a sparse tensor is read as if it were dense.
bool isPlain(const Node &access);

/// Finds out of an expression and its parts what they are where entries are missing. `isOneTerm`: it is computed at
/// once; `isNumber`: a sum in it is a number as any other, that of nothing, too; `isCalled`: it is a function's
/// argument.
void settle(Node &node, bool isOneTerm, bool isNumber, bool isCalled);

/// Whether a sum, a product, a quotient or a call is what missing entries make of it, its operands being these.
bool isMissing(const Node &node, const std::vector<Value> &operands);

/// Whether that is `not pattern(A)`, which a sparse A has values for where it has no entry.
bool isComplement(const Node &node);

/// Whether missing entries are no zeros in something that an expression reads values of.
bool readsFill(const Node &node);

/// Whether a node compares what index variables are, or joins such comparisons and patterns: where it is false, it is
/// missing.
bool isIndexMask(const Node &node);

/// Whether a value is a 0 that no entry makes.
bool isNothing(const Value &value);

/// The place of an access in its tensor. Throws Unsupported outside of it.
int64_t placeOf(const Node &access, const Variables &variables);

/// The value of an expression where its variables are. `isWritten`: it is a factor beside other sums, which are not
/// multiplied out then.
Value valueOf(const Node &node, Variables &variables, Evaluation &evaluation, bool isWritten = false);

/// Throws Unsupported where a product or a quotient of these operands may be a NaN for padding: zeros that pad a format
/// are factors as any other, which the order of factors, divisors and sums decides, where others are infinite or NaNs.
void refusePadding(const Node &node, const std::vector<Value> &operands, Variables &variables, Evaluation &evaluation);

/// The result of a function, whose arguments have the types `from`; `type` is its own.
Value callOf(language::Function function, const std::vector<Value> &values, const std::vector<sema::ValueType> &from,
             sema::ValueType type);

/// Arithmetic in a type. Integers wrap around; to bools + is or, and * is and.
Value productOf(const Value &a, const Value &b, sema::ValueType type);
Value quotientOf(const Value &a, const Value &b, sema::ValueType type);
Value negated(const Value &value, sema::ValueType type);

/// Adds up values of a type, in any order.
class Adder {
public:
  explicit Adder(sema::ValueType type);

  void add(const Value &value, bool isNegated = false);
  /// The sum so far; `epsilon` is the relative rounding error of the type that it is held in.
  Value total(double epsilon) const;
  /// How many values.
  double count() const { return count_; }

private:
  sema::ValueType type_;
  Value sum_;
  double count_ = 0;
};

/// The lesser or the greater of two; NaN where one is.
Value betterOf(const Value &a, const Value &b, sema::ValueType type, bool isGreater);

/// Whether all is exact in a type: of integers and bools.
inline bool isExact(sema::ValueType type) {
  return epsilonOf(type) == 0;
}

/// A number of `type`; what an integer type does not reach is its end.
Value numberIn(sema::ValueType type, double number);

/// Whether two values of a type are equal.
bool isSame(const Value &a, const Value &b, sema::ValueType type);

/// A number as a tensor's element holds it.
Value elementOf(sema::ValueType type, tensor::Number number);

/// The value that has these bits in an integer type, or as a bool that of any but 0. `isCertain`: else it may be any.
Value wrapped(sema::ValueType type, uint64_t bits, bool isCertain);

/// The value in another type. Nothing is said about what is rounded on the way, and when.
Value converted(const Value &value, sema::ValueType from, sema::ValueType to);

/// The result of a conversion that is written, which rounds there and then.
Value castTo(const Value &value, sema::ValueType from, sema::ValueType to);

/// Whether a number is not 0, as a bool.
Value truthOf(const Value &value);

/// Whether an integer or a bool is one number.
bool isCertain(const Value &value);

/// A float that an operation in a type has made, with what happens beyond the ends of the type. `isSound`: an infinity
/// or a NaN is what its operands make, so that it is certain.
Value checked(Value value, sema::ValueType type, bool isSound);

/// The largest number of a float type: what is beyond may be an infinity.
double largestOf(sema::ValueType type);

/// How far the numbers next to 0 are apart.
double spacingOf(sema::ValueType type);

} // namespace spc::reference
