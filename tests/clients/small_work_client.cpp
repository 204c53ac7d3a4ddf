// What calls with little work ask for and take: by what they touch, whatever the extents are.
#include "frontier.h"
#include "relaxation.h"
#include "spgemm_on_coos.h"
#include "spgemm_on_dcsr.h"
#include "spgemm_on_dcsr_f16.h"
#include "vectors_sum.h"

#include "expect.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 16; ///< of a call
constexpr int32_t kExtents[] = {20000, 200000, 2000000};

/// Memory that is asked for in one call after the other, and never zero.
struct Memory {
  int64_t bytes = 0;

  static void *allocate(void *user, int64_t bytes, int64_t) noexcept {
    static_cast<Memory *>(user)->bytes += bytes;
    void *memory = std::malloc(static_cast<size_t>(bytes));
    std::fill_n(static_cast<unsigned char *>(memory), bytes, static_cast<unsigned char>(0xa5));
    return memory;
  }
  static void release(void *, void *memory) noexcept { std::free(memory); }
  spc_context context() {
    spc_context context = spc_default_context();
    context.user = this;
    context.allocate = allocate;
    context.deallocate = release;
    return context;
  }
};

/// A graph in which vertex j has edges to j, j + 1 and j + n / 2, modulo n, by columns.
struct Graph {
  explicit Graph(int32_t n) : size(n), pointers{0} {
    for (int32_t j = 0; j < n; ++j) {
      int32_t to[] = {j, (j + 1) % n, (j + n / 2) % n};
      std::sort(to, to + 3);
      indices.insert(indices.end(), to, to + 3);
      pointers.push_back(static_cast<int32_t>(indices.size()));
    }
  }
  int32_t size;
  std::vector<int32_t> pointers, indices;
};

void checkFrontier(const Graph &graph) {
  const int32_t n = graph.size;
  const int64_t edges = static_cast<int64_t>(graph.indices.size());
  // A byte each, as bool has.
  std::vector<unsigned char> yes(static_cast<size_t>(edges), 1), visited(static_cast<size_t>(n), 0);
  visited[5] = visited[static_cast<size_t>(n) - 2] = 1;
  std::vector<int32_t> vertices{5, n - 2};
  const spc_csc_bool_i32 A{n,
                           n,
                           edges,
                           const_cast<int32_t *>(graph.pointers.data()),
                           const_cast<int32_t *>(graph.indices.data()),
                           reinterpret_cast<bool *>(yes.data())};
  const spc_spvec_bool_i32 front{n, 2, vertices.data(), reinterpret_cast<bool *>(yes.data())};
  const spc_dense1_bool seen{n, 1, reinterpret_cast<bool *>(visited.data())};
  const std::vector<int32_t> expected{5, 6, n / 2 - 2, n / 2 + 5, n - 2, n - 1};
  const std::vector<bool> isNew{false, true, true, true, false, true};
  for (const bool isPattern : {false, true}) {
    Memory memory;
    const spc_context context = memory.context();
    spc_spvec_bool_i32 next;
    EXPECT_STATUS(SPC_OK, isPattern ? frontier_symbolic_ctx(&context, &A, &front, &seen, &next, nullptr)
                                    : frontier_ctx(&context, &A, &front, &seen, &next));
    EXPECT(memory.bytes < kMostBytes);
    EXPECT(std::vector<int32_t>(next.indices_0, next.indices_0 + next.nnz) == expected);
    if (isPattern) {
      memory.bytes = 0;
      EXPECT_STATUS(SPC_OK, frontier_numeric_ctx(&context, &A, &front, &seen, &next, nullptr));
      EXPECT(memory.bytes < kMostBytes);
    }
    EXPECT(std::vector<bool>(next.values, next.values + next.nnz) == isNew);
    frontier_free_ctx(&context, &next);
  }
}

