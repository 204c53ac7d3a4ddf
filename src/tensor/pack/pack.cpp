#include "tensor/pack/block_packer.h"
#include "tensor/pack/level_coordinates.h"
#include "tensor/pack/packer.h"
#include "tensor/pack/pieces.h"
#include "tensor/pack/row_packer.h"
#include "tensor/pack/symmetry.h"

#include <atomic>
#include <map>
#include <new>
#include <stdexcept>

namespace spc::tensor {

namespace {

using abi::FieldRole;

constexpr const char *kOutOfMemory = "it does not fit into memory";

/// Whether the coordinates of the entries in [begin, end) lie within the shape.
bool isInsideShape(const Coordinates &entries, size_t begin, size_t end) {
  const size_t order = entries.shape.size();
  bool isInside = true;
  if (order == 2) {
    const auto rows = static_cast<uint64_t>(entries.shape[0]), columns = static_cast<uint64_t>(entries.shape[1]);
    const int64_t *at = entries.coordinates.data();
    for (size_t e = begin; e < end; ++e)
      isInside &= static_cast<uint64_t>(at[2 * e]) < rows && static_cast<uint64_t>(at[2 * e + 1]) < columns;
    return isInside;
  }
  for (size_t e = begin; e < end; ++e)
    for (size_t d = 0; d < order; ++d)
      isInside &= static_cast<uint64_t>(entries.coordinates[e * order + d]) < static_cast<uint64_t>(entries.shape[d]);
  return isInside;
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
  return "";
}

/// Which coordinate lies outside the shape; empty when none does.
std::string coordinateOutside(const Coordinates &entries) {
  const size_t order = entries.shape.size();
  std::atomic<bool> isInside = true;
  inPieces(entries.size(), piecesOf(entries.size()), [&](int, size_t begin, size_t end) {
    if (!isInsideShape(entries, begin, end))
      isInside = false;
  });
  for (size_t at = 0; !isInside && at < entries.coordinates.size(); ++at) {
    const int64_t coordinate = entries.coordinates[at], extent = entries.shape[at % order];
    if (coordinate < 0 || coordinate >= extent)
      return "coordinate " + std::to_string(coordinate) + " lies outside the extent " + std::to_string(extent);
  }
  return "";
}

/// The stored triangle of symmetric entries; false, with the reason in `error`, where they are not symmetric.
/// Requires sorted entries without repeats.
bool keepTriangle(Coordinates &entries, format::Symmetry symmetry, std::string &error) {
  const bool isConjugate = format::isHermitian(symmetry);
  if (const std::optional<size_t> e = withoutMirrorImage(entries, isConjugate)) {
    error = std::string("it is not ") + (isConjugate ? "Hermitian" : "symmetric") + ": the entries at (" +
            std::to_string(entries.coordinates[2 * *e] + 1) + ", " +
            std::to_string(entries.coordinates[2 * *e + 1] + 1) + ") and its mirror image differ";
    return false;
  }
  size_t kept = 0;
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t row = entries.coordinates[2 * e], column = entries.coordinates[2 * e + 1];
    if (format::storesLower(symmetry) ? row < column : row > column)
      continue;
    entries.coordinates[2 * kept] = row;
    entries.coordinates[2 * kept + 1] = column;
    entries.values[kept] = entries.values[e];
    if (!entries.imaginary.empty())
      entries.imaginary[kept] = entries.imaginary[e];
    if (!entries.rests.empty())
      entries.rests[kept] = entries.rests[e];
    ++kept;
  }
  entries.coordinates.resize(2 * kept);
  entries.values.resize(kept);
  entries.imaginary.resize(entries.imaginary.empty() ? 0 : kept);
  entries.rests.resize(entries.rests.empty() ? 0 : kept);
  return true;
}

template <typename Value> bool storeInOrder(PackedArrays &arrays, const Coordinates &entries, int64_t elements) {
  const size_t order = entries.shape.size();
  std::vector<int64_t> strides;
  for (size_t dim = 0; dim < order; ++dim)
    strides.push_back(arrays.number(FieldRole::Stride, static_cast<int>(dim)));
  auto *values = static_cast<Value *>(arrays.allocate(FieldRole::Values, 0, elements));
  int64_t last = -1;
  for (size_t e = 0; e < entries.size(); ++e) {
    int64_t at = 0;
    for (size_t dim = 0; dim < order; ++dim)
      at += entries.coordinates[e * order + dim] * strides[dim];
    if (at <= last)
      return false;
    values[at] = static_cast<Value>(entries.values[e]);
    last = at;
  }
  arrays.valueCount = elements;
  return true;
}

/// Fills a dense tensor of floats from entries that ascend as its elements do, as generated ones and those of most
/// files do. False, with arrays that may have been begun, for all others.
bool packDense(PackedArrays &arrays, const Coordinates &entries) {
  const std::optional<int64_t> elements = elementCount(entries.shape);
  if (!arrays.format().isDense() || !entries.imaginary.empty() || !elements)
    return false;
  arrays.setStrides();
  if (arrays.valueType() == sema::ValueType::F64)
    return storeInOrder<double>(arrays, entries, *elements);
  return arrays.valueType() == sema::ValueType::F32 && storeInOrder<float>(arrays, entries, *elements);
}

} // namespace

