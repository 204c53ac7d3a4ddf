#include "syntax/foreign_syntax.h"

#include <algorithm>
#include <array>
#include <optional>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kForeignSyntax{"foreign-syntax", Severity::Error};

struct Foreign {
  std::string_view text;
  std::string_view message;
  std::string_view help;
};

constexpr std::string_view kLoop = "loops are not written out";
constexpr std::string_view kLoopHelp = "a statement runs over all values of its index variables, and sums over those "
                                       "that the left side lacks: 'y(i) = A(i,j) * x(j)'";
constexpr std::string_view kRepeat = "statements run once, from top to bottom";
constexpr std::string_view kRepeatHelp = "call the kernel once an iteration, and test in the program that calls it";
constexpr std::string_view kIf = "statements have no conditions";
constexpr std::string_view kIfHelp = "'select(condition, x, y)' chooses for each element, as in "
                                     "'y(i) = select(x(i) > 0, x(i), 0)'";
constexpr std::string_view kReturn = "results are the tensors on left sides";
constexpr std::string_view kReturnHelp = "write 'y(i) = ...'";
constexpr std::string_view kFunction = "a kernel file is a list of statements";
constexpr std::string_view kFunctionHelp =
    "the C function has the file's name, or that of --name, or a line says it: 'kernel f(A, x) -> y'";
constexpr std::string_view kType = "arguments are declared with 'tensor', temporaries with 'let'";
constexpr std::string_view kTypeHelp = "write 'tensor x(n): f32', or 'let t(i) = ...'";

constexpr std::array<Foreign, 22> kStatements{{{"for", kLoop, kLoopHelp},
                                               {"forall", kLoop, kLoopHelp},
                                               {"foreach", kLoop, kLoopHelp},
                                               {"parfor", kLoop, kLoopHelp},
                                               {"do", kLoop, kLoopHelp},
                                               {"while", kRepeat, kRepeatHelp},
                                               {"until", kRepeat, kRepeatHelp},
                                               {"repeat", kRepeat, kRepeatHelp},
                                               {"if", kIf, kIfHelp},
                                               {"elif", kIf, kIfHelp},
                                               {"else", kIf, kIfHelp},
                                               {"return", kReturn, kReturnHelp},
                                               {"def", kFunction, kFunctionHelp},
                                               {"fn", kFunction, kFunctionHelp},
                                               {"func", kFunction, kFunctionHelp},
                                               {"function", kFunction, kFunctionHelp},
                                               {"void", kFunction, kFunctionHelp},
                                               {"int", kType, kTypeHelp},
                                               {"float", kType, kTypeHelp},
                                               {"double", kType, kTypeHelp},
                                               {"auto", kType, kTypeHelp},
                                               {"var", kType, kTypeHelp}}};

constexpr std::string_view kSum = "sums go without saying";
constexpr std::string_view kSumHelp = "a statement sums over the index variables that the left side lacks, "
                                      "'y(i) = A(i,j) * x(j)'; or say where with 'sum(j, ...)'";
constexpr std::string_view kSubscript = "indices stand in parentheses";

constexpr std::string_view kTranspose = "a transpose has its indices the other way round";
constexpr std::string_view kTransposeHelp = "write 'A(j,i)' for 'A(i,j)'";
constexpr Foreign kTransposes{"^T", kTranspose, kTransposeHelp};

// By what the run of characters begins with.
constexpr std::array<Foreign, 14> kCharacters{
    {{"\u2211", kSum, kSumHelp},
     {"\u03A3", kSum, kSumHelp},
     {"\"", "texts are no part of a kernel",
      "an einsum is written with its tensors: 'ij,j->i' is 'y(i) = A(i,j) * x(j)'"},
     {"'", kTranspose, kTransposeHelp},
     {"@", "a matrix product is written with its indices", "write 'y(i) = A(i,j) * x(j)'"},
     {"?", "a choice is a function", "write 'select(condition, x, y)'"},
     {"&", "logic is written in words", "write 'and'"},
     {"|", "logic is written in words", "write 'or'; absolute values are 'abs(x)'"},
     {"!", "logic is written in words", "write 'not', or '!=' for unequal"},
     {"~", "logic is written in words", "write 'not'"},
     {".", "names and operators have no points", "products are '*'; a transpose has its indices the other way round"},
     {"$", "formulas stand alone in a kernel file", "leave it out"},
     {"{", "there are no blocks", "a statement ends with its line, or with a ';'"},
     {"}", "there are no blocks", "a statement ends with its line, or with a ';'"}}};

