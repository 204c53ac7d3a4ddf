// What the steps of sema share while a kernel is analysed. Private to this folder.
#pragma once

#include "format/levels.h"
#include "sema/analyze.h"
#include "sema/copy_requests.h"
#include "sema/tree.h"

#include <map>
#include <string>
#include <vector>

namespace spc::sema {

/// What is known of a tensor besides its entry in Kernel::tensors, under the same index.
struct Symbol {
  const syntax::TensorDecl *declaration = nullptr;
  Span firstUse;
  bool isOperand = false; ///< stands on a right side before any statement has written it, or in the first that does
  int firstWrite = -1;    ///< the first statement that writes it, or -1
  std::optional<Span> boundBy; ///< the --format argument that gave it its format
};

/// One statement with its names resolved.
struct ResolvedStatement {
  const syntax::Statement *source = nullptr;
  Scope scope;
  Access target;
  NodePtr value;        ///< null where names could not be resolved
  bool isFused = false; ///< a temporary's, which its reader computes
};

/// A value type that the command line or a file of bindings gives.
struct ValueTypeGiven {
  ValueType type;
  const format::GivenType *by;
};

struct Analysis {
  const syntax::Kernel &source;
  const std::vector<format::Binding> &bindings;
  const Options &options;
  Diagnostics &diagnostics;
  CopyRequests &copies;

  Kernel kernel;
  IdVector<TensorId, Symbol> symbols;                             ///< the tensors of the source text
  std::map<std::string, const syntax::TensorDecl *> declarations; ///< by name, also of tensors that are not used
  std::map<std::string, ValueTypeGiven> givenTypes;               ///< of tensors by name, whether they exist or not
  std::optional<ValueTypeGiven> defaultType;                      ///< of tensors whose type nothing else says
  bool hasUnknownTypes = false;                                   ///< some type was misspelt, and was reported
  bool usesDefaultType = false;                                   ///< some tensor has it
  std::vector<std::pair<std::string, Span>> indexNames;           ///< every index variable, in the order of the text
  std::vector<ResolvedStatement> statements;
  format::Schedule schedule; ///< of all bindings together
  /// Canonical copies of what statements write: the statement before which each is made.
  std::map<TensorId, size_t> refreshes;
  /// Outputs that are stored as sums of parts, by the tensor that statements write in their place.
  std::map<TensorId, TensorId> sumOutputs;
  /// What statements write in place of outputs whose structure stays: whether it is added to what these hold.
  std::map<TensorId, bool> standIns;
  double mostLoopsToMerge = 0; ///< of a term's operands; known once all terms are

