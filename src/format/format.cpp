#include "format/format.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::format {

namespace {

constexpr const char *kDimensionLetters = "ijklmnop";

std::string dimensionName(int dim, const std::vector<std::string> &dims) {
  if (dim >= 0 && static_cast<size_t>(dim) < dims.size())
    return dims[static_cast<size_t>(dim)];
  if (dim >= 0 && dim < 8)
    return std::string(1, kDimensionLetters[dim]);
  return "dim" + std::to_string(dim);
}

/// As a format file has it, with the size of the level's own dimension as size(own).
std::string closedFormText(const ClosedForm &form, const std::string &parent, const std::string &own) {
  std::string text;
  const auto add = [&](int64_t factor, const std::string &what) {
    if (factor == 0)
      return;
    text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    const std::string number = std::to_string(factor < 0 ? -factor : factor);
    text += what.empty() ? number : number == "1" ? what : number + " * " + what;
  };
  for (const bool positive : {true, false})
    for (const auto &[factor, what] : {std::pair(form.slope, parent), {form.size, "size(" + own + ")"}})
      if ((factor > 0) == positive)
        add(factor, what);
  add(form.constant, "");
  return text.empty() ? "0" : text;
}

/// What describe() says of a level besides its coordinate.
class LevelWords {
public:
  LevelWords(const Format &format, const std::vector<std::string> &dims) : format_(format), dims_(dims) {}

  std::string of(int k) const {
    const Level &level = format_.levels[k];
    std::string words = storage(k);
    if (!level.unique)
      words += " non-unique";
    if (!level.ordered)
      words += " unordered";
    return words + extent(k);
  }

private:
  const char *storage(int k) const {
    if (format_.levels[k].isFound)
      return "looked up";
    switch (kindOf(format_, k)) {
    case LevelKind::Dense:
    case LevelKind::RaggedDense:
    case LevelKind::ClosedDense:
      return "dense";
    case LevelKind::Singleton:
      return "singleton";
    case LevelKind::FixedWidth:
      return format_.levels[k].hasWidthOne() ? "singleton" : "compressed";
    case LevelKind::Compressed:
    case LevelKind::ClosedCompressed:
      return "compressed";
    }
    return "";
  }

  std::string extent(int k) const {
    const Level &level = format_.levels[k];
    switch (kindOf(format_, k)) {
    case LevelKind::Dense:
    case LevelKind::Singleton:
      return "";
    case LevelKind::FixedWidth:
      if (level.hasWidthOne())
        return "";
      return level.width ? ", width " + std::to_string(*level.width) : ", width at run time";
    case LevelKind::Compressed:
      return level.hasLengths() ? ", ragged by lengths" : "";
    case LevelKind::RaggedDense:
      return level.hasLengths() ? ", ragged by lengths" : ", ragged";
    case LevelKind::ClosedDense:
      return ", " + form(level.length, k) + " from " + form(level.start, k);
    case LevelKind::ClosedCompressed:
      return ", " + form(level.length, k);
    }
    return "";
  }

  std::string form(const ClosedForm &closed, int k) const {
    const std::string above = k > 0 ? dimensionName(format_.levels[k - 1].dim, dims_) : "";
    return closedFormText(closed, above, dimensionName(format_.levels[k].dim, dims_));
  }

  const Format &format_;
  const std::vector<std::string> &dims_;
};

} // namespace

int bits(IndexType type) {
  switch (type) {
  case IndexType::U8:
    return 8;
  case IndexType::U16:
    return 16;
  case IndexType::I32:
    return 32;
  case IndexType::I64:
    return 64;
  }
  return 0;
}

int64_t largest(IndexType type) {
  switch (type) {
  case IndexType::U8:
    return UINT8_MAX;
  case IndexType::U16:
    return UINT16_MAX;
  case IndexType::I32:
    return INT32_MAX;
  case IndexType::I64:
    return INT64_MAX;
  }
  return 0;
}

const char *spelling(IndexType type) {
  switch (type) {
  case IndexType::U8:
    return "u8";
  case IndexType::U16:
    return "u16";
  case IndexType::I32:
    return "i32";
  case IndexType::I64:
    return "i64";
  }
  return "";
}

std::optional<IndexType> indexTypeNamed(const std::string &name) {
  for (IndexType type : {IndexType::U8, IndexType::U16, IndexType::I32, IndexType::I64})
    if (name == spelling(type))
      return type;
  return std::nullopt;
}

int Format::order() const {
  if (isSum())
    return parts.front().order();
  int order = 0;
  for (const Level &level : levels)
    order = std::max({order, level.dim + 1, level.minus + 1});
  return order;
}

bool Format::isDense() const {
  return !isSum() && symmetry == Symmetry::None && std::all_of(levels.begin(), levels.end(), [](const Level &level) {
    return level.isFullyDense() && level.part == Part::Whole;
  });
}

