// The numbers by which costs are estimated before sizes are known (sema/plan/loop_order.h says after whom).
#pragma once

#include "sema/kernel.h"

namespace spc::sema {

/// The estimates for the extent of a whole dimension, and for the entries of a fiber.
inline constexpr double kUnknownExtent = 1e6;
inline constexpr double kFiberLength = 10;

/// The estimate for the entries of a tensor's fibers: ties have one a row.
inline double fiberLength(const Tensor &tensor) {
  return tensor.is<Tie>() ? 1 : kFiberLength;
}

/// The factor from which one way to compute something is an order of cost cheaper than another. Copies of
/// operands that could do without, and sums that could stay as they are written, have to save as much.
inline constexpr double kOrderOfCost = 100;

} // namespace spc::sema
