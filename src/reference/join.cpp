#include "reference/join.h"

#include <cmath>
#include <set>

namespace spc::reference {

namespace {

using Kind = Node::Kind;

/// Whether all that a value is made of are finite numbers: of what is read, and of sums and products.
bool isTame(const Node &node) {
  switch (node.kind) {
  case Kind::Literal:
    return std::isfinite(node.literal);
  case Kind::Access:
    return !node.tensor->isComputed() && std::isfinite(node.tensor->fillValue());
  case Kind::Index:
    return true;
  case Kind::Convert:
  case Kind::Negate:
  case Kind::Sum:
  case Kind::Product:
    return std::all_of(node.operands.begin(), node.operands.end(), [](const NodePtr &part) { return isTame(*part); });
  default:
    return isExact(node.type);
  }
}

/// Whether a product is nothing but where an access has an entry. Padding is a factor, too, where others are infinite.
bool drives(const Node &factor, bool isTame) {
  return factor.kind == Kind::Access && factor.tensor->isSparse() && factor.tensor->fillValue() == 0 &&
         isPlain(factor) && (isTame || !factor.tensor->isPadded());
}

VariableId variableOf(const Node &access, size_t dim) {
  return access.indices[dim].terms.front().variable;
}

std::vector<int64_t> coordinatesOf(const Tensor &tensor, int64_t place) {
  std::vector<int64_t> at(tensor.shape().size());
  for (size_t dim = at.size(); dim-- > 0; place /= tensor.shape()[dim])
    at[dim] = place % tensor.shape()[dim];
  return at;
}

double extentOf(const Variable &variable) {
  if (variable.extent < 0)
    throw Unsupported("know how far '" + variable.name + "' runs");
  return static_cast<double>(variable.extent);
}

/// How many points the reductions in an expression visit.
double reducedPoints(const Node &node, const Variables &variables) {
  double points = 0;
  for (const NodePtr &operand : node.operands)
    points += reducedPoints(*operand, variables);
  if (node.kind != Kind::Reduce)
    return points;
  ++points;
  for (VariableId variable : node.variables)
    points *= extentOf(variables[variable]);
  return points;
}

} // namespace

Join::Join(Node &expr, const std::vector<VariableId> &free, bool joins, Variables &variables)
    : expr_(expr), variables_(variables) {
  std::set<VariableId> bound;
  const auto add = [&](Node &factor) {
    if (!joins || !drives(factor, isTame(expr)))
      return;
    Factor &added = factors_.emplace_back();
    added.access = &factor;
    for (size_t dim = 0; dim < factor.indices.size(); ++dim)
      (bound.contains(variableOf(factor, dim)) ? added.boundDims : added.freeDims).push_back(dim);
    for (size_t dim : added.freeDims)
      bound.insert(variableOf(factor, dim));
  };
  if (expr.kind == Kind::Product)
    for (const NodePtr &factor : expr.operands)
      add(*factor);
  else
    add(expr);
  for (VariableId variable : free)
    if (!bound.contains(variable))
      loops_.push_back(variable);
}

bool Join::dependsOnResults() const {
  return std::any_of(factors_.begin(), factors_.end(),
                     [](const Factor &factor) { return factor.access->tensor->isComputed(); });
}

void Join::prepare() {
  if (isPrepared_)
    return;
  isPrepared_ = true;
  for (Factor &factor : factors_) {
    const Tensor &tensor = *factor.access->tensor;
    for (int64_t place : tensor.places()) {
      const std::vector<int64_t> at = coordinatesOf(tensor, place);
      int64_t key = 0;
      for (size_t dim : factor.boundDims)
        key = key * tensor.shape()[dim] + at[dim];
      factor.entries[key].push_back(place);
    }
  }
}

const std::vector<int64_t> *Join::entriesHere(const Factor &factor) const {
  int64_t key = 0;
  for (size_t dim : factor.boundDims)
    key = key * factor.access->tensor->shape()[dim] + variables_[variableOf(*factor.access, dim)].at;
  const auto found = factor.entries.find(key);
  return found == factor.entries.end() ? nullptr : &found->second;
}

void Join::move(const Factor &factor, int64_t place) {
  const std::vector<int64_t> at = coordinatesOf(*factor.access->tensor, place);
  for (size_t dim : factor.freeDims)
    variables_[variableOf(*factor.access, dim)].at = at[dim];
}

double Join::tuples(size_t depth) {
  if (depth == factors_.size())
    return 1;
  const std::vector<int64_t> *entries = entriesHere(factors_[depth]);
  if (!entries || depth + 1 == factors_.size())
    return entries ? static_cast<double>(entries->size()) : 0;
  double all = 0;
  for (size_t k = 0; k < entries->size() && all <= static_cast<double>(kMostPoints); ++k) {
    move(factors_[depth], (*entries)[k]);
    all += tuples(depth + 1);
  }
  return all;
}

double Join::points() {
  double each = 1 + reducedPoints(expr_, variables_);
  for (VariableId variable : loops_)
    each *= extentOf(variables_[variable]);
  if (each == 0 || factors_.empty())
    return each;
  prepare();
  return each * tuples(0);
}

void Join::forEach(const std::function<void()> &visit) {
  prepare();
  join(0, visit);
  for (const Factor &factor : factors_)
    factor.access->joined = nullptr;
}

void Join::join(size_t depth, const std::function<void()> &visit) {
  if (depth == factors_.size())
    return loop(0, visit);
  const Factor &factor = factors_[depth];
  const Tensor &tensor = *factor.access->tensor;
  const std::vector<int64_t> *entries = entriesHere(factor);
  if (!entries)
    return;
  for (int64_t place : *entries) {
    if (!tensor.isStored(place))
      continue;
    move(factor, place);
    const Value value = tensor.at(place);
    factor.access->joined = &value;
    join(depth + 1, visit);
  }
}

void Join::loop(size_t depth, const std::function<void()> &visit) {
  if (depth == loops_.size())
    return visit();
  Variable &variable = variables_[loops_[depth]];
  for (variable.at = 0; variable.at < variable.extent; ++variable.at)
    loop(depth + 1, visit);
}

} // namespace spc::reference