constexpr std::array<std::string_view, 8> kBlockEnds{"end",   "endfor", "endif", "endwhile",
                                                     "enddo", "done",   "pass",  "fi"};

std::string thereIsNo(std::string_view what, std::string_view rather) {
  return "there is no '" + std::string(what) + "': " + std::string(rather);
}

/// Whether `T` follows, as in `A^T`.
bool isTransposition(const TokenStream &tokens) {
  const std::vector<Token> line = tokens.restOfLine();
  return line.size() > 1 && tokens.text(line[1]) == "T";
}

/// `i,jk->ik` at the current token: the number of tokens that it takes, and its words; nullopt where it is none.
struct Einsum {
  std::vector<std::string_view> operands;
  std::string_view result;
  uint32_t end = 0;
};

std::optional<Einsum> einsumAt(const TokenStream &tokens) {
  const std::vector<Token> line = tokens.restOfLine();
  Einsum einsum;
  size_t k = 0;
  for (; k < line.size() && line[k].kind == TokenKind::Name; k += 2) {
    einsum.operands.push_back(tokens.text(line[k]));
    if (k + 1 == line.size() || line[k + 1].kind != TokenKind::Comma)
      break;
  }
  if (k + 2 >= line.size() || line[k + 1].kind != TokenKind::Minus || tokens.text(line[k + 2]) != ">")
    return std::nullopt;
  einsum.end = line[k + 2].end;
  if (k + 3 < line.size() && line[k + 3].kind == TokenKind::Name) {
    einsum.result = tokens.text(line[k + 3]);
    einsum.end = line[k + 3].end;
  }
  return einsum;
}

/// `A(i,j)` for `ij`.
std::string accessOf(std::string tensor, std::string_view letters) {
  for (size_t k = 0; k < letters.size(); ++k)
    tensor += std::string(k == 0 ? "(" : ",") + letters[k];
  return letters.empty() ? tensor : tensor + ")";
}

std::string asStatement(const Einsum &einsum) {
  std::string statement = accessOf("R", einsum.result) + " =";
  for (size_t k = 0; k < einsum.operands.size(); ++k)
    statement += (k == 0 ? " " : " * ") + accessOf(std::string(1, static_cast<char>('A' + k % 16)), einsum.operands[k]);
  return statement;
}

/// The indices `[i][j]` or `[i, j]` at the current token as `(i, j)`, and where they end; nullopt for anything else.
std::optional<std::pair<std::string, uint32_t>> bracketsAt(const TokenStream &tokens) {
  const std::vector<Token> line = tokens.restOfLine();
  std::string indices;
  for (size_t k = 1; k < line.size(); ++k) {
    const std::string text(tokens.text(line[k]));
    if (line[k].kind != TokenKind::Invalid)
      indices += text + (text == "," ? " " : "");
    else if (text == "][")
      indices += ", ";
    else if (text != "]" || indices.empty())
      return std::nullopt;
    else
      return std::pair("(" + indices + ")", line[k].end);
  }
  return std::nullopt;
}

Diagnostic &reportBrackets(const TokenStream &tokens, SyntaxErrors &errors) {
  const auto brackets = bracketsAt(tokens);
  const Span first = tokens.currentSpan();
  const Span all{first.file, first.begin, brackets ? brackets->second : first.end};
  Diagnostic &error = errors.report(kForeignSyntax, all, "indices stand in parentheses, not in brackets");
  if (brackets)
    error.fix(all, brackets->first);
  else
    error.advise("write 'A(i, j)'");
  return error;
}

/// `\sum_j`, `\cdot`, `\frac`.
Diagnostic &reportTex(const TokenStream &tokens, SyntaxErrors &errors) {
  const std::vector<Token> line = tokens.restOfLine();
  Span where = tokens.currentSpan();
  std::string_view command;
  if (line.size() > 1 && line[1].begin == line[0].end) {
    command = tokens.text(line[1]);
    where.end = line[1].end;
  }
  if (command.starts_with("sum"))
    return errors.report(kForeignSyntax, where, thereIsNo("\\sum", kSum)).advise(std::string(kSumHelp));
  Diagnostic &error = errors.report(kForeignSyntax, where, "the language has no commands of TeX");
  if (command == "cdot" || command == "times" || command == "odot")
    return error.fix(where, "*");
  if (command.starts_with("frac"))
    return error.advise("write 'a / b'");
  return error.advise("write indices in parentheses, 'A(i,j)', products with '*' and functions by name, 'exp(x)'");
}

