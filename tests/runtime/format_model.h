// Formats to convert between, and a reader of theirs that shares nothing with the runtime's.
#pragma once

#include "copy_request.h"
#include "runtime/levels/locate.h"
#include "runtime/pack/pack.h"

#include <catch2/catch.hpp>

#include <functional>
#include <string>

namespace spc::runtime::test {

struct FormatModel {
  std::string name;
  std::vector<Level> levels; ///< of any extents
  bool isInterleaved = false;
};

inline Level levelOf(LevelKind kind, int64_t dimension) {
  Level level{kind, dimension, 0, nullptr, nullptr};
  level.width = kind == LevelKind::FixedWidth ? -1 : 0;
  return level;
}

inline Level blockOf(LevelKind kind, int64_t dimension, Part part, int64_t block) {
  Level level = levelOf(kind, dimension);
  level.part = part;
  level.block = block;
  return level;
}

/// j - i.
inline Level differenceOf(LevelKind kind) {
  Level level = levelOf(kind, 1);
  level.part = Part::Difference;
  level.minus = 0;
  return level;
}

/// As many coordinates as a closed form of the parent's says.
inline Level closedOf(LevelKind kind, int64_t dimension, ClosedForm length, ClosedForm start) {
  Level level = levelOf(kind, dimension);
  level.length = length;
  level.start = start;
  return level;
}

/// Whole dimensions: d dense, c compressed, s singleton, r ragged dense, e fixed width, q fixed width without
/// repeats.
inline FormatModel wholes(const std::string &kinds, const std::vector<int64_t> &dimensions,
                          bool isInterleaved = false) {
  FormatModel format{kinds, {}, isInterleaved};
  for (size_t k = 0; k < kinds.size(); ++k) {
    const LevelKind kind = kinds[k] == 'd'   ? LevelKind::Dense
                           : kinds[k] == 'c' ? LevelKind::Compressed
                           : kinds[k] == 's' ? LevelKind::Singleton
                           : kinds[k] == 'r' ? LevelKind::RaggedDense
                                             : LevelKind::FixedWidth;
    format.levels.push_back(levelOf(kind, dimensions[k]));
    format.levels.back().isUnique = kinds[k] == 'q';
    format.name += std::to_string(dimensions[k]);
  }
  return format;
}

inline FormatModel blocks(LevelKind root, int64_t height, int64_t width) {
  using enum Part;
  return {"blocks",
          {blockOf(root, 0, Quotient, height), blockOf(LevelKind::Compressed, 1, Quotient, width),
           blockOf(LevelKind::Dense, 0, Remainder, height), blockOf(LevelKind::Dense, 1, Remainder, width)}};
}

inline std::vector<FormatModel> matrixFormats() {
  using enum LevelKind;
  return {
      wholes("dd", {0, 1}),
      wholes("dd", {1, 0}),
      wholes("dc", {0, 1}),
      wholes("dc", {1, 0}),
      wholes("cc", {0, 1}),
      wholes("cc", {1, 0}),
      wholes("cs", {0, 1}),
      wholes("cs", {1, 0}),
      wholes("cs", {0, 1}, true),
      wholes("cd", {0, 1}),
      wholes("de", {0, 1}),
      wholes("de", {1, 0}),
      wholes("dq", {0, 1}),
      blocks(Dense, 2, 3),
      blocks(Compressed, 4, 1),
      {"strips", {blockOf(Dense, 0, Part::Quotient, 3), levelOf(Compressed, 1), blockOf(Dense, 0, Part::Remainder, 3)}},
      {"diagonals", {differenceOf(Compressed), levelOf(Dense, 0)}},
      {"diagonals by columns", {differenceOf(Compressed), levelOf(Dense, 1)}},
      {"few diagonals", {differenceOf(FixedWidth), levelOf(RaggedDense, 0)}},
      {"places by rows", {levelOf(Dense, 0), differenceOf(Compressed)}},
      {"blocks of a width",
       {blockOf(Dense, 0, Part::Quotient, 2), blockOf(FixedWidth, 1, Part::Quotient, 3),
        blockOf(Dense, 0, Part::Remainder, 2), blockOf(Dense, 1, Part::Remainder, 3)}},
      wholes("dr", {0, 1}),
      wholes("dr", {1, 0}),
      {"rows of all columns", {levelOf(Dense, 0), closedOf(ClosedCompressed, 1, {0, 0, 1}, {})}},
      {"all columns", {levelOf(Dense, 0), closedOf(ClosedDense, 1, {0, 0, 1}, {})}}};
}

inline std::vector<FormatModel> cubeFormats() {
  return {wholes("ddd", {0, 1, 2}),       wholes("ccc", {0, 1, 2}),       wholes("ccc", {0, 2, 1}),
          wholes("ccc", {1, 0, 2}),       wholes("ccc", {1, 2, 0}),       wholes("ccc", {2, 0, 1}),
          wholes("ccc", {2, 1, 0}),       wholes("ddc", {0, 1, 2}),       wholes("ddc", {2, 0, 1}),
          wholes("css", {0, 1, 2}),       wholes("css", {2, 1, 0}, true), wholes("dcs", {1, 0, 2}),
          wholes("dcs", {0, 1, 2}, true), wholes("dcc", {2, 1, 0}),       wholes("cde", {1, 0, 2}),
          wholes("ddr", {0, 2, 1}),       wholes("drc", {0, 2, 1}),       wholes("dre", {0, 1, 2})};
}

/// A format's tensor: memory of its own for what the runtime allocates.
class Made {
public:
  Made(const FormatModel &format, const std::vector<int64_t> &shape, Widths widths, ValueKind kind = ValueKind::Float)
      : levels(format.levels) {
    int64_t listed = 0;
    for (Level &level : levels) {
      level.extent = shape[static_cast<size_t>(level.dimension)];
      if (level.part == Part::Difference)
        level.minusExtent = shape[static_cast<size_t>(level.minus)];
      level.offset = format.isInterleaved && level.kind != LevelKind::Dense ? listed++ : 0;
    }
    for (size_t k = 1; k < levels.size(); ++k)
      levels[k].parentExtent = shape[static_cast<size_t>(levels[k - 1].dimension)];
    for (Level &level : levels)
      level.stride = format.isInterleaved && level.kind != LevelKind::Dense ? listed : 1;
    tensor = {static_cast<int64_t>(levels.size()),
              -7,
              widths.pointers,
              widths.indices,
              widths.values,
              levels.data(),
              this,
              kind};
    for (Level &level : levels)
      level.pointers = level.indices = this;
  }
  Made(const Made &) = delete;
  ~Made() {
    if (owns) {
      const Allocator hooks = memory.hooks();
      releaseArrays(hooks, tensor);
    }
    CHECK(memory.live.empty());
  }

