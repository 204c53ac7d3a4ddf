// What spc_bench compares: kernels that compute values of a known structure, each by several contenders.
#pragma once

#include "csr.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace values {

enum class Kernel {
  Spmv,  ///< y = A x
  Spmm,  ///< C = A B
  Sddmm, ///< D = S * (A Bᵀ), for the entries of S
};

/// One kernel on one input. Dense matrices are row-major.
template <class T> struct Problem {
  Kernel kernel;
  std::shared_ptr<const Csr<T>> sparse;
  int64_t width = 1;          ///< K: columns of dense operands
  std::vector<T> left, right; ///< dense operands; `left` belongs to the rows of the sparse one, `right` to its columns
  mutable std::vector<T> result; ///< of contenders that write into the caller's memory
};

/// One way to solve a problem, which must outlive it. Of those with one name the fastest counts.
template <class T> struct Contender {
  std::string name, variant;
  std::function<void()> run;                ///< what is timed
  std::function<std::vector<T>()> result{}; ///< what run() computed; empty: it is in the problem's `result`
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
template <class T> void addMlir(Contenders<T> &, const Problem<T> &, int threads);

} // namespace values
