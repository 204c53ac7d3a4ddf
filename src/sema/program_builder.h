// Makes programs statement by statement: what a front end calls, whatever it reads. The builder checks and reports as
// it goes, at the places that it is given; nothing has to come from a text.
#pragma once

#include "language/index.h"
#include "sema/analyze.h"
#include "sema/program.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spc::sema {

struct Checking;

/// The target of a statement.
struct StatementTarget {
  language::Name tensor;
  std::vector<language::Index> indices;
  Span where;
  AssignOp op = AssignOp::Assign;
  bool isTemporary = false;
};

/// Builds one statement: trees from the inside out, then finish(). Names are such as a kernel's text may have.
/// Variables go by name: one of an enclosing reduction, else of the target, else one that is summed over. Trees are
/// given even where something was reported.
class StatementBuilder {
public:
  StatementBuilder(Checking &checking, StatementTarget target, Span where);

  /// `spelling` reads as `value`, which is negative only as `-inf`.
  NodePtr number(double value, std::string spelling, Span where);
  /// `A(i, 2*k + 1)`; a scalar has no indices.
  NodePtr access(const language::Name &tensor, const std::vector<language::Index> &indices, Span where);
  /// The same where indices may lie outside, which reads the fill. The variables do not run over its dimensions.
  NodePtr padded(const language::Name &tensor, const std::vector<language::Index> &indices, Span where);
  /// The value of an index variable.
  NodePtr indexValue(const language::Name &variable);
  NodePtr negate(NodePtr operand, Span where);
  NodePtr binary(BinaryOp op, NodePtr left, NodePtr right, Span where);
  /// `name` is the type of a cast, or a type parameter, and matters to no other function.
  NodePtr call(Function function, const std::string &name, std::vector<NodePtr> arguments, Span where);
  /// `body` makes the tree that is reduced, in which `variables` are bound. It may be called twice.
  NodePtr reduce(Reduction reduction, const std::vector<language::Name> &variables,
                 const std::function<NodePtr()> &body, Span where);

  /// Adds the statement to the program; without a value where something was reported of it.
  void finish(NodePtr value);

private:
  /// An access whose derived variables are made when the whole statement is known.
  struct PendingAccess {
    TensorId tensor;
    std::vector<language::Index> indices;
    std::vector<std::vector<Variable::Multiple>> terms; ///< of each index
    Span where;
  };

  Diagnostic &fail(const DiagnosticKind &kind, Span where, std::string message);
  VariableId addVariable(const std::string &name, Variable::Kind kind);
  VariableId variableOf(const std::string &name);
  void noteIndexNames(const std::vector<language::Index> &indices);
  std::optional<TensorId> tensorOf(const language::Name &tensor, size_t order, Span where);
  ValueType castTo(const language::Name &name);
  bool mayBind(const std::string &reduction, const language::Name &variable);
  /// An access with indices that are tied: the sum over all that it could come to, tied to where it does. `function`:
  /// Within ties all its indices.
  NodePtr gathered(Function function, const language::Name &name, std::vector<language::Index> indices, Span where);
  /// That a variable is what an index says. `function`: one of places.
  NodePtr isAt(Function function, VariableId variable, const language::Index &index);
  NodePtr multipleOf(const language::IndexTerm &term, Span where);
  NodePtr knownNumber(const language::Name &name);
  void noteHolder(const Node &index);
  std::string freshName(const std::string &base);
  void tieTarget(language::Index &index);
  /// Reports variables in tied indices that run over nothing.
  void checkTiedAreSized();
  std::optional<TensorId> sizeNamed(const language::Name &name);
  Function placeInTarget(VariableId own, const language::Index &index);
  NodePtr atTarget(NodePtr value);
  NodePtr reduceOnce(Reduction reduction, Reduction written, const std::vector<language::Name> &variables,
                     const std::function<NodePtr()> &body, Span where);
  NodePtr rank(Reduction reduction, const std::vector<language::Name> &variables, const std::function<NodePtr()> &body,
               Span where);
  void checkPatternArgument(const std::string &function, const Node &argument);
  void reportNegative(const language::Index &index, const std::string &tensor);
  bool checkTargetIndices();
  bool resolveTarget();
  bool makeTemporary(TensorId tensor);
  VariableId indexOf(const PendingAccess &access, size_t dim, const Access &before);
  AccessId settle(const PendingAccess &access);

  Checking &checking_;
  StatementTarget target_;
  ResolvedStatement statement_;
  std::map<std::string, VariableId> targetVariables_, implicitVariables_;
  std::vector<std::pair<std::string, VariableId>> bound_;
  IdVector<AccessId, PendingAccess> pending_;                       ///< by the provisional ids of the tree's accesses
  std::set<VariableId> used_;                                       ///< what indexes something
  std::vector<std::pair<VariableId, language::Index>> tiedIndices_; ///< of the target: what is written there
  std::vector<std::pair<VariableId, Span>> tiedTo_;                 ///< variables in tied indices
  /// Dimensions that some access has a window of: no index of theirs runs over the whole.
  std::set<std::pair<TensorId, size_t>> windows_;
  std::set<VariableId> whole_; ///< what indices are tied to, which runs over the whole even there
  int madeUp_ = 0;             ///< variables without a name in the text
  bool failed_ = false;
};

/// Builds a program: declarations first, then statements in their order, then finish().
class ProgramBuilder {
public:
  /// All three outlive the builder.
  ProgramBuilder(const std::vector<format::Binding> &bindings, const Options &options, Diagnostics &diagnostics);
  ~ProgramBuilder();

  void declare(language::TypeDecl type);
  void declare(language::TensorDecl tensor);
  void declare(language::SignatureDecl signature);

  /// No declarations follow. One statement is built at a time.
  StatementBuilder statement(StatementTarget target, Span where);

  /// Whether the kernel declares a tensor of that name.
  bool declares(const std::string &tensor) const;

  /// Makes all checks that need the whole kernel. nullopt exactly when errors were reported.
  std::optional<Program> finish();

private:
  void readDeclarations();

  std::unique_ptr<Checking> checking_;
  bool hasRead_ = false; ///< the declarations
};

} // namespace spc::sema
