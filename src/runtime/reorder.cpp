#include "runtime/entries.h"
#include "runtime/memory.h"
#include "runtime/rebased.h"
#include "runtime/sorting.h"
#include "runtime/values.h"

// What is compiled here for the kernels' targets has no libc: nothing may be included but freestanding headers.
#include <stddef.h>

namespace spc::runtime {
namespace {

bool fitsInt32(const Tensor &source) {
  bool fits = source.stored <= INT32_MAX;
  for (int64_t k = 0; k < source.order; ++k)
    fits = fits && source.levels[k].extent <= INT32_MAX && source.levels[k].minusExtent <= INT32_MAX;
  return fits;
}

/// Copies one tensor.
class Reorder {
public:
  Reorder(const Allocator &allocator, const Tensor &source, Tensor &copy)
      : source_(source), copy_(copy), workspace_(allocator), result_(allocator), width_(fitsInt32(source) ? 4 : 8) {}

  Status run() {
    if (!allocateWorkspace())
      return Status::Memory;
    if (const Status status = readEntries(); status != Status::Ok)
      return status;
    for (int64_t k = copy_.order - 1; k >= 0; --k)
      sortBy(order_, keys_[k], copy_.levels[k].extent);
    countNodes();
    if (!allocateResult())
      return Status::Memory;
    if (copy_.order == 1)
      writeVector();
    else
      writeTree();
    result_.keep();
    return Status::Ok;
  }

private:
  bool allocateWorkspace();
  Status readEntries();
  void countNodes();
  bool allocateResult();
  void writeValue(int64_t entry, int64_t at, bool isFirst);
  void writeVector();
  void writeTree();
  int64_t firstNewLevel(int64_t entry) const;

