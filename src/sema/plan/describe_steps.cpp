#include "sema/plan/describe_steps.h"

#include <set>

namespace spc::sema {

static const std::string &nameOf(TensorId tensor, const Kernel &kernel) {
  return kernel.tensors[tensor].name;
}

std::string listOf(const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "(" : ",") + name;
  return list + ")";
}

std::vector<std::string> dimensionNames(const Tensor &tensor, const Kernel &kernel) {
  std::vector<std::string> names;
  for (ExtentId extent : tensor.extents)
    names.push_back(kernel.extents[extent].name);
  const std::set<std::string> distinct(names.begin(), names.end());
  return distinct.size() == names.size() ? names : std::vector<std::string>();
}

std::string describeStep(const Copy &copy, const Kernel &kernel) {
  return nameOf(copy.to, kernel) + " = copy of " + nameOf(copy.from, kernel);
}

std::string describeStep(const Conversion &conversion, const Kernel &kernel) {
  std::vector<std::string> names = dimensionNames(kernel.tensors[conversion.to], kernel), from;
  for (size_t dim = names.size(); dim < conversion.dims.size(); ++dim)
    names.push_back(format::coordinateText({.dim = static_cast<int>(dim)}));
  for (int dim : conversion.dims)
    from.push_back(names[static_cast<size_t>(dim)]);
  return nameOf(conversion.to, kernel) + listOf(names) + " is converted from " + nameOf(conversion.from, kernel) +
         listOf(from);
}

std::string describeStep(const RefreshCopy &refresh, const Kernel &kernel) {
  return nameOf(refresh.copy, kernel) + " is made";
}

std::string describeStep(const Distribution &distribution, const Kernel &kernel) {
  std::string parts;
  for (TensorId part : distribution.parts)
    parts += (parts.empty() ? "" : ", ") + nameOf(part, kernel);
  return nameOf(distribution.from, kernel) + " is given to " + parts;
}

std::string describeStep(const Placement &placement, const Kernel &kernel) {
  return nameOf(placement.from, kernel) + " is " + (placement.adds ? "added to " : "put into ") +
         nameOf(placement.to, kernel) + " at the places there";
}

std::string describeStep(const Ranking &ranking, const Kernel &kernel) {
  std::vector<std::string> rows, places;
  const std::vector<std::string> names = dimensionNames(kernel.tensors[ranking.from], kernel);
  for (size_t k = 0; k < ranking.dims.size(); ++k)
    (k < ranking.rowDims.size() ? rows : places)
        .push_back(names.empty() ? format::coordinateText({.dim = ranking.dims[k]})
                                 : names[static_cast<size_t>(ranking.dims[k])]);
  return nameOf(ranking.to, kernel) + " = the " + (language::ranksPlaces(ranking.kind) ? "places of the " : "") +
         (language::ranksLeast(ranking.kind) ? "least" : "greatest") + " of " + nameOf(ranking.from, kernel) +
         " over " + listOf(places) + (rows.empty() ? "" : " for each " + listOf(rows));
}

} // namespace spc::sema
