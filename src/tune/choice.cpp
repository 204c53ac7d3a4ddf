#include "tune/choice.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace spc::tune {

double median(std::vector<double> numbers) {
  if (numbers.empty())
    return 0;
  std::sort(numbers.begin(), numbers.end());
  const size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

double ratioOf(const Rounds &rounds) {
  std::vector<double> ratios;
  for (size_t k = 0; k < rounds.fallback.size(); ++k)
    ratios.push_back(rounds.candidate[k] / rounds.fallback[k]);
  return ratios.empty() ? 1 : median(std::move(ratios));
}

double clearlyFaster(double seconds) {
  constexpr double kShort = 1e-6, kLong = 1e-4, kOfShort = 0.9, kOfLong = 0.97;
  const double share = std::clamp(std::log(std::max(seconds, kShort) / kShort) / std::log(kLong / kShort), 0.0, 1.0);
  return kOfShort + share * (kOfLong - kOfShort);
}

size_t wins(const Rounds &rounds) {
  size_t count = 0;
  for (size_t k = 0; k < rounds.fallback.size(); ++k)
    count += rounds.candidate[k] < rounds.fallback[k] ? 1 : 0;
  return count;
}

bool isFaster(const Rounds &rounds) {
  return ratioOf(rounds) < clearlyFaster(median(rounds.fallback)) && 4 * wins(rounds) >= 3 * rounds.fallback.size();
}

std::optional<size_t> choose(const std::vector<Rounds> &candidates) {
  std::optional<size_t> best;
  for (size_t k = 0; k < candidates.size(); ++k)
    if (isFaster(candidates[k]) && (!best || ratioOf(candidates[k]) < ratioOf(candidates[*best])))
      best = k;
  return best;
}

std::vector<Guess> eachInItsBestOrder(std::vector<Guess> guesses) {
  std::stable_sort(guesses.begin(), guesses.end(), [](const Guess &a, const Guess &b) { return a.ratio < b.ratio; });
  std::set<size_t> seen;
  std::erase_if(guesses, [&](const Guess &guess) { return !seen.insert(guess.format).second; });
  return guesses;
}

std::optional<double> callsUntilItPays(double once, double fallbackCall, double candidateCall) {
  if (candidateCall >= fallbackCall)
    return std::nullopt;
  return std::ceil(once / (fallbackCall - candidateCall));
}

bool ResultSums::agree(const ResultSums &other, double epsilon) const {
  constexpr double kRoundings = 4096, kMost = 0.01; // of sums of many numbers in another order
  const double allowed = std::min(kRoundings * epsilon, kMost) * std::max(absolute, other.absolute);
  const auto isClose = [&](double a, double b) { return !(std::abs(a - b) > allowed); };
  return isClose(sum, other.sum) && isClose(absolute, other.absolute) && isClose(weighted, other.weighted);
}

} // namespace spc::tune
