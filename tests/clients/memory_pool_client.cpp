// spc/memory_pool.h and .hpp: blocks that are used again, on several threads at once, beside the pool of threads. And
// large blocks without a pool.
#include <spc/pool.h>

#include <spc/memory_pool.hpp>

#include "spgemm.h"

#include "band.h"
#include "expect.h"
#include "memory_pool_c.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace {

/// Owners give their arrays back to the pool.
void testOwners() {
  constexpr int32_t n = 20000;
  const Band band(n);
  spc::memory_pool pool;
  EXPECT(pool.context().parallel_for != nullptr);
  int64_t held = 0;
  for (int round = 0; round < 4; ++round) {
    Matrix square(pool);
    EXPECT_STATUS(SPC_OK, spgemm_ctx(pool, band.view(), band.view(), square.out()));
    EXPECT(isSquare(square, n));
    EXPECT(round < 2 || pool.held() <= held + (int64_t{16} << 20)); // chunks overlap as they please
    held = pool.held();
  }
  EXPECT(held > 0);
  pool.trim();
  EXPECT(pool.held() == 0);
}

/// Any number of threads calls kernels with one pool, and frees what others have assembled.
void testThreads() {
  constexpr int32_t n = 3000;
  const Band band(n);
  const spc::memory_pool pool(spc_pool_context());
  std::vector<Matrix> results(8);
  const auto fill = [&](size_t first) {
    for (size_t r = first; r < results.size(); r += 2)
      for (int round = 0; round < 5; ++round) {
        Matrix square(pool);
        EXPECT_STATUS(SPC_OK, spgemm_ctx(pool, band.view(), band.view(), square.out()));
        EXPECT(isSquare(square, n));
        results[r] = std::move(square);
      }
  };
  std::thread other(fill, 1);
  fill(0);
  other.join();
  std::thread([&] { results.clear(); }).join();
}

/// A full matrix of twos: its coordinates have more than 2 MiB, its values more than 32, in memory for free().
void testLargeBlocks(const spc_context *context) {
  constexpr int32_t n = 2100;
  std::vector<int32_t> leftPointers, leftColumns, pointers{0, n}, columns;
  for (int32_t row = 0; row <= n; ++row)
    leftPointers.push_back(2 * row);
  for (int32_t entry = 0; entry < 2 * n; ++entry) {
    leftColumns.push_back(entry % 2);
    columns.push_back(entry % n);
  }
  pointers.resize(n + 1, 2 * n);
  const std::vector<double> ones(size_t{2} * n, 1);
  spc_csr_f64_i32 product = {};
  EXPECT_STATUS(SPC_OK, spgemm_ctx(context, spc::csr(n, n, leftPointers, leftColumns, ones),
                                   spc::csr(n, n, pointers, columns, ones), &product));
  EXPECT(product.nnz == int64_t{n} * n);
  int wrong = 0;
  for (int64_t entry = 0; entry < product.nnz; ++entry)
    wrong += product.col_ind[entry] != entry % n || product.values[entry] != 2;
  EXPECT(wrong == 0);
  std::free(const_cast<int32_t *>(product.row_ptr));
  std::free(const_cast<int32_t *>(product.col_ind));
  std::free(spc_csr_f64_i32_values(&product));
}

/// Blocks that threads hold at one time do not overlap.
void testBlocks() {
  spc_memory_pool pool;
  spc_memory_pool_init(&pool, nullptr);
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned seed) {
    std::vector<std::pair<unsigned char *, size_t>> blocks;
    const auto release = [&](size_t place) {
      const auto [memory, size] = blocks[place];
      for (size_t at = 0; at < size; at += 97)
        wrong += memory[at] != static_cast<unsigned char>(size);
      spc_memory_pool_deallocate(&pool, memory);
      blocks[place] = blocks.back();
      blocks.pop_back();
    };
    for (int step = 0; step < 2000; ++step) {
      seed = seed * 1664525U + 1013904223U;
      if (blocks.size() > 20 || (seed >> 16) % 2 == 0) {
        if (!blocks.empty())
          release((seed >> 20) % blocks.size());
        continue;
      }
      const size_t size = 1 + (seed >> 8) % (size_t{1} << (4 + (seed >> 28)));
      auto *memory = static_cast<unsigned char *>(spc_memory_pool_allocate(&pool, int64_t(size)));
      for (size_t at = 0; at < size; at += 97)
        memory[at] = static_cast<unsigned char>(size);
      blocks.emplace_back(memory, size);
    }
    while (!blocks.empty())
      release(0);
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back(work, t);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT(wrong == 0);
  spc_memory_pool_trim(&pool, 0);
  EXPECT(spc_memory_pool_held(&pool) == 0);
  spc_memory_pool_destroy(&pool);
}

} // namespace

int main() {
  setenv("SPC_NUM_THREADS", "3", 1);
  testOwners();
  testThreads();
  testBlocks();
  const spc_context pool = spc_pool_context();
  for (const spc_context *context : {static_cast<const spc_context *>(nullptr), &pool})
    testLargeBlocks(context);
  return failures + test_pool_in_c() != 0;
}
