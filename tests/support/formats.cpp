#include "support/formats.h"

#include <sstream>
#include <stdexcept>

namespace spc::testing {
namespace {

using format::Extent;
using format::Format;
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

Format unpermuted(const std::string &name, int order) {
  Format result;
  const std::string letters = lettersOf(name, order);
  for (int dim = 0; dim < order; ++dim) {
    if (name == "coo")
      result.levels.push_back(coordinateLevel(dim, order));
    else if (letters.size() != static_cast<size_t>(order) || letters.find_first_not_of("dc") != std::string::npos)
      throw std::invalid_argument("no format '" + name + "' of order " + std::to_string(order));
    else
      result.levels.push_back(letters[static_cast<size_t>(dim)] == 'd' ? denseLevel(dim) : compressedLevel(dim));
  }
  return result;
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

Format makeFormat(const std::string &spelling, int order, IndexTypes types) {
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
    result.indices = types.indices;
  }
  return result;
}

std::shared_ptr<const format::FormatFamily> makeFamily(const std::string &spelling, IndexTypes types) {
  return std::make_shared<SpelledFamily>(spelling, types);
}

} // namespace spc::testing
