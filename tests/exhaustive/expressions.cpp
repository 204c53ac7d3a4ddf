#include "exhaustive/expressions.h"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace spc::testing {
namespace {

std::string trimmed(const std::string &text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

void readOption(Expression &expression, const std::string &option) {
  if (const size_t equals = option.find('='); equals != std::string::npos)
    expression.formats[option.substr(0, equals)] = option.substr(equals + 1);
  else if (option.starts_with("fill "))
    expression.fill = option.substr(5);
  else if (const auto type = sema::valueTypeNamed(option))
    expression.type = *type;
  else
    throw std::runtime_error("no option: " + option);
}

Expression readLine(const std::string &line) {
  Expression expression;
  expression.text = line;
  const size_t at = line.find('@');
  expression.statements = trimmed(line.substr(0, at));
  if (at != std::string::npos) {
    std::istringstream options(line.substr(at + 1));
    for (std::string option; std::getline(options, option, ',');)
      readOption(expression, trimmed(option));
  }
  while (expression.arity < 3 &&
         std::regex_search(expression.statements, std::regex("\\b" + operandName(expression.arity) + "\\(")))
    ++expression.arity;
  if (expression.arity == 0)
    throw std::runtime_error("no operand A: " + line);
  return expression;
}

} // namespace

std::string operandName(int role) {
  return std::string(1, static_cast<char>('A' + role));
}

std::vector<Expression> readExpressions(const std::filesystem::path &file) {
  std::ifstream input(file);
  if (!input)
    throw std::runtime_error("cannot read " + file.string());
  std::vector<Expression> expressions;
  for (std::string line; std::getline(input, line);)
    if (!line.empty() && line.front() != '#')
      expressions.push_back(readLine(line));
  return expressions;
}

} // namespace spc::testing
