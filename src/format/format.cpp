#include "format/format.h"

#include <algorithm>

namespace spc::format {

namespace {

constexpr const char *kDimensionLetters = "ijklmnop";

std::string dimensionName(int dim) {
  if (dim >= 0 && dim < 8)
    return std::string(1, kDimensionLetters[dim]);
  return "dim" + std::to_string(dim);
}

std::string storageInWords(const Level &level) {
  std::string words = level.isDense() ? "dense" : level.isSingleton() ? "singleton" : "compressed";
  if (!level.unique)
    words += " non-unique";
  if (!level.ordered)
    words += " unordered";
  return words;
}

} // namespace

int bits(IndexType type) {
  return type == IndexType::I32 ? 32 : 64;
}

const char *spelling(IndexType type) {
  return type == IndexType::I32 ? "i32" : "i64";
}

bool Format::isDense() const {
  return std::all_of(levels.begin(), levels.end(), [](const Level &level) { return level.isDense(); });
}

int Format::levelOf(int dim) const {
  for (int k = 0; k < order(); ++k)
    if (levels[k].dim == dim)
      return k;
  return -1;
}

bool Format::sameStorage(const Format &other) const {
  return levels == other.levels && pointers == other.pointers && indices == other.indices;
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
  for (Level &level : result.levels)
    level.dim = modes[level.dim];
  return result;
}

std::string describe(const Format &format) {
  std::string words = "(";
  for (int k = 0; k < format.order(); ++k) {
    if (k > 0)
      words += ", ";
    words += dimensionName(format.levels[k].dim) + ": " + storageInWords(format.levels[k]);
  }
  words += ")";
  if (!format.isDense())
    words += std::string(", pointers ") + spelling(format.pointers) + ", indices " + spelling(format.indices);
  return words;
}

} // namespace spc::format
