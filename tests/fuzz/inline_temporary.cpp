#include "fuzz/rewriting.h"

#include "support/source.h"
#include "syntax/parser.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <regex>
#include <set>

namespace spc::testing {
namespace {

/// The variables that index something in an expression, outside of the reductions that bind them.
void collectVariables(const syntax::Expr &expr, std::set<std::string> &variables) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    for (const syntax::Index &index : access->indices)
      for (const syntax::IndexTerm &term : index.terms)
        variables.insert(term.variable.text);
  std::set<std::string> below;
  for (const syntax::Expr *child : syntax::children(expr))
    collectVariables(*child, below);
  if (const auto *reduce = std::get_if<syntax::Reduce>(&expr.node))
    for (const syntax::Name &variable : reduce->variables)
      below.erase(variable.text);
  variables.insert(below.begin(), below.end());
}

/// A right side with the sums over `bound`'s complement written out, addend by addend.
std::string withSums(const syntax::Expr &expr, const std::set<std::string> &bound) {
  if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
    return "(" + withSums(*paren->inner, bound) + ")";
  if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
    return "-(" + withSums(*negate->operand, bound) + ")";
  const auto *binary = std::get_if<syntax::Binary>(&expr.node);
  if (binary && (binary->op == language::BinaryOp::Add || binary->op == language::BinaryOp::Sub))
    return withSums(*binary->left, bound) + (binary->op == language::BinaryOp::Add ? " + " : " - ") + "(" +
           withSums(*binary->right, bound) + ")";
  std::set<std::string> variables;
  collectVariables(expr, variables);
  std::string sum;
  for (const std::string &variable : variables)
    if (!bound.contains(variable))
      sum += (sum.empty() ? "sum(" : "") + variable + ", ";
  const std::string text = syntax::toSource(expr);
  return sum.empty() ? text : sum + text + ")";
}

bool isPlain(const syntax::Access &access) {
  return std::all_of(access.indices.begin(), access.indices.end(),
                     [](const syntax::Index &index) { return index.isPlain(); });
}

/// All accesses to a tensor in an expression.
void collectAccesses(const syntax::Expr &expr, const std::string &tensor, std::vector<const syntax::Access *> &all) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node); access && access->tensor.text == tensor)
    all.push_back(access);
  for (const syntax::Expr *child : syntax::children(expr))
    collectAccesses(*child, tensor, all);
}

/// The variables that each of an expression's terms has, once products of sums are multiplied out.
std::set<std::string> commonVariables(const syntax::Expr &expr) {
  const auto *paren = std::get_if<syntax::Paren>(&expr.node);
  const auto *negate = std::get_if<syntax::Negate>(&expr.node);
  const auto *binary = std::get_if<syntax::Binary>(&expr.node);
  if (paren || negate)
    return commonVariables(paren ? *paren->inner : *negate->operand);
  std::set<std::string> variables;
  if (!binary) {
    collectVariables(expr, variables);
    return variables;
  }
  const std::set<std::string> left = commonVariables(*binary->left), right = commonVariables(*binary->right);
  if (binary->op == language::BinaryOp::Add || binary->op == language::BinaryOp::Sub)
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                          std::inserter(variables, variables.end()));
  else
    std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::inserter(variables, variables.end()));
  return variables;
}

/// Whether each term has all variables of its target: what one lacks would no longer be summed over by readers.
bool hasAllIndices(const syntax::Statement &statement) {
  const std::set<std::string> variables = commonVariables(*statement.value);
  return std::all_of(statement.target.indices.begin(), statement.target.indices.end(),
                     [&](const syntax::Index &index) { return variables.contains(index.text); });
}

/// Whether reading `temporary` later is reading its right side: nothing is written twice, and every access is plain.
bool isReplaceable(const syntax::Kernel &tree, const syntax::Statement &temporary) {
  std::set<std::string> targets;
  for (const syntax::Statement &statement : tree.statements) {
    if (!targets.insert(statement.target.tensor.text).second)
      return false;
    std::vector<const syntax::Access *> reads;
    collectAccesses(*statement.value, temporary.target.tensor.text, reads);
    if (&statement == &temporary ? !reads.empty() : std::any_of(reads.begin(), reads.end(), [](const auto *read) {
          return !isPlain(*read);
        }))
      return false;
  }
  return temporary.isTemporary && temporary.op == language::AssignOp::Assign && hasAllIndices(temporary);
}

/// `line` with each access to the temporary replaced. Its own variables get names that nothing else has.
std::string withRightSide(const std::string &line, const syntax::Statement &temporary, int &replaced) {
  const std::string &name = temporary.target.tensor.text;
  std::set<std::string> bound;
  for (const syntax::Index &index : temporary.target.indices)
    bound.insert(index.text);
  const std::string value = withSums(*temporary.value, bound);
  const std::regex access("\\b" + name + (bound.empty() ? "\\b" : "\\(([^()]*)\\)"));
  std::string text, rest = line;
  for (std::smatch match; std::regex_search(rest, match, access); rest = match.suffix()) {
    std::map<std::string, std::string> names;
    for (const char *variable : {"i", "j", "k", "l"})
      names[variable] = std::string(variable) + "_" + std::to_string(replaced);
    const std::string indices = bound.empty() ? "" : match[1].str();
    for (size_t d = 0; d < temporary.target.indices.size(); ++d)
      names[temporary.target.indices[d].text] = indices.substr(2 * d, 1); // all variables are letters
    ++replaced;
    text += match.prefix().str() + "(" + renamed(value, names) + ")";
  }
  return text + rest;
}

} // namespace

bool inlineTemporary(KernelSpec &spec) {
  SourceManager sources;
  Diagnostics problems;
  const syntax::Kernel tree = syntax::parse(sources.add("statements", spec.statements), problems);
  for (size_t at = 0; at + 1 < tree.statements.size(); ++at) {
    const syntax::Statement &temporary = tree.statements[at];
    if (!isReplaceable(tree, temporary) || spec.types.contains(temporary.target.tensor.text))
      continue;
    std::vector<std::string> lines = split(spec.statements, '\n');
    int replaced = 0;
    for (size_t later = at + 1; later < lines.size(); ++later)
      lines[later] = withRightSide(lines[later], temporary, replaced);
    if (replaced == 0)
      continue;
    lines.erase(lines.begin() + static_cast<ptrdiff_t>(at));
    spec.statements = joined(lines, '\n');
    spec.formats.erase(temporary.target.tensor.text);
    return true;
  }
  return false;
}

} // namespace spc::testing
