// The places where a packed tensor stores something, level by level.
#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace spc::explain {

/// The coordinates that the levels of a format store, the places of padding inside of the tensor included, as a tree
/// that has a level of nodes for each level of the format. The root is no node: its children are all nodes of level 0.
/// Parents without anything below them are left out.
class StoredTree {
public:
  explicit StoredTree(const tensor::PackedTensor &tensor);

  /// A run of nodes of one level, those of one parent.
  struct Range {
    size_t begin = 0, end = 0;
  };

  int levelCount() const { return static_cast<int>(levels_.size()); }
  Range roots() const { return {0, levels_.empty() ? 0 : levels_[0].coordinates.size()}; }
  /// The nodes of level k + 1 below a node of level k, which is not the last one.
  Range below(int k, size_t node) const { return {levels_[k].begin[node], levels_[k].begin[node + 1]}; }
  /// Differences count from their least one.
  int64_t coordinate(int k, size_t node) const { return levels_[k].coordinates[node]; }
  /// The stored places below the nodes of a range of level k.
  double leaves(int k, Range range) const;
  /// How many nodes a level has.
  double nodes(int k) const { return static_cast<double>(levels_[k].coordinates.size()); }

private:
  struct Level {
    std::vector<int64_t> coordinates;
    std::vector<size_t> begin; ///< of the children of each node, and the end of the last one's
  };
  std::vector<Level> levels_;
};

} // namespace spc::explain
