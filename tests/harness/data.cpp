#include "harness/data.h"

#include "format/levels.h"
#include "sema/amounts.h"
#include "tensor/pack/level_coordinates.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace spc::testing {

uint64_t Random::next() {
  if (chosen_ < choices_.size())
    return choices_[chosen_++];
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t Random::below(int64_t bound) {
  return static_cast<int64_t>(next() % static_cast<uint64_t>(bound));
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

tensor::Number Random::value(sema::ValueType type) {
  if (type == sema::ValueType::Bool)
    return {1};
  if (sema::isInteger(type)) {
    const auto magnitude = static_cast<double>(1 + below(3));
    return {sema::isUnsigned(type) || below(2) ? magnitude : -magnitude};
  }
  const auto part = [&] {
    if (near_)
      return near_->base * (1 + near_->spread * (2 * unit() - 1));
    const double magnitude = 0.5 + 1.5 * unit();
    return below(2) ? magnitude : -magnitude;
  };
  tensor::Number number{part(), 0};
  if (sema::isComplex(type))
    number.imaginary = part();
  alignas(16) char rounded[16];
  tensor::storeNumber(rounded, type, 0, number);
  return tensor::loadNumber(rounded, type, 0);
}

const char *spelling(Fill fill) {
  static constexpr const char *names[] = {"random",     "empty",      "full",         "one row",
                                          "one column", "empty rows", "stored zeros", "diagonal"};
  return names[static_cast<size_t>(fill)];
}

bool advance(std::vector<int64_t> &coordinates, const std::vector<int64_t> &shape) {
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (++coordinates[dim] < shape[dim])
      return true;
    coordinates[dim] = 0;
  }
  return false;
}

bool hasElements(const std::vector<int64_t> &shape) {
  return std::find(shape.begin(), shape.end(), 0) == shape.end();
}

int64_t offsetOf(const int64_t *coordinates, const std::vector<int64_t> &shape) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    offset = offset * shape[dim] + coordinates[dim];
  return offset;
}

tensor::Coordinates sparseEntries(const std::vector<int64_t> &shape, Fill fill, sema::ValueType type, Random &random) {
  tensor::Coordinates entries;
  entries.shape = shape;
  if (!hasElements(shape))
    return entries;
  const int64_t row = shape.empty() ? 0 : random.below(shape.front());
  const int64_t column = shape.empty() ? 0 : random.below(shape.back());
  auto isStored = [&](const std::vector<int64_t> &at) {
    switch (fill) {
    case Fill::Random:
      return random.below(3) == 0;
    case Fill::Empty:
      return false;
    case Fill::Full:
      return true;
    case Fill::OneRow:
      return at.front() == row;
    case Fill::OneColumn:
      return at.back() == column;
    case Fill::EmptyRows:
      return at.front() % 2 == 1;
    case Fill::StoredZeros:
      return random.below(2) == 0;
    case Fill::Diagonal:
      return std::adjacent_find(at.begin(), at.end(), std::not_equal_to<>()) == at.end();
    }
    return false;
  };
  std::vector<int64_t> at(shape.size(), 0);
  do {
    if (!isStored(at))
      continue;
    const bool isZero = fill == Fill::StoredZeros && random.below(3) == 0;
    entries.append(at.data(), isZero ? tensor::Number{} : random.value(type));
  } while (advance(at, shape));
  return entries;
}

namespace {

/// Whether a closed level has a place for the entry.
bool isInClosedLevels(const format::Format &format, const int64_t *at, const std::vector<int64_t> &shape) {
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[static_cast<size_t>(k)];
    if (level.extent != format::Extent::Closed)
      continue;
    const int64_t parent = at[format.levels[static_cast<size_t>(k) - 1].dim],
                  size = shape[static_cast<size_t>(level.dim)];
    const auto valueOf = [&](const format::ClosedForm &form) {
      return form.constant + form.slope * parent + form.size * size;
    };
    const int64_t place = at[level.dim] - valueOf(level.start);
    if (place < 0 || place >= valueOf(level.length))
      return false;
  }
  return true;
}

/// A level with so many places under each parent.
bool isBounded(const format::Format &format, int k) {
  return format::kindOf(format, k) == format::LevelKind::FixedWidth;
}

} // namespace

bool hasFixedWidth(const format::Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (isBounded(format, k) || format::kindOf(format, k) == format::LevelKind::ClosedCompressed)
      return true;
  return false;
}

bool hasSlots(const format::Format &format) {
  return hasFixedWidth(format) ||
         std::any_of(format.levels.begin(), format.levels.end(), [](const format::Level &level) {
           return level.part != format::Part::Whole || level.extent == format::Extent::Closed ||
                  (level.isDense() && !level.isFullyDense());
         });
}

bool hasWidthOfNothing(const format::Format &format, const std::vector<int64_t> &shape) {
  const auto isEmpty = [&](int dim) { return dim >= 0 && shape[static_cast<size_t>(dim)] == 0; };
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[static_cast<size_t>(k)];
    if (isBounded(format, k) && (isEmpty(level.dim) || isEmpty(level.minus)))
      return true;
  }
  return false;
}

