#include "format/format_writer.h"

#include "format/levels.h"

#include <nlohmann/json.hpp>

namespace spc::format {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> dimensionNames(int order) {
  std::vector<std::string> names;
  for (int dim = 0; dim < order; ++dim)
    names.emplace_back(1, static_cast<char>('i' + dim)); // i to p: orders are at most 8
  return names;
}

/// "i + 1", "size(j) - i"
std::string formText(const ClosedForm &form, const std::string &parent, const std::string &own) {
  std::string text;
  const auto add = [&](int64_t factor, const std::string &what) {
    if (factor == 0)
      return;
    const uint64_t size = factor < 0 ? -static_cast<uint64_t>(factor) : static_cast<uint64_t>(factor);
    const std::string number = std::to_string(size);
    text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    text += what.empty() ? number : size == 1 ? what : number + " * " + what;
  };
  add(form.size, "size(" + own + ")");
  add(form.slope, parent);
  add(form.constant, "");
  return text.empty() ? "0" : text;
}

Json levelJson(const Format &format, int k, const std::vector<std::string> &dims) {
  const Level &level = format.levels[static_cast<size_t>(k)];
  Json json = {{"dim", coordinateText(level, dims)}, {"storage", level.isDense() ? "dense" : "compressed"}};
  const std::string own = dims[static_cast<size_t>(level.dim)];
  const auto closed = [&](const ClosedForm &form) {
    return formText(form, dims[static_cast<size_t>(format.levels[static_cast<size_t>(k) - 1].dim)], own);
  };
  switch (level.extent) {
  case Extent::Fixed:
    if (!level.isDense()) {
      json["extent"] = "fixed";
      json["width"] = level.width ? Json(*level.width) : Json("w");
    }
    break;
  case Extent::Ragged:
    json["extent"] = "ragged";
    break;
  case Extent::Lengths:
    json["extent"] = "ragged-lengths";
    break;
  case Extent::Closed:
    json["extent"] = closed(level.length);
    break;
  }
  if (level.isDense() && (level.extent == Extent::Closed || level.start != ClosedForm()))
    json["start"] = closed(level.start);
  if (!level.isDense() && !level.unique)
    json["unique"] = false;
  if (!level.isDense() && !level.ordered)
    json["ordered"] = false;
  return json;
}

} // namespace

Json toJson(const Format &format) {
  const std::vector<std::string> dims = dimensionNames(format.order());
  Json json = {{"dims", dims}, {"levels", Json::array()}};
  for (int k = 0; k < format.levelCount(); ++k)
    json["levels"].push_back(levelJson(format, k, dims));
  if (format.interleaved)
    json["layout"] = "structs";
  if (format.symmetry != Symmetry::None)
    json["symmetric"] = storesLower(format.symmetry) ? "lower" : "upper";
  if (isHermitian(format.symmetry))
    json["symmetry"] = "hermitian";
  if (format.duplicates != Duplicates::Sum)
    json["duplicates"] = spelling(format.duplicates);
  if (!format.isDense())
    json["index"] = {{"pointers", spelling(format.pointers)}, {"indices", spelling(format.indices)}};
  return json;
}

} // namespace spc::format
