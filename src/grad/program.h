// The forward kernel with each tensor written once, and what is known of its tensors. Private to this folder.
#pragma once

#include "grad/expressions.h"
#include "grad/gradient.h"

#include <map>
#include <optional>

namespace spc::grad {

/// Names that nothing has yet: of tensors and of index variables, which must differ.
class NameSource {
public:
  void take(const std::string &tensor) { tensors_.insert(tensor); }
  void takeVariable(const std::string &variable) { variables_.insert(variable); }
  /// A tensor's: `base`, or with a number behind it.
  std::string tensor(const std::string &base);
  /// An index variable's, for a statement that has `others`: a letter as people take them.
  std::string variable(const std::set<std::string> &others);

  /// An index variable's that is not in `body` either.
  std::string variableFor(const Expr &body, std::set<std::string> others);
  /// Gives variables that reductions bind names of their own where they are among `used`, to which all are added.
  void separate(Expr &expr, std::set<std::string> &used);
  /// Does so only where they are among those that have a value around: two sums beside each other may be over one name.
  void separateNested(Expr &expr, std::set<std::string> around);

private:
  void separate(Reduce &reduction, std::set<std::string> &used);

  std::set<std::string> tensors_, variables_;
};

/// A tensor of the program: what a call is given, or what one statement writes.
struct TensorInfo {
  std::string source;               ///< the forward kernel's tensor whose value it is at some time; empty of others
  std::vector<std::string> extents; ///< as they are declared, by dimension; unknown of those that have no source
  sema::ValueType type = sema::ValueType::F64;
  std::string typeName;         ///< as declarations write it: a type parameter's name, where that is known
  std::optional<size_t> writer; ///< the statement that writes it; nullopt of what a call is given
  bool isFinal = false;         ///< what the forward kernel leaves in an output
  std::string pattern;          ///< of a sparse one, the tensor whose entries it has, itself or another; else empty
  double fill = 0;
};

/// One that makes a whole tensor. `+=` and the like are written out, with the tensor's value before it.
struct Statement {
  std::string target;
  std::vector<std::string> indices;
  ExprPtr value; ///< sums are where the language places them; variables that reductions bind differ from all others
  Span where;    ///< of the statement in the source text
  /// Of a minimum or maximum over one variable: the tensor that holds the first place of it, and where else than by
  /// the body's own doing a value may stand that is not neutral.
  std::string place;
  std::vector<ExprPtr> present;
  /// Of a product over one variable: the tensors that hold how many of its factors are 0, and the product of the rest.
  std::string zeros, rest;
};

struct Program {
  std::vector<Statement> statements;
  std::vector<std::string> operands; ///< what a call is given, in the order of the call
  std::map<std::string, TensorInfo> tensors;
  TensorNames names; ///< of `tensors`
  NameSource fresh;

  const TensorInfo &info(const std::string &name) const { return tensors.at(name); }
  void add(const std::string &name, TensorInfo info);
};

/// The program of a kernel: the tensor `y` as it is before the kernel is called `y`, what later statements make of it
/// `y_1`, …, and in the end `y`, or `y_out` where that is taken.
Program singleAssignments(const sema::Program &source, const sema::Kernel &planned);

/// The sema tensor of a name of the source text; nullptr where there is none.
const sema::Tensor *tensorNamed(const sema::Kernel &kernel, const std::string &name);

/// The program's name of what the forward kernel leaves in an output; empty where it has none of that name.
std::string finalValueOf(const Program &program, const std::string &output);

/// An addend of a statement's right side, summed over variables that the target lacks.
struct Term {
  const Expr *value;
  bool isNegative;
  std::vector<std::string> summed;
};
std::vector<Term> termsOf(const Program &program, const Statement &statement);

/// A value that is computed in floats wherever it stands: of whole numbers alone, these are converted.
ExprPtr inFloats(const Expr &value, const Program &program);

/// Whether a value is true or false, so that it can be a factor: of conditions any number but 0 is true, too.
bool isTruth(const Expr &expr, const Program &program);

/// The type in which a value is computed that becomes one of `target`.
sema::ValueType computedType(const Program &program, const Expr &value, sema::ValueType target);

/// The type of a tensor that is given a value and not declared.
sema::ValueType impliedType(const Program &program, const Expr &value);

/// What a derivative may pass through: not the conditions, nor anything else that is piecewise constant.
std::vector<const Expr *> differentiableChildren(const Expr &expr);
std::vector<const Expr *> differentiableArguments(const Call &call);

/// Takes the program apart so that the rules apply: minima, maxima and products that depend on `wrt` become statements
/// of their own over one variable, with statements beside them that find places, and count zeros. Returns the tensors
/// between `wrt` and `of`. Reports integers on the way.
std::set<std::string> prepare(Program &program, const std::set<std::string> &of, const std::set<std::string> &wrt,
                              Diagnostics &diagnostics);

} // namespace spc::grad
