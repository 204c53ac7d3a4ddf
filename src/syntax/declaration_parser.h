// `tensor S(m, n): f32, sparse, fill inf` and `const W(3, 3) = [...]`.
#pragma once

#include "syntax/expression_parser.h"

#include <optional>

namespace spc::syntax {

/// Whether a declaration of a tensor or of a constant begins at the current token, the first one of a statement.
/// `const` is a name as any other elsewhere.
bool atDeclaration(const TokenStream &tokens);

class DeclarationParser {
public:
  DeclarationParser(TokenStream &tokens, SyntaxErrors &errors, ExpressionParser &expressions)
      : tokens_(tokens), errors_(errors), expressions_(expressions) {}

  /// Takes a declaration, of what is sparse with the `fill` of the semiring before it where it says none. nullopt with
  /// an error reported.
  std::optional<TensorDecl> parse(std::optional<double> fill);

private:
  bool isNamed();
  bool attributes(TensorDecl &decl);
  bool attribute(TensorDecl &decl);
  bool fill(TensorDecl &decl);
  bool unknownAttribute();
  bool value(TensorDecl &decl);

  TokenStream &tokens_;
  SyntaxErrors &errors_;
  ExpressionParser &expressions_;
};

} // namespace spc::syntax
