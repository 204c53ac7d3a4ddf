#include "grad/derivative_table.h"

#include "harness/text.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <stdexcept>

namespace spc::testing {
namespace {

constexpr uint64_t kTrialsOfPair = 6;

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// Puts an expression in the place of a mark, in parentheses where it has operators.
std::string filled(const std::string &text, const std::string &mark, const std::string &expression) {
  const bool isPlain = expression.find(' ') == std::string::npos || expression == text;
  return replaced(text, mark, isPlain ? expression : "(" + expression + ")");
}

std::vector<std::string> fieldsOf(const std::string &line) {
  return split(replaced(line, " | ", "\n"), '\n');
}

bool isWordAt(const std::string &text, size_t at, const std::string &word) {
  const auto isLetter = [&](size_t k) { return std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_'; };
  return (at == 0 || !isLetter(at - 1)) && (at + word.size() == text.size() || !isLetter(at + word.size()));
}

bool hasWord(const std::string &text, const std::string &word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (isWordAt(text, at, word))
      return true;
  return false;
}

void addLine(ConstructLists &lists, const std::string &section, const std::vector<std::string> &fields) {
  if (section == "[tensors]") {
    const std::string name = fields[0].substr(7, fields[0].find_first_of("(:") - 7);
    const bool isFloat = fields[0].find(": f") != std::string::npos;
    lists.tensors.push_back({name, fields[0], fields.size() > 1 ? fields[1] : "", isFloat});
  } else if (section == "[operands]") {
    lists.operands.push_back(
        {fields.at(0), "", {fields.at(1)}, split(fields.at(2), ','), {}, fields.size() > 3 ? fields[3] : ""});
  } else if (section == "[expressions]") {
    lists.expressions.push_back({fields.at(1), fields.at(0), {fields.begin() + 1, fields.end()}, {}, {}, ""});
  } else if (section == "[programs]") {
    Construct program{fields.at(3), fields.at(0), {fields.begin() + 3, fields.end()}, {}, {}, ""};
    for (const std::string &end : split(fields.at(1), ',')) {
      program.isUpdated |= end.ends_with('+');
      program.ends.push_back(end.substr(0, end.find('+')));
    }
    if (const size_t is = fields.at(2).find('='); is != std::string::npos)
      program.formats[fields[2].substr(0, is)] = fields[2].substr(is + 1);
    lists.programs.push_back(std::move(program));
  } else {
    throw std::runtime_error("no section: " + section);
  }
}

GradientCase caseOf(const ConstructLists &lists, const Construct &program, const std::string &body,
                    const Construct &operand, bool isByAll) {
  GradientCase result{"", program.formats, program.ends, isByAll ? std::vector<std::string>() : operand.ends};
  const std::string statements = (operand.before.empty() ? "" : operand.before + "; ") + body;
  for (const ConstructLists::Tensor &tensor : lists.tensors) {
    if (!hasWord(statements, tensor.name))
      continue;
    result.text += tensor.declaration + "\n";
    if (!tensor.format.empty())
      result.formats[tensor.name] = tensor.format;
    if (tensor.isFloat && isByAll)
      result.wrt.push_back(tensor.name);
  }
  if (isByAll && program.isUpdated)
    result.wrt.insert(result.wrt.end(), program.ends.begin(), program.ends.end());
  result.text += replaced(statements, "; ", "\n") + "\n";
  return result;
}

CellOutcome examine(const GradientCase &given) {
  using Kind = CellOutcome::Kind;
  const GradientUnderTest kernel(given);
  if (!kernel.isWritten())
    return kernel.refusal().problem.empty() ? CellOutcome{Kind::Refused, kernel.refusal().refusal, given.text}
                                            : CellOutcome{Kind::Wrong, kernel.refusal().problem, given.text};
  Kind kind = Kind::Nowhere;
  for (uint64_t seed = 1; seed <= kTrialsOfPair && kind != Kind::Compared; ++seed) {
    const GradientOutcome outcome = kernel.check(seed);
    if (!outcome.problem.empty())
      return {Kind::Wrong, outcome.problem, given.text};
    if (outcome.isSmooth)
      kind = outcome.changes ? Kind::Compared : Kind::Flat;
    else if (outcome.modesAgree && kind == Kind::Nowhere)
      kind = Kind::Modes;
  }
  return {kind, "", given.text};
}

} // namespace

ConstructLists readConstructs(const std::string &file) {
  ConstructLists lists;
  std::ifstream lines(file);
  std::string section;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("["))
      section = line;
    else if (!line.empty() && !line.starts_with("#"))
      addLine(lists, section, fieldsOf(line));
  for (const Construct &one : lists.expressions) {
    Construct program{"Y(i,j) = " + replaced(one.name, "$", "@"), one.group, {}, {"Y"}, {}, ""};
    for (const std::string &text : one.templates)
      program.templates.push_back("Y(i,j) = " + replaced(text, "$", "@"));
    lists.programs.push_back(std::move(program));
  }
  return lists;
}

CellOutcome examineCell(const ConstructLists &lists, const Construct &program, const Construct &expression,
                        const Construct &operand, bool isByAll) {
  CellOutcome best;
  bool isFirst = true;
  for (const std::string &outer : program.templates)
    for (const std::string &inner : expression.templates) {
      const std::string within = filled(replaced(inner, "?", "k"), "$", operand.templates.front());
      CellOutcome one =
          examine(caseOf(lists, program, filled(replaced(outer, "?", "l"), "@", within), operand, isByAll));
      if (one.kind == CellOutcome::Kind::Wrong || one.kind < best.kind || isFirst)
        best = std::move(one);
      if (best.kind <= CellOutcome::Kind::Flat || best.kind == CellOutcome::Kind::Wrong)
        return best;
      isFirst = false;
    }
  return best;
}

} // namespace spc::testing
