#include "harness/pattern_places.h"

#include <limits>
#include <stdexcept>

namespace spc::testing {

namespace {

constexpr int64_t kNoValue = std::numeric_limits<int64_t>::min();

int64_t valueAt(const Point &point, int variable) {
  const int64_t value = point[static_cast<size_t>(variable)];
  if (value == kNoValue)
    throw std::out_of_range("an index variable without a value");
  return value;
}

} // namespace

PatternPlaces::PatternPlaces(const syntax::Statement &statement, const PatternMap &tensors) : tensors_(tensors) {
  note(statement.target);
  note(*statement.value);
}

void PatternPlaces::note(const syntax::Access &access) {
  if (access.indices.empty())
    note(access.tensor);
  for (const syntax::Index &index : access.indices)
    for (const syntax::IndexTerm &term : index.terms)
      note(term.variable);
}

void PatternPlaces::note(const syntax::Expr &expr) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    note(*access);
  if (const auto *reduction = std::get_if<syntax::Reduce>(&expr.node))
    for (const syntax::Name &variable : reduction->variables)
      note(variable);
  for (const syntax::Expr *child : syntax::children(expr))
    note(*child);
}

Point PatternPlaces::nowhere() const {
  return Point(numbers_.size(), kNoValue);
}

Loops PatternPlaces::loops(const std::map<std::string, int64_t> &extents) const {
  Loops loops;
  for (const auto &[variable, extent] : extents)
    loops.emplace_back(numbers_.at(variable), extent);
  return loops;
}

const PatternPlaces::Resolved &PatternPlaces::resolved(const syntax::Access &access) const {
  const auto [place, isNew] = resolved_.try_emplace(&access);
  Resolved &resolved = place->second;
  if (!isNew && resolved.tensor)
    return resolved;
  resolved.tensor = &tensors_.at(access.tensor.text);
  for (size_t dim = 0; dim < resolved.tensor->shape.size() && dim < access.indices.size(); ++dim) {
    Dimension dimension{resolved.tensor->shape[dim], access.indices[dim].constant, {}};
    for (const syntax::IndexTerm &term : access.indices[dim].terms)
      dimension.terms.emplace_back(numbers_.at(term.variable.text), term.scale);
    resolved.dimensions.push_back(std::move(dimension));
  }
  return resolved;
}

int64_t PatternPlaces::elementOf(const syntax::Access &access, const Point &point) const {
  int64_t element = 0;
  for (const Dimension &dimension : resolved(access).dimensions) {
    int64_t at = dimension.constant;
    for (const auto &[variable, scale] : dimension.terms)
      at += scale * valueAt(point, variable);
    element = element * dimension.extent + at;
  }
  return element;
}

int64_t PatternPlaces::valueOf(const syntax::Access &variable, const Point &point) const {
  const auto [place, isNew] = variables_.try_emplace(&variable, 0);
  if (isNew)
    place->second = numbers_.at(variable.tensor.text);
  return valueAt(point, place->second);
}

} // namespace spc::testing
