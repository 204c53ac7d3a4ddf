#include "tune/extent_orders.h"

#include "format/levels.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <variant>

namespace spc::tune {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Whether a call compares two coordinates of one extent for being equal, as a diagonal does: in another order of the
/// extent the same ones are.
bool comparesWithinExtent(const sema::Call &call, const sema::Term &term) {
  if (call.function != sema::Function::Equal && call.function != sema::Function::NotEqual)
    return false;
  std::vector<sema::ExtentId> extents;
  for (const sema::ExprPtr &argument : call.arguments) {
    const auto *value = std::get_if<sema::IndexValue>(&argument->node);
    if (!value)
      return false;
    for (const sema::IndexTerm &part : value->index.terms)
      extents.push_back(term.loops[part.loop].extent);
  }
  return std::adjacent_find(extents.begin(), extents.end(), std::not_equal_to<>()) == extents.end();
}

bool usesIndexValues(const sema::Expr &expr, const sema::Term &term) {
  const auto visit = [&](const sema::ExprPtr &inner) { return inner && usesIndexValues(*inner, term); };
  if (std::holds_alternative<sema::IndexValue>(expr.node))
    return true;
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    return visit(negate->operand);
  if (const auto *binary = std::get_if<sema::Binary>(&expr.node))
    return visit(binary->left) || visit(binary->right);
  if (const auto *call = std::get_if<sema::Call>(&expr.node))
    return !comparesWithinExtent(*call, term) && std::any_of(call->arguments.begin(), call->arguments.end(), visit);
  return false;
}

} // namespace

std::string whyOrderMatters(const sema::Kernel &kernel) {
  if (kernel.strictFp)
    return "sums are to be added up as they are written (--fp=strict)";
  if (!kernel.leastExtents.empty())
    return "the kernel reads elements at fixed indices";
  for (const sema::Tensor &tensor : kernel.tensors)
    if (tensor.is<sema::View>())
      return "the kernel reads neighbours of elements";
  for (const sema::Tensor &tensor : kernel.tensors)
    if (tensor.is<sema::Constant>() && tensor.order() > 0)
      return "'" + tensor.name + "' is a constant, whose elements stay where they are";
  for (const sema::Tensor &tensor : kernel.tensors)
    for (int k = 0; k < tensor.format.levelCount(); ++k)
      if (readsParent(format::kindOf(tensor.format, k)))
        return "'" + tensor.name + "' is stored by runs or in a triangle";
  for (const sema::Step &step : kernel.steps)
    if (const auto *statement = std::get_if<sema::Statement>(&step))
      for (const sema::Term &term : statement->terms)
        if (usesIndexValues(*term.expr, term))
          return "the kernel uses values of index variables";
  return "";
}

OrderFinder::OrderFinder(const IdVector<sema::ExtentId, int64_t> &sizes, const std::vector<SparseOperand> &operands)
    : sizes_(sizes), leader_(sizes.size()), first_(sizes.size()) {
  for (size_t k = 0; k < sizes.size(); ++k)
    leader_[sema::ExtentId(k)] = sema::ExtentId(k);
  std::fill(first_.begin(), first_.end(), -1);
  const auto isMatrix = [](const SparseOperand &operand) { return operand.extents.size() == 2; };
  for (const SparseOperand &operand : operands)
    if (isMatrix(operand) && sizes_[operand.extents[0]] == sizes_[operand.extents[1]]) {
      const sema::ExtentId from = leader_[operand.extents[1]], to = leader_[operand.extents[0]];
      std::replace(leader_.begin(), leader_.end(), from, to);
    }
  int64_t vertices = 0;
  for (const SparseOperand &operand : operands)
    if (isMatrix(operand))
      for (sema::ExtentId extent : operand.extents)
        if (sema::ExtentId leader = leader_[extent]; first_[leader] < 0) {
          vertices += sizes_[leader];
          if (vertices > std::numeric_limits<int32_t>::max())
            return;
          first_[leader] = static_cast<int32_t>(vertices - sizes_[leader]);
        }
  for (size_t k = 0; k < sizes.size(); ++k)
    first_[sema::ExtentId(k)] = first_[leader_[sema::ExtentId(k)]];
  std::vector<std::pair<int32_t, int32_t>> edges;
  for (const SparseOperand &operand : operands) {
    if (!isMatrix(operand))
      continue;
    const std::vector<int64_t> &at = operand.entries->coordinates;
    for (size_t e = 0; e < operand.entries->size(); ++e)
      edges.emplace_back(firstOf(operand.extents[0]) + at[2 * e], firstOf(operand.extents[1]) + at[2 * e + 1]);
  }
  if (vertices > 0)
    graph_ = makeGraph(static_cast<int32_t>(vertices), edges);
}

ExtentOrders OrderFinder::spread(std::string name, const Order &order, double seconds) const {
  ExtentOrders result{std::move(name), seconds, {}};
  result.orders.resize(sizes_.size());
  for (size_t k = 0; k < sizes_.size(); ++k) {
    const sema::ExtentId extent(k);
    if (first_[extent] < 0)
      continue;
    if (result.orders[leader_[extent]]) {
      result.orders[extent] = result.orders[leader_[extent]];
      continue;
    }
    Order own;
    own.reserve(sizes_[extent]);
    for (int32_t vertex : order)
      if (vertex >= first_[extent] && vertex - first_[extent] < sizes_[extent])
        own.push_back(vertex - first_[extent]);
    result.orders[extent] = std::make_shared<const Order>(std::move(own));
    result.orders[leader_[extent]] = result.orders[extent];
  }
  return result;
}

ExtentOrders OrderFinder::reverseCuthillMcKee() {
  if (cuthill_.empty()) {
    const double start = now();
    cuthill_ = tune::reverseCuthillMcKee(graph_);
    cuthillSeconds_ = now() - start;
  }
  return spread("rcm", cuthill_, cuthillSeconds_);
}

ExtentOrders OrderFinder::byDegree() const {
  const double start = now();
  const Order order = tune::byDegree(graph_);
  return spread("degree", order, now() - start);
}

ExtentOrders OrderFinder::byParts(int32_t partSize) {
  reverseCuthillMcKee();
  const double start = now();
  const std::optional<Order> order = tune::byParts(graph_, partSize, cuthill_);
  return order ? spread("metis", *order, now() - start + cuthillSeconds_) : ExtentOrders{};
}

void permute(tensor::Coordinates &entries, const std::vector<const Order *> &orders) {
  const size_t order = orders.size();
  for (size_t dim = 0; dim < order; ++dim) {
    if (!orders[dim])
      continue;
    const std::vector<int32_t> places = inverseOf(*orders[dim]);
    for (size_t e = 0; e < entries.size(); ++e)
      entries.coordinates[e * order + dim] = places[entries.coordinates[e * order + dim]];
  }
}

} // namespace spc::tune
