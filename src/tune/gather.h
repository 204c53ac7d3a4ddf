// Dense arrays in another order.
#pragma once

#include "tune/ordering.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spc::tune {

/// Copies a row-major array of elements of `bytes` bytes with dimension `dim` in an order: at place p of it what was at
/// place order[p]. The arrays do not overlap.
void gather(const void *from, void *to, const std::vector<int64_t> &shape, size_t dim, const Order &order,
            size_t bytes);

/// Seconds that it takes to put an array in orders, by dimension (null: stays), the second time.
double gatherSeconds(const void *values, const std::vector<int64_t> &shape, const std::vector<const Order *> &orders,
                     size_t bytes);

} // namespace spc::tune
