#include "tensor/level_coordinates.h"
#include "tensor/packer.h"

#include <map>
#include <new>
#include <numeric>
#include <stdexcept>

namespace spc::tensor {

namespace {

using abi::FieldRole;

constexpr const char *kOutOfMemory = "it does not fit into memory";

/// What is wrong with entries, whatever the format; empty when nothing is.
std::string problemOf(const Coordinates &entries, const format::Format &format) {
  const size_t order = entries.shape.size();
  if (entries.order() != format.order() || order == 0)
    return "it has order " + std::to_string(order) + ", its format has order " + std::to_string(format.order());
  for (int64_t extent : entries.shape)
    if (extent < 0)
      return "extent " + std::to_string(extent) + " is negative";
  if (entries.coordinates.size() != entries.size() * order)
    return "its entries lack coordinates";
  for (size_t at = 0; at < entries.coordinates.size(); ++at) {
    int64_t coordinate = entries.coordinates[at];
    int64_t extent = entries.shape[at % order];
    if (coordinate < 0 || coordinate >= extent)
      return "coordinate " + std::to_string(coordinate) + " lies outside the extent " + std::to_string(extent);
  }
  return "";
}

/// The stored triangle of symmetric entries; false, with the reason in `error`, where they are not symmetric.
bool keepTriangle(Coordinates &entries, format::Symmetry symmetry, std::string &error) {
  sortAndSum(entries);
  std::map<std::pair<int64_t, int64_t>, Number> all;
  for (size_t e = 0; e < entries.size(); ++e)
    all[{entries.coordinates[2 * e], entries.coordinates[2 * e + 1]}] = entries.value(e);
  Coordinates kept;
  kept.shape = entries.shape;
  for (const auto &[place, number] : all) {
    const auto mirrored = all.find({place.second, place.first});
    if (mirrored == all.end() || mirrored->second != number) {
      error = "it is not symmetric: the entries at (" + std::to_string(place.first + 1) + ", " +
              std::to_string(place.second + 1) + ") and its mirror image differ";
      return false;
    }
    if (symmetry == format::Symmetry::Lower ? place.first < place.second : place.first > place.second)
      continue;
    const int64_t at[] = {place.first, place.second};
    kept.append(at, number);
  }
  entries = std::move(kept);
  return true;
}

/// Sorted by level; a symmetric tensor's stored triangle only.
std::optional<SortedEntries> sortedByLevel(const Coordinates &entries, const format::Format &format,
                                           std::string &error) {
  std::vector<int> levels(format.levels.size());
  std::iota(levels.begin(), levels.end(), 0);
  if (format.symmetry == format::Symmetry::None)
    return sortedBy(toLevels(entries, format), levels);
  Coordinates triangle = entries;
  if (!keepTriangle(triangle, format.symmetry, error))
    return std::nullopt;
  return sortedBy(toLevels(triangle, format), levels);
}

} // namespace

std::optional<PackedTensor> PackedTensor::pack(const Coordinates &entries, const format::Format &format,
                                               sema::ValueType value, std::string &error) {
  error = problemOf(entries, format);
  if (!error.empty())
    return std::nullopt;
  try {
    auto state = std::make_unique<State>(State{PackedArrays(format, value, entries.shape)});
    std::optional<SortedEntries> sorted = sortedByLevel(entries, format, error);
    if (!sorted || !Packer(state->arrays, entries.shape, std::move(*sorted), error).pack())
      return std::nullopt;
    state->arrays.setStrides();
    return PackedTensor(std::move(state));
  } catch (const std::bad_alloc &) {
    error = kOutOfMemory;
  } catch (const std::length_error &) {
    error = kOutOfMemory;
  }
  return std::nullopt;
}

std::optional<PackedTensor> PackedTensor::output(const std::vector<int64_t> &shape, const format::Format &format,
                                                 sema::ValueType value, int64_t valueCount, std::string &error) {
  error = problemOf({shape, {}, {}, {}}, format);
  if (!error.empty())
    return std::nullopt;
  std::optional<int64_t> count = format.isDense() ? elementCount(shape) : valueCount;
  try {
    auto state = std::make_unique<State>(State{PackedArrays(format, value, shape)});
    if (!count || *count < 0)
      throw std::bad_alloc();
    state->arrays.allocate(FieldRole::Values, 0, *count);
    state->arrays.valueCount = *count;
    state->arrays.setStrides();
    return PackedTensor(std::move(state));
  } catch (const std::bad_alloc &) {
    error = kOutOfMemory;
  }
  return std::nullopt;
}

PackedTensor::PackedTensor(std::unique_ptr<State> state) : state_(std::move(state)) {}
PackedTensor::PackedTensor(PackedTensor &&) noexcept = default;
PackedTensor &PackedTensor::operator=(PackedTensor &&) noexcept = default;
PackedTensor::~PackedTensor() = default;

void PackedTensor::adoptArrays() {
  state_->arrays.adopt();
}

void *PackedTensor::cStruct() {
  return state_->arrays.cStruct();
}

std::vector<double> PackedTensor::elements(FieldRole role, int index) const {
  return state_->arrays.elements(role, index);
}

void *PackedTensor::values() {
  return state_->arrays.array(FieldRole::Values);
}

void PackedTensor::borrowStructure(const PackedTensor &owner) {
  state_->arrays.borrowStructure(owner.state_->arrays);
}

int64_t PackedTensor::valueCount() const {
  return state_->arrays.valueCount;
}

int64_t PackedTensor::byteCount() const {
  return state_->arrays.byteCount();
}

const format::Format &PackedTensor::format() const {
  return state_->arrays.format();
}

} // namespace spc::tensor
