#include "sample_matrices.h"

#include "harness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

using spc::tensor::Coordinates;

namespace {

Coordinates tensorOf(std::vector<int64_t> shape, const std::set<std::array<int64_t, 3>> &places) {
  Coordinates tensor{std::move(shape)};
  for (const std::array<int64_t, 3> &place : places)
    tensor.coordinates.insert(tensor.coordinates.end(), place.begin(), place.end());
  tensor.values = randomValues(places.size(), 5);
  return tensor;
}

} // namespace

Coordinates fullFibers(int64_t entries) {
  constexpr int64_t length = 16, extent = 4096;
  const auto side = std::max(int64_t(std::sqrt(double(entries) / length)), int64_t(1));
  std::mt19937_64 random(6);
  std::set<std::array<int64_t, 3>> places;
  for (int64_t fiber = 0; fiber < side * side; ++fiber)
    for (const size_t wanted = places.size() + length; places.size() < wanted;)
      places.insert({fiber / side, fiber % side, int64_t(random() % extent)});
  return tensorOf({side, side, extent}, places);
}

Coordinates skewedSlices(int64_t entries) {
  constexpr int64_t fibers = 256, extent = 4096;
  const int64_t slices = std::max(entries / 64, int64_t(1));
  std::mt19937_64 random(7);
  std::set<std::array<int64_t, 3>> places;
  while (int64_t(places.size()) < entries) {
    // the square of a uniform number has a density that falls with the square root
    const double uniform = double(random() >> 11) / double(int64_t(1) << 53);
    const auto slice = int64_t(uniform * uniform * double(slices));
    const auto fiber = int64_t(random() % fibers);
    places.insert({slice, fiber, int64_t(random() % extent)});
  }
  return tensorOf({slices, fibers, extent}, places);
}
