// What costs are estimated by, before sizes are known (sema/plan/loop_order.h says after whom).
#pragma once

namespace spc::sema {

/// The estimates for the extent of a whole dimension, and for the entries of a fiber.
inline constexpr double kUnknownExtent = 1e6;
inline constexpr double kFiberLength = 10;

/// By how much a way to compute something has to be cheaper than another one to be an order of cost cheaper: copies of
/// operands that could do without, and sums that could stay as they are written, have to be worth it.
inline constexpr double kOrderOfCost = 100;

} // namespace spc::sema
