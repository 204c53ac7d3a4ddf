// A kernel that is checked and not yet planned: what statements say, with every name, type and extent settled.
#pragma once

#include "format/format_file.h"
#include "language/declarations.h"
#include "sema/tree.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spc::sema {

/// Facts about a tensor besides its entry in KernelHead::tensors, under the same index.
struct Symbol {
  std::optional<language::TensorDecl> declaration;
  Span firstUse;
  bool holdsIndices = false; ///< of other tensors: it is of integers
  bool isOperand = false;    ///< stands on a right side before any statement has written it, or in the first that does
  int firstWrite = -1;       ///< the first statement that writes it, or -1
  std::optional<Span> boundBy; ///< the --format argument that gave it its format
};

/// One statement with its names resolved.
struct ResolvedStatement {
  ResolvedStatement() = default;
  ResolvedStatement(ResolvedStatement &&) = default;
  ResolvedStatement &operator=(ResolvedStatement &&) = default;
  ResolvedStatement(const ResolvedStatement &other);

  AssignOp op = AssignOp::Assign;
  bool isTemporary = false; ///< `let`
  Span where;
  Span targetWhere;
  Scope scope;
  Access target;
  NodePtr value;        ///< null where names could not be resolved
  bool isFused = false; ///< a temporary's, which its reader computes
  bool takesIn =
      false; ///< an assignment of the target and what `min=`, `max=` or `or=` takes in, in a function of both
};

/// It holds copies of all that it is made of, and nothing of a syntax tree.
struct Program : KernelHead {
  std::vector<language::TypeDecl> types;
  std::vector<language::TensorDecl> declarations; ///< in the order of the text, also of tensors that are not used
  std::optional<language::SignatureDecl> signature;
  IdVector<TensorId, Symbol> symbols;                   ///< of `tensors`
  std::vector<std::pair<std::string, Span>> indexNames; ///< every index variable, in the order of the text
  std::vector<ResolvedStatement> statements;
  std::map<TensorId, size_t> tiedBefore; ///< ties of what statements write: the one before which each is made
  format::Schedule given;                ///< by all bindings together; `schedule` is what it says of loops
};

/// The program as source text. That reads as the same program again, with the same options and formats.
std::string toText(const Program &program);

/// The value of a constant as source text.
std::string toText(const language::ConstantDecl &constant);

/// The type a statement is computed in: that of arithmetic on the widest type among its operands and its target.
ValueType computeTypeOf(const KernelHead &kernel, const ResolvedStatement &statement);

/// Reports a tensor whose missing entries are not 0 in a format that has padding.
void reportFillFormat(const Tensor &tensor, Span where, Diagnostics &diagnostics);

/// Whether an entry of a format can be looked up without going through all of them.
bool hasPlaces(const format::Format &format);

/// `'name'` for messages.
inline std::string inQuotes(std::string_view name) {
  return "'" + std::string(name) + "'";
}

} // namespace spc::sema
