#include "runtime/hot.h"
#include "runtime/pack.h"
#include "runtime/row_reader.h"
#include "runtime/walk.h"

namespace spc::runtime {
namespace {

/// A buffer of more than so many times what it holds is not handed over.
constexpr int64_t kMostRoom = 4;

/// Writes rows that lie in the target's order. Levels above the list are written row by row, what has an element for
/// each entry chunk by chunk, in parallel.
class RowPacker {
public:
  explicit RowPacker(AssemblyState &state)
      : state_(state), target_(*state.assembly->target), layout_(state.layout), total_(sumTotals(state)) {}

  Status run() {
    countNodes();
    const bool hasPointers = layout_.list > 0;
    if (hasPointers && total_ > largest(target_.pointerBytes))
      return Status::IndexType;
    for (int64_t k = 0; k < target_.order; ++k)
      target_.levels[k].pointers = target_.levels[k].indices = nullptr;
    target_.values = nullptr;
    if (!allocate()) {
      releaseArrays(state_.allocator, target_);
      return Status::Memory;
    }
    target_.stored = total_;
    target_.rootCount = layout_.dense > 0 ? 0 : layout_.list > 0 ? nodes_[0] : total_;
    if (state_.lengths)
      adoptLengths();
    else
      writeTree();
    if (!adopted_)
      forAll(*state_.assembly, state_.assembly->chunks, copyChunk, this);
    return Status::Ok;
  }

private:
  Level &leaf() { return target_.levels[target_.order - 1]; }
  const Level &level(int64_t k) const { return target_.levels[k]; }

  template <typename Visit> void visitRows(Visit visit) const;
  void countNodes();
  bool allocate();
  bool allocateEntries();
  Segment *onlySegment() const;
  void adoptLengths();
  void writeTree();
  void copyKeys(const Segment &segment, int64_t to) const;
  void fillList(const Collector &run) const;
  SPC_HOT static void copyChunk(void *closure, int64_t chunk);

