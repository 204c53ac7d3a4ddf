// A statement's right side with its names resolved: what ambiguity checks and term expansion work on.
// Parentheses are gone (the tree's shape says the same), every index variable has an identity of its own.
#pragma once

#include "sema/kernel.h"
#include "support/source.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spc::sema {

using VariableId = Id<struct VariableTag>; ///< into Scope::variables
using AccessId = Id<struct AccessTag>;     ///< into Scope::accesses

/// A domain of a tree.
using AccessDomain = DomainOver<AccessId>;

struct Variable {
  /// On the left side, summed because the left side lacks it, bound by a reduction, or worked out from others.
  enum class Kind { Target, Implicit, Bound, Derived };
  std::string name;
  Kind kind = Kind::Implicit;
  ExtentId extent;

  struct Multiple {
    VariableId variable;
    int64_t scale;
    bool operator==(const Multiple &) const = default;
  };
  /// The dimension that a derived variable indexes alone, and its value.
  TensorId tensor;
  int dim = -1;
  std::vector<Multiple> terms = {};
  int64_t constant = 0;
  bool isRepeated = false; ///< another index of its access, A(i, i), so that both run over the same extent
};

/// One distinct (tensor, indices) access of a statement.
struct Access {
  TensorId tensor;
  std::vector<VariableId> variables; ///< by dimension
  std::vector<Span> places;          ///< of the indices, by dimension; empty for accesses that sema made up
  Span where;                        ///< of its first occurrence
  bool mirrored = false; ///< a symmetric tensor's stored entries off the diagonal read as their mirror images
};

/// The variables and accesses of one statement as written; every logical statement made from the statement uses it.
struct Scope {
  IdVector<VariableId, Variable> variables;
  IdVector<AccessId, Access> accesses;

  /// The id of an access, which is added when it is new.
  AccessId intern(Access access);
};

/// The variables that an access is indexed by once derived ones are seen through, each once, in order of appearance.
std::vector<VariableId> plainVariables(const Access &access, const Scope &scope);

/// Whether some index of an access is a derived one.
bool hasDerived(const Access &access, const Scope &scope);

/// Whether a list of variables, accesses or their likes has this one.
template <typename T> bool has(const std::vector<T> &list, const T &value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// The place of a value in a list; the list's length where that lacks it.
template <typename T> size_t placeOf(const T &value, const std::vector<T> &list) {
  return static_cast<size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

/// The variables' names as the source text has them.
std::vector<std::string> namesOf(const std::vector<VariableId> &variables, const Scope &scope);

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct NumberNode {
  double value;
  std::string spelling;
};
struct AccessNode {
  AccessId access;
};
struct NegateNode {
  NodePtr operand;
};
struct BinaryNode {
  BinaryOp op;
  NodePtr left;
  NodePtr right;
};
/// The value of an index variable.
struct IndexNode {
  VariableId variable;
};
struct CallNode {
  Function function;
  ValueType castTo; ///< of a cast
  std::vector<NodePtr> arguments;
  std::string typeParameter = {}; ///< that a cast is named after; empty where it is a type
};
struct ReduceNode {
  Reduction reduction;
  std::vector<VariableId> variables; ///< that it runs over
  NodePtr body;
  std::optional<VariableId> rank = std::nullopt; ///< of a ranking: which element in order
};

struct Node {
  std::variant<NumberNode, AccessNode, IndexNode, NegateNode, BinaryNode, CallNode, ReduceNode> kind;
  Span where;
};

NodePtr makeNode(decltype(Node::kind) kind, Span where);
NodePtr makeBinary(BinaryOp op, NodePtr left, NodePtr right);
NodePtr clone(const Node &node);

/// The node as a sum or a difference, else nullptr.
const BinaryNode *asSum(const Node &node);

/// The direct children, left to right.
std::vector<const Node *> children(const Node &node);
std::vector<Node *> children(Node &node);

/// Whether a tree has a node that `isWanted` takes.
template <typename IsWanted> bool hasNode(const Node &node, const IsWanted &isWanted) {
  if (isWanted(node))
    return true;
  for (const Node *child : children(node))
    if (hasNode(*child, isWanted))
      return true;
  return false;
}

/// Whether a tree calls a function that takes long.
inline bool callsLong(const Node &node) {
  return hasNode(node, [](const Node &each) {
    const auto *call = std::get_if<CallNode>(&each.kind);
    return call && language::isTranscendental(call->function);
  });
}

/// Whether a tree has a reduction.
bool hasReduction(const Node &node);

/// Whether a tree has a reduction that is no sum.
bool hasOtherReduction(const Node &node);

/// Whether a node, of itself, asks where operands have entries: a pattern, an entry by condition, a rank.
bool asksForEntries(const Node &node);

/// Puts what `replacement` gives for each access of the tree in its place.
void replaceAccesses(Node &node, const std::function<AccessId(AccessId)> &replacement);

/// Calls `visit` for each access in the tree, left to right; stays out of sum() nodes when told to.
void forEachAccess(const Node &node, bool enterSums, const std::function<void(const AccessNode &, Span)> &visit);

/// Does the variable index any access in the tree?
bool indexes(VariableId variable, const Node &node, const Scope &scope);

/// Does the tree read a variable's value?
bool readsValue(const Node &node, VariableId variable);

/// Does the variable index any access in the tree, or is its value used?
bool occurs(VariableId variable, const Node &node, const Scope &scope);

/// Whether the tree calls functions or uses values of index variables, sum() nodes left out.
bool hasCalls(const Node &node);

/// Whether the tree uses the value of an index variable.
bool usesIndexValue(const Node &node);

/// Whether a tree is made of index variables and numbers.
bool isOfIndices(const Node &node);

/// Whether a tree compares what index variables are, or joins such comparisons: `j > i`, `i < length(b) and j != i`.
/// One side is made of index variables and numbers, the other one reads nothing sparse. Where such a factor is false a
/// product is 0, as where a sparse factor has no entry.
bool isIndexMask(const Node &node, const Scope &scope, const KernelHead &kernel);

/// The distinct accesses of a tree without sum() nodes, in order of appearance.
std::vector<AccessId> accessesOf(const Node &node);

/// Variables that occur in the tree and are not bound by a sum() inside it, in order of appearance.
std::vector<VariableId> freeVariables(const Node &node, const Scope &scope);

/// One addend of a sum, with the sign it has once parentheses are opened.
struct Addend {
  const Node *node;
  bool negative;
};

/// The addends of a tree: sums, differences and negated sums are opened. `keepGroups` leaves alone the sums that are
/// grouped on the right, `a + (b + c)`, since opening them would change the rounding.
std::vector<Addend> openAddends(const Node &node, bool keepGroups);

/// The tree in the language's notation. `sumAround` names nodes to be shown as `sum(variable, ...)`.
struct Wrapping {
  std::vector<const Node *> nodes;
  std::string variable;
};
std::string print(const Node &node, const Scope &scope, const KernelHead &kernel, const Wrapping &sumAround = {});

/// The same of what stands alone, as a statement's value does, without the parentheses that an addend needs.
std::string printAlone(const Node &node, const Scope &scope, const KernelHead &kernel);

} // namespace spc::sema
