// Expressions and accesses. Every function gives nothing once it has reported an error that the statement cannot
// survive; the tokens then stand where the error was found.
#pragma once

#include "syntax/ast.h"
#include "syntax/shared_names.h"
#include "syntax/syntax_errors.h"
#include "syntax/token_stream.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace spc::syntax {

/// The highest order of a tensor.
constexpr size_t kMaxOrder = 8;

/// Names of type parameters.
using TypeParameters = std::set<std::string, std::less<>>;

class ExpressionParser {
public:
  ExpressionParser(TokenStream &tokens, SyntaxErrors &errors, TypeParameters typeParameters, SharedNames sharedNames)
      : tokens_(tokens), errors_(errors), typeParameters_(std::move(typeParameters)),
        sharedNames_(std::move(sharedNames)) {}

  /// `expression` of the grammar: a whole right side.
  ExprPtr parseValue();

  /// `access`, at a name; reports names that a tensor may not have.
  std::optional<Access> parseAccess();

  /// Takes the current token, a name.
  Name takeName();

  /// Reports a tensor name that the language keeps for itself; false then.
  bool checkTensorName(const Name &name);

  /// The same of a type parameter's name.
  bool checkTypeParameterName(const Name &name);

  /// Reports that a tensor has more than kMaxOrder dimensions; `where` is the first one too many.
  void reportOrder(Span where);

private:
  ExprPtr expression();
  ExprPtr exclusion();
  ExprPtr conjunction();
  /// Operands with a word between them.
  ExprPtr chain(Function function, ExprPtr (ExpressionParser::*operand)());
  ExprPtr negation();
  ExprPtr comparison();
  ExprPtr sum();
  ExprPtr product();
  ExprPtr unary();
  ExprPtr primary();
  ExprPtr misplacedNot();
  ExprPtr literal();
  ExprPtr parenthesised();
  /// The function that a name means where it is called.
  std::optional<Function> calledBy(std::string_view name) const;
  ExprPtr call(Function function);
  bool arguments(Call &call, Span open);
  /// Whether an argument is a name that may be what a reduction runs over: not every such is one for a tensor.
  bool atRunOver(const Call &call) const;
  ExprPtr runOver();
  ExprPtr padded(Call call, uint32_t begin);
  void checkScalars(const Call &call);
  bool checkArgumentCount(const Call &call, Span where);
  ExprPtr operation(Function function, ExprPtr left, ExprPtr right, uint32_t begin);
  bool atWord(std::string_view word) const;
  std::optional<Reduce> asReduction(Call &call);
  ExprPtr reduction(Reduction kind);
  bool reductionVariables(Reduce &call);
  bool indices(Access &access);
  bool index(Access &access);
  bool mayHold(const Access &access) const;
  bool heldIndex(Access &access);
  bool indexTerm(const Access &access, Index &index, bool isSubtracted);
  bool reportLarge(Span where);
  int64_t indexNumber();
  void checkIndexName(const Name &name);
  bool checkName(const Name &name, const char *what);
  bool closeIndices(Span open);
  bool rejectIndex(const Access &access);
  bool enter();
  bool countOperator();
  ExprPtr make(decltype(Expr::node) node, uint32_t begin);

  TokenStream &tokens_;
  SyntaxErrors &errors_;
  TypeParameters typeParameters_;
  SharedNames sharedNames_; ///< of functions, which are tensors in this file
  int depth_ = 0;
  int operators_ = 0;
};

} // namespace spc::syntax
