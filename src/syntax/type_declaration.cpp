#include "syntax/type_declaration.h"

namespace spc::syntax {
namespace {

constexpr std::string_view kKeyword = "type";

/// `type T`, but not `type min= x(i)`, which reduces into a tensor `type`.
bool declares(std::string_view keyword, const Token &name, std::string_view nameText) {
  return keyword == kKeyword && name.kind == TokenKind::Name && !name.startsLine && !isReducingAssignment(nameText);
}

} // namespace

TypeParameters typeParametersOf(const SourceFile &file) {
  TypeParameters names;
  Lexer lexer(file.text());
  const auto textOf = [&](const Token &token) { return file.text().substr(token.begin, token.end - token.begin); };
  bool startsStatement = true;
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    if (startsStatement && token.kind == TokenKind::Name) {
      Lexer ahead = lexer;
      const Token name = ahead.next();
      if (declares(textOf(token), name, textOf(name)) && ahead.next().kind == TokenKind::Equal)
        names.emplace(textOf(name));
    }
    startsStatement = token.kind == TokenKind::Newline || token.kind == TokenKind::Semicolon;
  }
  return names;
}

bool atTypeDeclaration(const TokenStream &tokens) {
  const Token next = tokens.peek();
  return tokens.at(TokenKind::Name) && declares(tokens.text(tokens.current()), next, tokens.text(next));
}

std::optional<TypeDecl> parseTypeDeclaration(TokenStream &tokens, SyntaxErrors &errors, ExpressionParser &expressions) {
  const uint32_t begin = tokens.current().begin;
  tokens.advance();
  TypeDecl decl;
  decl.name = expressions.takeName();
  expressions.checkTypeParameterName(decl.name);
  if (!tokens.accept(TokenKind::Equal)) {
    Diagnostic &error = errors.unexpected("'='");
    if (error.help.empty())
      error.advise("a type parameter has a type, which --type may replace: 'type " + decl.name.text + " = f64'");
    return std::nullopt;
  }
  if (!tokens.at(TokenKind::Name) || tokens.atNewStatement()) {
    errors.unexpected("a type such as 'f32'");
    return std::nullopt;
  }
  decl.type = expressions.takeName();
  decl.where = tokens.since(begin);
  return decl;
}

} // namespace spc::syntax
