// Padding: coordinates that a term's loops may carry beyond the tensor, and operands in which it shows.
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

/// The operands whose padding is a factor of a term, or shows in the numerator of a quotient within it.
std::vector<sema::OperandId> paddedBeside(const sema::Kernel &kernel, const sema::Term &term,
                                          const sema::Expr &numerator);

} // namespace spc::mlirgen
