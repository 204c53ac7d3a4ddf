// When a candidate is taken in place of the default, and what it takes until that pays.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace spc::tune {

double median(std::vector<double> numbers);

/// What must be left of the default's time for a candidate to count as faster: less of a gain is noise.
inline constexpr double kClearlyFaster = 0.97;

/// Seconds of one call, with all that is counted to it, in rounds that ran the default and a candidate one after the
/// other, by round.
struct Rounds {
  std::vector<double> fallback, candidate; ///< equally many
};

/// The median of the rounds' ratios, candidate over default; 1 without rounds.
double ratioOf(const Rounds &rounds);

/// Whether the candidate is faster beyond noise: clearly in the median, and faster at all in three rounds of four.
bool isFaster(const Rounds &rounds);

/// Of several candidates the one with the least ratio among those that are faster; nullopt: the default stays.
std::optional<size_t> choose(const std::vector<Rounds> &candidates);

/// After how many calls `once` seconds are saved; nullopt where a call saves nothing.
std::optional<double> callsUntilItPays(double once, double fallbackCall, double candidateCall);

/// What results have in common in whatever order and storage: the sums of their numbers and of their absolute values,
/// real and imaginary parts, over all outputs.
struct ResultSums {
  double sum = 0, absolute = 0;

  /// Whether no more than rounding tells them apart, where numbers are rounded by so much of themselves.
  bool agree(const ResultSums &other, double epsilon) const;
};

} // namespace spc::tune
