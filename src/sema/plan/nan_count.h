// The step by which a kernel asks whether what it has computed are numbers. Private to sema's rooms.
#pragma once

#include "sema/kernel.h"

#include <vector>

namespace spc::sema {

/// Whether a statement computes a part of a product, which is multiplied with others and added up.
bool isPart(const Kernel &kernel, const Statement &statement);

/// A new temporary for a count: an i64 of order 0.
TensorId addNanCount(Kernel &kernel);

/// An array of floats, and by dimension the number of the loop that goes through it.
struct CountedArray {
  TensorId tensor;
  std::vector<size_t> loops;
  bool operator==(const CountedArray &) const = default;
};

/// What a step counts where it is no number: the elements of an array, or products of those of two.
struct Counted {
  std::vector<CountedArray> arrays;
  bool isFactor = false; ///< infinities as well: it is multiplied with a sum that may have no entries
  Span where = {};
};

/// The extents of the loops that go through what is counted.
std::vector<ExtentId> extentsOf(const Counted &counted, const Kernel &kernel);

/// The arrays by which infinities that met a sum without entries show: those that the steps from `begin` on leave, or
/// in place of one that is made of products of a sum and one or two arrays of fewer dimensions, these. There are none
/// where all that the steps write is the program's, of which there are `given` tensors: sums are taken for 0 where they
/// stand in temporaries.
std::vector<Counted> whatCounts(const Kernel &kernel, size_t given, size_t begin);

/// Adds a step that counts in them. Requires: the steps from `begin` on are statements.
void appendNanCount(Kernel &kernel, size_t given, size_t begin, TensorId count);

} // namespace spc::sema