  Status convert(const Tensor &source, bool withValues = true, decltype(&spc_rt_convert) function = spc_rt_convert) {
    const Allocator hooks = memory.hooks();
    const auto status = static_cast<Status>(function(&hooks, &workers, &source, &tensor, withValues));
    owns = status == Status::Ok;
    if (!owns) {
      CHECK(tensor.values == nullptr);
      CHECK(memory.live.empty());
    }
    return status;
  }

  CountingMemory memory;
  Workers workers{};
  std::vector<Level> levels;
  Tensor tensor{};
  bool owns = false;
};

/// Reads a packed tensor level by level, and checks what every packed tensor keeps to.
class ModelReader {
public:
  ModelReader(const Tensor &tensor, size_t dimensions)
      : tensor_(tensor), path_(static_cast<size_t>(tensor.order)), dimensions_(dimensions) {}

  /// Every slot within the tensor that does not hold 0.
  Entries read() {
    const int64_t end = readLevel(0, 0);
    expect(end == tensor_.stored);
    return entries_;
  }

private:
  /// Reports only what fails: large tensors have many positions.
  static void expect(bool holds) {
    if (!holds)
      FAIL_CHECK("the arrays are not as the format has them");
  }

  int64_t number(const void *array, int64_t bytes, int64_t position) const {
    int64_t value = 0;
    std::memcpy(&value, static_cast<const char *>(array) + position * bytes, static_cast<size_t>(bytes));
    return bytes == 4 ? static_cast<int32_t>(value) : value;
  }

