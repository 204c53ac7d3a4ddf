#include "explain/stored_tree.h"

#include "tensor/pack/level_coordinates.h"

#include <unordered_set>

namespace spc::explain {

StoredTree::StoredTree(const tensor::PackedTensor &tensor) {
  std::vector<int64_t> positions;
  const tensor::Coordinates slots = tensor.slots(positions);
  const tensor::Coordinates places = tensor::toLevels(slots, tensor.format());
  const size_t count = places.shape.size();
  levels_.resize(count);
  // Of a symmetric tensor's places the mirror images are left out, which follow what is stored.
  const bool isMirrored = tensor.format().symmetry != format::Symmetry::None;
  std::unordered_set<int64_t> seen;
  std::vector<int64_t> last;
  for (size_t e = 0; e < places.size(); ++e) {
    if (isMirrored && !seen.insert(positions[e]).second)
      continue;
    const int64_t *at = places.coordinates.data() + e * count;
    size_t same = 0;
    while (!last.empty() && same + 1 < count && at[same] == last[same])
      ++same;
    for (size_t k = last.empty() ? 0 : same; k < count; ++k) {
      if (k + 1 < count)
        levels_[k].begin.push_back(levels_[k + 1].coordinates.size());
      levels_[k].coordinates.push_back(at[k]);
    }
    last.assign(at, at + count);
  }
  for (size_t k = 0; k + 1 < count; ++k)
    levels_[k].begin.push_back(levels_[k + 1].coordinates.size());
}

double StoredTree::leaves(int k, Range range) const {
  for (; k + 1 < levelCount(); ++k)
    range = {levels_[k].begin[range.begin], levels_[k].begin[range.end]};
  return static_cast<double>(range.end - range.begin);
}

} // namespace spc::explain
