#include "exhaustive/patterns.h"

#include "harness/comparison.h"
#include "harness/data.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace spc::testing {
namespace {

constexpr int kRoles = 3, kMostCells = kLongestSide * kLongestSide;

/// Where the patterns of a shape begin.
int firstOf(int rows, int columns) {
  int first = 0;
  for (int m = 1; m <= kLongestSide; ++m)
    for (int n = 1; n <= kLongestSide; ++n) {
      if (m == rows && n == columns)
        return first;
      first += 1 << (m * n);
    }
  throw std::logic_error("no small shape");
}

/// How a level's list may differ from an ascending one without repeats.
struct Looseness {
  bool isBackwards = false;
  bool isTwofold = false;
};

/// That of dimension `dim`, which some level of a loose format lists whole.
Looseness loosenessOf(const format::Format &format, int dim) {
  for (const format::Level &level : format.levels)
    if (level.dim == dim && !level.isDense() && level.part == format::Part::Whole)
      return {!level.ordered, !level.unique && &level == &format.levels.back()};
  return {};
}

/// Entries under coordinates that are sorted as the format's are to be stored: `stretched` by two where each is there
/// twice, and counted from the end where they come backwards.
tensor::Coordinates spread(const tensor::Coordinates &entries, const std::vector<Looseness> &loose) {
  tensor::Coordinates result;
  result.shape = entries.shape;
  const bool isTwofold = std::any_of(loose.begin(), loose.end(), [](const Looseness &dim) { return dim.isTwofold; });
  for (size_t dim = 0; dim < loose.size(); ++dim)
    result.shape[dim] *= loose[dim].isTwofold ? 2 : 1;
  for (size_t entry = 0; entry < entries.size(); ++entry)
    for (int copy = 0; copy < (isTwofold ? 2 : 1); ++copy) {
      int64_t at[2];
      for (size_t dim = 0; dim < 2; ++dim) {
        const int64_t given = entries.coordinates[2 * entry + dim];
        at[dim] = loose[dim].isBackwards ? entries.shape[dim] - 1 - given : given;
        at[dim] = loose[dim].isTwofold ? 2 * at[dim] + copy : at[dim];
      }
      const double value = entries.values[entry];
      result.append(at, {!isTwofold ? value : copy == 0 ? value - 1 : 1});
    }
  return result;
}

template <typename Index> void mapBack(void *array, int64_t count, int64_t extent, const Looseness &loose) {
  auto *indices = static_cast<Index *>(array);
  for (int64_t at = 0; at < count; ++at) {
    const auto index = static_cast<int64_t>(indices[at]) / (loose.isTwofold ? 2 : 1);
    indices[at] = static_cast<Index>(loose.isBackwards ? extent - 1 - index : index);
  }
}

/// Undoes spread() in the arrays of a packed tensor.
void gather(tensor::PackedTensor &packed, const std::vector<Looseness> &loose, const std::vector<int64_t> &shape,
            sema::ValueType type) {
  const abi::StructType layout = abi::structFor(packed.format(), type);
  auto *fields = static_cast<char *>(packed.cStruct());
  for (size_t f = 0; f < layout.fields.size(); ++f) {
    const abi::Field &field = layout.fields[f];
    if (field.role == abi::FieldRole::Size)
      std::memcpy(fields + 8 * f, &shape[static_cast<size_t>(field.index)], 8);
    if (field.role != abi::FieldRole::Indices)
      continue;
    const auto dim = static_cast<size_t>(packed.format().levels[static_cast<size_t>(field.index)].dim);
    const auto count = static_cast<int64_t>(packed.elements(field.role, field.index).size());
    void *array = nullptr;
    std::memcpy(&array, fields + 8 * f, 8);
    if (packed.format().indices == format::IndexType::I64)
      mapBack<int64_t>(array, count, shape[dim], loose[dim]);
    else
      mapBack<int32_t>(array, count, shape[dim], loose[dim]);
  }
}

/// Lists whose entries may come in any sequence, or several times.
bool isLoose(const format::Format &format, const std::vector<Looseness> &loose) {
  return (format.indices == format::IndexType::I32 || format.indices == format::IndexType::I64) &&
         !format.interleaved &&
         std::any_of(loose.begin(), loose.end(), [](const Looseness &dim) { return dim.isBackwards || dim.isTwofold; });
}

/// Whether a sparse format has room for the entries.
bool canHold(const format::Format &format, const tensor::Coordinates &entries) {
  if (!isStorable(format, entries.shape))
    return false;
  tensor::Coordinates kept = entries;
  keepStorable(kept, format);
  tensor::sortAndSum(kept);
  return kept.coordinates == entries.coordinates;
}

tensor::PackedTensor packOne(const tensor::Coordinates &entries, const format::Format &format, sema::ValueType type) {
  const std::vector<Looseness> loose = {loosenessOf(format, 0), loosenessOf(format, 1)};
  const bool spreads = isLoose(format, loose) && type != sema::ValueType::Bool;
  std::string problem;
  auto packed = tensor::PackedTensor::pack(spreads ? spread(entries, loose) : entries, format, type, problem);
  if (!packed)
    throw std::runtime_error(format.name + ": " + problem);
  if (spreads)
    gather(*packed, loose, entries.shape, type);
  return std::move(*packed);
}

} // namespace