  int64_t listed(const Level &level, int64_t position) const {
    return number(level.indices, tensor_.indexBytes, position * level.stride + level.offset);
  }

  /// Reads what is under one position; returns where the values under it end.
  int64_t readLevel(size_t k, int64_t parent) {
    if (k == static_cast<size_t>(tensor_.order)) {
      note(parent);
      return parent + 1;
    }
    const Level &level = tensor_.levels[k];
    const int64_t extent = level.part == Part::Quotient    ? (level.extent + level.block - 1) / level.block
                           : level.part == Part::Remainder ? level.block
                                                           : level.extent;
    const int64_t least = level.part == Part::Difference ? 1 - level.minusExtent : 0;
    int64_t begin = parent, end = parent + 1, first = 0;
    if (level.kind == LevelKind::Dense) {
      begin = parent * extent;
      end = begin + extent;
    } else if (level.kind == LevelKind::FixedWidth) {
      begin = parent * level.width;
      end = begin + level.width;
    } else if (level.kind == LevelKind::Compressed && k == 0) {
      begin = 0;
      end = level.count;
    } else if (level.kind == LevelKind::Compressed || level.kind == LevelKind::RaggedDense) {
      begin = number(level.pointers, tensor_.pointerBytes, parent);
      end = number(level.pointers, tensor_.pointerBytes, parent + 1);
      expect(begin <= end);
    } else if (level.kind == LevelKind::ClosedDense || level.kind == LevelKind::ClosedCompressed) {
      const auto lengthAt = [&](int64_t p) {
        return level.length.constant + level.length.slope * (p % level.parentExtent) + level.length.size * level.extent;
      };
      begin = 0;
      for (int64_t before = 0; before < parent; ++before)
        begin += lengthAt(before);
      end = begin + lengthAt(parent);
      first =
          level.start.constant + level.start.slope * (parent % level.parentExtent) + level.start.size * level.extent;
    }
    int64_t last = begin == end ? endOfNothing(k, begin) : 0;
    for (int64_t position = begin; position < end; ++position) {
      const int64_t coordinate = listsCoordinates(level.kind) ? listed(level, position) : first + (position - begin);
      expect(coordinate >= least);
      expect(coordinate < extent);
      if (position > begin)
        checkOrder(k, position);
      path_[k] = coordinate;
      last = readLevel(k + 1, position);
    }
    return last;
  }

  /// Where the values would start that an empty segment at `position` of level `k` has.
  int64_t endOfNothing(size_t k, int64_t position) const {
    for (size_t below = k + 1; below < static_cast<size_t>(tensor_.order); ++below) {
      const Level &level = tensor_.levels[below];
      if (level.kind == LevelKind::Compressed || level.kind == LevelKind::RaggedDense)
        position = number(level.pointers, tensor_.pointerBytes, position);
      else if (level.kind == LevelKind::Dense)
        position *= level.part == Part::Quotient    ? (level.extent + level.block - 1) / level.block
                    : level.part == Part::Remainder ? level.block
                                                    : level.extent;
      else if (level.kind != LevelKind::Singleton)
        position *= level.width;
    }
    return position;
  }

  /// Neighbours ascend; above singletons the entries of the list do.
  void checkOrder(size_t k, int64_t position) const {
    const Level &level = tensor_.levels[k];
    if (!listsCoordinates(level.kind))
      return;
    const bool isPadded = level.kind == LevelKind::FixedWidth || level.kind == LevelKind::ClosedCompressed;
    if (isPadded && level.isUnique == 0) {
      expect(listed(level, position - 1) <= listed(level, position));
    } else {
      std::vector<int64_t> before, here;
      for (size_t l = k; l < static_cast<size_t>(tensor_.order); ++l) {
        if (l > k && tensor_.levels[l].kind != LevelKind::Singleton)
          break;
        before.push_back(listed(tensor_.levels[l], position - 1));
        here.push_back(listed(tensor_.levels[l], position));
      }
      expect(before < here);
    }
  }

