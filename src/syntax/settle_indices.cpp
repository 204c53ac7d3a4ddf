#include "syntax/settle_indices.h"

#include "syntax/lexer.h"

#include <algorithm>
#include <utility>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kIndexExpression{"index-expression", Severity::Error};

bool endsStatement(const Token &token) {
  return token.kind == TokenKind::Newline || token.kind == TokenKind::Semicolon || token.kind == TokenKind::End;
}

bool assigns(const Token &token) {
  return token.kind == TokenKind::Equal || token.kind == TokenKind::PlusEqual;
}

class NumberFinder {
public:
  explicit NumberFinder(const SourceFile &file) : text_(file.text()) {}

  KnownNumbers find() {
    Lexer lexer(text_);
    bool startsStatement = true;
    for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
      if (startsStatement && token.kind == TokenKind::Name)
        startStatement(token, lexer);
      startsStatement = endsStatement(token);
    }
    return std::move(numbers_);
  }

private:
  std::string_view textOf(const Token &token) const { return text_.substr(token.begin, token.end - token.begin); }

  void startStatement(const Token &first, Lexer after) {
    const Token second = after.next();
    const bool isNamed = second.kind == TokenKind::Name && !second.startsLine;
    const Token &name = isNamed ? second : first;
    const Token next = isNamed ? after.next() : second;
    if (isNamed && (textOf(first) == "tensor" || textOf(first) == "const")) {
      if (next.kind == TokenKind::LeftParen)
        takeExtents(after);
      else
        numbers_.emplace(textOf(name));
    } else if ((!isNamed || textOf(first) == "let") && assigns(next)) {
      numbers_.emplace(textOf(name));
    }
  }

  void takeExtents(Lexer after) {
    for (Token token = after.next(); !endsStatement(token) && token.kind != TokenKind::RightParen; token = after.next())
      if (token.kind == TokenKind::Name)
        numbers_.emplace(textOf(token));
  }

  std::string_view text_;
  KnownNumbers numbers_;
};

class Settler {
public:
  Settler(const KnownNumbers &numbers, SyntaxErrors &errors) : numbers_(numbers), errors_(errors) {}

  void run(Statement &statement) {
    collect(statement.target);
    collect(*statement.value);
    settle(statement.target);
    settle(*statement.value);
  }

private:
  void collect(const Index &index) {
    if (index.isPlain())
      variables_.insert(index.terms.front().variable.text);
    for (const Index &inner : index.within)
      collect(inner);
  }

  void collect(const Access &access) {
    for (const Index &index : access.indices)
      collect(index);
  }

  void collect(const Expr &expr) {
    if (const auto *access = std::get_if<Access>(&expr.node))
      collect(*access);
    if (const auto *reduction = std::get_if<Reduce>(&expr.node))
      for (const Name &variable : reduction->variables)
        variables_.insert(variable.text);
    for (const Expr *child : children(expr))
      collect(*child);
  }

  bool isNumber(const Name &name) const { return numbers_.contains(name.text) && !variables_.contains(name.text); }

  void settle(Expr &expr) {
    if (auto *access = std::get_if<Access>(&expr.node))
      settle(*access);
    for (Expr *child : children(expr))
      settle(*child);
  }

  void settle(Access &access) {
    for (Index &index : access.indices)
      settle(index);
  }

  void settle(Index &index) {
    if (index.isPlain())
      return;
    for (Index &inner : index.within)
      settle(inner);
    for (IndexTerm &term : std::exchange(index.terms, {}))
      settle(std::move(term), index);
    index.text = spellingOf(index);
  }

  void settle(IndexTerm term, Index &index) {
    std::vector<Name> names = std::move(term.numbers);
    names.insert(names.begin(), term.variable);
    const auto end =
        std::stable_partition(names.begin(), names.end(), [&](const Name &name) { return isNumber(name); });
    if (names.end() - end > 1) {
      errors_
          .report(kIndexExpression, std::prev(names.end())->where,
                  "'" + end->text + "' and '" + names.back().text + "' are index variables, and are multiplied")
          .advise("an index adds up variables and multiples of them: by whole numbers, by declared sizes, and by "
                  "scalars of integers, 'tensor " +
                  names.back().text + ": i64'");
      names.erase(end + 1, names.end());
    }
    IndexTerm settled{end == names.end() ? Name() : *end, term.scale, {names.begin(), end}};
    (settled.variable.text.empty() ? index.offsets : index.terms).push_back(std::move(settled));
  }

  const KnownNumbers &numbers_;
  SyntaxErrors &errors_;
  std::set<std::string> variables_; ///< what is one somewhere in the statement
};

} // namespace

KnownNumbers knownNumbersOf(const SourceFile &file) {
  return NumberFinder(file).find();
}

void settleIndices(Statement &statement, const KnownNumbers &numbers, SyntaxErrors &errors) {
  Settler(numbers, errors).run(statement);
}

} // namespace spc::syntax