const std::vector<SmallPattern> &smallPatterns() {
  static const std::vector<SmallPattern> patterns = [] {
    std::vector<SmallPattern> all;
    for (int m = 1; m <= kLongestSide; ++m)
      for (int n = 1; n <= kLongestSide; ++n)
        for (uint32_t bits = 0; bits < 1u << (m * n); ++bits)
          all.push_back({m, n, bits});
    return all;
  }();
  return patterns;
}

int numberOf(const SmallPattern &pattern) {
  return firstOf(pattern.rows, pattern.columns) + static_cast<int>(pattern.bits);
}

SmallPattern transposed(const SmallPattern &pattern) {
  SmallPattern result{pattern.columns, pattern.rows, 0};
  for (int cell = 0; cell < pattern.cells(); ++cell)
    if (pattern.isStored(cell))
      result.bits |= 1u << (cell % pattern.columns * pattern.rows + cell / pattern.columns);
  return result;
}

double primeAt(int number) {
  static std::vector<int> primes = {2};
  for (int next = primes.back() + 1; static_cast<int>(primes.size()) <= number; ++next)
    if (std::none_of(primes.begin(), primes.end(), [&](int prime) { return next % prime == 0; }))
      primes.push_back(next);
  return primes[static_cast<size_t>(number)];
}

int firstDensePrime() {
  return kRoles * kMostCells;
}

double valueOf(const SmallPattern &pattern, int role, int cell, bool isSymmetric) {
  const int row = cell / pattern.columns, column = cell % pattern.columns;
  const int place = isSymmetric && column > row ? column * pattern.columns + row : cell;
  return primeAt(role * kMostCells + place);
}

void OperandStore::pack(Stored &stored, const SmallPattern &pattern, int role, const format::Format &format,
                        sema::ValueType type) {
  const bool isSymmetric = format.symmetry != format::Symmetry::None;
  tensor::Coordinates entries;
  entries.shape = {pattern.rows, pattern.columns};
  for (int cell = 0; cell < pattern.cells(); ++cell) {
    const int64_t at[] = {cell / pattern.columns, cell % pattern.columns};
    const double value = type == sema::ValueType::Bool ? 1 : valueOf(pattern, role, cell, isSymmetric);
    if (format.isDense() || pattern.isStored(cell))
      entries.append(at, {pattern.isStored(cell) ? value : 0});
  }
  std::vector<tensor::Coordinates> shares(std::max<size_t>(1, format.parts.size()), {entries.shape, {}, {}, {}});
  for (size_t entry = 0; entry < entries.size(); ++entry)
    shares[entry % shares.size()].append(entries.coordinates.data() + 2 * entry, entries.value(entry));
  auto parts = std::make_unique<PackedParts>();
  for (size_t part = 0; part < shares.size(); ++part) {
    const format::Format &own = format.isSum() ? format.parts[part] : format;
    if (!own.isDense() && !canHold(own, shares[part]))
      return;
    parts->push_back(packOne(shares[part], own, type));
    stored.packed.push_back(parts->back().unpack());
  }
  stored.parts = std::move(parts);
}

PackedParts *OperandStore::find(int role, int format, int pattern, sema::ValueType type) {
  std::vector<Stored> &all = stored_[{role, type}];
  if (all.empty())
    all.resize(formats_.size() * smallPatterns().size());
  Stored &stored = all[static_cast<size_t>(format) * smallPatterns().size() + static_cast<size_t>(pattern)];
  if (!stored.isKnown) {
    pack(stored, smallPatterns()[static_cast<size_t>(pattern)], role, formats_[static_cast<size_t>(format)], type);
    stored.isKnown = true;
  }
  return stored.parts.get();
}

std::string OperandStore::findChanged() const {
  for (const auto &[key, all] : stored_)
    for (const Stored &stored : all)
      for (size_t part = 0; stored.parts && part < stored.parts->size(); ++part)
        if (!isSame((*stored.parts)[part].unpack(), stored.packed[part]))
          return (*stored.parts)[part].format().name;
  return {};
}

} // namespace spc::testing
