// Kernels that assemble their output, on three threads: chunks of rows, and memory that runs out in any of them.
#include "assembly_accumulate.h"
#include "assembly_wide.h"

#include "workers.h"

#include <vector>

namespace {

constexpr int64_t kManyRows = 4500; ///< the entries of a sum are work for two tasks
int64_t tasksRun = 0;

void onThreads(void *, int64_t tasks, Workers::Task *task, void *closure) noexcept {
  static Workers workers;
  tasksRun += tasks;
  workers.run(tasks, task, closure);
}

void onOwnThreads(void *user, int64_t tasks, Workers::Task *task, void *closure) noexcept {
  static_cast<Workers *>(user)->run(tasks, task, closure);
}

/// Whether the outermost loop runs over the rows of dense levels, whose chunks are computed apart.
bool hasChunks(const assembly_case &test) {
  return test.first == reinterpret_cast<int64_t *>(&given.B) && test.validate != validate_csc;
}

void testChunks(const assembly_case &test) {
  const spc_context context = counting_context(-1);
  output A = garbage();
  tasksRun = 0;
  EXPECT_STATUS_OF(&test, SPC_OK, test.call(&context, &A));
  EXPECT_OF(&test, !hasChunks(test) || tasksRun > 1);
  test.release(&context, &A);
  tasksRun = 0;
  EXPECT_STATUS_OF(&test, SPC_OK, test.symbolic(&context, &A));
  EXPECT_OF(&test, !hasChunks(test) || tasksRun > 1);
  tasksRun = 0;
  EXPECT_STATUS_OF(&test, SPC_OK, test.numeric(&context, &A));
  EXPECT_OF(&test, !hasChunks(test) || tasksRun > 1);
  test.release(&context, &A);
}

/// Calls with operands and outputs of their own share nothing, whatever threads they are on.
void testCallsAtOnce() {
  std::vector<std::thread> callers;
  std::vector<output> results(4);
  for (output &A : results)
    callers.emplace_back([&A] {
      Workers workers;
      spc_context context = spc_default_context();
      context.user = &workers;
      context.parallel_for = onOwnThreads;
      if (spgemm_ctx(&context, &given.B, &given.C, &A.csr) != SPC_OK)
        abort();
    });
  for (std::thread &caller : callers)
    caller.join();
  for (output &A : results) {
    EXPECT(is_right(&cases[0], &A));
    spgemm_plain_free(&A);
  }
}

} // namespace

int main() {
  run_tasks = onThreads;
  for (const int64_t rows : {int64_t{20}, kManyRows}) {
    make_operands(rows, 1, 0);
    for (const assembly_case &test : cases) {
      if (rows == kManyRows)
        testChunks(test);
      test_assembling(&test);
    }
    test_accumulating();
    test_accumulating_again();
    test_wide();
    testCallsAtOnce();
    free_operands();
  }
  return failures != 0;
}
