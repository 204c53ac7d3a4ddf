// A statement as the evaluator sees it: names resolved, and what each part is where entries are missing.
#pragma once

#include "harness/dense_evaluator.h"
#include "harness/expression_types.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace spc::testing::evaluator {

struct Variable {
  int64_t extent = -1; ///< unknown until an access says it
  int64_t at = 0;
};

enum class NodeKind { Literal, Access, Index, Negate, Add, Subtract, Multiply, Divide, Call, Sum };

/// One index of an access: multiples of variables, and a constant.
struct IndexSum {
  std::vector<std::pair<int, int64_t>> terms; ///< variable and scale
  int64_t constant = 0;
};

/// An expression with names resolved to tensors and to variables.
struct Node {
  NodeKind kind = NodeKind::Literal;
  double literal = 0;
  const DenseTensor *tensor = nullptr;
  std::vector<IndexSum> indices; ///< of an access, by dimension
  std::vector<int> variables;    ///< of a reduction, or the one of an index's value
  int rank = -1;                 ///< of a ranking: the variable
  language::Reduction reduction = language::Reduction::Sum;
  std::unique_ptr<Node> left;
  std::unique_ptr<Node> right;
  const syntax::Call *call = nullptr;
  sema::ValueType type = sema::ValueType::F64; ///< in which it is computed
  std::vector<std::unique_ptr<Node>> arguments;
  bool hasCalls = false;
  bool picks = false;         ///< of an access
  bool multiplies = false;    ///< a product or a quotient, with what is no number
  bool isOneTerm = false;     ///< what it is part of is computed in one term, products of sums not multiplied out
  std::optional<double> fill; ///< what it is where all sparse tensors miss their entries, if that is one number
  mutable std::optional<bool> readsSparse = {}; ///< what the function of that name has found
};
using NodePtr = std::unique_ptr<Node>;

/// The types of tensors, which it refers to.
TensorTypes typesOf(const TensorMap &tensors);

/// Whether a fill is one that decides a sum.
bool isInfinite(std::optional<double> fill);

/// Whether an access has constants or repeated indices: of a sparse tensor it is read as if that were dense.
bool picks(const syntax::Access &access);

/// Dimensions, by tensor and number, that have a window in a statement: they run over no variable's whole range.
using Windows = std::set<std::pair<std::string, size_t>>;
void noteWindows(const syntax::Expr &expr, Windows &windows);

/// Whether a call is `not pattern(A)`, which a sparse A has values for where it has no entry.
bool isComplement(const Node &node);

/// Whether a node compares what index variables are, or joins such comparisons: where it is false, it is missing.
bool isIndexMask(const Node &node);

/// Whether such a comparison is true of one index for each other.
inline bool tiesIndices(language::Function function) {
  return function == language::Function::Equal || language::isOfPlaces(function);
}

/// Whether an expression reads entries of a sparse tensor, or compares index variables.
bool readsSparse(const Node &node);

/// Whether missing entries settle that a sum, a product or a quotient is 0. `left` and `right`: whether its sides may
/// differ from what missing entries give.
bool isMissing(const Node &node, bool left, bool right);

/// An entry without which a product is missing, and how many of the loops around it, the first ones, it varies with.
struct Guard {
  const Node *factor; ///< null where there is none that stays the same in some of the loops
  size_t loops;
};

/// The guard of what is summed up by the loops, the outermost one first.
Guard guardOf(const Node &body, const std::vector<int> &loops);

/// What decides a minimum, a maximum or an absorbing sum in a type, whatever the other arguments are.
std::optional<double> absorbingIn(language::Function function, sema::ValueType type);

/// Whether an argument may be one that settles a call: of what is divided or shifted the first one alone.
bool mayAbsorb(language::Function function, size_t argument);

/// What an argument's fill makes of a minimum, a maximum or an absorbing sum, whatever the others are.
std::optional<double> settledBy(const Node &call);

/// Whether a call may differ from its fill: where an argument may, as `arguments` say, but for what settles it.
bool mayDiffer(const Node &call, const std::vector<bool> &arguments);

/// The value of a call in the type in which it is computed.
double valueOf(const Node &call, const std::vector<double> &arguments);

using Scope = std::map<std::string, int>;

