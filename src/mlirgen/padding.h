// Coordinates that a term's loops may carry beyond the tensor, where blocks and diagonals are padded.
#pragma once

#include "sema/kernel.h"

#include <vector>

namespace spc::mlirgen {

/// A coordinate of a sparse operand's dimension, and the extent that it must stay below (nor may it be negative).
struct OpenCoordinate {
  sema::Index index;
  sema::ExtentId extent;
};

/// The coordinates that are summed over, may lie outside of the tensor, and index nothing by which the loops would be
/// clipped later on. Without a test, the padding of `y = A(i, j)` would be added up.
std::vector<OpenCoordinate> openCoordinates(const sema::Kernel &kernel, const sema::Statement &statement,
                                            const sema::Term &term);

} // namespace spc::mlirgen