/// Fronts of some hundred vertices are added up in other workspaces than those of two, to the same end.
void checkRelaxation(const Graph &graph, int32_t vertices) {
  const int32_t n = graph.size;
  std::vector<double> lengths(graph.indices.size());
  for (size_t e = 0; e < lengths.size(); ++e)
    lengths[e] = static_cast<double>(e % 3) + 1;
  std::vector<int32_t> fronts;
  std::vector<double> distances;
  std::map<int32_t, double> expected;
  for (int32_t v = 0; v < vertices; ++v) {
    fronts.push_back(5 + v);
    distances.push_back(v % 2 == 0 ? 10 : 2);
    for (int32_t e = graph.pointers[5 + v]; e < graph.pointers[6 + v]; ++e) {
      const double length = lengths[static_cast<size_t>(e)] + distances.back();
      double &least = expected.try_emplace(graph.indices[static_cast<size_t>(e)], length).first->second;
      least = std::min(least, length);
    }
  }
  const spc_csc_f64_i32 A{n,
                          n,
                          static_cast<int64_t>(lengths.size()),
                          const_cast<int32_t *>(graph.pointers.data()),
                          const_cast<int32_t *>(graph.indices.data()),
                          lengths.data()};
  const spc_spvec_f64_i32 front{n, vertices, fronts.data(), distances.data()};
  Memory memory;
  const spc_context context = memory.context();
  spc_spvec_f64_i32 next;
  EXPECT_STATUS(SPC_OK, relaxation_ctx(&context, &A, &front, &next));
  EXPECT(vertices > 2 || memory.bytes < kMostBytes);
  EXPECT(next.nnz == static_cast<int64_t>(expected.size()));
  int64_t e = 0;
  for (const auto &[vertex, distance] : expected) {
    EXPECT(e < next.nnz && next.indices_0[e] == vertex && next.values[e] == distance);
    ++e;
  }
  relaxation_free_ctx(&context, &next);
}

/// Products of n x n matrices with two entries, (1, n - 2) and (n - 2, 1), the right one by all rows.
void checkProducts(int32_t n) {
  std::vector<int32_t> rows{1, n - 2}, columns{n - 2, 1}, starts{0, 1, 2};
  std::vector<int32_t> pointers(static_cast<size_t>(n) + 1, 1);
  pointers[0] = pointers[1] = 0;
  pointers[static_cast<size_t>(n) - 1] = pointers[static_cast<size_t>(n)] = 2;
  std::vector<double> values{2, 3};
  std::vector<spc_f16> halves{spc_f16_from_float(2), spc_f16_from_float(3)};
  Memory memory;
  const spc_context context = memory.context();
  const spc_dcsr_f64_i32 B{{n, n}, 2, 2, rows.data(), starts.data(), columns.data(), values.data()};
  const spc_csr_f64_i32 C{n, n, 2, pointers.data(), columns.data(), values.data()};
  spc_dcsr_f64_i32 A;
  EXPECT_STATUS(SPC_OK, spgemm_on_dcsr_ctx(&context, &B, &C, &A));
  EXPECT(memory.bytes < kMostBytes);
  EXPECT(A.nnz == 2 && A.count_0 == 2 && A.indices_0[1] == n - 2 && A.indices_1[1] == n - 2 && A.values[1] == 6);
  spgemm_on_dcsr_free_ctx(&context, &A);

  memory.bytes = 0;
  const spc_dcsr_f16_i32 H{{n, n}, 2, 2, rows.data(), starts.data(), columns.data(), halves.data()};
  const spc_csr_f16_i32 K{n, n, 2, pointers.data(), columns.data(), halves.data()};
  spc_dcsr_f16_i32 F;
  EXPECT_STATUS(SPC_OK, spgemm_on_dcsr_f16_ctx(&context, &H, &K, &F));
  EXPECT(memory.bytes < kMostBytes);
  EXPECT(F.nnz == 2 && spc_f16_to_float(F.values[0]) == 6);
  spgemm_on_dcsr_f16_free_ctx(&context, &F);

  memory.bytes = 0;
  const spc_coo2_f64_i32 L{n, n, 2, rows.data(), columns.data(), values.data()};
  spc_coo2_f64_i32 M;
  EXPECT_STATUS(SPC_OK, spgemm_on_coos_ctx(&context, &L, &C, &M));
  EXPECT(memory.bytes < kMostBytes);
  EXPECT(M.nnz == 2 && M.row_ind[1] == n - 2 && M.col_ind[1] == n - 2 && M.values[1] == 6);
  spgemm_on_coos_free_ctx(&context, &M);
}

void checkUnion(int32_t n) {
  std::vector<int32_t> left{1, n - 1}, right{0, n - 1};
  std::vector<double> values{2, 3};
  const spc_spvec_f64_i32 B{n, 2, left.data(), values.data()}, C{n, 2, right.data(), values.data()};
  Memory memory;
  const spc_context context = memory.context();
  spc_spvec_f64_i32 A;
  EXPECT_STATUS(SPC_OK, vectors_sum_ctx(&context, &B, &C, &A));
  EXPECT(memory.bytes < kMostBytes);
  EXPECT(A.nnz == 3 && A.indices_0[2] == n - 1 && A.values[2] == 6);
  vectors_sum_free_ctx(&context, &A);
}

} // namespace

int main() {
  for (const int32_t n : kExtents) {
    const Graph graph(n);
    checkFrontier(graph);
    for (const int32_t vertices : {2, 100, 3000})
      checkRelaxation(graph, vertices);
    checkProducts(n);
    checkUnion(n);
  }
  return failures == 0 ? 0 : 1;
}