/// One addend of a right side.
struct Addend {
  const syntax::Expr *expr;
  bool isNegated;
};

struct Term {
  NodePtr expr;
  bool isNegated = false;
  std::vector<int> reductions;
};

/// The reduction, other than a sum, that a statement's value is, else nullptr.
const Node *reductionOf(const std::vector<Term> &terms);

/// What a statement with `min=`, `max=` or `or=` makes of values.
std::optional<language::Reduction> takenInBy(language::AssignOp op);

/// Whether a product, a quotient or anything else multiplies what it is made of with what is no number.
bool multiplies(language::BinaryOp op, const syntax::Expr &left, const syntax::Expr &right);

/// Whether missing entries are no zeros in something that an expression reads.
bool readsFill(const syntax::Expr &expr, const TensorMap &tensors);

/// Whether an expression has no index variables but those of a scope, and those that its reductions bind.
bool indexesOnly(const syntax::Expr &expr, Scope scope);

/// The addends of a statement's right side, sums, differences and what is negated opened. `isWhole`: it is one addend.
std::vector<Addend> addendsOf(const syntax::Statement &statement, bool isWhole);

/// Resolves one statement's names. Variables that no `sum` binds and the target lacks become the term's reductions.
class Resolver {
public:
  /// `type`: in which the statement is computed.
  Resolver(const TensorMap &tensors, std::vector<Variable> &variables, sema::ValueType type)
      : tensors_(tensors), variables_(variables), type_(type) {}

  int bind(Scope &scope, const std::string &name);
  void constrain(int variable, int64_t extent);
  /// `isWhole`: sums in it have values even where they sum nothing. `lists`: they have none, but for those that are
  /// multiplied with what is no number.
  Term term(const Addend &addend, const Scope &targetScope, bool isWhole, bool lists = false);
  /// Before terms are resolved.
  void noteWindows(const syntax::Expr &expr) { evaluator::noteWindows(expr, windows_); }
  /// After that: how far the variables that no reduction binds run, in whatever term they are read alone.
  void noteExtents(const syntax::Expr &expr, std::set<std::string> bound = {});

private:
  NodePtr resolve(const syntax::Expr &expr, Scope &scope);
  /// What is computed in another type than the expression that it stands in.
  NodePtr resolve(const syntax::Expr &expr, sema::ValueType type, Scope &scope);
  NodePtr resolveBinary(language::BinaryOp op, const syntax::Expr &left, const syntax::Expr &right, Scope &scope);
  NodePtr resolve(const syntax::Literal &literal, Scope &);
  NodePtr resolve(const syntax::Call &call, Scope &scope);
  NodePtr resolveWhere(const syntax::Call &call, NodePtr node, Scope &scope);
  /// Where not all arguments have a fill: of logic that one of them settles, and of choices.
  static std::optional<double> fillOfSome(const Node &node);
  NodePtr resolve(const syntax::Access &access, Scope &scope);
  /// An unbound name is one variable in the whole term, wherever in it it is met first.
  int lookUp(const std::string &name, Scope &scope);
  NodePtr resolve(const syntax::Negate &negate, Scope &scope);
  NodePtr resolve(const syntax::Binary &binary, Scope &scope);
  std::optional<double> fillOf(language::BinaryOp op, std::optional<double> left, std::optional<double> right) const;
  NodePtr resolve(const syntax::Reduce &sum, Scope &scope);
  NodePtr resolve(const syntax::Paren &paren, Scope &scope) { return resolve(*paren.inner, scope); }

  const TensorMap &tensors_;
  std::vector<Variable> &variables_;
  std::vector<int> *reductions_ = nullptr;
  Scope *termScope_ = nullptr;
  int callsAround_ = 0;    ///< what is resolved
  bool lists_ = false;     ///< calls do not count
  bool isOneTerm_ = false; ///< what is resolved is computed in one
  Windows windows_;
  std::map<std::string, int64_t> extents_; ///< by variable
  sema::ValueType type_;                   ///< in which what is resolved is computed
};

/// The variable of each of the target's dimensions, which the scope then has.
std::vector<int> bindTarget(const syntax::Statement &statement, const DenseTensor &target, Resolver &resolver,
                            Scope &scope);

} // namespace spc::testing::evaluator
