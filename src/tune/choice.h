// When a candidate is taken in place of the default, and what it takes until that pays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spc::tune {

double median(std::vector<double> numbers);

/// The share of the default's time, so long for a call, below which a candidate counts as faster: less of a gain is
/// noise. In calls of a microsecond where arrays happen to lie makes as much of a difference as many a candidate.
double clearlyFaster(double seconds);

/// Seconds of one call, with all that is counted to it, in rounds that ran the default and a candidate one after the
/// other, by round.
struct Rounds {
  std::vector<double> fallback, candidate; ///< equally many
};

/// The median of the rounds' ratios, candidate over default; 1 without rounds.
double ratioOf(const Rounds &rounds);

/// In how many rounds the candidate took less.
size_t wins(const Rounds &rounds);

/// Whether the candidate is faster beyond noise: clearly in the median, and faster at all in three rounds of four.
bool isFaster(const Rounds &rounds);

/// The candidate with the least ratio among those that are faster; nullopt: the default stays.
std::optional<size_t> choose(const std::vector<Rounds> &candidates);

/// A format in an order of rows and columns, by their numbers, and the share of the default's time that it may take.
struct Guess {
  size_t format = 0, order = 0;
  double ratio = 1;
};

/// Each format in the order that is best for it, the most promising one first.
std::vector<Guess> eachInItsBestOrder(std::vector<Guess> guesses);

/// After how many calls `once` seconds are saved; nullopt where a call saves nothing.
std::optional<double> callsUntilItPays(double once, double fallbackCall, double candidateCall);

/// Sums of an output's numbers that are the same in whatever storage: their sum and that of their absolute values, real
/// and imaginary parts, and the sum with a weight for each place, which tells apart what is the same numbers elsewhere.
/// All places are 0 where they are not known.
struct ResultSums {
  double sum = 0, absolute = 0, weighted = 0;

  /// Adds a number at a place, as a row-major array of all elements counts them.
  void add(double number, uint64_t place) {
    constexpr uint64_t kSpread = 0x9E3779B97F4A7C15; // the golden ratio, whose multiples are spread evenly
    constexpr double kScale = 0x1p-65;
    sum += number;
    absolute += number < 0 ? -number : number;
    weighted += number * (0.5 + static_cast<double>(place * kSpread) * kScale); // 0.5 to 1
  }

  /// Whether no more than rounding tells them apart, where numbers are rounded by so much of themselves.
  bool agree(const ResultSums &other, double epsilon) const;
};

} // namespace spc::tune