Symmetry exchanged(Symmetry symmetry) {
  switch (symmetry) {
  case Symmetry::None:
    return Symmetry::None;
  case Symmetry::Lower:
    return Symmetry::Upper;
  case Symmetry::Upper:
    return Symmetry::Lower;
  case Symmetry::HermitianLower:
    return Symmetry::HermitianUpper;
  case Symmetry::HermitianUpper:
    return Symmetry::HermitianLower;
  }
  return symmetry;
}

static constexpr const char *kDuplicates[] = {"sum", "min", "max", "last", "error"};

const char *spelling(Duplicates duplicates) {
  return kDuplicates[static_cast<size_t>(duplicates)];
}

std::optional<Duplicates> duplicatesNamed(const std::string &name) {
  const auto found = std::find(std::begin(kDuplicates), std::end(kDuplicates), name);
  return found == std::end(kDuplicates) ? std::nullopt
                                        : std::optional(static_cast<Duplicates>(found - std::begin(kDuplicates)));
}

bool Format::mayRepeat() const {
  for (int k = 0; k < levelCount(); ++k)
    if (!levels[k].unique && !continuesParent(*this, k + 1))
      return true;
  return std::any_of(parts.begin(), parts.end(), [](const Format &part) { return part.mayRepeat(); });
}

int Format::firstListed() const {
  const auto listed = std::find_if(levels.begin(), levels.end(), [](const Level &level) { return !level.isDense(); });
  return static_cast<int>(listed - levels.begin());
}

bool Format::hasPointers() const {
  for (int k = 0; k < levelCount(); ++k)
    if (hasSegments(kindOf(*this, k)) && (k > 0 || levels[k].hasLengths()))
      return true;
  return false;
}

bool Format::sameStorage(const Format &other) const {
  return levels == other.levels && (!hasPointers() || pointers == other.pointers) &&
         (!hasIndices() || indices == other.indices) && interleaved == other.interleaved &&
         symmetry == other.symmetry && duplicates == other.duplicates &&
         std::equal(parts.begin(), parts.end(), other.parts.begin(), other.parts.end(),
                    [](const Format &a, const Format &b) { return a.sameStorage(b); });
}

Format denseFormat(int order) {
  Format format;
  format.name = "dense";
  for (int k = 0; k < order; ++k)
    format.levels.push_back({.dim = k});
  return format;
}

Format permuted(const Format &format, const std::vector<int> &modes) {
  Format result = format;
  for (Level &level : result.levels) {
    level.dim = modes[level.dim];
    if (level.minus >= 0)
      level.minus = modes[level.minus];
  }
  for (Format &part : result.parts)
    part = permuted(part, modes);
  if (result.symmetry != Symmetry::None && modes.front() > modes.back())
    result.symmetry = exchanged(result.symmetry);
  return result;
}

std::string coordinateText(const Level &level, const std::vector<std::string> &dims) {
  const std::string name = dimensionName(level.dim, dims);
  switch (level.part) {
  case Part::Whole:
    return name;
  case Part::Quotient:
    return name + " / " + std::to_string(level.block);
  case Part::Remainder:
    return name + " % " + std::to_string(level.block);
  case Part::Difference:
    return name + " - " + dimensionName(level.minus, dims);
  }
  return name;
}

std::vector<int> correspondingDims(const Format &from, const Format &to) {
  std::vector<int> dims(static_cast<size_t>(from.order()), 0);
  for (size_t k = 0; k < from.levels.size(); ++k) {
    dims[static_cast<size_t>(from.levels[k].dim)] = to.levels[k].dim;
    if (from.levels[k].part == Part::Difference)
      dims[static_cast<size_t>(from.levels[k].minus)] = to.levels[k].minus;
  }
  return dims;
}

std::string describe(const Format &format, const std::vector<std::string> &dims) {
  if (format.isSum()) {
    std::string words = "the sum of";
    for (const Format &part : format.parts)
      words += (&part == &format.parts.front() ? " " : " and ") + describe(part, dims);
    return words;
  }
  const LevelWords level(format, dims);
  std::string words = "(";
  for (int k = 0; k < format.levelCount(); ++k)
    words += (k > 0 ? ", " : "") + coordinateText(format.levels[k], dims) + ": " + level.of(k);
  words += ")";
  if (format.symmetry != Symmetry::None)
    words += std::string(isHermitian(format.symmetry) ? ", Hermitian" : ", symmetric") +
             (storesLower(format.symmetry) ? " (lower triangle)" : " (upper triangle)");
  if (format.duplicates != Duplicates::Sum)
    words += std::string(", duplicates ") + spelling(format.duplicates);
  if (format.interleaved)
    words += ", interleaved";
  if (format.hasPointers())
    words += std::string(", pointers ") + spelling(format.pointers);
  if (format.hasIndices())
    words += std::string(", indices ") + spelling(format.indices);
  return words;
}

} // namespace spc::format
