#include "syntax/shared_names.h"

#include "language/function.h"
#include "syntax/lexer.h"

#include <vector>

namespace spc::syntax {
namespace {

using language::Naming;

bool isShared(std::string_view name) {
  return language::namingOf(name) == Naming::Shared || language::namingOf(name) == Naming::LikelyTensor;
}

class SharedNameFinder {
public:
  explicit SharedNameFinder(const SourceFile &file) : text_(file.text()) {}

  SharedNames find() {
    Lexer lexer(text_);
    bool startsStatement = true;
    for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
      if (token.kind == TokenKind::Name) {
        if (startsStatement)
          startStatement(token, lexer);
        if (language::namingOf(textOf(token)) == Naming::LikelyTensor)
          noteRead(std::string(textOf(token)), lexer);
      }
      startsStatement = token.kind == TokenKind::Newline || token.kind == TokenKind::Semicolon;
    }
    if (!declares_)
      for (const std::string &name : atIndices_)
        if (!called_.contains(name))
          names_.insert(name);
    return std::move(names_);
  }

private:
  std::string_view textOf(const Token &token) const { return text_.substr(token.begin, token.end - token.begin); }

  void take(const Token &name) {
    if (name.kind == TokenKind::Name && isShared(textOf(name)))
      names_.emplace(textOf(name));
  }

  /// A declaration, a signature, or a target.
  void startStatement(const Token &first, Lexer after) {
    Lexer ahead = after;
    const Token next = ahead.next();
    const bool isNamed = next.kind == TokenKind::Name && !next.startsLine;
    if (isNamed && textOf(first) == "tensor") {
      declares_ = true;
      return take(next);
    }
    if (isNamed && textOf(first) == "const")
      return take(next);
    if (isNamed && textOf(first) == "kernel")
      return takeSignature(ahead);
    const Token &target = isNamed && textOf(first) == "let" ? next : first;
    if (isShared(textOf(target)) && isAssigned(&target == &next ? ahead : after))
      take(target);
  }

  void takeSignature(Lexer after) {
    for (Token token = after.next(); !endsStatement(token); token = after.next())
      take(token);
  }

  static bool endsStatement(const Token &token) {
    return token.kind == TokenKind::Newline || token.kind == TokenKind::Semicolon || token.kind == TokenKind::End;
  }

  /// Whether indices, if there are any, and an assignment follow.
  bool isAssigned(Lexer after) const {
    Token token = after.next();
    int depth = 0;
    for (; !endsStatement(token); token = after.next()) {
      depth += token.kind == TokenKind::LeftParen ? 1 : token.kind == TokenKind::RightParen ? -1 : 0;
      if (depth == 0 && token.kind != TokenKind::RightParen)
        break;
    }
    if (token.kind == TokenKind::Name) // `min=`
      token = after.next();
    return token.kind == TokenKind::Equal || token.kind == TokenKind::PlusEqual || token.kind == TokenKind::OtherAssign;
  }

  void noteRead(const std::string &name, Lexer after) {
    if (after.next().kind == TokenKind::LeftParen)
      (hasIndicesAlone(after) ? atIndices_ : called_).insert(name);
  }

  /// Variables, whole numbers, sums and multiples up to the parenthesis.
  bool hasIndicesAlone(Lexer after) const {
    bool hasVariable = false;
    for (Token token = after.next();; token = after.next()) {
      switch (token.kind) {
      case TokenKind::RightParen:
        return hasVariable;
      case TokenKind::Name:
        hasVariable = true;
        break;
      case TokenKind::Number:
        if (textOf(token).find_first_not_of("0123456789") != std::string_view::npos)
          return false;
        break;
      case TokenKind::Plus:
      case TokenKind::Minus:
      case TokenKind::Star:
      case TokenKind::Comma:
        break;
      default:
        return false;
      }
    }
  }

  std::string_view text_;
  SharedNames names_;
  SharedNames atIndices_, called_; ///< likely names of tensors, by what stands in their parentheses
  bool declares_ = false;
};

} // namespace

SharedNames sharedNamesOf(const SourceFile &file) {
  return SharedNameFinder(file).find();
}

} // namespace spc::syntax
