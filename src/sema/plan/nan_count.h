// The step by which a kernel asks whether what it has computed are numbers. Private to sema's rooms.
#pragma once

#include "sema/kernel.h"

namespace spc::sema {

/// Whether a statement computes a part of a product, which is multiplied with others and added up.
bool isPart(const Kernel &kernel, const Statement &statement);

/// A new temporary for a count: an i64 of order 0.
TensorId addNanCount(Kernel &kernel);

/// Adds a step that counts the NaNs which the steps from `begin` on, statements, leave in arrays of floats. It counts
/// none where all that these write is the program's, of which there are `given` tensors: sums are taken for 0 where
/// they stand in temporaries.
void appendNanCount(Kernel &kernel, size_t given, size_t begin, TensorId count);

} // namespace spc::sema