  const syntax::TensorDecl *declarationOf(const std::string &name) const {
    auto found = declarations.find(name);
    return found == declarations.end() ? nullptr : found->second;
  }
};

/// `'name'` for messages.
inline std::string inQuotes(std::string_view name) {
  return "'" + std::string(name) + "'";
}

/// Reads the types that are given from outside, and the type parameters, which these may set.
void declareTypes(Analysis &analysis);

/// The type of that name, a type parameter's or one of the language's; nullopt where there is none.
std::optional<ValueType> typeNamed(const Analysis &analysis, const std::string &name);

/// Reports a name that is no type, with the likely one.
void reportUnknownType(Analysis &analysis, const syntax::Name &type, bool mayBeParameter);

/// The type that is given or declared for a tensor of the source text; nullopt where neither is.
std::optional<ValueType> statedType(const Analysis &analysis, TensorId tensor);

/// Reports types that are given for no tensor, or for one that is declared with another one. Names are resolved.
void checkGivenTypes(const Analysis &analysis);

/// Warns of type parameters, and of a default type, that nothing has.
void warnOfUnusedTypes(const Analysis &analysis);

/// Reports that the kernel has no tensor of that name, nor anything else that `kinds` says it may be.
void reportUnknownName(const Analysis &analysis, const std::string &name, const std::string &kinds, Span where);

/// Reads the declarations: duplicates, value types, orders, scalars that are said to be sparse.
void declareTensors(Analysis &analysis);

/// Resolves every statement: fills Kernel::tensors (name, order, place), symbols and statements.
void resolveStatements(Analysis &analysis);

/// Warns of declarations and temporaries that nothing uses.
void warnOfUnused(const Analysis &analysis);

/// Warns of indices that broadcast, and of results that are overwritten unread; notes targets that are read across
/// indices.
void warnOfSlips(const Analysis &analysis);

/// Reports operands that should have been declared, and names that are both a tensor and an index variable.
void checkNames(Analysis &analysis);

/// Gives every dimension and every index variable its extent; reports sizes that disagree. The formats are bound: a
/// symmetric matrix is square, and tensors that share a structure have the same shape.
void inferExtents(Analysis &analysis);

/// Gives every tensor its value type.
void inferTypes(Analysis &analysis);

/// Sets the declared fills; reports those that a tensor's type or format cannot have. Types and formats are known.
void declareFills(Analysis &analysis);

/// Reports a tensor whose missing entries are not 0 in a format that has padding.
void reportFillFormat(const Tensor &tensor, Span where, Diagnostics &diagnostics);

/// The type a statement is computed in: that of arithmetic on the widest type among its operands and its target.
ValueType computeTypeOf(const Analysis &analysis, const ResolvedStatement &statement);

/// Reports literals and operators that a statement's type does not have, and targets of a lesser kind than that type.
void checkTypes(const Analysis &analysis);

/// Makes plain sums of `minplus` and `maxplus` in types other than integers, where infinities absorb what is added to
/// them anyway; warns of fills that are their type's infinity, and none in the type that they are converted to.
void lowerInfinities(Analysis &analysis);

/// Takes out conversions of numbers and of elements that change nothing. Types are checked and warned of.
void dropConversions(Analysis &analysis);

/// Warns of results that are rounded or wrap around, of sums in half floats, and of integers that floats do not hold.
void warnOfPrecision(const Analysis &analysis);

/// Reports sums whose place is ambiguous.
void checkAmbiguity(Analysis &analysis);

/// Puts temporaries that one statement reads once, and as often as they have elements, in their readers' place, and has
/// others, dense ones, computed only where a sparse factor of all of their readers stores entries. Neither is done
/// where it could take more work, another rounding than `options` allow, or a copy. Parameters are ordered.
void fuseTemporaries(Analysis &analysis);

/// Applies the --format bindings; operands that nobody bound become dense.
void bindFormats(Analysis &analysis);

/// Gives bound formats the types of pointers and indices that the options say. The formats are bound.
void applyIndexTypes(Analysis &analysis);

/// Merges the schedules of the bindings into `schedule` and Kernel::schedule; reports index variables in them that the
/// kernel does not have.
void readSchedules(Analysis &analysis);

/// Reports a schedule that wants a loop in chunks which is not the outermost one of any statement. The loops are
/// chosen.
void checkParallelLoop(const Analysis &analysis);

/// Sets isRead and isWritten, and orders the parameters: as a `kernel` clause says, else operands, then outputs, of
/// both first those that are declared, in that order, then the others by first appearance. Reports clauses that are
/// wrong.
void orderParameters(Analysis &analysis);

/// Has statements write a tensor with one entry a place instead of each output that is stored as a sum of parts, which
/// takes its entries once all statements have run. The parameters are ordered.
void computeSumsApart(Analysis &analysis);

/// Whether an entry of a format can be looked up without going through all of them.
bool hasPlaces(const format::Format &format);

/// Reports outputs whose structure cannot stay as the user wants, and asks for places in those whose can. The
/// parameters are ordered.
void keepStructures(Analysis &analysis);

/// Has statements write tensors of their own in place of the outputs in which places are asked for. Nothing but the
/// statements' own terms looks at their targets any more.
void computeStandIns(Analysis &analysis);

/// Reports more parameters than a function may have.
void checkParameterCount(const Analysis &analysis);

} // namespace spc::sema
