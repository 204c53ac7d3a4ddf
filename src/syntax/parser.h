// Kernel text to syntax tree.
//
//     file      := { [type | declaration | statement] (newline | ';') }       '#' starts a comment
//     type      := "type" NAME "=" NAME
//     declaration := "tensor" NAME [ "(" extent {"," extent} ")" ] [ ":" NAME ] { "," "sparse" }
//     statement := access ("=" | "+=") sum
//     sum       := product { ("+" | "-") product }
//     product   := unary { ("*" | "/") unary }
//     unary     := "-" unary | primary
//     primary   := NUMBER | access | "sum" "(" NAME {"," NAME} "," sum ")" | "(" sum ")"
//     access    := NAME [ "(" NAME {"," NAME} ")" ]
//
// A line break ends a statement except inside parentheses and right after an operator, a comma or '='.
#pragma once

#include "support/diagnostic.h"
#include "syntax/ast.h"

#include <string>

namespace spc::syntax {

/// Parses a whole file; reports every error that it finds (resuming at the next statement) to `diagnostics`.
/// The tree holds the statements that could be read; with errors reported it must not be compiled.
/// Never recurses deeper than a fixed limit: deeper nesting is an error.
Kernel parse(const SourceFile &file, Diagnostics &diagnostics);

/// The tree as an indented outline, for --emit=ast.
std::string print(const Kernel &kernel);

/// An expression or a statement back in the language's own notation, fully readable: `A(i,j)*x(j) + z(i)`.
std::string toSource(const Expr &expr);
std::string toSource(const Statement &statement);

} // namespace spc::syntax
