// The extents of a declaration.
#pragma once

#include "syntax/expression_parser.h"

namespace spc::syntax {

class ExtentParser {
public:
  /// All outlive the parser.
  ExtentParser(TokenStream &tokens, SyntaxErrors &errors, ExpressionParser &expressions)
      : tokens_(tokens), errors_(errors), expressions_(expressions) {}

  /// Takes `(m, 40, 2*n + 1)` up to the parenthesis that closes it; false with an error reported.
  bool run(TensorDecl &decl);

private:
  bool extent(TensorDecl &decl);
  bool product(const TensorDecl &decl, ExtentSum &sum, bool isSubtracted);

  TokenStream &tokens_;
  SyntaxErrors &errors_;
  ExpressionParser &expressions_;
};

} // namespace spc::syntax
