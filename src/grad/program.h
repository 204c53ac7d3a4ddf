// The forward kernel with each tensor written once, and what is known of its tensors. Private to this folder.
#pragma once

#include "grad/expressions.h"
#include "grad/gradient.h"

#include <optional>
#include <set>
#include <string>

namespace spc::grad {

/// Of what holds no floats.
constexpr DiagnosticKind kGradType{"grad-type", Severity::Error};

/// What is known of a tensor besides its entry in Program::kernel: what a call of the forward kernel is given, what one
/// statement writes, or a tensor of the derivative.
struct TensorInfo {
  std::optional<TensorId> source;  ///< the forward kernel's tensor whose value it is at some time
  std::optional<TensorId> like;    ///< of one of the derivative the tensor to which it belongs
  std::string typeName;            ///< as declarations write it: a type parameter's name, where that is known
  std::optional<size_t> writer;    ///< the statement that writes it; nullopt of what a call is given
  bool isFinal = false;            ///< what the forward kernel leaves in an output
  bool isSeed = false;             ///< one of the derivative whose entries the caller chooses
  std::optional<TensorId> pattern; ///< of a sparse one, the tensor whose entries it has, itself or another
};

/// One that makes a whole tensor. `+=` and the like are written out, with the tensor's value before it.
struct Statement {
  TensorId target;
  Variables indices;
  NodePtr value; ///< sums are where the language places them; variables that reductions bind differ from all others
  Span where;    ///< of the statement in the source text
  /// The tensor that holds the first place of a minimum or maximum over one variable, and where else than by the body's
  /// own doing a value may stand that is not neutral.
  std::optional<TensorId> place = std::nullopt;
  std::vector<NodePtr> present = {};
  /// The tensors that hold how many factors of a product over one variable are 0, and the product of the rest.
  std::optional<TensorId> zeros = std::nullopt, rest = std::nullopt;
};

/// All statements, and those of the derivative, have one scope, in which variables of one name are one variable.
struct Program {
  /// Its first tensors are the forward kernel's, by the same ids, as they are planned; then all that is made.
  sema::KernelHead kernel;
  IdVector<TensorId, TensorInfo> infos; ///< of Program::kernel's tensors
  sema::Scope scope;
  std::vector<Statement> statements;
  std::vector<TensorId> operands; ///< what a call is given, in the order of the call
  std::set<std::string> taken;    ///< what no new tensor or variable may be called: tensors, extents and types

  const TensorInfo &info(TensorId id) const { return infos[id]; }
  const std::string &nameOf(TensorId id) const { return kernel.tensors[id].name; }
  const std::string &nameOf(VariableId id) const { return scope.variables[id].name; }
  sema::ValueType typeOf(TensorId id) const { return kernel.tensors[id].type; }
  std::vector<std::string> namesOf(const Variables &variables) const { return sema::namesOf(variables, scope); }
  /// What a dimension runs over, as declarations say it: two with one name, or one number, are as large.
  std::string extentOf(TensorId tensor, size_t dim) const;
  /// The same of an extent.
  std::string textOf(sema::ExtentId id) const;

  /// Adds a tensor that is called `base`, or so with a number behind it.
  TensorId add(const std::string &base, TensorInfo info, sema::ValueType type = sema::ValueType::F64,
               const std::vector<sema::ExtentId> &extents = {});
  /// A name that nothing has yet: `base`, or with a number behind it.
  std::string freshName(const std::string &base);

  /// The index variable of a name.
  VariableId variable(const std::string &name);
  /// The value that an index adds up: a variable, or one that is derived from others.
  VariableId index(const std::vector<sema::Variable::Multiple> &terms, int64_t constant);
  /// Whether an index is a variable, and not derived from others.
  bool isPlain(VariableId index) const { return scope.variables[index].kind != sema::Variable::Kind::Derived; }

  /// A new index variable for a statement that has `others`: a letter as people take them.
  VariableId freshVariable(const std::set<VariableId> &others);
  /// One that is not in `body` either.
  VariableId variableFor(const Node &body, std::set<VariableId> others);
  /// Gives variables that reductions bind names of their own where they are among `used`, to which all are added.
  void separate(Node &node, std::set<VariableId> &used);
  /// Does so only where they are among those that have a value around: two sums beside each other may be over one name.
  void separateNested(Node &node, std::set<VariableId> around);

  /// `A(i, j)`; a scalar without indices.
  NodePtr access(TensorId tensor, Variables indices = {});
  /// The access that a node is, else nullptr. Good until an access is made.
  const Access *accessIn(const Node &node) const;
  /// The same of a tensor of the forward kernel.
  const Access *readIn(const Node &node) const;
  /// Calls `visit` for each such, the arguments of pattern() among them. It makes no access.
  void forEachRead(const Node &node, const std::function<void(const Access &)> &visit) const;

  Variables variablesOf(const Access &access) const { return sema::plainVariables(access, scope); }
  /// The index variables of a tree that no reduction in it binds, in order of appearance.
  Variables freeVariables(const Node &node) const { return sema::freeVariables(node, scope); }
  /// Puts an index variable in the place of another one, wherever it stands.
  void renameVariable(Node &node, VariableId from, VariableId to);

  std::string textOf(const Node &node) const { return sema::printAlone(node, scope, kernel); }
  /// Whether two trees are written the same way.
  bool isSame(const Node &a, const Node &b) const { return textOf(a) == textOf(b); }

private:
  void separate(ReduceNode &reduction, std::set<VariableId> &used);
};

/// The program of a kernel: the tensor `y` as it is before the kernel is called `y`, what later statements make of it
/// `y_1`, …, and in the end `y`, or `y_out` where that is taken.
Program singleAssignments(const sema::Program &source, const sema::Kernel &planned);

/// An addend of a statement's right side, summed over variables that the target lacks.
struct Term {
  const Node *value;
  bool isNegative;
  Variables summed;
};
std::vector<Term> termsOf(const Program &program, const Statement &statement);

/// A value that is computed in floats wherever it stands: of whole numbers alone, these are converted.
NodePtr inFloats(const Node &value, const Program &program);

/// Whether a value is true or false, so that it can be a factor: of conditions any number but 0 is true, too.
bool isTruth(const Node &node, const Program &program);

/// The type in which a value is computed that becomes one of `target`.
sema::ValueType computedType(const Program &program, const Node &value, sema::ValueType target);

/// The type of a tensor that is given a value and not declared.
sema::ValueType impliedType(const Program &program, const Node &value);

/// What a derivative may pass through: not the conditions, nor anything else that is piecewise constant.
std::vector<const Node *> differentiableChildren(const Node &node);

/// Takes the program apart so that the rules apply: minima, maxima and products that depend on `wrt` become statements
/// of their own over one variable, with statements beside them that find places, and count zeros. Returns the tensors
/// between `wrt` and `of`. Reports integers on the way.
std::set<TensorId> prepare(Program &program, const std::set<TensorId> &of, const std::set<TensorId> &wrt,
                           Diagnostics &diagnostics);

} // namespace spc::grad
