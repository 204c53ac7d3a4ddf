// Hooks of C++ programs are noexcept, by their types: one that may throw is none.
#include "spmv.h"

#include <cstdlib>
#include <type_traits>

namespace {

void *neverThrows(void *, int64_t bytes, int64_t) noexcept {
  return std::malloc(static_cast<size_t>(bytes));
}

using Allocate = decltype(spc_context::allocate);
using ParallelFor = decltype(spc_context::parallel_for);

static_assert(std::is_assignable_v<Allocate &, decltype(&neverThrows)>);
static_assert(!std::is_assignable_v<Allocate &, void *(*)(void *, int64_t, int64_t)>);
static_assert(!std::is_assignable_v<decltype(spc_context::deallocate) &, void (*)(void *, void *)>);
static_assert(!std::is_assignable_v<ParallelFor &, void (*)(void *, int64_t, void (*)(void *, int64_t), void *)>);

} // namespace

int main() {
  spc_context context = spc_default_context();
  context.allocate = neverThrows;
  // What is handed to parallel_for may be called by anything.
  context.parallel_for = [](void *, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
    for (int64_t index = tasks; index-- > 0;)
      task(closure, index);
  };
  context.deallocate = [](void *, void *memory) noexcept { std::free(memory); };
  int32_t pointers[] = {0, 1}, columns[] = {0};
  double values[] = {2}, x[] = {3}, y[] = {0};
  const spc_csr_f64_i32 A = {1, 1, 1, pointers, columns, values};
  const spc_dense1_f64 in = spc_dense1_f64_make(x, 1);
  spc_dense1_f64 out = spc_dense1_f64_make(y, 1);
  return spmv_ctx(&context, &A, &in, &out) == SPC_OK && y[0] == 6 ? 0 : 1;
}
