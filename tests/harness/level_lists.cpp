#include "harness/level_lists.h"

#include "format/rule.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace spc::testing {
namespace {

using format::Extent;
using format::Level;
using format::Part;
using format::Storage;

/// `0`, `0/2`, `0%2` or `1-0`.
Level readCoordinate(const std::string &text) {
  Level level{.dim = text.at(0) - '0'};
  if (text.size() == 1)
    return level;
  const int number = std::stoi(text.substr(2));
  switch (text[1]) {
  case '/':
    level.part = Part::Quotient;
    level.block = number;
    return level;
  case '%':
    level.part = Part::Remainder;
    level.block = number;
    return level;
  case '-':
    level.part = Part::Difference;
    level.minus = number;
    return level;
  default:
    throw std::invalid_argument("no coordinate: " + text);
  }
}

void readStorage(const std::string &text, Level &level) {
  const auto isDense = [&] { return std::string("drmLU").find(text[0]) != std::string::npos; };
  level.storage = isDense() ? Storage::Dense : Storage::Compressed;
  switch (text[0]) {
  case 'd':
    break;
  case 'r':
  case 'c':
    level.extent = Extent::Ragged;
    break;
  case 'm':
  case 'l':
    level.extent = Extent::Lengths;
    break;
  case 'L':
    level.extent = Extent::Closed;
    level.length = {1, 1, 0};
    break;
  case 'U':
    level.extent = Extent::Closed;
    level.length = {0, -1, 1};
    level.start = {0, 1, 0};
    break;
  case 'f':
  case 'u': {
    const int width = std::stoi(text.substr(1));
    level.width = width > 0 ? std::optional<int64_t>(width) : std::nullopt;
    level.unique = level.ordered = text[0] == 'u';
    break;
  }
  default:
    throw std::invalid_argument("no storage: " + text);
  }
  if (text.find('*') != std::string::npos)
    level.unique = false;
  if (text.find('?') != std::string::npos)
    level.ordered = false;
}

/// One coordinate after the other, each dimension's in order: whole, in blocks, or as a difference.
std::vector<std::string> randomCoordinates(int order, Random &random) {
  const auto chance = [&](int64_t percent) { return random.below(100) < percent; };
  const int difference = order >= 2 && chance(15) ? static_cast<int>(random.below(order)) : -1;
  std::vector<std::vector<std::string>> sequences;
  for (int dim = 0; dim < order; ++dim) {
    const std::string name = std::to_string(dim);
    const int other = dim == 0 ? 1 : 0;
    if (dim == difference) {
      sequences.push_back({name + "-" + std::to_string(other)});
    } else if (chance(25) && !(difference >= 0 && dim == (difference == 0 ? 1 : 0))) {
      const std::string block = std::to_string(2 + random.below(3));
      sequences.push_back({name + "/" + block, name + "%" + block});
    } else {
      sequences.push_back({name});
    }
  }
  std::vector<std::string> coordinates;
  while (!sequences.empty()) {
    const auto next = sequences.begin() + random.below(static_cast<int64_t>(sequences.size()));
    coordinates.push_back(next->front());
    next->erase(next->begin());
    if (next->empty())
      sequences.erase(next);
  }
  return coordinates;
}

std::string randomStorage(Random &random) {
  static const std::vector<std::string> kStorages = {"d", "d", "d", "d", "c",  "c",  "c",  "c",  "c*", "c?", "c*?", "r",
                                                     "m", "l", "L", "U", "f0", "f1", "f2", "f3", "u0", "u1", "u2"};
  return kStorages[static_cast<size_t>(random.below(static_cast<int64_t>(kStorages.size())))];
}

bool isFormat(const std::string &text, int order) {
  const std::vector<Level> levels = readLevels(text);
  const std::vector<int> times = format::timesStored(levels, order);
  // A closed form speaks of a whole dimension, over one.
  for (size_t k = 0; k < levels.size(); ++k)
    if (levels[k].extent == Extent::Closed &&
        (k == 0 || levels[k].part != Part::Whole || !levels[k - 1].isFullyDense() || levels[k - 1].part != Part::Whole))
      return false;
  return !format::checkLevels(levels) && std::all_of(times.begin(), times.end(), [](int n) { return n == 1; });
}

} // namespace

std::vector<Level> readLevels(const std::string &text) {
  std::vector<Level> levels;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
      throw std::invalid_argument("no level: " + item);
    levels.push_back(readCoordinate(item.substr(0, equals)));
    readStorage(item.substr(equals + 1), levels.back());
  }
  return levels;
}

std::string randomLevels(int order, Random &random) {
  while (true) {
    std::string text;
    for (const std::string &coordinate : randomCoordinates(order, random))
      text += (text.empty() ? "" : ",") + coordinate + "=" + randomStorage(random);
    if (isFormat(text, order))
      return text;
  }
}

} // namespace spc::testing
