// What spc_bench compares: kernels that compute values of a known structure, each by several contenders.
#pragma once

#include "csr.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace values {

enum class Kernel {
  Spmv,    ///< y = A x
  Spmm,    ///< C = A B
  Sddmm,   ///< D = S * (A Bᵀ), for the entries of S
  BsrSpmv, ///< y = A x, A in blocks of 8 x 8
  BsrSpmm, ///< C = A B, A in blocks of 8 x 8
  Mttkrp,  ///< M(i,r) = T(i,j,k) B(j,r) C(k,r)
  Ttv,     ///< Y(i,j) = T(i,j,k) x(k)
  Ttm,     ///< Y(i,j,r) = T(i,j,k) B(k,r)
  Gcn,     ///< H = A (X W), the layer of a graph convolutional network
};

/// Memory from where a cache line begins.
template <class T> struct LineAligned {
  using value_type = T;
  LineAligned() = default;
  template <class Other> LineAligned(const LineAligned<Other> &) {}
  T *allocate(size_t count) { return static_cast<T *>(::operator new(count * sizeof(T), std::align_val_t(64))); }
  void deallocate(T *memory, size_t) { ::operator delete(memory, std::align_val_t(64)); }
  bool operator==(const LineAligned &) const { return true; }
};
template <class T> using Elements = std::vector<T, LineAligned<T>>;

/// The side of a block.
inline constexpr int kBlock = 8;

/// Columns of X in Gcn.
inline constexpr int64_t kFeatures = 64;

/// A matrix in blocks that are stored row-major; its extents are multiples of their side.
template <class T> struct Bsr {
  int64_t rows = 0, columns = 0;
  std::vector<int32_t> pointers, indices; ///< of blocks
  Elements<T> values;
};

/// A tensor of order 3 in CSF: slices, in each its fibers, in each its entries.
template <class T> struct Csf {
  int64_t shape[3] = {0, 0, 0};
  std::vector<int32_t> slices, fiberPointers, fibers, entryPointers, entries;
  Elements<T> values;
};

/// One kernel on one input. Dense matrices are row-major.
template <class T> struct Problem {
  Kernel kernel;
  std::shared_ptr<const Csr<T>> sparse; ///< of matrices, also where a kernel reads `blocks`
  std::shared_ptr<const Bsr<T>> blocks;
  std::shared_ptr<const Csf<T>> tensor;
  int64_t width = 1;           ///< columns of the result; 1 of a vector
  Elements<T> left, right;     ///< dense operands: x or B, or of two A and B, B and C, X and W
  mutable Elements<T> result;  ///< of contenders that write into the caller's memory
  mutable Elements<T> scratch; ///< X W
};

/// One way to solve a problem, which must outlive it. Of those with one name the fastest counts.
template <class T> struct Contender {
  std::string name, variant;
  std::function<void()> run;             ///< what is timed
  std::function<Elements<T>()> result{}; ///< what run() computed; empty: it is in the problem's `result`
};

/// Runs task(closure, n) for each n below `count` on up to `threads` threads, which take them one by one.
using Task = void (*)(void *closure, int64_t n);
void runParallel(int threads, int64_t count, Task task, void *closure);

/// The same with a piece of work for each thread, which is what a static schedule gives.
void runStatic(int threads, int64_t count, Task task, void *closure);

template <class T> using Contenders = std::vector<Contender<T>>;

/// Each appends its contenders for the problem with up to `threads` threads: none where it has none or is not part of
/// this build.
template <class T> void addSpc(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addHand(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addEigen(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addGraphblas(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addMkl(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addRsb(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addTaco(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addTacoLoops(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addMlir(Contenders<T> &, const Problem<T> &, int threads);

} // namespace values
