#include "sema/ties/tie_maker.h"

#include <algorithm>
#include <cstdlib>

namespace spc::sema {

TieMaker::TieMaker(Program &program, size_t statement)
    : program_(program), number_(statement), statement_(program.statements[statement]), scope_(statement_.scope) {
  for (const Access &access : scope_.accesses)
    if (isListed(access))
      listed_.push_back(access);
}

AccessId TieMaker::tiedToHeld(const Node &held, VariableId column, Promise promise, Span where) {
  const std::string text = printAlone(held, scope_, program_);
  const Access &access = scope_.accesses[std::get<AccessNode>(held.kind).access];
  std::vector<VariableId> variables = access.variables;
  Tie tie{.rowScales = std::vector<Amount>(variables.size()),
          .source = access.tensor,
          .isChecked = promise.isChecked,
          .isOnce = promise.isOnce};
  variables.push_back(column);
  return tied(std::move(tie), variables, text, where);
}

/// What a variable indexes that stands for an index of the text.
std::optional<TensorId> TieMaker::indexedBy(VariableId variable) const {
  for (const Access &access : scope_.accesses)
    if (has(access.variables, variable))
      return access.tensor;
  return has(statement_.target.variables, variable) ? std::optional(statement_.target.tensor) : std::nullopt;
}

AccessId TieMaker::tied(const Equation &equation, VariableId column, Promise promise, const std::string &text,
                        Span where) {
  const int64_t ofColumn = equation.multiples.at(column).number;
  const auto onOtherSide = [&](const Amount &amount) { return ofColumn < 0 ? amount : negative(amount); };
  Tie tie{.columnScale = std::abs(ofColumn),
          .constant = onOtherSide(equation.constant),
          .isChecked = promise.isChecked,
          .isOnce = promise.isOnce};
  if (promise.isChecked)
    tie.indexed = indexedBy(column);
  std::vector<VariableId> variables;
  for (const auto &[variable, multiple] : equation.multiples)
    if (variable != column) {
      variables.push_back(variable);
      tie.rowScales.push_back(onOtherSide(multiple));
    }
  variables.push_back(column);
  return tied(std::move(tie), variables, text, where);
}

bool TieMaker::isShifted(const Equation &equation, VariableId index) {
  return equation.isOfNumbers() && equation.constant.number <= 0 &&
         std::all_of(equation.multiples.begin(), equation.multiples.end(),
                     [&](const auto &one) { return one.first == index || one.second.number < 0; });
}

VariableId TieMaker::columnOf(const Equation &equation, VariableId own) const {
  const auto mayBe = [&](VariableId variable) { return equation.multiples.at(variable).isNumber(); };
  if (equation.multiples.size() == 2) {
    const VariableId first = equation.multiples.begin()->first, second = equation.multiples.rbegin()->first;
    const VariableId other = first == own ? second : first;
    return isRow(other, own) || !mayBe(other) ? own : other;
  }
  // A table of pairs of what operands list would be as large as these are wide.
  if (rankOf(own) == 0)
    for (const auto &[variable, multiple] : equation.multiples)
      if (has(statement_.target.variables, variable) && rankOf(variable) != 0 && mayBe(variable))
        return variable;
  return own;
}

bool TieMaker::isRow(VariableId one, VariableId other) const {
  for (const Access &access : listed_)
    if (has(access.variables, one) && has(access.variables, other))
      return comesFirst(access, one, other);
  if (const int of = rankOf(one), ofOther = rankOf(other); of != ofOther)
    return of < ofOther;
  const std::vector<VariableId> &targets = statement_.target.variables;
  if (has(targets, one) && has(targets, other))
    return comesFirst(statement_.target, one, other);
  return has(targets, one) || (!has(targets, other) && one < other);
}

bool TieMaker::comesFirst(const Access &access, VariableId one, VariableId other) const {
  for (const format::Level &level : program_.tensors[access.tensor].format.levels) {
    const VariableId variable = access.variables[static_cast<size_t>(level.dim)];
    if (variable == one || variable == other)
      return variable == one;
  }
  return true;
}

/// Variables that operands list are known first; those of levels with all coordinates are found by them.
int TieMaker::rankOf(VariableId variable) const {
  int rank = 1;
  for (const Access &access : listed_)
    for (const format::Level &level : program_.tensors[access.tensor].format.levels)
      if (access.variables[static_cast<size_t>(level.dim)] == variable) {
        if (!level.isDense())
          return 0;
        rank = 2;
      }
  return rank;
}

/// The access of a tie, which other statements may have as well.
AccessId TieMaker::tied(Tie tie, const std::vector<VariableId> &variables, const std::string &text, Span where) {
  std::vector<ExtentId> extents;
  for (VariableId variable : variables)
    extents.push_back(scope_.variables[variable].extent);
  // What statements write is tied anew where it is read.
  const std::vector<TensorId> read = readBy(tie);
  const bool isWritten =
      std::any_of(read.begin(), read.end(), [&](TensorId id) { return program_.symbols[id].firstWrite >= 0; });
  for (TensorId id : program_.tensors.ids())
    if (const auto *known = program_.tensors[id].as<Tie>(); known && *known == tie &&
                                                            program_.tensors[id].extents == extents &&
                                                            (!isWritten || program_.tiedBefore.at(id) == number_))
      return scope_.intern({id, variables, {}, where});
  Tensor tensor;
  tensor.name = nameFor(text);
  tensor.role = std::move(tie);
  tensor.type = ValueType::Bool;
  tensor.extents = std::move(extents);
  tensor.isRead = true;
  tensor.where = where;
  tensor.format = formatOf(static_cast<int>(variables.size()));
  program_.symbols.push_back({.firstUse = where, .isOperand = true});
  const TensorId id = program_.tensors.add(std::move(tensor));
  if (isWritten)
    program_.tiedBefore.emplace(id, number_);
  return scope_.intern({id, variables, {}, where});
}

/// `[i == j]`, `[p(i)]`, `[2*i + 1]`: no name of the text's.
std::string TieMaker::nameFor(const std::string &text) const {
  std::string name = "[" + text + "]";
  while (std::any_of(program_.tensors.begin(), program_.tensors.end(),
                     [&](const Tensor &other) { return other.name == name; }))
    name += "'";
  return name;
}

/// Rows, with the narrowest indices that all of the statement's operands have.
format::Format TieMaker::formatOf(int order) const {
  format::Format format = format::denseFormat(order);
  format.name.clear();
  format.levels.back().storage = format::Storage::Compressed;
  format.levels.back().extent = format::Extent::Ragged;
  format.pointers = format.indices = format::IndexType::I32;
  const bool areNarrow = std::all_of(listed_.begin(), listed_.end(), [&](const Access &access) {
    return format::bits(program_.tensors[access.tensor].format.indices) <= 32;
  });
  if (listed_.empty() || !areNarrow)
    format.pointers = format.indices = format::IndexType::I64;
  return format;
}

AccessId TieMaker::tiedIndex(const Variable &index, VariableId whole, Span where) {
  Equation equation{{{whole, {.number = -1}}}, {.number = index.constant}};
  for (const Variable::Multiple &term : index.terms)
    equation.multiples[term.variable] = {.number = term.scale};
  return tied(equation, columnOf(equation, whole), {}, index.name, where);
}

void TieMaker::checkInside(const Equation &equation, VariableId column) {
  ReadWindows read{statement_.target.tensor, {}, {}};
  Window window{{}, -equation.constant.number};
  for (const auto &[variable, multiple] : equation.multiples)
    if (variable != column) {
      window.terms.push_back({static_cast<int>(read.extents.size()), -multiple.number});
      read.extents.push_back(scope_.variables[variable].extent);
    }
  for (VariableId variable : statement_.target.variables)
    if (variable == column) {
      read.windows.push_back(window);
    } else {
      read.windows.push_back({{{static_cast<int>(read.extents.size()), 1}}, 0});
      read.extents.push_back(scope_.variables[variable].extent);
    }
  program_.readWindows.push_back(std::move(read));
}

void TieMaker::checkInside(const Access &access) {
  ReadWindows read{access.tensor, {}, {}};
  const std::vector<VariableId> variables = plainVariables(access, scope_);
  for (VariableId variable : variables)
    read.extents.push_back(scope_.variables[variable].extent);
  for (VariableId variable : access.variables) {
    const Variable &index = scope_.variables[variable];
    Window window{{}, index.constant};
    for (const Variable::Multiple &term :
         index.kind == Variable::Kind::Derived ? index.terms : std::vector<Variable::Multiple>{{variable, 1}})
      window.terms.push_back({static_cast<int>(placeOf(term.variable, variables)), term.scale});
    read.windows.push_back(std::move(window));
  }
  program_.readWindows.push_back(std::move(read));
}

} // namespace spc::sema
