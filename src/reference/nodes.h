// Expressions with their names resolved. Private to this folder.
#pragma once

#include "reference/reference.h"

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
  enum class Kind { Literal, Access, Index, Negate, Add, Subtract, Multiply, Divide, Call, Reduce };
  Kind kind = Kind::Literal;
  double literal = 0;
  const Tensor *tensor = nullptr;
  std::vector<IndexSum> indices;
  std::vector<size_t> variables; ///< of a reduction; the one of an index's value
  syntax::Reduction reduction = syntax::Reduction::Sum;
  const syntax::Call *call = nullptr;
  std::vector<NodePtr> operands;
};

/// Resolves the names of one addend: variables that nothing binds are those of the whole addend.
class Resolver {
public:
  /// `isInteger`: the statement computes with integers.
  Resolver(const Tensors &tensors, Variables &variables, bool isInteger)
      : tensors_(tensors), variables_(variables), isInteger_(isInteger) {}

  NodePtr resolve(const syntax::Expr &expr);
  /// The variable of that name, which is made where there is none.
  size_t lookUp(const std::string &name);

private:
  NodePtr node(const syntax::Literal &literal);
  NodePtr node(const syntax::Access &access);
  NodePtr node(const syntax::Negate &negate);
  NodePtr node(const syntax::Binary &binary);
  NodePtr node(const syntax::Call &call);
  NodePtr node(const syntax::Reduce &reduce);
  NodePtr node(const syntax::Paren &paren) { return resolve(*paren.inner); }

  const Tensors &tensors_;
  Variables &variables_;
  bool isInteger_;
  std::map<std::string, size_t> scope_;
};

/// The place of an access in its tensor. Throws std::out_of_range outside of it.
int64_t placeOf(const Node &access, const Variables &variables);

/// The value of an expression where its variables are.
Value valueOf(const Node &node, Variables &variables, double epsilon);

Value sumOf(const Value &a, const Value &b, double epsilon, bool subtracts = false);
Value productOf(const Value &a, const Value &b, double epsilon);
Value quotientOf(const Value &a, const Value &b, double epsilon);

} // namespace spc::reference
