// Packing of sorted entries, level by level. Private to this folder.
#pragma once

#include "tensor/pack/packed_arrays.h"
#include "tensor/pack/sorting.h"

#include <string>
#include <vector>

namespace spc::tensor {

/// Fills the arrays of a sparse or tiled struct from entries sorted by level (level_coordinates.h), as in Chou et al.
/// 2018: `positions_` is the number of slots of the level packed last, `at_` says which of them each entry is in.
class Packer {
public:
  /// `shape` by dimension.
  Packer(PackedArrays &arrays, const std::vector<int64_t> &shape, SortedEntries entries, std::string &error);

  /// False, with the reason in the error, where something does not fit. Throws std::bad_alloc.
  bool pack();

private:
  bool packLevel(int k);
  bool dense(int k);
  bool raggedDense(int k);
  bool compressed(int k);
  bool bounded(int k);
  std::vector<int64_t> closedLengths(int k) const;
  int64_t givenWidth(int k);
  template <typename CapacityOf, typename Put>
  bool fillPadded(int k, const CapacityOf &capacityOf, int64_t parents, const Put &put);
  bool writeSegments(int k, const std::vector<int64_t> &lengths);
  bool writeIndices(int k);
  template <typename Write> bool withIndices(int k, const Write &write);
  bool indicesFit(int k);
  void allocateIndices(int k);
  bool writeValues();
  bool multiply(int64_t count);
  bool fail(std::string message);

  const format::Level &level(int k) const { return arrays_.format().levels[k]; }

  PackedArrays &arrays_;
  const std::vector<int64_t> &shape_;
  SortedEntries entries_;
  std::string &error_;
  std::vector<int64_t, LargePages<int64_t>> at_;
  int64_t positions_ = 1;
  void *indices_ = nullptr; ///< of the level being packed
  int64_t indexStride_ = 1, indexOffset_ = 0;
};

} // namespace spc::tensor