bool isStorable(const format::Format &format, const std::vector<int64_t> &shape) {
  if (format.symmetry != format::Symmetry::None && shape[0] != shape[1])
    return false;
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[static_cast<size_t>(k)];
    const int64_t range = tensor::rangeOf(level, shape).count;
    if (isBounded(format, k) && (range == 0 || (level.unique && level.width && *level.width > range)))
      return false;
    if (level.extent != format::Extent::Closed)
      continue;
    const int64_t size = shape[static_cast<size_t>(level.dim)],
                  parents = shape[static_cast<size_t>(format.levels[static_cast<size_t>(k) - 1].dim)];
    for (int64_t parent = 0; parent < parents; ++parent) {
      const auto valueOf = [&](const format::ClosedForm &form) {
        return form.constant + form.slope * parent + form.size * size;
      };
      if (valueOf(level.length) < 0 || valueOf(level.start) + valueOf(level.length) > size)
        return false;
    }
  }
  return true;
}

bool fitsIndexTypes(const format::Format &format, const std::vector<int64_t> &shape) {
  int64_t slots = 1;
  for (const format::Level &level : format.levels)
    slots *= tensor::rangeOf(level, shape).count;
  return slots <= std::min(format::largest(format.pointers), format::largest(format.indices));
}

void keepStorable(tensor::Coordinates &entries, const format::Format &format) {
  const auto order = static_cast<size_t>(entries.order());
  const auto levels = static_cast<size_t>(format.levelCount());
  const tensor::Coordinates byLevel = tensor::toLevels(entries, format);
  tensor::Coordinates kept;
  kept.shape = entries.shape;
  // Under each parent, by level and its coordinates further out, what is stored already.
  std::map<std::vector<int64_t>, std::set<int64_t>> used;
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = entries.coordinates.data() + e * order, *places = byLevel.coordinates.data() + e * levels;
    bool fits = isInClosedLevels(format, at, entries.shape);
    if (format.symmetry != format::Symmetry::None)
      fits = fits && at[0] >= at[1];
    std::vector<std::pair<std::set<int64_t> *, int64_t>> taken;
    for (size_t k = 0; fits && k < levels; ++k) {
      if (!isBounded(format, static_cast<int>(k)))
        continue;
      std::set<int64_t> &known = used[std::vector<int64_t>(places, places + k)];
      taken.emplace_back(&known, places[k]);
      const std::optional<int64_t> width = format.levels[k].width;
      fits = known.contains(places[k]) || !width || static_cast<int64_t>(known.size()) < *width;
    }
    if (!fits)
      continue;
    for (const auto &[known, place] : taken)
      known->insert(place);
    tensor::Number value = entries.value(e);
    const bool isHermitian = format::isHermitian(format.symmetry);
    if (isHermitian && at[0] == at[1])
      value.imaginary = 0;
    kept.append(at, value);
    if (format.symmetry == format::Symmetry::None || at[0] == at[1])
      continue;
    const int64_t mirrored[] = {at[1], at[0]};
    kept.append(mirrored, isHermitian ? tensor::Number{value.real, -value.imaginary, value.rest} : value);
  }
  entries = std::move(kept);
}

tensor::Coordinates denseEntries(const std::vector<int64_t> &shape, bool nonFinite, sema::ValueType type,
                                 Random &random) {
  tensor::Coordinates entries = sparseEntries(shape, Fill::Full, type, random);
  static constexpr double specials[] = {std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};
  if (nonFinite && sema::isFloat(type))
    for (double &value : entries.values)
      if (random.below(4) == 0)
        value = specials[random.below(3)];
  return entries;
}

std::vector<uint8_t> maskOfTie(const sema::Tie &tie, const std::vector<int64_t> &shape,
                               const std::function<int64_t(sema::TensorId)> &scalar) {
  std::vector<int64_t> scales;
  for (const sema::Amount &scale : tie.rowScales)
    scales.push_back(sema::valueOf(scale, scalar));
  std::vector<uint8_t> mask(
      static_cast<size_t>(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>())));
  for (size_t element = 0; element < mask.size(); ++element) {
    auto rest = static_cast<int64_t>(element);
    const int64_t column = rest % shape.back();
    rest /= shape.back();
    int64_t sum = sema::valueOf(tie.constant, scalar);
    for (size_t dim = shape.size() - 1; dim-- > 0; rest /= shape[dim])
      sum += tie.source ? 0 : scales[dim] * (rest % shape[dim]);
    mask[element] = tie.source || sum == tie.columnScale * column;
  }
  return mask;
}

std::vector<uint8_t> maskInOrderOf(const format::Format &format, const std::vector<int64_t> &shape,
                                   const format::Format &owner, const std::vector<int64_t> &ownerShape,
                                   const std::vector<uint8_t> &ownerMask) {
  std::vector<uint8_t> result(
      static_cast<size_t>(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>())));
  for (size_t element = 0; element < result.size(); ++element) {
    std::vector<int64_t> at(shape.size()), moved(ownerShape.size());
    auto rest = static_cast<int64_t>(element);
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      at[dim] = rest % shape[dim];
    for (size_t level = 0; level < owner.levels.size(); ++level)
      moved[static_cast<size_t>(owner.levels[level].dim)] = at[static_cast<size_t>(format.levels[level].dim)];
    result[element] = ownerMask[static_cast<size_t>(offsetOf(moved.data(), ownerShape))];
  }
  return result;
}

} // namespace spc::testing