  void note(int64_t position) {
    double value = 0;
    float single = 0;
    if (tensor_.valueBytes == 8) {
      std::memcpy(&value, static_cast<const double *>(tensor_.values) + position, 8);
    } else {
      std::memcpy(&single, static_cast<const float *>(tensor_.values) + position, 4);
      value = single;
    }
    if (value == 0)
      return;
    const Coordinate at = place();
    for (int64_t k = 0; k < tensor_.order; ++k)
      expect(at[static_cast<size_t>(tensor_.levels[k].dimension)] < tensor_.levels[k].extent);
    expect(entries_.emplace(at, value).second);
  }

  /// The coordinates of the slot that is being read, by dimension.
  Coordinate place() const {
    Coordinate at(dimensions_);
    const Level *difference = nullptr;
    size_t distance = 0;
    bool isColumnWhole = false;
    for (size_t k = 0; k < path_.size(); ++k) {
      const Level &level = tensor_.levels[k];
      int64_t &own = at[static_cast<size_t>(level.dimension)];
      if (level.part == Part::Difference) {
        difference = &level;
        distance = k;
        continue;
      }
      own += level.part == Part::Quotient ? path_[k] * level.block : path_[k];
      isColumnWhole = isColumnWhole || level.dimension == 1;
    }
    if (difference && isColumnWhole)
      at[0] = at[1] - path_[distance];
    else if (difference)
      at[1] = at[0] + path_[distance];
    return at;
  }

  const Tensor &tensor_;
  std::vector<int64_t> path_; ///< by level
  size_t dimensions_;
  Entries entries_;
};

/// A coordinate list in any order with repeats, the sum of which is `entries`.
struct UnsortedList {
  UnsortedList(const Entries &entries, const std::vector<int64_t> &shape, Widths widths, unsigned seed,
               bool repeats = true)
      : made(wholes("c" + std::string(shape.size() - 1, 's'), dimensionsOf(shape)), shape, widths) {
    std::mt19937 random(seed);
    std::vector<std::pair<Coordinate, double>> list;
    for (const auto &[coordinate, value] : entries) {
      const int parts = repeats ? 1 + static_cast<int>(random() % 3) : 1;
      for (int part = 0; part + 1 < parts; ++part)
        list.emplace_back(coordinate, 1000);
      list.emplace_back(coordinate, value - 1000 * (parts - 1));
    }
    std::shuffle(list.begin(), list.end(), random);
    std::vector<double> numbers;
    std::vector<std::vector<int64_t>> columns(shape.size());
    for (const auto &[coordinate, value] : list) {
      numbers.push_back(value);
      for (size_t d = 0; d < shape.size(); ++d)
        columns[d].push_back(coordinate[d]);
    }
    values = narrowed(numbers, widths.values);
    for (size_t d = 0; d < shape.size(); ++d) {
      indices.push_back(narrowed(columns[d], widths.indices));
      made.levels[d].indices = indices[d].data();
    }
    for (size_t d = 0; d < shape.size(); ++d)
      made.levels[d].indices = indices[d].data();
    made.tensor.values = values.data();
    made.tensor.levels[0].count = made.tensor.stored = static_cast<int64_t>(list.size());
  }
  static std::vector<int64_t> dimensionsOf(const std::vector<int64_t> &shape) {
    std::vector<int64_t> dimensions;
    for (size_t d = 0; d < shape.size(); ++d)
      dimensions.push_back(static_cast<int64_t>(d));
    return dimensions;
  }
  std::vector<char> values;
  std::vector<std::vector<char>> indices;
  Made made;
};

} // namespace spc::runtime::test
