#include "sema/terms/copy_advice.h"

#include "sema/terms/canonical_copies.h"
#include "sema/terms/planning.h"

#include <algorithm>
#include <set>
#include <utility>

namespace spc::sema {
namespace {

/// Whether the statement reads the tensor in orders that contradict each other, whatever the order in which its
/// dimensions are stored: A(i,j) and A(j,i), or A(i,j), A(j,k) and A(k,i). `modes`: the stored order.
bool isReadBothWays(const Access &access, const std::vector<int> &modes, const Scope &scope) {
  std::set<std::pair<VariableId, VariableId>> follows; ///< outer and inner loop
  for (const Access &other : scope.accesses) {
    if (other.tensor != access.tensor || other.mirrored != access.mirrored)
      continue;
    for (size_t k = 1; k < modes.size(); ++k)
      if (other.variables[modes[k - 1]] != other.variables[modes[k]])
        follows.emplace(other.variables[modes[k - 1]], other.variables[modes[k]]);
  }
  // Loops that none is to stand outside of come first; where each has one outside, they go round in circles.
  while (!follows.empty()) {
    const size_t before = follows.size();
    const auto hasOuter = [&](VariableId loop) {
      return std::any_of(follows.begin(), follows.end(), [&](const auto &pair) { return pair.second == loop; });
    };
    std::set<VariableId> outermost;
    for (const auto &[outer, inner] : follows)
      if (!hasOuter(outer))
        outermost.insert(outer);
    std::erase_if(follows, [&](const auto &pair) { return outermost.contains(pair.first); });
    if (follows.size() == before)
      return true;
  }
  return false;
}

/// Whether a tensor has the levels of its copy, whatever their index types.
bool isStoredAs(const format::Format &stored, format::Format copy) {
  copy.pointers = stored.pointers;
  copy.indices = stored.indices;
  return stored.sameStorage(copy);
}

} // namespace

std::string shippedFormat(const std::vector<int> &modes) {
  if (modes.size() == 2)
    return modes.front() == 0 ? "csr" : "csc";
  std::string name = modes.size() == 1 ? "sparse-vector" : "csf";
  if (!std::is_sorted(modes.begin(), modes.end()))
    for (size_t k = 0; k < modes.size(); ++k)
      name += (k == 0 ? ":" : ",") + std::to_string(modes[k]);
  return name;
}

bool isUnnamed(const Tensor &tensor) {
  return tensor.is<Temporary>() && tensor.name.starts_with('$');
}

std::string nameInMessages(const Kernel &kernel, TensorId id) {
  const Tensor &tensor = kernel.tensors[id];
  const auto *copy = tensor.as<Converted>();
  if (copy && !copy->isCanonical)
    return nameInMessages(kernel, copy->source);
  if (isUnnamed(tensor))
    return "a temporary";
  if (copy || tensor.partOf.empty())
    return quotedName(kernel, id);
  return "part " + std::to_string(tensor.part) + " of " + inQuotes(tensor.partOf);
}

std::string adviceAgainstCopy(const Kernel &kernel, const Access &access, const format::Format &copy,
                              bool rootIsListable, const Scope &scope) {
  const Tensor &tensor = kernel.tensors[access.tensor];
  if (isUnnamed(tensor))
    return "";
  const std::string name = nameInMessages(kernel, access.tensor);
  std::vector<int> modes;
  for (const format::Level &level : copy.levels)
    modes.push_back(level.dim);
  // One triangle is read along rows and along columns, so that no storage of it does without a copy.
  if (copy.symmetry != format::Symmetry::None) {
    if (access.mirrored)
      std::reverse(modes.begin(), modes.end());
    return "store both triangles of " + name + ", as " + shippedFormat(modes) + ", to avoid the copy";
  }
  if (isReadBothWays(access, modes, scope) || isStoredAs(tensor.format, copy))
    return "";
  std::string shipped = modes.size() > 2 && !rootIsListable ? "" : shippedFormat(modes);
  if (modes.size() == 2 && !copy.levels.front().isDense())
    shipped = "d" + shipped;
  const std::string format = shipped.empty() ? format::describe(copy, namesOf(access.variables, scope)) : shipped;
  if (tensor.hasDeclaredOwner())
    return "bind " + name + " to a format of its own, " + format + ", to avoid the copy";
  // Storage that lists rows is chosen where there are too many for pointers.
  if (modes.size() == 2 && copy.levels.front().isFound && !hasDenseLevel(tensor.format))
    return "store " + name + " as " + format + " to avoid that, where memory holds a pointer for each " +
           (modes.front() == 0 ? "row" : "column");
  return "store " + name + " as " + format + " to avoid the copy";
}

} // namespace spc::sema
