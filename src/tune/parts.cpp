#include "tune/ordering.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include <dlfcn.h>

namespace spc::tune {

namespace {

/// METIS_PartGraphKway of libmetis.so.5 with indices of 32 bits, as distributions build it. Numbers are from metis.h.
using PartGraph = int (*)(int32_t *vertices, int32_t *constraints, int32_t *begin, int32_t *neighbours,
                          int32_t *vertexWeights, int32_t *vertexSizes, int32_t *edgeWeights, int32_t *parts,
                          float *targets, float *imbalance, int32_t *options, int32_t *cut, int32_t *part);
constexpr int kMetisOk = 1;

/// Splits a path of four vertices in two, in arrays that are long enough for indices of 64 bits too: whether METIS was
/// built for those of 32.
bool hasNarrowIndices(PartGraph split) {
  int32_t vertices[2] = {4, 0}, constraints[2] = {1, 0}, parts[2] = {2, 0}, cut[2] = {-1, 0};
  int32_t begin[16] = {0, 1, 3, 5, 6}, neighbours[16] = {1, 0, 2, 1, 3, 2}, part[16] = {-1, -1, -1, -1};
  if (split(vertices, constraints, begin, neighbours, nullptr, nullptr, nullptr, parts, nullptr, nullptr, nullptr, cut,
            part) != kMetisOk)
    return false;
  return cut[0] == 1 && part[0] == part[1] && part[2] == part[3] && part[0] + part[2] == 1;
}

PartGraph findMetis() {
  // Stays loaded: it is asked again for each matrix.
  void *library = dlopen("libmetis.so.5", RTLD_NOW | RTLD_LOCAL);
  const auto split = library ? reinterpret_cast<PartGraph>(dlsym(library, "METIS_PartGraphKway")) : nullptr;
  return split && hasNarrowIndices(split) ? split : nullptr;
}

} // namespace

std::optional<Order> byParts(const Graph &graph, int32_t partSize, const Order &inside) {
  static const PartGraph split = findMetis();
  int32_t vertices = graph.vertices(), constraints = 1, cut = 0;
  int32_t parts = vertices / std::max(partSize, 1);
  if (!split || parts < 2 || graph.begin.back() > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  std::vector<int32_t> begin(graph.begin.begin(), graph.begin.end()), neighbours = graph.neighbours;
  std::vector<int32_t> part(vertices);
  neighbours.push_back(0); // never without an address
  if (split(&vertices, &constraints, begin.data(), neighbours.data(), nullptr, nullptr, nullptr, &parts, nullptr,
            nullptr, nullptr, &cut, part.data()) != kMetisOk)
    return std::nullopt;
  // Parts in the order in which `inside` comes to them first.
  std::vector<int32_t> rank(parts, -1);
  int32_t ranks = 0;
  for (int32_t vertex : inside)
    if (rank[part[vertex]] < 0)
      rank[part[vertex]] = ranks++;
  Order order = inside;
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return rank[part[a]] < rank[part[b]]; });
  return order;
}

} // namespace spc::tune
