#include "sema/copy_advice.h"

#include "sema/analysis.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// What to write after --format for levels that store the dimensions `modes`; empty where no format that comes with spc
/// has them.
std::string shippedName(const std::vector<int> &modes, bool rootIsListable) {
  if (modes.size() == 2)
    return modes.front() == 0 ? "csr" : "csc";
  if (!rootIsListable)
    return "";
  std::string name = "csf";
  if (!std::is_sorted(modes.begin(), modes.end()))
    for (size_t k = 0; k < modes.size(); ++k)
      name += (k == 0 ? ":" : ",") + std::to_string(modes[k]);
  return name;
}

} // namespace

std::string nameInMessages(const Tensor &tensor) {
  if (tensor.partOf.empty())
    return inQuotes(tensor.name);
  return "part " + std::to_string(tensor.part) + " of " + inQuotes(tensor.partOf);
}

std::string adviceAgainstCopy(const Tensor &tensor, const Access &access, const format::Format &copy,
                              bool rootIsListable, const Scope &scope) {
  const std::string name = nameInMessages(tensor);
  std::vector<int> modes;
  for (const format::Level &level : copy.levels)
    modes.push_back(level.dim);
  // One triangle is read along rows and along columns, so that no storage of it does without a copy.
  if (copy.symmetry != format::Symmetry::None) {
    if (access.mirrored)
      std::reverse(modes.begin(), modes.end());
    return "store both triangles of " + name + ", as " + shippedName(modes, rootIsListable) + ", to avoid the copy";
  }
  const std::string shipped = shippedName(modes, rootIsListable);
  return "store " + name + " as " +
         (shipped.empty() ? format::describe(copy, namesOf(access.variables, scope)) : shipped) + " to avoid the copy";
}

} // namespace spc::sema
