#include "syntax/parser.h"

#include "syntax/declaration_parser.h"
#include "syntax/expression_parser.h"
#include "syntax/foreign_syntax.h"
#include "syntax/functions.h"
#include "syntax/semiring.h"
#include "syntax/settle_indices.h"
#include "syntax/shared_names.h"
#include "syntax/signature_parser.h"
#include "syntax/syntax_errors.h"
#include "syntax/token_stream.h"
#include "syntax/type_declaration.h"

#include <algorithm>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kKernelTooLarge{"kernel-too-large", Severity::Error};
constexpr DiagnosticKind kUnknownKeyword{"unknown-keyword", Severity::Error};
constexpr DiagnosticKind kBadSemiring{"bad-semiring", Severity::Error};
constexpr DiagnosticKind kDuplicateSignature{"duplicate-signature", Severity::Error};
constexpr DiagnosticKind kUnsupportedAssignment{"unsupported-assignment", Severity::Error};

constexpr size_t kMostLines = 512; // far above the 64 tensors of a call; stages after this one compare all with all

class Parser {
public:
  Parser(const SourceFile &file, Diagnostics &diagnostics)
      : tokens_(file), errors_(tokens_, diagnostics),
        expressions_(tokens_, errors_, typeParametersOf(file), sharedNamesOf(file)), numbers_(knownNumbersOf(file)) {}

  Kernel run();

private:
  bool declaration();
  bool typeDeclaration();
  bool semiring();
  bool signature();
  bool statement();
  bool assignOperator(Statement &statement);
  bool rejectAfterTarget(const Statement &statement);
  bool endOfStatement(const std::string &what);
  void expectedStatement();

  TokenStream tokens_;
  SyntaxErrors errors_;
  ExpressionParser expressions_;
  KnownNumbers numbers_; ///< in indices
  Kernel kernel_;
  Semiring semiring_; ///< of what follows
};

Kernel Parser::run() {
  bool lostDeclaration = false, sawBlock = false;
  while (!errors_.full()) {
    while (tokens_.accept(TokenKind::Newline) || tokens_.accept(TokenKind::Semicolon))
      ;
    if (tokens_.at(TokenKind::End))
      break;
    if (kernel_.types.size() + kernel_.declarations.size() + kernel_.statements.size() >= kMostLines) {
      errors_
          .report(kKernelTooLarge, tokens_.currentSpan(),
                  "the kernel has more than " + std::to_string(kMostLines) + " declarations and statements")
          .advise("divide it into several kernels");
      break;
    }
    if (sawBlock && closesBlock(tokens_)) {
      tokens_.skipLine();
      continue;
    }
    uint32_t begin = tokens_.current().begin;
    bool fine = false;
    const bool declares = atDeclaration(tokens_);
    if (declares)
      fine = declaration();
    else if (tokens_.at(TokenKind::Name) && tokens_.text(tokens_.current()) == "semiring")
      fine = semiring();
    else if (atTypeDeclaration(tokens_))
      fine = typeDeclaration();
    else if (beginsSignature(tokens_))
      fine = signature();
    else if (tokens_.at(TokenKind::Name) && reportForeignStatement(tokens_, errors_))
      sawBlock = true;
    else if (tokens_.at(TokenKind::Name))
      fine = statement();
    else
      expectedStatement();
    lostDeclaration |= declares && !fine;
    if (!fine)
      tokens_.recover(begin);
  }
  if (!lostDeclaration)
    checkFunctionNames(kernel_, errors_);
  return std::move(kernel_);
}

void Parser::expectedStatement() {
  bool continuesLine = !kernel_.statements.empty() && (tokens_.at(TokenKind::Plus) || tokens_.at(TokenKind::Minus) ||
                                                       tokens_.at(TokenKind::Star) || tokens_.at(TokenKind::Slash));
  Diagnostic &error = errors_.unexpected("a declaration or a statement");
  if (continuesLine && error.help.empty())
    error.advise("a line break ends a statement: put the operator at the end of the line before");
}

bool Parser::declaration() {
  std::optional<TensorDecl> decl = DeclarationParser(tokens_, errors_, expressions_).parse(fillOf(semiring_));
  if (!decl)
    return false;
  const bool fine = endOfStatement(decl->constant ? "the end of the line" : "':', ',' or the end of the line");
  kernel_.declarations.push_back(std::move(*decl));
  return fine;
}

bool Parser::typeDeclaration() {
  std::optional<TypeDecl> decl = parseTypeDeclaration(tokens_, errors_, expressions_);
  if (!decl)
    return false;
  kernel_.types.push_back(std::move(*decl));
  return endOfStatement("the end of the line");
}

// `semiring(min, +)`
bool Parser::semiring() {
  tokens_.advance();
  const Token open = tokens_.current();
  Semiring semiring;
  const auto take = [&](auto named, auto &operation) {
    const auto found = named(tokens_.text(tokens_.current()));
    operation = found.value_or(operation);
    tokens_.advance();
    return found.has_value();
  };
  const bool isFine = tokens_.accept(TokenKind::LeftParen) && take(additionNamed, semiring.addition) &&
                      tokens_.accept(TokenKind::Comma) && take(multiplicationNamed, semiring.multiplication);
  if (!isFine) {
    errors_
        .report(kBadSemiring, tokens_.since(open.begin),
                "a semiring names what '+' and sums are, then what '*' is, as in 'semiring(min, +)'")
        .advise("'+', 'min', 'max' or 'or'; then '*', '+', 'min', 'max', 'and', 'first' or 'second'");
    return false;
  }
  if (!tokens_.accept(TokenKind::RightParen)) {
    errors_.missingParen(tokens_.span(open), "')'");
    return false;
  }
  semiring_ = semiring;
  return endOfStatement("the end of the line");
}

