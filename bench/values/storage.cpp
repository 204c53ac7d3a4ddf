#include "problem.h"

#include <map>

using spc::tensor::Coordinates;

namespace values {
namespace {

/// Null where the extents are no multiples of the side or less than half of the blocks' elements are entries.
template <class T> std::shared_ptr<const Bsr<T>> blocksOf(const Csr<T> &a) {
  if (a.rows % kBlock || a.columns % kBlock || a.rows == 0)
    return nullptr;
  Bsr<T> blocks{a.rows, a.columns, {0}, {}, {}};
  for (int64_t first = 0; first < a.rows; first += kBlock) {
    std::map<int32_t, size_t> places; // of the blocks of this row, by column
    for (int32_t p = a.pointers[first]; p < a.pointers[first + kBlock]; ++p)
      places.emplace(a.indices[p] / kBlock, 0);
    for (auto &[column, place] : places) {
      place = blocks.indices.size() * kBlock * kBlock;
      blocks.indices.push_back(column);
    }
    blocks.values.resize(blocks.indices.size() * kBlock * kBlock, T(0));
    for (int64_t i = first; i < first + kBlock; ++i)
      for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
        blocks.values[places[a.indices[p] / kBlock] + (i - first) * kBlock + a.indices[p] % kBlock] = a.values[p];
    blocks.pointers.push_back(int32_t(blocks.indices.size()));
  }
  if (int64_t(blocks.values.size()) > 2 * a.entries())
    return nullptr;
  return std::make_shared<const Bsr<T>>(std::move(blocks));
}

template <class T> std::shared_ptr<const Csf<T>> fibersOf(const Coordinates &entries) {
  Csf<T> tensor;
  std::copy(entries.shape.begin(), entries.shape.end(), tensor.shape);
  tensor.values.assign(entries.values.begin(), entries.values.end());
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = &entries.coordinates[3 * e];
    const bool newSlice = e == 0 || at[0] != at[-3], newFiber = newSlice || at[1] != at[-2];
    if (newSlice) {
      tensor.slices.push_back(int32_t(at[0]));
      tensor.fiberPointers.push_back(int32_t(tensor.fibers.size()));
    }
    if (newFiber) {
      tensor.fibers.push_back(int32_t(at[1]));
      tensor.entryPointers.push_back(int32_t(e));
    }
    tensor.entries.push_back(int32_t(at[2]));
  }
  tensor.fiberPointers.push_back(int32_t(tensor.fibers.size()));
  tensor.entryPointers.push_back(int32_t(entries.size()));
  return std::make_shared<const Csf<T>>(std::move(tensor));
}

} // namespace

template <class T> Storage<T> storageOf(const Coordinates &entries) {
  Storage<T> storage;
  if (entries.order() == 2) {
    storage.sparse = std::make_shared<const Csr<T>>(csrOf<T>(entries));
    storage.blocks = blocksOf(*storage.sparse);
  } else if (entries.order() == 3) {
    storage.tensor = fibersOf<T>(entries);
  }
  return storage;
}

template Storage<double> storageOf(const Coordinates &);
template Storage<float> storageOf(const Coordinates &);

} // namespace values
