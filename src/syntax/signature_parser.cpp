#include "syntax/signature_parser.h"

namespace spc::syntax {
namespace {

Name takeName(TokenStream &tokens) {
  Name name{std::string(tokens.text(tokens.current())), tokens.currentSpan()};
  tokens.advance();
  return name;
}

/// `(A, x)`, or `()`.
bool parseList(TokenStream &tokens, SyntaxErrors &errors, std::vector<Name> &names) {
  const Token open = tokens.current();
  if (!tokens.accept(TokenKind::LeftParen)) {
    errors.unexpected("'('");
    return false;
  }
  if (tokens.accept(TokenKind::RightParen))
    return true;
  do {
    if (!tokens.at(TokenKind::Name) || tokens.atNewStatement()) {
      errors.unexpected("a tensor's name");
      return false;
    }
    names.push_back(takeName(tokens));
  } while (tokens.accept(TokenKind::Comma));
  if (tokens.accept(TokenKind::RightParen))
    return true;
  errors.missingParen(tokens.span(open), "',' or ')'");
  return false;
}

bool acceptArrow(TokenStream &tokens, SyntaxErrors &errors) {
  const Token dash = tokens.current(), head = tokens.peek();
  const bool isArrow = tokens.at(TokenKind::Minus) && tokens.text(head) == ">" && head.begin == dash.end;
  if (!isArrow) {
    errors.unexpected("'->' and the outputs");
    return false;
  }
  tokens.advance();
  tokens.advance();
  return true;
}

} // namespace

bool beginsSignature(const TokenStream &tokens) {
  if (!tokens.at(TokenKind::Name) || tokens.text(tokens.current()) != "kernel")
    return false;
  const Token next = tokens.peek();
  const bool isNamed = next.kind == TokenKind::Name && !next.startsLine;
  return isNamed ? !isReducingAssignment(tokens.text(next)) : !tokens.looksLikeStatement();
}

std::optional<SignatureDecl> parseSignature(TokenStream &tokens, SyntaxErrors &errors) {
  const uint32_t begin = tokens.current().begin;
  tokens.advance();
  if (!tokens.at(TokenKind::Name) || tokens.current().startsLine) {
    errors.unexpected("the name of the C function");
    return std::nullopt;
  }
  SignatureDecl signature;
  signature.name = takeName(tokens);
  if (!parseList(tokens, errors, signature.operands) || !acceptArrow(tokens, errors))
    return std::nullopt;
  if (tokens.at(TokenKind::Name))
    signature.outputs.push_back(takeName(tokens));
  else if (!parseList(tokens, errors, signature.outputs))
    return std::nullopt;
  signature.where = tokens.since(begin);
  if (tokens.atStatementEnd())
    return signature;
  errors.unexpected("the end of the line");
  return std::nullopt;
}

} // namespace spc::syntax
