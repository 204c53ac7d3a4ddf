#include "sema/divisions.h"
#include "sema/kernel.h"

namespace spc::sema {
namespace {

const char *nameOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Product:
    return "prod";
  case Reduction::Min:
    return "min";
  case Reduction::Max:
    return "max";
  case Reduction::Any:
    return "or";
  case Reduction::All:
    return "and";
  default:
    return "sum";
  }
}

/// "slices of", "all of", "sum of", or "what A lists of" where a part needs a halo alone
std::string groupOf(const ArgumentPart &part, const IndexDivision &division, const Kernel &kernel) {
  if (part.role == ArgumentPart::Role::Slice)
    return "slices of ";
  if (part.role == ArgumentPart::Role::Reduced)
    return std::string(nameOf(part.reduction)) + " of ";
  std::string names;
  size_t count = 0;
  for (const Halo &halo : division.halos)
    for (int dim : part.listed)
      if (kernel.tensors[part.tensor].extents[dim] == halo.extent)
        for (const auto &[lister, at] : halo.listedBy) {
          const std::string &name = kernel.tensors[lister].name;
          if (names != name)
            names += (++count > 1 ? ", " : "") + name;
        }
  return count == 0 ? "all of " : "what " + names + (count > 1 ? " list of " : " lists of ");
}

} // namespace

const char *spelling(const ArgumentPart &part) {
  switch (part.role) {
  case ArgumentPart::Role::Slice:
    return "slice";
  case ArgumentPart::Role::Reduced:
    return nameOf(part.reduction);
  case ArgumentPart::Role::Whole:
    break;
  }
  return part.listed.empty() ? "whole" : "rows";
}

std::string describe(const IndexDivision &division, const Kernel &kernel) {
  if (!division.reason.empty())
    return "not by " + division.index + ": " + division.reason;
  std::vector<std::pair<std::string, std::string>> groups;
  for (const ArgumentPart &part : division.arguments) {
    const std::string what = groupOf(part, division, kernel);
    std::string name = kernel.tensors[part.tensor].name;
    auto known = groups.begin();
    while (known != groups.end() && known->first != what)
      ++known;
    if (known == groups.end())
      groups.emplace_back(what, std::move(name));
    else
      known->second += ", " + name;
  }
  std::string text;
  for (const auto &[what, names] : groups)
    text += (text.empty() ? "" : "; ") + what + names;
  return "by " + division.index + ": " + text;
}

} // namespace spc::sema
