#include "syntax/declaration_parser.h"

#include "syntax/constant_parser.h"
#include "syntax/extent_parser.h"

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kBadFill{"bad-fill", Severity::Error};
constexpr DiagnosticKind kUnknownAttribute{"unknown-attribute", Severity::Error};

constexpr std::string_view kConstant = "const";

} // namespace

/// `const W`, but not `const min= x(i)`, which reduces into a tensor `const`.
bool atDeclaration(const TokenStream &tokens) {
  if (!tokens.at(TokenKind::Name))
    return false;
  const std::string_view word = tokens.text(tokens.current());
  const Token next = tokens.peek();
  const bool isNamed = next.kind == TokenKind::Name && !next.startsLine && !isReducingAssignment(tokens.text(next));
  return word == "tensor" || (word == kConstant && isNamed);
}

std::optional<TensorDecl> DeclarationParser::parse(std::optional<double> fill) {
  const Token keyword = tokens_.current();
  const bool isConstant = tokens_.text(keyword) == kConstant;
  if (!isConstant && !isNamed())
    return std::nullopt;
  tokens_.advance();
  if (!tokens_.at(TokenKind::Name)) {
    errors_.unexpected("the tensor's name");
    return std::nullopt;
  }
  TensorDecl decl;
  decl.name = expressions_.takeName();
  expressions_.checkTensorName(decl.name);
  if (tokens_.at(TokenKind::LeftParen) && !ExtentParser(tokens_, errors_, expressions_).run(decl))
    return std::nullopt;
  if (!attributes(decl))
    return std::nullopt;
  decl.where = tokens_.since(keyword.begin);
  if (fill && decl.sparse && !decl.fill)
    decl.fill = FillDecl{*fill, decl.where, /*bySemiring=*/true};
  if (isConstant && !value(decl))
    return std::nullopt;
  return decl;
}

/// Whether a name follows the word `tensor`, which is none of a tensor.
bool DeclarationParser::isNamed() {
  const TokenKind after = tokens_.peek().kind;
  if (after != TokenKind::LeftParen && after != TokenKind::Equal && after != TokenKind::PlusEqual)
    return true;
  (void)expressions_.checkTensorName(expressions_.takeName());
  return false;
}

bool DeclarationParser::value(TensorDecl &decl) {
  if (!tokens_.at(TokenKind::Equal)) {
    const bool isTyped = tokens_.at(TokenKind::Name) && !tokens_.atNewStatement() && !tokens_.current().startsLine;
    const std::string next(tokens_.text(tokens_.current()));
    Diagnostic &error = errors_.unexpected("'=' and the constant's numbers");
    if (isTyped)
      error.advise("a type stands behind the name: 'const " + next + ": f64 = 3'");
    else if (error.help.empty())
      error.advise("a constant has its numbers, or a file that has them: 'const " + decl.name.text +
                   "(2, 2) = [[1, 2], [3, 4]]'");
    return false;
  }
  tokens_.advance();
  if (tokens_.atNewStatement()) {
    errors_.unexpected("the constant's numbers");
    return false;
  }
  decl.constant = parseConstant(tokens_, errors_, decl);
  return decl.constant != nullptr;
}

bool DeclarationParser::attributes(TensorDecl &decl) {
  if (tokens_.accept(TokenKind::Colon)) {
    if (!tokens_.at(TokenKind::Name)) {
      errors_.unexpected("a type such as 'f32'");
      return false;
    }
    if (tokens_.text(tokens_.current()) == "sparse") {
      errors_.report(kUnknownAttribute, tokens_.currentSpan(), "'sparse' is no type")
          .fix(tokens_.span(tokens_.previous()), ",")
          .advise("did you mean ', sparse'?");
      return false;
    }
    decl.type = expressions_.takeName();
  }
  while (tokens_.accept(TokenKind::Comma)) {
    if (!attribute(decl))
      return false;
  }
  return true;
}

bool DeclarationParser::attribute(TensorDecl &decl) {
  if (!tokens_.at(TokenKind::Name)) {
    errors_.unexpected("'sparse'");
    return false;
  }
  if (tokens_.text(tokens_.current()) == "fill")
    return fill(decl);
  if (tokens_.text(tokens_.current()) != "sparse")
    return unknownAttribute();
  decl.sparse = true;
  tokens_.advance();
  return true;
}

// `fill inf`: a number, perhaps negative.
bool DeclarationParser::fill(TensorDecl &decl) {
  const uint32_t begin = tokens_.current().begin;
  tokens_.advance();
  const ExprPtr value = expressions_.parseValue();
  if (!value)
    return false;
  const auto *negate = std::get_if<Negate>(&value->node);
  const auto *number = std::get_if<Literal>(negate ? &negate->operand->node : &value->node);
  if (!number) {
    errors_.report(kBadFill, value->where, "a fill is a number, 'inf', '-inf', 'true' or 'false'");
    return false;
  }
  decl.fill = FillDecl{negate ? -number->value : number->value, tokens_.since(begin), /*bySemiring=*/false};
  return true;
}

bool DeclarationParser::unknownAttribute() {
  std::string_view text = tokens_.text(tokens_.current());
  Diagnostic &error = errors_.report(kUnknownAttribute, tokens_.currentSpan(),
                                     "unknown attribute " + tokens_.quoted(tokens_.current()));
  if (tokens_.peek().kind == TokenKind::LeftParen)
    error.advise("a declaration is of one tensor: write 'tensor " + std::string(text) + "(...)' on a line of its own");
  else if (language::isTypeName(text))
    error.fix(tokens_.span(tokens_.previous()), ":").advise("did you mean ': " + std::string(text) + "'?");
  else if (didYouMean(text, {"sparse", "fill"}))
    error.fix(tokens_.currentSpan(), *didYouMean(text, {"sparse", "fill"}));
  else
    error.advise("the attributes are 'sparse', tensors are dense otherwise, and 'fill', what missing entries are");
  return false;
}

} // namespace spc::syntax
