#include "harness/structure_check.h"

#include "format/levels.h"
#include "tensor/pack/level_coordinates.h"

#include <algorithm>
#include <stdexcept>

namespace spc::testing {
namespace {

using abi::FieldRole;
using format::IndexType;
using format::Level;
using format::LevelKind;

int64_t load(const void *array, IndexType type, int64_t at) {
  switch (type) {
  case IndexType::U8:
    return static_cast<const uint8_t *>(array)[at];
  case IndexType::U16:
    return static_cast<const uint16_t *>(array)[at];
  case IndexType::I32:
    return static_cast<const int32_t *>(array)[at];
  case IndexType::I64:
    return static_cast<const int64_t *>(array)[at];
  }
  return 0;
}

/// Throws std::runtime_error with what is wrong.
class StructureCheck {
public:
  StructureCheck(const StructFields &fields, const std::vector<int64_t> &shape, const TestContext &context)
      : fields_(fields), format_(fields.type.format), shape_(shape), context_(context) {}

  void run() {
    for (size_t dim = 0; dim < shape_.size(); ++dim)
      expect(fields_.number(FieldRole::Size, static_cast<int>(dim)) == shape_[dim], "a size is not the result's");
    int64_t positions = 1;
    for (int k = 0; k < format_.levelCount(); ++k) {
      range_ = tensor::rangeOf(level(k), shape_);
      positions = checkLevel(k, positions);
    }
    if (fields_.type.find(FieldRole::Stored) >= 0)
      expect(fields_.number(FieldRole::Stored) == positions, "nnz is not the number of values");
    arrayOf(FieldRole::Values, 0, positions, sema::bytesOf(fields_.type.value), "values");
    checkOrder();
  }

private:
  static void expect(bool holds, const std::string &otherwise) {
    if (!holds)
      throw std::runtime_error(otherwise);
  }

  const Level &level(int k) const { return format_.levels[static_cast<size_t>(k)]; }
  /// Whether nothing need be below a place of a level: below a coordinate of a dense one, and below what fills up a
  /// width. That repeats the coordinate before it, or is 0 in a row without entries, unless coordinates are unique.
  bool mayBeEmpty(int k, int64_t at) const {
    if (k < 0 || level(k).isDense())
      return true;
    if (!isPadded(k))
      return false;
    const std::vector<int64_t> &indices = indices_[static_cast<size_t>(k)], &begins = begins_[static_cast<size_t>(k)];
    const auto place = static_cast<size_t>(at);
    const bool isFirst = std::binary_search(begins.begin(), begins.end(), at);
    return level(k).unique || indices[place] == (isFirst ? 0 : indices[place - 1]);
  }

  /// Whether slots of a list may be left free.
  bool isPadded(int k) const {
    const LevelKind kind = format::kindOf(format_, k);
    return kind == LevelKind::FixedWidth || kind == LevelKind::ClosedCompressed;
  }

  /// An array of so many elements.
  const void *arrayOf(FieldRole role, int index, int64_t elements, int64_t bytesEach, const std::string &name) const {
    const void *array = fields_.array(role, index);
    expect((array == nullptr) == (elements == 0), name + (array ? " should be NULL" : " are NULL"));
    if (array) {
      const std::optional<int64_t> bytes = context_.bytesOf(array);
      expect(bytes.has_value(), name + " are no memory of the context");
      expect(*bytes >= elements * bytesEach, name + " are too short");
    }
    return array;
  }

  /// Returns the number of the level's positions, given its parent's.
  int64_t checkLevel(int k, int64_t parents) {
    const Level &own = level(k);
    if (own.isFullyDense()) {
      begins_.emplace_back();
      indices_.emplace_back();
      return parents * range_.count;
    }
    const bool hasSegments = format::hasSegments(format::kindOf(format_, k));
    begins_.push_back(!hasSegments       ? regular(k, parents)
                      : own.hasLengths() ? lengths(k, parents)
                                         : pointers(k, parents));
    const int64_t positions = begins_.back().back();
    indices_.push_back(own.isDense() ? runs(k, parents) : coordinates(k, positions));
    for (int64_t parent = 0; parent < parents; ++parent)
      checkSegment(k, begins_.back()[static_cast<size_t>(parent)], begins_.back()[static_cast<size_t>(parent) + 1]);
    return positions;
  }

  std::vector<int64_t> pointers(int k, int64_t parents) const {
    const std::string name = "pointers of level " + std::to_string(k);
    const int64_t count = fields_.number(FieldRole::Count, k);
    expect(count >= 0, "count_" + std::to_string(k) + " is negative");
    if (k == 0)
      return {0, count};
    std::vector<int64_t> begins;
    const void *array = arrayOf(FieldRole::Pointers, k, parents + 1, format::bits(format_.pointers) / 8, name);
    for (int64_t parent = 0; parent <= parents; ++parent)
      begins.push_back(load(array, format_.pointers, parent));
    expect(begins.front() == 0, name + " do not start at 0");
    expect(std::is_sorted(begins.begin(), begins.end()), name + " descend");
    expect(fields_.type.find(FieldRole::Count, k) < 0 || count == begins.back(), name + " do not end at their count");
    expectEntries(k, begins);
    return begins;
  }

  std::vector<int64_t> lengths(int k, int64_t parents) const {
    const std::string name = "lengths of level " + std::to_string(k);
    const void *array = arrayOf(FieldRole::Lengths, k, parents, format::bits(format_.pointers) / 8, name);
    std::vector<int64_t> begins{0};
    for (int64_t parent = 0; parent < parents; ++parent) {
      begins.push_back(begins.back() + load(array, format_.pointers, parent));
      expect(begins[static_cast<size_t>(parent)] <= begins.back(), name + " are negative");
    }
    expectEntries(k, begins);
    return begins;
  }

