#include "harness/formats.h"

#include "format/rule.h"
#include "harness/level_lists.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

namespace spc::testing {
namespace {

using format::Extent;
using format::Format;
using format::IndexType;
using format::Level;
using format::Storage;

constexpr Level denseLevel(int dim) {
  return {dim, Storage::Dense, Extent::Fixed, true, true};
}
constexpr Level compressedLevel(int dim) {
  return {dim, Storage::Compressed, Extent::Ragged, true, true};
}

/// One array of coordinates a dimension: all but the innermost level repeat coordinates.
Level coordinateLevel(int dim, int order) {
  Level level = dim == 0 ? compressedLevel(0) : Level{dim, Storage::Compressed, Extent::Fixed, true, true};
  level.unique = dim == order - 1;
  return level;
}

std::string lettersOf(const std::string &name, int order) {
  if (name == "csr" || name == "csc")
    return "dc";
  if (name == "dcsr" || name == "dcsc")
    return "cc";
  if (name == "sv")
    return "c";
  if (name == "dense" || name == "csf")
    return std::string(static_cast<size_t>(order), name == "dense" ? 'd' : 'c');
  return name;
}

Level quotient(Level level, int64_t block) {
  level.part = format::Part::Quotient;
  level.block = block;
  return level;
}

Level remainder(Level level, int64_t block) {
  level.part = format::Part::Remainder;
  level.block = block;
  return level;
}

/// j - i, listed.
Level difference() {
  Level level = compressedLevel(1);
  level.part = format::Part::Difference;
  level.minus = 0;
  return level;
}

Level fixedWidth(int dim, std::optional<int64_t> width, bool unique) {
  Level level{dim, Storage::Compressed, Extent::Fixed, unique, unique};
  level.width = width;
  return level;
}

Level withExtent(Level level, Extent extent) {
  level.extent = extent;
  return level;
}

Level closed(Level level, format::ClosedForm length, format::ClosedForm start) {
  level.extent = Extent::Closed;
  level.length = length;
  level.start = start;
  return level;
}

Level repeating(Level level, bool ordered) {
  level.unique = false;
  level.ordered = ordered;
  return level;
}

/// Rows of blocks, row-major inside.
std::vector<Level> blocks(Level rows, Level columns, int64_t height, int64_t width) {
  return {quotient(rows, height), quotient(columns, width), remainder(denseLevel(0), height),
          remainder(denseLevel(1), width)};
}

Format symmetric(std::vector<Level> levels, format::Symmetry symmetry) {
  Format format{"", std::move(levels)};
  format.symmetry = symmetry;
  return format;
}

/// The lower triangle row by row, and the upper one.
const Level kLower = closed(denseLevel(1), {1, 1, 0}, {});
const Level kUpper = closed(denseLevel(1), {0, -1, 1}, {0, 1, 0});

/// Formats that store one triangle of a symmetric matrix, or of a Hermitian one.
void addSymmetric(std::map<std::string, Format> &result) {
  const Level d0 = denseLevel(0), c1 = compressedLevel(1);
  const Level rows = repeating(compressedLevel(0), true), column = coordinateLevel(1, 2);
  result["sym-csr"] = symmetric({d0, c1}, format::Symmetry::Lower);
  result["sym-upper"] = symmetric({d0, c1}, format::Symmetry::Upper);
  result["sym-packed"] = symmetric({d0, kLower}, format::Symmetry::Lower);
  result["sym-bsr"] = symmetric(blocks(d0, c1, 2, 2), format::Symmetry::Lower);
  result["sym-bsr-up"] = symmetric(blocks(d0, c1, 3, 2), format::Symmetry::Upper);
  result["sym-bsc"] = symmetric(
      {quotient(denseLevel(1), 2), quotient(compressedLevel(0), 2), remainder(denseLevel(1), 2), remainder(d0, 2)},
      format::Symmetry::Lower);
  result["sym-dbsr"] = symmetric(blocks(compressedLevel(0), c1, 2, 2), format::Symmetry::Lower);
  result["sym-tiled"] = symmetric(blocks(d0, denseLevel(1), 2, 2), format::Symmetry::Lower);
  result["sym-block-ell"] = symmetric(blocks(d0, fixedWidth(1, std::nullopt, false), 2, 2), format::Symmetry::Lower);
  result["sym-nm"] =
      symmetric({d0, quotient(denseLevel(1), 4), remainder(fixedWidth(1, 2, false), 4)}, format::Symmetry::Lower);
  result["sym-ell"] = symmetric({d0, fixedWidth(1, std::nullopt, false)}, format::Symmetry::Lower);
  result["sym-dia"] = symmetric({difference(), d0}, format::Symmetry::Upper);
  result["sym-dia-low"] = symmetric({difference(), d0}, format::Symmetry::Lower);
  result["sym-dia-cols"] = symmetric({difference(), denseLevel(1)}, format::Symmetry::Lower);
  result["sym-dense"] = symmetric({d0, denseLevel(1)}, format::Symmetry::Lower);
  result["sym-coo"] = symmetric({rows, column}, format::Symmetry::Lower);
  result["herm-csr"] = symmetric({d0, c1}, format::Symmetry::HermitianLower);
  result["herm-upper"] = symmetric({d0, c1}, format::Symmetry::HermitianUpper);
  result["herm-packed"] = symmetric({d0, kLower}, format::Symmetry::HermitianLower);
  result["herm-bsr"] = symmetric(blocks(d0, c1, 2, 2), format::Symmetry::HermitianLower);
  result["herm-dia"] = symmetric({difference(), d0}, format::Symmetry::HermitianUpper);
  result["herm-coo"] = symmetric({rows, column}, format::Symmetry::HermitianLower);
}

/// Formats that are more than letters, by name.
const std::map<std::string, Format> &namedFormats() {
  const Level d0 = denseLevel(0), d1 = denseLevel(1), d2 = denseLevel(2), c0 = compressedLevel(0),
              c1 = compressedLevel(1), c2 = compressedLevel(2);
  const Level rows = repeating(c0, true);
  const Level column = coordinateLevel(1, 2);
  static const std::map<std::string, Format> formats = [&] {
    std::map<std::string, Format> result;
    const auto add = [&](const std::string &name, std::vector<Level> levels) {
      result[name].levels = std::move(levels);
    };
    add("ell", {d0, fixedWidth(1, std::nullopt, false)});
    add("ell4", {d0, fixedWidth(1, 4, false)});
    add("ell4q", {d0, fixedWidth(1, 4, true)});
    add("ellq", {d0, fixedWidth(1, std::nullopt, true)});
    add("ellc", {d1, fixedWidth(0, std::nullopt, false)});
    add("ell1", {d0, fixedWidth(1, 1, true)});
    add("csr-len", {d0, withExtent(c1, Extent::Lengths)});
    add("csr-dup", {d0, repeating(c1, true)});
    add("csr-unsorted", {d0, repeating(c1, false)});
    add("ragged", {d0, withExtent(d1, Extent::Ragged)});
    add("ragged-len", {d0, withExtent(d1, Extent::Lengths)});
    add("ragged-cols", {d1, withExtent(d0, Extent::Ragged)});
    add("lower", {d0, kLower});
    add("upper", {d0, kUpper});
    add("band", {d0, closed(d1, {2, 0, 0}, {0, 1, 0})});
    add("growing", {d0, closed(repeating(c1, false), {1, 1, 0}, {})});
    add("bsr2x3", blocks(d0, c1, 2, 3));
    add("bsr4x4", blocks(d0, c1, 4, 4));
    add("dbsr", blocks(c0, c1, 2, 2));
    add("tiled", blocks(d0, d1, 2, 3));
    add("bsr-cm", {quotient(d0, 2), quotient(c1, 3), remainder(d1, 3), remainder(d0, 2)});
    add("block-ell",
        {quotient(d0, 2), quotient(fixedWidth(1, std::nullopt, false), 2), remainder(d0, 2), remainder(d1, 2)});
    add("row-blocks", {quotient(d0, 4), c1, remainder(d0, 4)});
    add("dia", {difference(), d0});
    add("dia-cols", {difference(), d1});
    add("row-relative", {d0, difference()});
    add("nm24", {d0, quotient(d1, 4), remainder(fixedWidth(1, 2, false), 4)});
    add("coo-blocks", {quotient(rows, 3), remainder(repeating(column, true), 3), column});
    result["coo-blocks"].levels[1].dim = 0;
    add("ragged-ell1", {d0, withExtent(d1, Extent::Ragged), fixedWidth(2, 1, true)});
    add("lower-ell1", {d0, kLower, fixedWidth(2, 1, true)});
    add("coo-aos", {rows, column});
    result["coo-aos"].interleaved = true;
    add("coo3-aos", {rows, repeating(coordinateLevel(1, 3), true), coordinateLevel(2, 3)});
    result["coo3-aos"].interleaved = true;
    addSymmetric(result);
    add("blocked-vector", {quotient(c0, 4), remainder(d0, 4)});
    add("batched-coo", {d0, repeating(compressedLevel(1), true), Level{2, Storage::Compressed, Extent::Fixed}});
    add("batched-ell", {d0, d1, fixedWidth(2, std::nullopt, false)});
    add("batched-ragged", {d0, d1, withExtent(d2, Extent::Ragged)});
    add("batched-lower", {d0, d1, closed(d2, {1, 1, 0}, {})});
    add("batched-bsr", {d0, quotient(d1, 2), quotient(c2, 2), remainder(d1, 2), remainder(d2, 2)});
    add("blocked3",
        {quotient(d0, 2), quotient(c1, 2), quotient(c2, 2), remainder(d0, 2), remainder(d1, 2), remainder(d2, 2)});
    return result;
  }();
  return formats;
}

Format unpermuted(const std::string &name, int order) {
  Format result;
  if (auto named = namedFormats().find(name); named != namedFormats().end()) {
    if (named->second.order() != order)
      throw std::invalid_argument("'" + name + "' has another order");
    return named->second;
  }
  const std::string letters = lettersOf(name, order);
  for (int dim = 0; dim < order; ++dim) {
    if (name == "coo")
      result.levels.push_back(coordinateLevel(dim, order));
    else if (name == "coo-dup" || name == "coo-unsorted")
      result.levels.push_back(repeating(coordinateLevel(dim, order), name == "coo-dup"));
    else if (letters.size() != static_cast<size_t>(order) || letters.find_first_not_of("dc") != std::string::npos)
      throw std::invalid_argument("no format '" + name + "' of order " + std::to_string(order));
    else
      result.levels.push_back(letters[static_cast<size_t>(dim)] == 'd' ? denseLevel(dim) : compressedLevel(dim));
  }
  return result;
}

bool storesDifference(const Format &format) {
  return std::any_of(format.levels.begin(), format.levels.end(),
                     [](const Level &level) { return level.part == format::Part::Difference; });
}

bool isUnsigned(IndexType type) {
  return type == IndexType::U8 || type == IndexType::U16;
}

class SpelledFamily : public format::FormatFamily {
public:
  SpelledFamily(std::string spelling, IndexTypes types) : spelling_(std::move(spelling)), types_(types) {}