bool isSubscript(const TokenStream &tokens) {
  const Token &before = tokens.previous();
  return before.kind == TokenKind::Name && tokens.text(before).ends_with('_') && before.end == tokens.current().begin;
}

/// Whether the current token begins a comment of another language, or is the second character of one.
bool isComment(const TokenStream &tokens) {
  const std::vector<Token> line = tokens.restOfLine();
  const auto isMark = [&](const Token &token) { return tokens.text(token) == "/" || tokens.text(token) == "*"; };
  const Token &first = line.front(), &before = tokens.previous();
  if (first.startsLine && line.size() > 1 && tokens.text(first) == "/")
    return isMark(line[1]) && line[1].begin == first.end;
  if (first.startsLine)
    return tokens.text(first) == "%";
  return isMark(first) && before.kind == TokenKind::Slash && before.end == first.begin;
}

} // namespace

bool reportForeignStatement(TokenStream &tokens, SyntaxErrors &errors) {
  if (tokens.looksLikeStatement())
    return false;
  const Token first = tokens.current();
  if (const std::optional<Einsum> einsum = einsumAt(tokens)) {
    const Span name = tokens.span(first);
    errors.report(kForeignSyntax, {name.file, name.begin, einsum->end}, "an einsum is written with its tensors")
        .advise("as a statement, '" + asStatement(*einsum) + "'");
    tokens.skipLine();
    return true;
  }
  const auto found = std::find_if(kStatements.begin(), kStatements.end(),
                                  [&](const Foreign &foreign) { return foreign.text == tokens.text(first); });
  if (found == kStatements.end())
    return false;
  errors.report(kForeignSyntax, tokens.span(first), thereIsNo(found->text, found->message))
      .advise(std::string(found->help));
  tokens.skipLine();
  return true;
}

bool closesBlock(const TokenStream &tokens) {
  const std::vector<Token> line = tokens.restOfLine();
  const auto isEnd = [&](const Token &token) {
    return std::find(kBlockEnds.begin(), kBlockEnds.end(), tokens.text(token)) != kBlockEnds.end();
  };
  const bool isWordy = !line.empty() && isEnd(line.front()) && !tokens.looksLikeStatement(); // `end do`
  return isWordy || std::all_of(line.begin(), line.end(), [&](const Token &token) {
           return tokens.text(token).find_first_not_of("{};") == std::string_view::npos;
         });
}

Diagnostic *reportForeignCharacter(const TokenStream &tokens, SyntaxErrors &errors) {
  const std::string_view text = tokens.text(tokens.current());
  if (text.starts_with("["))
    return &reportBrackets(tokens, errors);
  if (text.starts_with("\\"))
    return &reportTex(tokens, errors);
  if (text.starts_with("{") && isSubscript(tokens))
    return &errors.report(kForeignSyntax, tokens.currentSpan(), std::string(kSubscript)).advise("write 'A(i, j)'");
  const Foreign *found = text.starts_with("^") && isTransposition(tokens) ? &kTransposes : nullptr;
  for (const Foreign &foreign : kCharacters)
    if (text.starts_with(foreign.text))
      found = &foreign;
  if (!found)
    return nullptr;
  return &errors.report(kForeignSyntax, tokens.currentSpan(), thereIsNo(found->text, found->message))
              .advise(std::string(found->help));
}

void adviseInPlace(const TokenStream &tokens, Diagnostic &error) {
  const std::string_view text = tokens.text(tokens.current());
  const Token &before = tokens.previous();
  const bool followsSum = before.kind == TokenKind::Name && tokens.text(before).starts_with("sum_");
  const bool followsIf = before.kind == TokenKind::Name && tokens.text(before) == "if";
  const bool isCondition = text == "if" || text == "where" || text == "when" || text == "unless" || text == "otherwise";
  if (isCondition || followsIf)
    error.advise(std::string(kIfHelp));
  else if (text == "for")
    error.advise(std::string(kLoopHelp));
  else if (text == ":" && tokens.isInParentheses())
    error.advise("there are no slices: name an index variable, which runs over the whole dimension");
  else if (text == ":")
    error.advise("an assignment is written '='");
  else if (followsSum)
    error.advise(std::string(kSumHelp));
  else if (isComment(tokens))
    error.advise("a comment begins with '#'");
}

void adviseGuard(const TokenStream &tokens, Diagnostic &error) {
  if (tokens.at(TokenKind::Comma) || tokens.at(TokenKind::Colon))
    error.advise("no condition follows a statement; " + std::string(kIfHelp));
}

} // namespace spc::syntax
