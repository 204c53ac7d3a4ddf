// Steps that run together, piece by piece of rows, give what they give one after the other, to the last bit, on one
// thread and on several, in less memory.
#include "attention.h"
#include "attention_on_steps.h"

#include "expect.h"
#include "workers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int64_t kHeads = 8, kSize = 2;

/// Hooks that count what they give, may fail, and run tasks on several threads or the last one first.
struct Caller {
  Workers *workers = nullptr;
  bool isReversed = false;
  int64_t failAt = -1;
  int64_t requests = 0, bytes = 0, alive = 0, mostTasks = 0;

  static void *allocate(void *user, int64_t bytes, int64_t) noexcept {
    auto &self = *static_cast<Caller *>(user);
    EXPECT(bytes > 0);
    if (self.requests++ == self.failAt)
      return nullptr;
    self.bytes += bytes;
    ++self.alive;
    void *memory = std::malloc(static_cast<size_t>(bytes));
    std::memset(memory, 0xff, static_cast<size_t>(bytes)); // NaNs
    return memory;
  }
  static void release(void *user, void *memory) noexcept {
    --static_cast<Caller *>(user)->alive;
    std::free(memory);
  }
  static void run(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
    auto &self = *static_cast<Caller *>(user);
    self.mostTasks = std::max(self.mostTasks, tasks);
    if (self.workers)
      return self.workers->run(tasks, task, closure);
    for (int64_t index = tasks; index-- > 0;)
      task(closure, index);
  }
  spc_context context() {
    spc_context context = spc_default_context();
    context.user = this;
    context.allocate = allocate;
    context.deallocate = release;
    context.parallel_for = workers || isReversed ? run : nullptr;
    context.parallel_cost = nullptr;
    context.note = nullptr;
    return context;
  }
};

/// A graph whose vertex i has `lengths[i]` neighbours all over.
struct Graph {
  std::vector<int32_t> pointers{0}, columns;
  std::vector<double> ones;

  explicit Graph(const std::vector<int64_t> &lengths) {
    const auto rows = static_cast<int64_t>(lengths.size());
    for (const int64_t length : lengths) {
      for (int64_t e = 0; e < length; ++e)
        columns.push_back(static_cast<int32_t>(e * rows / length));
      pointers.push_back(static_cast<int32_t>(columns.size()));
    }
    ones.assign(columns.size(), 1);
  }
  int64_t rows() const { return static_cast<int64_t>(pointers.size()) - 1; }
};

std::vector<double> numbers(int64_t count, uint32_t state) {
  std::vector<double> all;
  for (int64_t n = 0; n < count; ++n) {
    state = state * 1664525 + 1013904223;
    all.push_back(static_cast<double>(state % 1009) / 500 - 1);
  }
  return all;
}

/// The result's bits; NaNs of rows without neighbours are compared, too.
template <typename Kernel> std::vector<double> attend(Kernel kernel, const Graph &graph, Caller &caller, int expected) {
  const int64_t n = graph.rows(), size = n * kHeads * kSize;
  std::vector<double> q = numbers(size, 1), k = numbers(size, 2), v = numbers(size, 3), result(size_t(size), -7);
  const spc_csr_f64_i32 s = {
      n, n, static_cast<int64_t>(graph.columns.size()), graph.pointers.data(), graph.columns.data(), graph.ones.data()};
  const auto dense = [&](std::vector<double> &values) {
    return spc_dense3_f64{{n, kHeads, kSize}, {kHeads * kSize, kSize, 1}, values.data()};
  };
  const spc_dense3_f64 queries = dense(q), keys = dense(k), values = dense(v);
  spc_dense3_f64 out = dense(result);
  const spc_context context = caller.context();
  EXPECT_STATUS(expected, kernel(&context, &s, &queries, &keys, &values, &out));
  EXPECT(caller.alive == 0);
  return result;
}

bool areSame(const std::vector<double> &one, const std::vector<double> &other) {
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(double)) == 0);
}

/// By steps and together, alone, on threads, and with the last rows first.
void check(const std::vector<int64_t> &lengths, Workers &workers) {
  const Graph graph(lengths);
  Caller steps, alone, threads, reversed;
  threads.workers = &workers;
  reversed.isReversed = true;
  const std::vector<double> expected = attend(attention_on_steps_ctx, graph, steps, SPC_OK);
  EXPECT(areSame(expected, attend(attention_ctx, graph, alone, SPC_OK)));
  EXPECT(areSame(expected, attend(attention_ctx, graph, threads, SPC_OK)));
  EXPECT(areSame(expected, attend(attention_ctx, graph, reversed, SPC_OK)));
  EXPECT(alone.bytes <= steps.bytes + 4096);
  EXPECT(threads.bytes <= steps.bytes + 65536);
}

/// Half of one whole temporary is less than half of all three.
void checkMemory(const std::vector<int64_t> &lengths, Workers &workers) {
  const Graph graph(lengths);
  Caller steps, alone, threads;
  threads.workers = &workers;
  attend(attention_on_steps_ctx, graph, steps, SPC_OK);
  attend(attention_ctx, graph, alone, SPC_OK);
  attend(attention_ctx, graph, threads, SPC_OK);
  EXPECT(2 * alone.bytes < steps.bytes);
  EXPECT(threads.mostTasks > 1);
}

/// Each allocation fails once.
void checkFailures(const std::vector<int64_t> &lengths, Workers &workers) {
  const Graph graph(lengths);
  Caller whole;
  attend(attention_ctx, graph, whole, SPC_OK);
  EXPECT(whole.requests > 2);
  for (int64_t request = 0; request < whole.requests; ++request) {
    Caller failing;
    failing.failAt = request;
    failing.workers = request % 2 == 1 ? &workers : nullptr;
    attend(attention_ctx, graph, failing, SPC_ERROR_MEMORY);
  }
}

} // namespace

int main() {
  Workers workers;
  std::vector<int64_t> varied;
  for (int64_t i = 0; i < 1000; ++i)
    varied.push_back(i % 7 == 3 ? 0 : 5 + i * i % 31);
  check(varied, workers);
  checkMemory(varied, workers);
  checkFailures(varied, workers);
  check({}, workers);
  check({0}, workers);
  check(std::vector<int64_t>(500, 0), workers);
  for (const size_t full : {0, 499, 999}) {
    std::vector<int64_t> lengths(1000, 0);
    lengths[full] = 1000;
    check(lengths, workers);
    varied[full] = 1000;
    check(varied, workers);
  }
  return failures == 0 ? 0 : 1;
}
