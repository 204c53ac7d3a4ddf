// Orders of a graph's vertices that bring neighbours together.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace spc::tune {

/// An undirected graph without loops: the neighbours of vertex v, ascending and each once, are
/// neighbours[begin[v]] … neighbours[begin[v + 1] - 1].
struct Graph {
  std::vector<int64_t> begin = {0};
  std::vector<int32_t> neighbours;

  int32_t vertices() const { return static_cast<int32_t>(begin.size() - 1); }
  int64_t degree(int32_t vertex) const { return begin[vertex + 1] - begin[vertex]; }
};

/// The graph with these edges, in both directions. Requires: vertices below `vertices`.
Graph makeGraph(int32_t vertices, const std::vector<std::pair<int32_t, int32_t>> &edges);

/// At place p the vertex that comes there: each vertex once.
using Order = std::vector<int32_t>;

/// At place v the place of vertex v in `order`.
std::vector<int32_t> inverseOf(const Order &order);

bool isPermutation(const Order &order);

/// Reverse Cuthill-McKee: breadth first from a vertex at the end of each component, neighbours by ascending degree, the
/// whole turned round. Cuthill and McKee, "Reducing the bandwidth of sparse symmetric matrices" (ACM 1969); starts by
/// George and Liu (ACM TOMS 5, 1979).
Order reverseCuthillMcKee(const Graph &graph);

/// The vertices by descending degree; equal ones as they were.
Order byDegree(const Graph &graph);

/// The vertices of one part after the other, parts of about `partSize` vertices with few edges between them by METIS;
/// inside of a part as in `inside`. nullopt where there is no METIS (libmetis.so.5) on this machine, or it gives up.
std::optional<Order> byParts(const Graph &graph, int32_t partSize, const Order &inside);

/// The largest distance of two neighbours in an order.
int64_t bandwidth(const Graph &graph, const Order &order);

} // namespace spc::tune