std::optional<PackedTensor> PackedTensor::pack(Coordinates entries, const format::Format &format, sema::ValueType value,
                                               std::string &error) {
  error = problemOf(entries, format);
  if (!error.empty())
    return std::nullopt;
  try {
    auto state = std::make_unique<State>(State{PackedArrays(format, value, entries.shape)});
    const std::vector<int64_t> shape = entries.shape;
    const int pieces = piecesOf(entries.size());
    const bool addsUp = format.duplicates == format::Duplicates::Sum;
    if (addsUp && (packByRows(state->arrays, entries, pieces) || packByBlocks(state->arrays, entries, pieces)))
      return PackedTensor(std::move(state)); // having looked at where the coordinates are
    error = coordinateOutside(entries);
    if (!error.empty())
      return std::nullopt;
    if (packDense(state->arrays, entries))
      return PackedTensor(std::move(state));
    state->arrays = PackedArrays(format, value, shape);
    if (format.symmetry != format::Symmetry::None) {
      if (!sortAndCombine(entries, value, format.duplicates, error) || !keepTriangle(entries, format.symmetry, error))
        return std::nullopt;
    }
    if (format.duplicates == format::Duplicates::Error && !haveNoRepeats(entries, error))
      return std::nullopt;
    if (!Packer(state->arrays, shape, sortedBy(std::move(entries), format, value), error).pack())
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
  error = problemOf({shape, {}, {}, {}, {}}, format);
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

PackedTensor PackedTensor::owning(PackedArrays arrays) {
  return PackedTensor(std::make_unique<State>(State{std::move(arrays)}));
}

const PackedArrays &PackedTensor::arrays() const {
  return state_->arrays;
}

PackedTensor::PackedTensor(std::unique_ptr<State> state) : state_(std::move(state)) {}
PackedTensor::PackedTensor(PackedTensor &&) noexcept = default;
PackedTensor &PackedTensor::operator=(PackedTensor &&) noexcept = default;
PackedTensor::~PackedTensor() = default;

void PackedTensor::adoptArrays() {
  state_->arrays.adopt();
}

void PackedTensor::freeArrays() {
  state_->arrays.free();
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

std::vector<int64_t> PackedTensor::shape() const {
  std::vector<int64_t> shape;
  for (int dim = 0; dim < format().order(); ++dim)
    shape.push_back(state_->arrays.number(FieldRole::Size, dim));
  return shape;
}

int64_t PackedTensor::valueCount() const {
  return state_->arrays.valueCount;
}

std::vector<MemoryRange> PackedTensor::ranges() const {
  return state_->arrays.ranges();
}

void PackedTensor::copyArrays(TwinArrays &twins) {
  state_->arrays.copyArrays(twins);
}

void PackedTensor::swapArrays(TwinArrays &twins) {
  state_->arrays.swapArrays(twins);
}

void PackedTensor::followArrays(const TwinArrays &twins) {
  state_->arrays.followArrays(twins);
}

const format::Format &PackedTensor::format() const {
  return state_->arrays.format();
}

} // namespace spc::tensor