  std::string name() const override { return spelling_.substr(0, spelling_.find(':')); }
  std::optional<int> order() const override { return std::nullopt; }
  std::optional<Format> instantiate(int order) const override {
    try {
      return makeFormat(spelling_, order, types_);
    } catch (const std::invalid_argument &) {
      return std::nullopt;
    }
  }

private:
  std::string spelling_;
  IndexTypes types_;
};

} // namespace

const std::vector<std::string> kMatrixFormats = {
    "csr",          "csc",      "dcsr",       "dcsc",        "coo",       "coo-aos",    "coo-blocks",
    "cd",           "ell",      "ell4",       "ell4q",       "ellq",      "ellc",       "ell1",
    "csr-len",      "ragged",   "ragged-len", "ragged-cols", "lower",     "upper",      "bsr2x3",
    "bsr4x4",       "dbsr",     "tiled",      "bsr-cm",      "block-ell", "dia",        "row-blocks",
    "row-relative", "dia-cols", "nm24",       "sym-csr",     "sym-upper", "sym-packed", "sym-coo"};

const std::vector<std::string> kThirdOrderFormats = {
    "csf",           "csf:2,0,1",   "csf:1,0,2", "csf:2,1,0",   "coo",         "coo3-aos",    "ddc",
    "dcd",           "cdd",         "dcc",       "ccd",         "cdc",         "batched-coo", "batched-ragged",
    "batched-lower", "batched-bsr", "blocked3",  "batched-ell", "ragged-ell1", "lower-ell1"};

const std::vector<std::string> kFourthOrderFormats = {"csf", "coo", "ddcc", "dccd", "csf:3,1,0,2"};

const std::vector<std::string> kVectorFormats = {"sv", "blocked-vector"};

const std::vector<std::string> kLooseMatrixFormats = {"csr-dup", "csr-unsorted", "coo-dup", "coo-unsorted"};

Format makeFormat(const std::string &spelling, int order, IndexTypes types) {
  if (spelling.starts_with('@')) {
    format::FormatRule rule;
    rule.name = spelling;
    rule.levels = readLevels(spelling.substr(1));
    const bool isSigned = std::none_of(rule.levels->begin(), rule.levels->end(),
                                       [](const Level &level) { return level.part == format::Part::Difference; }) ||
                          !isUnsigned(types.indices);
    rule.pointers = types.pointers;
    rule.indices = isSigned ? types.indices : IndexType::I32;
    if (std::optional<Format> format = rule.instantiate(order))
      return *format;
    throw std::invalid_argument("'" + spelling + "' has another order");
  }
  if (const size_t plus = spelling.find('+'); plus != std::string::npos) {
    Format sum;
    sum.name = spelling;
    const Format rest = makeFormat(spelling.substr(plus + 1), order, types);
    sum.parts = rest.isSum() ? rest.parts : std::vector<Format>{rest};
    sum.parts.insert(sum.parts.begin(), makeFormat(spelling.substr(0, plus), order, types));
    return sum;
  }
  const size_t colon = spelling.find(':');
  const std::string name = spelling.substr(0, colon);
  Format result = unpermuted(name, order);
  if (name == "csc" || name == "dcsc")
    result = format::permuted(result, {1, 0});
  if (colon != std::string::npos) {
    std::vector<int> modes;
    std::istringstream list(spelling.substr(colon + 1));
    for (std::string mode; std::getline(list, mode, ',');)
      modes.push_back(std::stoi(mode));
    if (modes.size() != static_cast<size_t>(order))
      throw std::invalid_argument("'" + spelling + "' has a mode order of another length");
    result = format::permuted(result, modes);
  }
  result.name = name;
  if (!result.isDense()) {
    result.pointers = types.pointers;
    result.indices = storesDifference(result) && isUnsigned(types.indices) ? IndexType::I32 : types.indices;
  }
  return result;
}

std::shared_ptr<const format::FormatFamily> makeFamily(const std::string &spelling, IndexTypes types) {
  return std::make_shared<SpelledFamily>(spelling, types);
}

} // namespace spc::testing
