// Entries at random for the assembly tests.
#include "assembly_player.h"

#include <random>
#include <set>

namespace spc::runtime::test {

std::vector<Contribution> randomTouches(const std::vector<int64_t> &shape, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Contribution> touches;
  for (int e = 0; e < count; ++e) {
    Coordinate at;
    for (const int64_t extent : shape)
      at.push_back(std::uniform_int_distribution<int64_t>(0, extent - 1)(random));
    touches.push_back({at, static_cast<double>(e % 7 - 3)});
  }
  return touches;
}

std::vector<Contribution> randomPlaces(const std::vector<int64_t> &shape, int count, unsigned seed) {
  std::set<Coordinate> seen;
  std::vector<Contribution> places;
  for (Contribution &touch : randomTouches(shape, count, seed))
    if (seen.insert(touch.at).second)
      places.push_back(std::move(touch));
  return places;
}

} // namespace spc::runtime::test
