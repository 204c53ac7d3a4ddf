#include "tune/ordering.h"

#include <algorithm>
#include <numeric>

namespace spc::tune {

namespace {

/// Breadth-first search that can be begun again without touching all vertices.
class LevelSearch {
public:
  explicit LevelSearch(const Graph &graph) : graph_(graph), seenBy_(graph.vertices(), 0) {}

  /// Visits the component of `start`: the vertices in `visited`, the number of levels as the result, and a vertex of
  /// least degree in the last level as `last`.
  int levels(int32_t start, std::vector<int32_t> &visited, int32_t &last) {
    ++search_;
    visited.assign(1, start);
    seenBy_[start] = search_;
    int count = 0;
    for (size_t begin = 0; begin < visited.size(); ++count) {
      const size_t end = visited.size();
      const auto lessDegree = [&](int32_t a, int32_t b) { return graph_.degree(a) < graph_.degree(b); };
      last = *std::min_element(visited.begin() + static_cast<ptrdiff_t>(begin), visited.end(), lessDegree);
      for (; begin < end; ++begin)
        for (int64_t k = graph_.begin[visited[begin]]; k < graph_.begin[visited[begin] + 1]; ++k)
          if (int32_t next = graph_.neighbours[k]; seenBy_[next] != search_) {
            seenBy_[next] = search_;
            visited.push_back(next);
          }
    }
    return count;
  }

private:
  const Graph &graph_;
  std::vector<int32_t> seenBy_;
  int32_t search_ = 0;
};

/// A vertex from which the component has about as many levels as from any.
int32_t peripheralVertex(LevelSearch &search, int32_t start) {
  constexpr int kMostSearches = 6; // each is a pass over the component; later ones hardly gain a level
  std::vector<int32_t> visited;
  int32_t last = start;
  int levels = search.levels(start, visited, last);
  for (int k = 1; k < kMostSearches; ++k) {
    int32_t further = last;
    const int more = search.levels(last, visited, further);
    if (more <= levels)
      return last;
    levels = more;
    last = further;
  }
  return last;
}

} // namespace

Graph makeGraph(int32_t vertices, const std::vector<std::pair<int32_t, int32_t>> &edges) {
  Graph graph;
  graph.begin.assign(static_cast<size_t>(vertices) + 1, 0);
  for (const auto &[a, b] : edges)
    if (a != b) {
      ++graph.begin[a + 1];
      ++graph.begin[b + 1];
    }
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  graph.neighbours.resize(graph.begin.back());
  std::vector<int64_t> next(graph.begin.begin(), graph.begin.end() - 1);
  for (const auto &[a, b] : edges)
    if (a != b) {
      graph.neighbours[next[a]++] = b;
      graph.neighbours[next[b]++] = a;
    }
  // Sorted, and each once.
  int64_t kept = 0;
  for (int32_t v = 0; v < vertices; ++v) {
    const auto first = graph.neighbours.begin() + (v == 0 ? 0 : next[v - 1]), last = graph.neighbours.begin() + next[v];
    std::sort(first, last);
    const auto end = std::unique(first, last);
    graph.begin[v] = kept;
    kept = std::copy(first, end, graph.neighbours.begin() + kept) - graph.neighbours.begin();
  }
  graph.begin[vertices] = kept;
  graph.neighbours.resize(kept);
  return graph;
}

std::vector<int32_t> inverseOf(const Order &order) {
  std::vector<int32_t> places(order.size());
  for (size_t p = 0; p < order.size(); ++p)
    places[order[p]] = static_cast<int32_t>(p);
  return places;
}

bool isPermutation(const Order &order) {
  std::vector<bool> seen(order.size());
  for (int32_t vertex : order) {
    if (vertex < 0 || static_cast<size_t>(vertex) >= order.size() || seen[vertex])
      return false;
    seen[vertex] = true;
  }
  return true;
}

Order reverseCuthillMcKee(const Graph &graph) {
  const auto lessDegree = [&](int32_t a, int32_t b) { return graph.degree(a) < graph.degree(b); };
  Order byLeast(graph.vertices());
  std::iota(byLeast.begin(), byLeast.end(), 0);
  std::stable_sort(byLeast.begin(), byLeast.end(), lessDegree);
  LevelSearch search(graph);
  std::vector<bool> placed(graph.vertices());
  Order order;
  order.reserve(graph.vertices());
  for (int32_t least : byLeast) {
    if (placed[least])
      continue;
    size_t next = order.size();
    order.push_back(graph.degree(least) == 0 ? least : peripheralVertex(search, least));
    placed[order.back()] = true;
    for (; next < order.size(); ++next) {
      const auto begin = static_cast<ptrdiff_t>(order.size());
      for (int64_t k = graph.begin[order[next]]; k < graph.begin[order[next] + 1]; ++k)
        if (int32_t neighbour = graph.neighbours[k]; !placed[neighbour]) {
          placed[neighbour] = true;
          order.push_back(neighbour);
        }
      std::stable_sort(order.begin() + begin, order.end(), lessDegree);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Order byDegree(const Graph &graph) {
  Order order(graph.vertices());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return graph.degree(a) > graph.degree(b); });
  return order;
}

int64_t bandwidth(const Graph &graph, const Order &order) {
  const std::vector<int32_t> places = inverseOf(order);
  int64_t widest = 0;
  for (int32_t v = 0; v < graph.vertices(); ++v)
    for (int64_t k = graph.begin[v]; k < graph.begin[v + 1]; ++k)
      widest = std::max<int64_t>(widest, std::abs(int64_t{places[v]} - places[graph.neighbours[k]]));
  return widest;
}

} // namespace spc::tune
