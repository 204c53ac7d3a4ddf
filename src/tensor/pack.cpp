#include "tensor/packed_arrays.h"
#include "tensor/sorting.h"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using format::IndexType;
using format::largest;

constexpr const char *kOutOfMemory = "it does not fit into memory";

std::string doesNotFit(const std::string &what, int64_t number, const char *arrays, IndexType type) {
  return what + " " + std::to_string(number) + " does not fit the format's " + format::spelling(type) + " " + arrays;
}

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

/// Packs sorted entries level by level, as in Chou et al. 2018: `positions_` are the slots of the level packed last,
/// `at_` says which of them each entry is in.
class Packer {
public:
  Packer(PackedArrays &arrays, const std::vector<int64_t> &shape, SortedEntries entries, std::string &error)
      : arrays_(arrays), shape_(shape), entries_(std::move(entries)), error_(error), at_(entries_.size(), 0) {}

  bool pack() {
    const format::Format &format = arrays_.format();
    for (int k = 0; k < format.order(); ++k) {
      const format::Level &level = format.levels[k];
      if (!(level.isDense() ? dense(k) : level.isCompressed() ? compressed(k) : singleton(k)))
        return false;
    }
    arrays_.valueCount = positions_;
    arrays_.setNumber(FieldRole::Stored, 0, positions_);
    void *values = arrays_.allocate(FieldRole::Values, 0, positions_);
    for (size_t e = 0; e < entries_.size(); ++e)
      arrays_.storeValue(values, at_[e], entries_.values[e]);
    return true;
  }

private:
  bool dense(int k) {
    int64_t extent = shape_[arrays_.format().levels[k].dim];
    if (__builtin_mul_overflow(positions_, extent, &positions_)) {
      error_ = kOutOfMemory;
      return false;
    }
    for (size_t e = 0; e < at_.size(); ++e)
      at_[e] = at_[e] * extent + entries_.columns[k][e];
    return true;
  }

  bool compressed(int k) {
    const format::Format &format = arrays_.format();
    const std::vector<int64_t> &column = entries_.columns[k];
    std::vector<int64_t> next(at_.size());
    int64_t count = 0;
    for (size_t e = 0; e < at_.size(); ++e) {
      bool shares = format.levels[k].unique && e > 0 && at_[e] == at_[e - 1] && column[e] == column[e - 1];
      next[e] = shares ? count - 1 : count++;
    }
    if (k == 0)
      arrays_.setNumber(FieldRole::Count, 0, count);
    else if (!pointers(k, next, count))
      return false;
    at_ = std::move(next);
    positions_ = count;
    return indices(k);
  }

  bool singleton(int k) { return indices(k); }

  bool pointers(int k, const std::vector<int64_t> &next, int64_t count) {
    IndexType type = arrays_.format().pointers;
    if (count > largest(type)) {
      error_ = doesNotFit("its number of entries", count, "pointers", type);
      return false;
    }
    if (positions_ == std::numeric_limits<int64_t>::max())
      throw std::bad_alloc();
    void *array = arrays_.allocate(FieldRole::Pointers, k, positions_ + 1);
    for (size_t e = 0; e < next.size(); ++e)
      PackedArrays::store(array, type, at_[e] + 1, next[e] + 1);
    // Slots without entries end where the one before them ends.
    for (int64_t p = 0, end = 0; p <= positions_; ++p) {
      end = std::max(end, PackedArrays::load(array, type, p));
      PackedArrays::store(array, type, p, end);
    }
    return true;
  }

  bool indices(int k) {
    IndexType type = arrays_.format().indices;
    void *array = arrays_.allocate(FieldRole::Indices, k, positions_);
    for (size_t e = 0; e < at_.size(); ++e) {
      int64_t coordinate = entries_.columns[k][e];
      if (coordinate > largest(type)) {
        error_ = doesNotFit("coordinate", coordinate, "indices", type);
        return false;
      }
      PackedArrays::store(array, type, at_[e], coordinate);
    }
    return true;
  }

  PackedArrays &arrays_;
  const std::vector<int64_t> &shape_;
  SortedEntries entries_;
  std::string &error_;
  std::vector<int64_t> at_;
  int64_t positions_ = 1;
};

} // namespace

std::optional<PackedTensor> PackedTensor::pack(const Coordinates &entries, const format::Format &format,
                                               sema::ValueType value, std::string &error) {
  error = problemOf(entries, format);
  if (!error.empty())
    return std::nullopt;
  try {
    auto state = std::make_unique<State>(State{PackedArrays(format, value, entries.shape)});
    std::vector<int> dims;
    for (const format::Level &level : format.levels)
      dims.push_back(level.dim);
    if (!Packer(state->arrays, entries.shape, sortedBy(entries, dims), error).pack())
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
  error = problemOf({shape, {}, {}}, format);
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

void *PackedTensor::cStruct() {
  return state_->arrays.cStruct();
}

int64_t PackedTensor::valueCount() const {
  return state_->arrays.valueCount;
}

const format::Format &PackedTensor::format() const {
  return state_->arrays.format();
}

} // namespace spc::tensor
