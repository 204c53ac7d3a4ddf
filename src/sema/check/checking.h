// The state of checking, which its steps share. Private to this folder.
#pragma once

#include "sema/analyze.h"
#include "sema/program.h"

#include <map>
#include <string>

namespace spc::sema {

constexpr DiagnosticKind kNameClash{"name-clash", Severity::Error};
constexpr DiagnosticKind kUnsizedVariable{"unsized-variable", Severity::Error};

/// A value type that the command line or a file of bindings gives.
struct ValueTypeGiven {
  ValueType type;
  const format::GivenType *by;
};

/// A program while it is checked.
struct Checking {
  const std::vector<format::Binding> &bindings;
  const Options &options;
  Diagnostics &diagnostics;

  Program program;
  std::map<std::string, const language::TensorDecl *> declarations; ///< by name, into Program::declarations
  std::map<std::string, ValueTypeGiven> givenTypes;                 ///< of tensors by name, whether they exist or not
  std::optional<ValueTypeGiven> defaultType;                        ///< of tensors whose type nothing else says
  bool hasUnknownTypes = false;                                     ///< some type was misspelt, and was reported
  bool usesDefaultType = false;                                     ///< some tensor has it

  const language::TensorDecl *declarationOf(const std::string &name) const {
    auto found = declarations.find(name);
    return found == declarations.end() ? nullptr : found->second;
  }
};

/// Reads the types that are given from outside, and the type parameters, which these may set.
void declareTypes(Checking &checking);

/// The type of that name, a type parameter's or one of the language's; nullopt where there is none.
std::optional<ValueType> typeNamed(const Checking &checking, const std::string &name);

/// Reports a name that is no type, with the likely one.
void reportUnknownType(Checking &checking, const language::Name &type, bool mayBeParameter);

/// The type that is given or declared for a tensor of the source text; nullopt where neither is.
std::optional<ValueType> statedType(const Checking &checking, TensorId tensor);

/// Reports types that are given for no tensor, or for one that is declared with another one. Names are resolved.
void checkGivenTypes(const Checking &checking);

/// Warns of type parameters, and of a default type, that nothing has.
void warnOfUnusedTypes(const Checking &checking);

/// Reports that the kernel has no tensor of that name, nor anything else that `kinds` says it may be.
void reportUnknownName(const Checking &checking, const std::string &name, const std::string &kinds, Span where);

/// Reads the declarations: duplicates, value types, orders, scalars that are said to be sparse.
void declareTensors(Checking &checking);

/// Resolves every statement: fills KernelHead::tensors (name, order, place), symbols and statements.
void resolveStatements(Checking &checking);

/// Warns of declarations and temporaries that nothing uses.
void warnOfUnused(const Checking &checking);

/// Warns of indices that broadcast, and of results that are overwritten unread; notes targets that are read across
/// indices.
void warnOfSlips(const Checking &checking);

/// Reports operands that should have been declared, and names that are both a tensor and an index variable.
void checkNames(Checking &checking);

/// Reads what constants hold, of those in the text how large they are alone; reports files that cannot be read, and
/// shapes that are not the declared ones. The formats are bound.
void readConstants(Checking &checking);

/// Gives constants of the text their entries, and reports numbers of constants that are none of their type. Types and
/// fills are known.
void checkConstants(Checking &checking);

/// Gives every dimension and every index variable its extent; reports sizes that disagree. The formats are bound: a
/// symmetric matrix is square, and tensors that share a structure have the same shape.
void inferExtents(Checking &checking);

/// Gives every tensor its value type.
void inferTypes(Checking &checking);

/// Reports formats that combine repeated entries by an order that their tensor's type has not.
void checkDuplicates(Checking &checking);

/// Sets the declared fills; reports those that a tensor's type or format cannot have. Types and formats are known.
void declareFills(Checking &checking);

/// Reports literals and operators that a statement's type does not have, and targets of a lesser kind than that type.
void checkTypes(const Checking &checking);

/// Makes plain sums of `minplus` and `maxplus` in types other than integers, where infinities absorb what is added to
/// them anyway; warns of fills that are their type's infinity, and none in the type that they are converted to.
void lowerInfinities(Checking &checking);

/// Warns of results that are rounded or wrap around, of sums in half floats, and of integers that floats do not hold.
void warnOfPrecision(const Checking &checking);

/// Names the variables that stand for indices which are no plain variables, as nothing in the text is called.
void nameTiedVariables(Program &program);

/// Reports indices that are held by what holds none: the types and formats are known.
void checkIndexHolders(const Checking &checking);

/// Reports sums whose place is ambiguous.
void checkAmbiguity(Checking &checking);

/// Reports rankings that are no statement's whole value, and those whose target has not just an index for the rank and
/// those of what is ranked. False where there are any.
bool checkRankings(Checking &checking, const ResolvedStatement &statement);

/// Applies the --format bindings; operands that nobody bound become dense.
void bindFormats(Checking &checking);

/// Gives bound formats the types of pointers and indices that the options say. The formats are bound.
void applyIndexTypes(Checking &checking);

/// Merges the schedules of the bindings into Program::given and ::schedule; reports index variables in them that the
/// kernel does not have.
void readSchedules(Checking &checking);

/// Sets isRead and isWritten, and orders the parameters: as a `kernel` clause says, else operands, then outputs, of
/// both first those that are declared, in that order, then the others by first appearance. Reports clauses that are
/// wrong.
void orderParameters(Checking &checking);

} // namespace spc::sema
