// What spc_assembly_bench compares: kernels whose result's structure is not known beforehand, each by several
// contenders.
#pragma once

#include "csr.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assembly {

enum class Operation {
  Square,         ///< A A
  TimesTranspose, ///< A Aᵀ
  Plus,           ///< A + B, where B is Aᵀ, made beforehand
  PlusTranspose,  ///< A + Aᵀ
  ToColumns,      ///< CSR to CSC
  FromSorted,     ///< COO to CSR, sorted and without repeats
  FromShuffled,   ///< COO to CSR, in any order, repeated entries summed
};

inline constexpr Operation kOperations[] = {Operation::Square,        Operation::TimesTranspose, Operation::Plus,
                                            Operation::PlusTranspose, Operation::ToColumns,      Operation::FromSorted,
                                            Operation::FromShuffled};

template <class T> struct Coo {
  int64_t rows = 0, columns = 0;
  std::vector<int32_t> row, column;
  std::vector<T> values;
};

/// What an operation reads: `coo` where it converts from it, else `csr`, and `other` where it is B.
template <class T> struct Input {
  Csr<T> csr, other;
  Coo<T> coo;
};

/// One way to do an operation on an input, which must outlive it.
template <class T> struct Contender {
  std::string name;
  std::function<void()> run;      ///< allocates the result and computes it: what is timed
  std::function<Csr<T>()> result; ///< what run() made; a matrix in CSC as the CSR of its transpose
  std::function<void()> release;  ///< frees it
};

/// The library's contender with up to `threads` OpenMP threads; nullopt where it has none, or is not part of this
/// build.
template <class T> std::optional<Contender<T>> spcContender(Operation, const Input<T> &, int threads);
/// The same with a pool that keeps memory between calls.
template <class T> std::optional<Contender<T>> spcPoolContender(Operation, const Input<T> &, int threads);
template <class T> std::optional<Contender<T>> handContender(Operation, const Input<T> &, int threads);
template <class T> std::optional<Contender<T>> eigenContender(Operation, const Input<T> &, int threads);
template <class T> std::optional<Contender<T>> mklContender(Operation, const Input<T> &, int threads);
template <class T> std::optional<Contender<T>> graphblasContender(Operation, const Input<T> &, int threads);
template <class T> std::optional<Contender<T>> mlirContender(Operation, const Input<T> &, int threads);
template <class T> std::optional<Contender<T>> tacoLoopsContender(Operation, const Input<T> &, int threads);
template <class T> std::optional<Contender<T>> scipyContender(Operation, const Input<T> &, int threads);

} // namespace assembly
