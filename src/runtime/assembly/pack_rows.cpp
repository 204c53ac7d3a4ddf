#include "runtime/assembly/assembly_state.h"
#include "runtime/hot.h"
#include "runtime/levels/walk.h"
#include "runtime/pack/pack.h"

namespace spc::runtime {
namespace {

/// Packs rows that are in the target's order. Levels above the list are written row by row; arrays with an element for
/// each entry are written chunk by chunk, in parallel.
class RowPacker {
public:
  explicit RowPacker(AssemblyState &state)
      : state_(state), target_(*state.assembly->target), dense_(state.assembly->dense), list_(state.assembly->list),
        total_(sumTotals(state)) {}

  Status run() {
    countNodes();
    clearArrays(target_);
    if (list_ > 0 && total_ > largest(target_.pointerBytes))
      return Status::IndexType;
    if (!allocate() || !joinList()) {
      releaseArrays(state_.allocator, target_);
      return Status::Memory;
    }
    target_.stored = total_;
    for (int64_t k = dense_; k <= list_; ++k)
      target_.levels[k].count = k < list_ ? nodes_[k] : total_;
    writeTree();
    if (list_ < target_.order - 1)
      runTasks(state_.assembly->workers, state_.assembly->chunks, fillChunk, this);
    return Status::Ok;
  }

private:
  Level &leaf() { return target_.levels[target_.order - 1]; }
  const Level &level(int64_t k) const { return target_.levels[k]; }

  template <typename Visit> void visitRows(Visit visit) const;
  void countNodes();
  bool allocate();
  bool allocateList();
  bool joinList();
  void writeTree();
  static void copyKeys(void *closure, int64_t chunk);
  static void fillChunk(void *closure, int64_t chunk);

  AssemblyState &state_;
  Tensor &target_;
  const int64_t dense_, list_;
  int64_t total_;
  int64_t parents_ = 1;           ///< parents of the first level that is not dense
  int64_t nodes_[kMaxOrder] = {}; ///< entries of each level between the dense ones and the list
};

/// Calls visit(row, firstNew, begin, end) for each row in order: `firstNew` is the outermost level whose coordinate
/// differs from that of the row before, [begin, end) are the row's entries.
template <typename Visit> void RowPacker::visitRows(Visit visit) const {
  const int64_t rowOrder = state_.rowOrder;
  const int64_t *previous = nullptr;
  int64_t begin = 0;
  for (int64_t chunk = 0; chunk < state_.assembly->chunks; ++chunk) {
    const RunState *run = entriesOf(state_, chunk);
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
  for (int64_t k = 0; k < dense_; ++k)
    if (__builtin_mul_overflow(parents_, level(k).extent, &parents_))
      parents_ = INT64_MAX;
  if (dense_ == list_)
    return;
  visitRows([this](const int64_t *, int64_t firstNew, int64_t, int64_t) {
    for (int64_t k = firstNew > dense_ ? firstNew : dense_; k < list_; ++k)
      ++nodes_[k];
  });
}

bool RowPacker::allocate() {
  for (int64_t k = dense_; k <= list_; ++k) {
    Level &to = target_.levels[k];
    if (k > 0 &&
        !allocatePointers(state_.allocator, k == dense_ ? parents_ : nodes_[k - 1], target_.pointerBytes, to.pointers))
      return false;
    if (k < list_ && !allocateArray(state_.allocator, nodes_[k], target_.indexBytes, to.indices))
      return false;
  }
  return allocateList();
}

/// Allocates the list's arrays. An array of keys of its own is left out: joining makes it.
bool RowPacker::allocateList() {
  const int64_t stride = leaf().stride, size = target_.indexBytes;
  if (stride == 1) {
    for (int64_t k = list_; k < target_.order - 1; ++k)
      if (!allocateArray(state_.allocator, total_, size, target_.levels[k].indices))
        return false;
    return true;
  }
  void *shared;
  if (total_ > INT64_MAX / 16 / stride || !allocateArray(state_.allocator, total_ * stride, size, shared))
    return false;
  for (int64_t k = list_; k < target_.order; ++k)
    target_.levels[k].indices = shared;
  return true;
}

bool RowPacker::joinList() {
  const bool isApart = leaf().stride == 1;
  if (!joinEntries(state_, total_, isApart ? &leaf().indices : nullptr, &target_.values))
    return false;
  if (isApart)
    return true;
  runTasks(state_.assembly->workers, state_.assembly->chunks, copyKeys, this);
  return true;
}

/// Writes the pointers of all levels, and the indices of the levels above the list.
void RowPacker::writeTree() {
  const int64_t dense = dense_, list = list_;
  const int64_t bytes = target_.pointerBytes;
  int64_t next[kMaxOrder] = {}; // entries written so far, by level like nodes_
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

/// Writes a chunk's keys, where they are interleaved with the row's coordinates.
void RowPacker::copyKeys(void *closure, int64_t chunk) {
  auto &packer = *static_cast<RowPacker *>(closure);
  const RunState *run = entriesOf(packer.state_, chunk);
  const Level &last = packer.leaf();
  const int64_t bytes = packer.target_.indexBytes;
  int64_t to = run ? run->base * last.stride + last.offset : 0;
  for (const EntryBuffer *buffer = run ? run->first : nullptr; buffer; buffer = buffer->next)
    for (int64_t e = 0; e < buffer->count; ++e, to += last.stride)
      store(last.indices, bytes, to, load(buffer->keys, bytes, e));
}

template <typename T> SPC_HOT void fillSteps(void *array, int64_t begin, int64_t end, int64_t step, int64_t value) {
  for (int64_t at = begin; at < end; at += step)
    static_cast<T *>(array)[at] = static_cast<T>(value);
}

/// Writes the list's coordinates except the last: those of the row, once for each entry.
void RowPacker::fillChunk(void *closure, int64_t chunk) {
  const auto &packer = *static_cast<RowPacker *>(closure);
  const RunState *run = entriesOf(packer.state_, chunk);
  if (!run)
    return;
  const int64_t rowOrder = packer.state_.rowOrder, bytes = packer.target_.indexBytes;
  for (int64_t k = packer.list_; k < rowOrder; ++k) {
    const Level &to = packer.level(k);
    int64_t begin = run->base * to.stride + to.offset;
    for (int64_t q = 0; q < run->rowCount; ++q) {
      const int64_t *row = run->rows + q * (rowOrder + 1);
      const int64_t end = (run->base + row[rowOrder]) * to.stride + to.offset;
      if (bytes == 4)
        fillSteps<int32_t>(to.indices, begin, end, to.stride, row[k]);
      else
        for (int64_t at = begin; at < end; at += to.stride)
          store(to.indices, bytes, at, row[k]);
      begin = end;
    }
  }
}

} // namespace

extern "C" int32_t spc_rt_pack_rows(Assembly *assembly) {
  return static_cast<int32_t>(RowPacker(*assembly->state).run());
}

} // namespace spc::runtime
