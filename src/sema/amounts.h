// Whole numbers that a call knows.
#pragma once

#include "sema/kernel.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spc::sema {

/// The largest size of a number in an amount: sums of such multiples of extents do not overflow.
inline constexpr int64_t kMaxAmount = 1 << 30;

/// The amount that a scalar of integers is.
Amount amountOf(TensorId scalar);

/// nullopt where a number in the result is above kMaxAmount in size.
std::optional<Amount> sumOf(const Amount &one, const Amount &other);
std::optional<Amount> productOf(const Amount &one, const Amount &other);

/// The same number below 0.
Amount negative(Amount amount);

/// The value, where the scalars' are known. No step of it may overflow.
int64_t valueOf(const Amount &amount, const std::function<int64_t(TensorId)> &valueOfScalar);

/// `2*n - 1`.
std::string textOf(const Amount &amount, const KernelHead &kernel);

/// `n + q`.
std::string textOf(const ExtentSum &sum, const KernelHead &kernel);

/// What a tie is worked out from: the tensor that holds its columns, and scalars.
std::vector<TensorId> readBy(const Tie &tie);

} // namespace spc::sema
