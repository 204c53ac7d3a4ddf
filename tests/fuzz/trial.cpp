// The data that a generated kernel runs on.
#include "fuzz/generator.h"

#include <array>

namespace spc::testing {

Trial generateTrial(int extentClasses, uint64_t seed) {
  static constexpr std::array<int64_t, 10> extents = {0, 1, 1, 2, 3, 4, 5, 5, 6, 17};
  Random random(seed);
  Trial trial;
  for (int k = 0; k < extentClasses; ++k) {
    const int64_t bound = extentClasses <= 3 ? 10 : extentClasses <= 5 ? 7 : 5;
    trial.extents.push_back(extents[static_cast<size_t>(random.below(bound))]);
  }
  if (!trial.extents.empty() && random.below(3) == 0) // formats that only some shapes fit
    trial.extents.assign(trial.extents.size(), trial.extents.front());
  trial.fill = static_cast<Fill>(random.below(static_cast<int64_t>(Fill::Diagonal) + 1));
  trial.padded = random.below(5) == 0;
  trial.nonFinite = random.below(6) == 0;
  trial.seed = seed;
  return trial;
}

} // namespace spc::testing