  const Tensor &source_;
  Tensor &copy_;
  Block workspace_;
  Block result_;
  int64_t width_;            ///< bytes that hold every coordinate and every entry's number
  Integers keys_[kMaxOrder]; ///< coordinates by position in the source, for each level of the copy
  int64_t nodes_[kMaxOrder]; ///< entries of each level of the copy
  EntryOrder order_;         ///< positions in the source
};

bool Reorder::allocateWorkspace() {
  int64_t keyOffset[kMaxOrder];
  Layout layout;
  for (int64_t k = 0; k < copy_.order; ++k)
    keyOffset[k] = layout.add(source_.stored, width_);
  const int64_t orderOffset = layout.add(source_.stored, width_);
  const int64_t nextOffset = layout.add(source_.stored, width_);
  const int64_t bucketOffset = layout.add(kBuckets, sizeof(int64_t));
  if (!workspace_.allocate(layout))
    return false;
  for (int64_t k = 0; k < copy_.order; ++k)
    keys_[k] = {workspace_.at(keyOffset[k]), width_};
  order_.now = {workspace_.at(orderOffset), width_};
  order_.next = {workspace_.at(nextOffset), width_};
  order_.buckets = reinterpret_cast<int64_t *>(workspace_.at(bucketOffset));
  return true;
}

Status Reorder::readEntries() {
  return walkEntries(source_, [this](int64_t position, const int64_t *at) {
    for (int64_t k = 0; k < copy_.order; ++k)
      keys_[k].set(position, at[copy_.levels[k].dimension]);
    order_.now.set(order_.count++, position);
  });
}

/// The outermost level in which sorted entry `entry` differs from the one before it; the copy's order where it repeats
/// that.
int64_t Reorder::firstNewLevel(int64_t entry) const {
  int64_t k = 0;
  if (entry > 0)
    while (k < copy_.order && keys_[k][order_.now[entry]] == keys_[k][order_.now[entry - 1]])
      ++k;
  return k;
}

void Reorder::countNodes() {
  nodes_[0] = copy_.levels[0].extent;
  for (int64_t k = 1; k < copy_.order; ++k)
    nodes_[k] = 0;
  for (int64_t e = 0; e < order_.count; ++e) {
    const int64_t first = firstNewLevel(e);
    for (int64_t k = first > 1 ? first : 1; k < copy_.order; ++k)
      ++nodes_[k];
  }
}

bool Reorder::allocateResult() {
  int64_t pointersOffset[kMaxOrder];
  int64_t indicesOffset[kMaxOrder];
  Layout layout;
  copy_.stored = nodes_[copy_.order - 1];
  layout.add(copy_.stored, copy_.valueBytes);
  for (int64_t k = 1; k < copy_.order; ++k) {
    pointersOffset[k] = layout.add(nodes_[k - 1], copy_.pointerBytes);
    layout.add(1, copy_.pointerBytes); // the array's last element, apart because an extent + 1 may overflow
    indicesOffset[k] = layout.add(nodes_[k], copy_.indexBytes);
  }
  if (!result_.allocate(layout))
    return false;
  copy_.values = result_.at(0);
  for (int64_t k = 1; k < copy_.order; ++k) {
    copy_.levels[k].pointers = result_.at(pointersOffset[k]);
    copy_.levels[k].indices = result_.at(indicesOffset[k]);
  }
  return true;
}

/// Sets the value of a place or, unless `isFirst`, adds to it. Nothing where the source has no values: then only its
/// pattern is copied.
void Reorder::writeValue(int64_t entry, int64_t at, bool isFirst) {
  if (!source_.values)
    return;
  if (isFirst)
    copyValue(source_, source_.values, entry, copy_.values, at);
  else
    addValue(source_, source_.values, entry, copy_.values, at);
}

/// Writes a copy of order 1: scatters into zeros.
void Reorder::writeVector() {
  for (int64_t b = 0; b < copy_.stored * copy_.valueBytes; ++b)
    static_cast<char *>(copy_.values)[b] = 0;
  for (int64_t e = 0; e < order_.count; ++e) {
    const int64_t entry = order_.now[e], at = keys_[0][entry];
    writeValue(entry, at, firstNewLevel(e) == 0);
  }
}

void Reorder::writeTree() {
  const int64_t order = copy_.order;
  int64_t next[kMaxOrder];
  for (int64_t k = 0; k < order; ++k)
    next[k] = 0;
  int64_t row = 0; // the first row whose pointer is not written yet
  for (int64_t e = 0; e < order_.count; ++e) {
    const int64_t entry = order_.now[e];
    const int64_t first = firstNewLevel(e);
    for (; row <= keys_[0][entry]; ++row)
      store(copy_.levels[1].pointers, copy_.pointerBytes, row, next[1]);
    for (int64_t k = first > 1 ? first : 1; k < order; ++k) {
      store(copy_.levels[k].indices, copy_.indexBytes, next[k], keys_[k][entry]);
      if (k + 1 < order)
        store(copy_.levels[k + 1].pointers, copy_.pointerBytes, next[k], next[k + 1]);
      ++next[k];
    }
    writeValue(entry, next[order - 1] - 1, first < order);
  }
  for (; row <= copy_.levels[0].extent; ++row)
    store(copy_.levels[1].pointers, copy_.pointerBytes, row, next[1]);
  for (int64_t k = 2; k < order; ++k)
    store(copy_.levels[k].pointers, copy_.pointerBytes, next[k - 1], next[k]);
}

/// Checks counts and extents, before any array is read.
Status checkCounts(const Tensor &source, const Tensor &copy) {
  if (source.stored < 0 || source.levels[0].count < 0)
    return Status::Count;
  if (source.stored == 0 || copy.order == 1)
    return Status::Ok;
  if (source.stored > largest(copy.pointerBytes))
    return Status::IndexType;
  for (int64_t k = 1; k < copy.order; ++k)
    if (copy.levels[k].extent - 1 > largest(copy.indexBytes))
      return Status::IndexType;
  return Status::Ok;
}

} // namespace

extern "C" int32_t spc_rt_reorder(const Allocator *allocator, const Tensor *source, Tensor *copy) {
  const Rebased whole(*allocator, *source);
  Status status = whole.status() == Status::Ok ? checkCounts(whole.tensor(), *copy) : whole.status();
  if (status == Status::Ok)
    status = Reorder(*allocator, whole.tensor(), *copy).run();
  return static_cast<int32_t>(status);
}

} // namespace spc::runtime