bool Parser::signature() {
  std::optional<SignatureDecl> signature = parseSignature(tokens_, errors_);
  if (!signature)
    return false;
  if (kernel_.signature)
    errors_.report(kDuplicateSignature, signature->where, "the kernel says its signature twice")
        .note(kernel_.signature->where, "first here");
  else
    kernel_.signature = std::move(signature);
  return true;
}

bool Parser::statement() {
  const Token first = tokens_.current();
  Statement statement;
  const Token next = tokens_.peek();
  if (tokens_.text(first) == "let" && next.kind == TokenKind::Name && !next.startsLine) {
    statement.isTemporary = true;
    tokens_.advance();
  }
  const Token name = tokens_.current();
  std::optional<Access> target = expressions_.parseAccess();
  if (!target)
    return false;
  statement.target = std::move(*target);
  statement.targetWhere = tokens_.since(name.begin);
  if (!assignOperator(statement))
    return false;
  statement.value = expressions_.parseValue();
  if (!statement.value)
    return false;
  statement.where = tokens_.since(first.begin);
  settleIndices(statement, numbers_, errors_);
  applySemiring(semiring_, statement, errors_);
  bool fine = endOfStatement("an operator or the end of the line");
  kernel_.statements.push_back(std::move(statement));
  return fine;
}

bool Parser::assignOperator(Statement &statement) {
  const std::string_view text = tokens_.text(tokens_.current());
  const bool isReducing = tokens_.at(TokenKind::Name) && isReducingAssignment(text);
  if (isReducing && tokens_.peek().kind == TokenKind::Equal) {
    statement.op = text == "min" ? AssignOp::Min : text == "max" ? AssignOp::Max : AssignOp::Or;
    tokens_.advance();
  } else if (tokens_.at(TokenKind::Equal) || tokens_.at(TokenKind::PlusEqual)) {
    statement.op = tokens_.at(TokenKind::Equal) ? AssignOp::Assign : AssignOp::Add;
  } else {
    return rejectAfterTarget(statement);
  }
  if (statement.isTemporary && statement.op != AssignOp::Assign) {
    errors_.report(kUnsupportedAssignment, tokens_.currentSpan(), "a temporary is made with '='")
        .advise("a later statement without 'let' may add to it");
    return false;
  }
  tokens_.advance();
  return true;
}

// Reports what stands where an assignment should; false always.
bool Parser::rejectAfterTarget(const Statement &statement) {
  std::string_view text = tokens_.text(tokens_.current());
  bool reduces =
      tokens_.at(TokenKind::Name) && (isFunctionName(text) || text == "sum") && tokens_.peek().kind == TokenKind::Equal;
  if (tokens_.at(TokenKind::OtherAssign) || tokens_.at(TokenKind::Comparison) || reduces) {
    std::string shown = std::string(text) + (reduces ? "=" : "");
    Diagnostic &error =
        errors_.report(kUnsupportedAssignment, tokens_.currentSpan(),
                       "a statement assigns with '=', '+=', 'min=', 'max=' or 'or=', not with '" + shown + "'");
    if (text == "==")
      error.fix(tokens_.currentSpan(), "=");
    else if (text == "-=")
      error.advise("write '+= -(...)'");
    else if (tokens_.at(TokenKind::OtherAssign))
      error.advise("name the target on the right: 'y(i) = y(i) " + std::string(text.substr(0, 1)) + " ...'");
    return false;
  }
  const Name &word = statement.target.tensor;
  bool twoNames = tokens_.at(TokenKind::Name) && statement.target.indices.empty() && !tokens_.current().startsLine &&
                  tokens_.previous().end == word.where.end;
  const std::optional<std::string> meant = didYouMean(word.text, {"tensor", "let", "type", "kernel", "const"});
  if (twoNames && meant) {
    errors_.report(kUnknownKeyword, word.where, "unknown keyword '" + word.text + "'").fix(word.where, *meant);
  } else {
    errors_.unexpected("an assignment: '=', '+=', 'min=', 'max=' or 'or='");
  }
  return false;
}

bool Parser::endOfStatement(const std::string &what) {
  if (tokens_.atStatementEnd())
    return true;
  bool operand = tokens_.at(TokenKind::Name) || tokens_.at(TokenKind::Number) || tokens_.at(TokenKind::LeftParen);
  bool declared = what.front() == '\'';
  if (tokens_.at(TokenKind::RightParen)) {
    errors_.unexpected(what).advise("no '(' belongs to this ')'");
  } else if (operand && declared && tokens_.text(tokens_.current()) == "sparse") {
    errors_.unexpected(what).fix(tokens_.gap(), ",");
  } else if (operand && !declared) {
    Diagnostic &error = errors_.unexpected(what);
    if (error.help.empty())
      error.fix(tokens_.gap(), "*");
  } else {
    Diagnostic &error = errors_.unexpected(what);
    if (!declared)
      adviseGuard(tokens_, error);
  }
  return false;
}

} // namespace

Kernel parse(const SourceFile &file, Diagnostics &diagnostics) {
  return Parser(file, diagnostics).run();
}

} // namespace spc::syntax
