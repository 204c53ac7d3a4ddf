#include "tensor/parts.h"

#include "format/levels.h"
#include "tensor/level_coordinates.h"

#include <map>

namespace spc::tensor {

namespace {

/// The innermost level with a number of entries a parent that the format fixes; -1 without one.
int boundedLevel(const format::Format &format) {
  for (int k = format.levelCount() - 1; k >= 0; --k)
    if (format::kindOf(format, k) == format::LevelKind::FixedWidth && format.levels[k].width)
      return k;
  return -1;
}

/// Which entries the format has room for.
std::vector<bool> taken(const Coordinates &entries, const format::Format &format) {
  std::vector<bool> result(entries.size(), true);
  const int bounded = boundedLevel(format);
  if (bounded < 0)
    return result;
  const Coordinates byLevel = toLevels(entries, format);
  const size_t levels = byLevel.shape.size();
  // Distinct coordinates under each parent, in the order in which they come.
  std::map<std::vector<int64_t>, std::map<int64_t, bool>> parents;
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = byLevel.coordinates.data() + e * levels;
    std::map<int64_t, bool> &slots = parents[std::vector<int64_t>(at, at + bounded)];
    const auto known = slots.find(at[bounded]);
    if (known == slots.end())
      result[e] = slots[at[bounded]] = static_cast<int64_t>(slots.size()) < *format.levels[bounded].width;
    else
      result[e] = known->second;
  }
  return result;
}

} // namespace

std::vector<Coordinates> splitIntoParts(Coordinates entries, const std::vector<format::Format> &formats,
                                        sema::ValueType type) {
  sortAndSum(entries, type);
  std::vector<Coordinates> parts;
  const auto order = static_cast<size_t>(entries.order());
  for (size_t part = 0; part < formats.size(); ++part) {
    Coordinates own, rest;
    own.shape = rest.shape = entries.shape;
    std::vector<bool> takes(entries.size(), true);
    if (part + 1 < formats.size())
      takes = taken(entries, formats[part]);
    for (size_t e = 0; e < entries.size(); ++e)
      (takes[e] ? own : rest).append(entries.coordinates.data() + e * order, entries.value(e));
    parts.push_back(std::move(own));
    entries = std::move(rest);
  }
  return parts;
}

} // namespace spc::tensor