  AssemblyState &state_;
  Tensor &target_;
  const RowLayout &layout_;
  int64_t total_;
  int64_t parents_ = 1;           ///< of the first level that is not dense
  int64_t nodes_[kMaxOrder] = {}; ///< by level between the dense ones and the list
  bool adopted_ = false;          ///< the buffers are the target's arrays
};

/// visit(row, firstNew, begin, end) for each row in order: the outermost level whose coordinate differs from that of
/// the row before, and the row's entries.
template <typename Visit> void RowPacker::visitRows(Visit visit) const {
  const int64_t rowOrder = state_.rowOrder;
  const int64_t *previous = nullptr;
  int64_t begin = 0;
  for (int64_t chunk = 0; chunk < state_.assembly->chunks; ++chunk) {
    const Collector *run = entriesOf(state_, chunk);
    for (int64_t q = 0; run && q < run->rowCount; ++q) {
      const int64_t *row = run->rows + q * (rowOrder + 1);
      int64_t firstNew = 0;
      while (previous && firstNew < rowOrder && row[firstNew] == previous[firstNew])
        ++firstNew;
      const int64_t end = run->base + row[rowOrder];
      visit(row, firstNew, begin, end);
      previous = row;
      begin = end;
    }
  }
}

void RowPacker::countNodes() {
  for (int64_t k = 0; k < layout_.dense; ++k)
    if (__builtin_mul_overflow(parents_, level(k).extent, &parents_))
      parents_ = INT64_MAX;
  if (layout_.dense == layout_.list)
    return;
  visitRows([this](const int64_t *, int64_t firstNew, int64_t, int64_t) {
    for (int64_t k = firstNew > layout_.dense ? firstNew : layout_.dense; k < layout_.list; ++k)
      ++nodes_[k];
  });
}

bool RowPacker::allocate() {
  for (int64_t k = layout_.dense; k <= layout_.list; ++k) {
    Level &to = target_.levels[k];
    if (k > 0 && !state_.lengths) {
      const int64_t parents = k == layout_.dense ? parents_ : nodes_[k - 1];
      if (!allocatePointers(state_.allocator, parents, target_.pointerBytes, to.pointers))
        return false;
    }
    if (k < layout_.list && !allocateArray(state_.allocator, nodes_[k], target_.indexBytes, to.indices))
      return false;
  }
  return allocateEntries();
}

/// The arrays that have an element for each entry: the only buffers there are, or new ones.
bool RowPacker::allocateEntries() {
  const int64_t stride = leaf().stride, size = target_.indexBytes;
  if (Segment *segment = onlySegment(); segment && stride == 1) {
    leaf().indices = segment->keys;
    target_.values = segment->values;
    segment->keys = segment->values = nullptr;
    adopted_ = layout_.list == target_.order - 1;
  } else if (state_.valueBytes > 0 && !allocateArray(state_.allocator, total_, state_.valueBytes, target_.values)) {
    return false;
  }
  if (stride > 1) {
    void *shared;
    if (total_ > INT64_MAX / 16 / stride || !allocateArray(state_.allocator, total_ * stride, size, shared))
      return false;
    for (int64_t k = layout_.list; k < target_.order; ++k)
      target_.levels[k].indices = shared;
    return true;
  }
  for (int64_t k = layout_.list; k < target_.order; ++k)
    if (Level &to = target_.levels[k]; !to.indices && !allocateArray(state_.allocator, total_, size, to.indices))
      return false;
  return true;
}

/// The segment that holds all entries and not too much room besides, if there is one. Pages that are never touched cost
/// nothing.
Segment *RowPacker::onlySegment() const {
  for (int64_t chunk = 0; chunk < state_.assembly->chunks; ++chunk)
    if (const Collector *run = entriesOf(state_, chunk))
      for (Segment *segment = run->first; segment; segment = segment->next)
        if (segment->count > 0)
          return segment->count == total_ && segment->capacity / kMostRoom <= total_ ? segment : nullptr;
  return nullptr;
}

template <typename T> SPC_HOT void lengthsToPointers(void *array, int64_t count) {
  auto *pointers = static_cast<T *>(array);
  T begin = 0;
  for (int64_t row = 0; row < count; ++row) {
    const T length = pointers[row];
    pointers[row] = begin;
    begin = static_cast<T>(begin + length);
  }
  pointers[count] = begin;
}

void RowPacker::adoptLengths() {
  void *&pointers = target_.levels[1].pointers;
  pointers = state_.lengths;
  state_.lengths = nullptr;
  switch (target_.pointerBytes) {
  case 1:
    return lengthsToPointers<uint8_t>(pointers, parents_);
  case 2:
    return lengthsToPointers<uint16_t>(pointers, parents_);
  case 4:
    return lengthsToPointers<int32_t>(pointers, parents_);
  default:
    return lengthsToPointers<int64_t>(pointers, parents_);
  }
}

/// Pointers down to the list and the indices of the levels above it.
void RowPacker::writeTree() {
  const int64_t dense = layout_.dense, list = layout_.list;
  const int64_t bytes = target_.pointerBytes;
  int64_t next[kMaxOrder] = {}; // by level, like nodes_
  int64_t parent = 0;           // the first one whose pointer is not written yet
  visitRows([&](const int64_t *row, int64_t firstNew, int64_t begin, int64_t) {
    next[list] = begin;
    if (dense > 0 && firstNew < dense) {
      int64_t position = 0;
      for (int64_t k = 0; k < dense; ++k)
        position = position * level(k).extent + row[k];
      for (; parent <= position; ++parent)
        store(level(dense).pointers, bytes, parent, next[dense]);
    }
    for (int64_t k = firstNew > dense ? firstNew : dense; k < list; ++k) {
      store(level(k).indices, target_.indexBytes, next[k], row[k]);
      store(level(k + 1).pointers, bytes, next[k], next[k + 1]);
      ++next[k];
    }
  });
  next[list] = total_;
  if (dense > 0)
    for (; parent <= parents_; ++parent)
      store(level(dense).pointers, bytes, parent, next[dense]);
  for (int64_t k = dense; k < list; ++k)
    store(level(k + 1).pointers, bytes, next[k], next[k + 1]);
}

void RowPacker::copyKeys(const Segment &segment, int64_t to) const {
  const Level &last = level(target_.order - 1);
  const int64_t bytes = target_.indexBytes;
  if (last.stride == 1)
    return copyElements(elementAt(last.indices, to, bytes), segment.keys, segment.count, bytes);
  for (int64_t e = 0; e < segment.count; ++e)
    store(last.indices, bytes, (to + e) * last.stride + last.offset, load(segment.keys, bytes, e));
}

/// The coordinates of the list but the last: the row's, once for each entry.
void RowPacker::fillList(const Collector &run) const {
  const int64_t rowOrder = state_.rowOrder;
  for (int64_t k = layout_.list; k < rowOrder; ++k) {
    int64_t entry = run.base;
    for (int64_t q = 0; q < run.rowCount; ++q) {
      const int64_t *row = run.rows + q * (rowOrder + 1);
      for (; entry < run.base + row[rowOrder]; ++entry)
        store(level(k).indices, target_.indexBytes, entry * level(k).stride + level(k).offset, row[k]);
    }
  }
}

void RowPacker::copyChunk(void *closure, int64_t chunk) {
  const auto &packer = *static_cast<RowPacker *>(closure);
  const AssemblyState &state = packer.state_;
  Collector *run = entriesOf(state, chunk);
  if (!run)
    return;
  int64_t to = run->base;
  for (const Segment *segment = run->first; segment; segment = segment->next) {
    if (segment->keys)
      packer.copyKeys(*segment, to);
    if (segment->values)
      copyElements(elementAt(packer.target_.values, to, state.valueBytes), segment->values, segment->count,
                   state.valueBytes);
    to += segment->count;
  }
  packer.fillList(*run);
  releaseEntries(*run);
}

} // namespace

Collector *entriesOf(const AssemblyState &state, int64_t chunk) {
  for (int64_t r = 0; r < state.assembly->runs; ++r)
    if (Collector &run = collectorOf(state, chunk, r); run.total > 0)
      return &run;
  return nullptr;
}

int64_t sumTotals(AssemblyState &state) {
  int64_t total = 0;
  for (int64_t chunk = 0; chunk < state.assembly->chunks; ++chunk)
    if (Collector *run = entriesOf(state, chunk)) {
      run->base = total;
      total += run->total;
    }
  return total;
}

RowLayout layoutOf(const Assembly &assembly) {
  const Tensor &target = *assembly.target;
  if (target.order != assembly.order || assembly.rowOrder + 1 != assembly.order ||
      assembly.keyBytes != target.indexBytes)
    return {};
  const auto isStored = [&](int64_t k, LevelStorage storage) {
    return k < target.order && target.levels[k].storage == storage;
  };
  RowLayout layout = {};
  int64_t k = 0;
  while (isStored(k, LevelStorage::Dense))
    ++k;
  layout.dense = k;
  while (isStored(k, LevelStorage::Compressed))
    ++k;
  layout.list = k - 1;
  while (isStored(k, LevelStorage::Singleton))
    ++k;
  layout.applies = k == target.order && layout.list >= layout.dense;
  const int64_t stride = target.levels[target.order - 1].stride;
  for (k = 0; k < target.order; ++k) {
    const Level &level = target.levels[k];
    layout.applies = layout.applies && level.dimension == assembly.dims[k] && level.part == LevelPart::Whole &&
                     (k < layout.dense || level.stride == (k < layout.list ? 1 : stride));
  }
  return layout;
}

Status packRows(AssemblyState &state) {
  return RowPacker(state).run();
}

} // namespace spc::runtime
