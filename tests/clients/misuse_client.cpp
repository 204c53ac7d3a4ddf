// Calls that break the rules, one a run, which kernels compiled with --sanitize must report: in the kernel's own loops
// and in the runtime's functions.
#include "spgemm.h"
#include "spmv.h"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kSize = 8;

/// Reports are cut short where an array's end is that of its block, hence arrays of exactly their size.
template <typename T> T *copy(const std::vector<T> &from, size_t count, size_t offset = 0) {
  char *memory = new char[count * sizeof(T) + offset];
  std::memcpy(memory + offset, from.data(), count * sizeof(T));
  return reinterpret_cast<T *>(memory + offset);
}

const std::vector<int32_t> kPointers{0, 1, 2, 3, 4, 5, 6, 7, 8}, kIndices{0, 1, 2, 3, 4, 5, 6, 7};
const std::vector<double> kOnes(kSize, 1.0);

/// The unit matrix with so many elements in its arrays, and its values so far off their alignment.
spc_csr_f64_i32 unitMatrix(size_t pointers = kSize + 1, size_t stored = kSize, size_t offset = 0) {
  return {kSize, kSize, kSize, copy(kPointers, pointers), copy(kIndices, stored), copy(kOnes, stored, offset)};
}

void multiply(const spc_csr_f64_i32 &A) {
  spc_dense1_f64 x = spc_dense1_f64_make(copy(kOnes, kSize), kSize), y = spc_dense1_f64_make(copy(kOnes, kSize), kSize);
  (void)spmv_ctx(nullptr, &A, &x, &y);
}

/// Values into the pattern of a product, in an array with room for so many.
void fillPattern(size_t stored, size_t offset) {
  const spc_csr_f64_i32 B = unitMatrix();
  spc_csr_f64_i32 A{};
  (void)spgemm_symbolic_ctx(nullptr, &B, &B, &A);
  A.values = copy(kOnes, stored, offset);
  (void)spgemm_numeric_ctx(nullptr, &B, &B, &A);
}

/// On two threads at once, which nothing keeps apart.
template <typename Call> void onTwoThreads(const Call &call) {
  std::atomic<int> ready{0};
  const auto work = [&] {
    ready.fetch_add(1, std::memory_order_relaxed);
    while (ready.load(std::memory_order_relaxed) < 2) {
    }
    call();
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}

void shareDenseOutput() {
  const spc_csr_f64_i32 A = unitMatrix();
  spc_dense1_f64 x = spc_dense1_f64_make(copy(kOnes, kSize), kSize), y = spc_dense1_f64_make(copy(kOnes, kSize), kSize);
  onTwoThreads([&] { (void)spmv_ctx(nullptr, &A, &x, &y); });
}

void sharePattern() {
  const spc_csr_f64_i32 B = unitMatrix();
  spc_csr_f64_i32 A{};
  (void)spgemm_ctx(nullptr, &B, &B, &A);
  onTwoThreads([&] {
    spc_csr_f64_i32 own = A; // the struct, not the values
    (void)spgemm_numeric_ctx(nullptr, &B, &B, &own);
  });
}

} // namespace

int main(int, char **arguments) {
  const std::string misuse = arguments[1];
  if (misuse == "short-pointers")
    multiply(unitMatrix(kSize));
  else if (misuse == "short-values")
    fillPattern(kSize - 1, 0);
  else if (misuse == "shared-output")
    shareDenseOutput();
  else if (misuse == "shared-pattern")
    sharePattern();
  else if (misuse == "misaligned-operand")
    multiply(unitMatrix(kSize + 1, kSize, 4));
  else if (misuse == "misaligned-values")
    fillPattern(kSize, 4);
  return 0;
}