  /// Parents that are listed have entries.
  void expectEntries(int k, const std::vector<int64_t> &begins) const {
    for (int64_t parent = 0; parent + 1 < static_cast<int64_t>(begins.size()); ++parent) {
      const auto place = static_cast<size_t>(parent);
      expect(begins[place] < begins[place + 1] || mayBeEmpty(k - 1, parent),
             "level " + std::to_string(k) + " has an empty list");
    }
  }

  std::vector<int64_t> regular(int k, int64_t parents) const {
    const Level &own = level(k);
    const int64_t width = own.width ? *own.width : fields_.number(FieldRole::Width, k);
    expect(width >= 0, "a width is negative");
    std::vector<int64_t> begins{0};
    for (int64_t parent = 0; parent < parents; ++parent)
      begins.push_back(begins.back() + (own.extent == format::Extent::Closed ? closed(k, own.length, parent) : width));
    return begins;
  }

  int64_t closed(int k, const format::ClosedForm &form, int64_t parent) const {
    const int64_t parents = tensor::rangeOf(level(k - 1), shape_).count;
    return tensor::valueOf(form, parents > 0 ? parent % parents : 0, shape_[static_cast<size_t>(level(k).dim)]);
  }

  /// The coordinates of runs that are not listed.
  std::vector<int64_t> runs(int k, int64_t parents) const {
    std::vector<int64_t> result;
    const std::vector<int64_t> &begins = begins_.back();
    for (int64_t parent = 0; parent < parents; ++parent) {
      const int64_t start = closed(k, level(k).start, parent);
      for (int64_t at = begins[static_cast<size_t>(parent)]; at < begins[static_cast<size_t>(parent) + 1]; ++at)
        result.push_back(start + at - begins[static_cast<size_t>(parent)]);
    }
    for (int64_t at : result)
      expect(at >= 0 && at < range_.count, "a run of level " + std::to_string(k) + " leaves the extent");
    return result;
  }

  std::vector<int64_t> coordinates(int k, int64_t positions) const {
    const std::string name = "indices of level " + std::to_string(k);
    const int64_t bytes = format::bits(format_.indices) / 8;
    const int first = format_.firstListed();
    const int64_t stride = format_.interleaved ? format_.levelCount() - first : 1;
    const void *array = format_.interleaved ? arrayOf(FieldRole::Entries, first, positions * stride, bytes, "entries")
                                            : arrayOf(FieldRole::Indices, k, positions, bytes, name);
    std::vector<int64_t> result;
    for (int64_t at = 0; at < positions; ++at) {
      result.push_back(load(array, format_.indices, at * stride + (format_.interleaved ? k - first : 0)));
      expect(result.back() >= range_.low && result.back() < range_.low + range_.count, name + " leave the extent");
    }
    return result;
  }

  void checkSegment(int k, int64_t begin, int64_t end) const {
    const Level &own = level(k);
    const std::vector<int64_t> &indices = indices_.back();
    for (int64_t at = begin + 1; at < end; ++at) {
      const int64_t before = indices[static_cast<size_t>(at) - 1], here = indices[static_cast<size_t>(at)];
      expect(!own.ordered || before <= here, "indices of level " + std::to_string(k) + " are not sorted");
      expect(!own.unique || before != here, "indices of level " + std::to_string(k) + " repeat");
    }
  }

  /// Entries ascend by their levels' coordinates. (Padding need not.)
  void checkOrder() {
    for (int k = 0; k < format_.levelCount(); ++k)
      if (!level(k).ordered || isPadded(k))
        return;
    std::vector<int64_t> place(format_.levels.size()), previous;
    visit(0, 0, place, previous);
  }

  void visit(int k, int64_t parent, std::vector<int64_t> &place, std::vector<int64_t> &previous) {
    const auto number = static_cast<size_t>(k);
    if (number == place.size()) {
      expect(previous.empty() || previous < place, "entries are not sorted, or repeat");
      previous = place;
      return;
    }
    const bool isDense = level(k).isFullyDense();
    const int64_t extent = tensor::rangeOf(level(k), shape_).count;
    const int64_t begin = isDense ? parent * extent : begins_[number][static_cast<size_t>(parent)];
    const int64_t end = isDense ? begin + extent : begins_[number][static_cast<size_t>(parent) + 1];
    for (int64_t at = begin; at < end; ++at) {
      place[number] = isDense ? at - begin : indices_[number][static_cast<size_t>(at)];
      visit(k + 1, at, place, previous);
    }
  }

  const StructFields &fields_;
  const format::Format &format_;
  const std::vector<int64_t> &shape_;
  const TestContext &context_;
  tensor::LevelRange range_;                           ///< of the level that is being checked
  std::vector<std::vector<int64_t>> begins_, indices_; ///< by level; empty for dense ones
};

} // namespace

int64_t StructFields::number(FieldRole role, int index) const {
  const int field = type.find(role, index);
  return field < 0 ? 0 : static_cast<int64_t>(slots[static_cast<size_t>(field)]);
}

const void *StructFields::array(FieldRole role, int index) const {
  const int field = type.find(role, index);
  return field < 0 ? nullptr
                   : reinterpret_cast<const void *>(static_cast<uintptr_t>(slots[static_cast<size_t>(field)]));
}

std::string checkStructure(const StructFields &fields, const std::vector<int64_t> &shape, const TestContext &context) {
  try {
    StructureCheck(fields, shape, context).run();
    return {};
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

} // namespace spc::testing
