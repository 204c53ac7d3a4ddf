#include "tune/ordering.h"

#include "tune/extent_orders.h"
#include "tune/gather.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace spc;
using namespace spc::tune;

namespace {

using Edges = std::vector<std::pair<int32_t, int32_t>>;

/// A grid of rows x columns vertices, numbered so that neighbours are far from each other.
Graph shuffledGrid(int32_t rows, int32_t columns) {
  const int32_t count = rows * columns;
  const auto number = [&](int32_t i, int32_t j) {
    return static_cast<int32_t>((int64_t{i} * columns + j) * 7919 % count); // a prime that does not divide the counts
  };
  Edges edges;
  for (int32_t i = 0; i < rows; ++i)
    for (int32_t j = 0; j < columns; ++j) {
      if (i + 1 < rows)
        edges.emplace_back(number(i, j), number(i + 1, j));
      if (j + 1 < columns)
        edges.emplace_back(number(i, j), number(i, j + 1));
    }
  return makeGraph(count, edges);
}

Order identity(int32_t count) {
  Order order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

} // namespace

TEST_CASE("a graph has each neighbour once, in order, and no loops") {
  const Graph graph = makeGraph(4, {{2, 0}, {0, 2}, {1, 1}, {0, 1}, {3, 2}});
  CHECK(graph.begin == std::vector<int64_t>{0, 2, 3, 5, 6});
  CHECK(graph.neighbours == std::vector<int32_t>{1, 2, 0, 0, 3, 2});
}

TEST_CASE("reverse Cuthill-McKee puts a path in a row, from one end to the other") {
  const Graph path = makeGraph(5, {{3, 0}, {0, 4}, {4, 1}, {1, 2}});
  const Order order = reverseCuthillMcKee(path);
  REQUIRE(isPermutation(order));
  CHECK(bandwidth(path, order) == 1);
  CHECK(bandwidth(path, identity(5)) == 4);
}

TEST_CASE("reverse Cuthill-McKee gives a grid the bandwidth of its shorter side") {
  const Graph grid = shuffledGrid(40, 10);
  const Order order = reverseCuthillMcKee(grid);
  REQUIRE(isPermutation(order));
  CHECK(bandwidth(grid, identity(400)) > 100);
  CHECK(bandwidth(grid, order) <= 11);
}

TEST_CASE("reverse Cuthill-McKee orders every component, lone vertices too") {
  const Graph graph = makeGraph(7, {{0, 6}, {1, 5}, {5, 3}});
  const Order order = reverseCuthillMcKee(graph);
  CHECK(isPermutation(order));
  CHECK(bandwidth(graph, order) == 1);
  CHECK(reverseCuthillMcKee(makeGraph(0, {})).empty());
  CHECK(isPermutation(reverseCuthillMcKee(makeGraph(3, {}))));
}

TEST_CASE("by degree, the hubs come first and equal ones stay") {
  CHECK(byDegree(makeGraph(5, {{3, 0}, {3, 1}, {3, 2}, {1, 2}})) == Order{3, 1, 2, 0, 4});
}

TEST_CASE("parts, where METIS is there, are an order of all vertices") {
  const Graph grid = shuffledGrid(40, 10);
  const std::optional<Order> order = byParts(grid, 100, reverseCuthillMcKee(grid));
  if (order) {
    CHECK(order->size() == 400);
    CHECK(isPermutation(*order));
  }
  CHECK(!byParts(grid, 400, identity(400))); // one part
}

TEST_CASE("an inverse undoes an order") {
  const Order order = {2, 0, 3, 1};
  CHECK(inverseOf(order) == std::vector<int32_t>{1, 3, 0, 2});
  CHECK(!isPermutation({0, 0, 1}));
  CHECK(!isPermutation({0, 3, 1}));
}

TEST_CASE("coordinates and dense arrays are permuted alike") {
  const Order order = {2, 0, 1};
  const std::vector<int64_t> shape = {3, 2};
  const double dense[] = {1, 2, 3, 4, 5, 6};
  double rows[6];
  gather(dense, rows, shape, 0, order, sizeof(double));
  CHECK(std::vector<double>(rows, rows + 6) == std::vector<double>{5, 6, 1, 2, 3, 4});
  tensor::Coordinates entries{shape, {0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1}, {1, 2, 3, 4, 5, 6}, {}};
  permute(entries, {&order, nullptr});
  std::vector<double> placed(6);
  for (size_t e = 0; e < 6; ++e)
    placed[entries.coordinates[2 * e] * 2 + entries.coordinates[2 * e + 1]] = entries.values[e];
  CHECK(placed == std::vector<double>(rows, rows + 6));
  double columns[6];
  gather(dense, columns, {2, 3}, 1, order, sizeof(double));
  CHECK(std::vector<double>(columns, columns + 6) == std::vector<double>{3, 1, 2, 6, 4, 5});
}

TEST_CASE("rows and columns of a square matrix have one order, those of another one two") {
  const sema::ExtentId i(0), j(1), k(2);
  IdVector<sema::ExtentId, int64_t> sizes;
  sizes.assign({3, 3, 2});
  const tensor::Coordinates square{{3, 3}, {0, 2, 2, 1}, {1, 1}, {}};
  OrderFinder one(sizes, {{{i, j}, &square}});
  const ExtentOrders same = one.reverseCuthillMcKee();
  CHECK(same.name == "rcm");
  REQUIRE(same.of(i));
  CHECK(same.of(i) == same.of(j));
  CHECK(same.of(i)->size() == 3);
  CHECK(!same.of(k));
  const tensor::Coordinates wide{{3, 2}, {0, 1, 2, 1}, {1, 1}, {}};
  OrderFinder two(sizes, {{{i, k}, &wide}});
  const ExtentOrders other = two.byDegree();
  REQUIRE((other.of(i) && other.of(k)));
  CHECK(*other.of(k) == Order{1, 0});
  CHECK(isPermutation(*other.of(i)));
  CHECK(!other.of(j));
  CHECK(!OrderFinder(sizes, {}).hasGraph());
}
