#include "runtime/values.h"
#include "runtime/walk.h"

// What is compiled here for the kernels' targets has no libc: nothing may be included but freestanding headers.
#include <stddef.h>

namespace spc::runtime {
namespace {

constexpr int64_t kDigitBits = 11;
constexpr int64_t kBuckets = int64_t{1} << kDigitBits;

/// Adds up the bytes of arrays, each starting at a multiple of 8.
class Layout {
public:
  /// The offset of an array of `count` elements.
  int64_t add(int64_t count, int64_t bytes) {
    const int64_t offset = total_;
    constexpr int64_t limit = INT64_MAX / 16;
    if (total_ > limit || count > limit / bytes)
      overflows_ = true;
    else
      total_ += (count * bytes + 7) / 8 * 8;
    return offset;
  }
  bool overflows() const { return overflows_; }
  int64_t total() const { return total_; }

private:
  int64_t total_ = 0;
  bool overflows_ = false;
};

/// One block of memory, released with the scope.
class Block {
public:
  explicit Block(const Allocator &allocator) : allocator_(allocator) {}
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  ~Block() {
    if (memory_)
      allocator_.release(allocator_.user, memory_);
  }

  bool allocate(const Layout &layout) {
    if (!layout.overflows())
      memory_ = static_cast<char *>(allocator_.allocate(allocator_.user, layout.total() > 0 ? layout.total() : 1));
    return memory_ != nullptr;
  }
  char *at(int64_t offset) const { return memory_ + offset; }
  void keep() { memory_ = nullptr; }

private:
  const Allocator &allocator_;
  char *memory_ = nullptr;
};

bool fitsInt32(const Tensor &source) {
  bool fits = source.stored <= INT32_MAX;
  for (int64_t k = 0; k < source.order; ++k)
    fits = fits && source.levels[k].extent <= INT32_MAX && source.levels[k].minusExtent <= INT32_MAX;
  return fits;
}

/// An array of integers of 4 or 8 bytes. The width is chosen at run time, not by a template: kernels that use the
/// runtime compile it each time.
class Integers {
public:
  Integers() = default;
  Integers(void *array, int64_t bytes) : array_(array), isNarrow_(bytes == 4) {}
  int64_t operator[](int64_t position) const {
    return isNarrow_ ? static_cast<int32_t *>(array_)[position] : static_cast<int64_t *>(array_)[position];
  }
  void set(int64_t position, int64_t value) const {
    if (isNarrow_)
      static_cast<int32_t *>(array_)[position] = static_cast<int32_t>(value);
    else
      static_cast<int64_t *>(array_)[position] = value;
  }

private:
  void *array_ = nullptr;
  bool isNarrow_ = false;
};

/// The work on one tensor.
class Reorder {
public:
  Reorder(const Allocator &allocator, const Tensor &source, Tensor &copy)
      : source_(source), copy_(copy), workspace_(allocator), result_(allocator), entries_(source.stored),
        width_(fitsInt32(source) ? 4 : 8) {}

  Status run() {
    if (!allocateWorkspace())
      return Status::Memory;
    if (const Status status = readEntries(); status != Status::Ok)
      return status;
    for (int64_t k = copy_.order - 1; k >= 0; --k)
      sortBy(k);
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
  Status readFiber(Cursor &cursor);
  bool noteCoordinates(int64_t entry);
  void sortBy(int64_t level);
  bool isSortedBy(Integers key) const;
  void countNodes();
  bool allocateResult();
  void writeVector();
  void writeTree();
  int64_t firstNewLevel(int64_t entry) const;

  const Tensor &source_;
  Tensor &copy_;
  Block workspace_;
  Block result_;
  int64_t entries_;
  int64_t width_;            ///< bytes that hold every coordinate and every entry's number
  int64_t read_ = 0;         ///< entries inside the tensor
  int64_t seen_ = 0;         ///< all of them
  Integers keys_[kMaxOrder]; ///< by level of the copy: the coordinate of each entry, in the source's order
  bool isWhole_[kMaxOrder];  ///< by dimension: the source has a level that stores all of it
  int64_t path_[kMaxLevels]; ///< by level of the source: the coordinates of the entry that is being read
  int64_t nodes_[kMaxOrder]; ///< by level of the copy: its entries
  Integers order_;           ///< entries as sorted so far
  Integers nextOrder_;       ///< where the next sorting step writes
  int64_t *buckets_ = nullptr;
};

bool Reorder::allocateWorkspace() {
  int64_t keyOffset[kMaxOrder];
  Layout layout;
  for (int64_t k = 0; k < copy_.order; ++k)
    keyOffset[k] = layout.add(entries_, width_);
  const int64_t orderOffset = layout.add(entries_, width_);
  const int64_t nextOffset = layout.add(entries_, width_);
  const int64_t bucketOffset = layout.add(kBuckets, sizeof(int64_t));
  if (!workspace_.allocate(layout))
    return false;
  for (int64_t k = 0; k < copy_.order; ++k)
    keys_[k] = {workspace_.at(keyOffset[k]), width_};
  order_ = {workspace_.at(orderOffset), width_};
  nextOrder_ = {workspace_.at(nextOffset), width_};
  buckets_ = reinterpret_cast<int64_t *>(workspace_.at(bucketOffset));
  for (int64_t d = 0; d < kMaxOrder; ++d)
    isWhole_[d] = false;
  for (int64_t k = 0; k < source_.order; ++k)
    if (source_.levels[k].part == LevelPart::Whole)
      isWhole_[source_.levels[k].dimension] = true;
  return true;
}

/// Walks the source from the outside in and notes every entry's coordinates.
Status Reorder::readEntries() {
  const int64_t leaf = source_.order - 1;
  Cursor cursors[kMaxLevels + 1];
  cursors[0] = open(source_, 0, 0);
  int64_t k = 0;
  while (k >= 0) {
    Cursor &cursor = cursors[k];
    if (k == leaf) {
      if (const Status status = readFiber(cursor); status != Status::Ok)
        return status;
    }
    if (cursor.position >= cursor.end) {
      if (--k >= 0)
        ++cursors[k].position;
      continue;
    }
    const int64_t at = coordinate(source_, k, cursor);
    if (!isInRange(source_.levels[k], at))
      return Status::IndexRange;
    path_[k] = at;
    cursors[k + 1] = open(source_, k + 1, cursor.position);
    ++k;
  }
  const bool readAll = seen_ == source_.stored;
  entries_ = read_;
  return readAll ? Status::Ok : Status::Count;
}

/// The innermost level's entries under one parent. An entry's number is its position among the values.
Status Reorder::readFiber(Cursor &cursor) {
  const int64_t leaf = source_.order - 1;
  for (; cursor.position < cursor.end; ++cursor.position, ++seen_) {
    if (cursor.position < 0 || cursor.position >= source_.stored || seen_ >= source_.stored)
      return Status::Count;
    const int64_t at = coordinate(source_, leaf, cursor);
    if (!isInRange(source_.levels[leaf], at))
      return Status::IndexRange;
    path_[leaf] = at;
    if (noteCoordinates(cursor.position))
      order_.set(read_++, cursor.position);
  }
  return Status::Ok;
}

/// The coordinates by dimension of the entry at `path_`; false for a slot outside of the tensor.
bool Reorder::noteCoordinates(int64_t entry) {
  int64_t at[kMaxOrder] = {};
  for (int64_t k = 0; k < source_.order; ++k) {
    const Level &level = source_.levels[k];
    if (level.part != LevelPart::Difference)
      at[level.dimension] += level.part == LevelPart::Quotient ? path_[k] * level.block : path_[k];
  }
  for (int64_t k = 0; k < source_.order; ++k) {
    const Level &level = source_.levels[k];
    if (level.part != LevelPart::Difference)
      continue;
    if (isWhole_[level.minus])
      at[level.dimension] = at[level.minus] + path_[k];
    else
      at[level.minus] = at[level.dimension] - path_[k];
  }
  for (int64_t k = 0; k < copy_.order; ++k) {
    const Level &level = copy_.levels[k];
    if (at[level.dimension] < 0 || at[level.dimension] >= level.extent)
      return false;
    keys_[k].set(entry, at[level.dimension]);
  }
  return true;
}

bool Reorder::isSortedBy(Integers key) const {
  for (int64_t e = 1; e < entries_; ++e)
    if (key[order_[e - 1]] > key[order_[e]])
      return false;
  return true;
}

/// A stable sort of `order_` by one coordinate.
void Reorder::sortBy(int64_t level) {
  Integers key = keys_[level];
  if (isSortedBy(key))
    return;
  const uint64_t last = static_cast<uint64_t>(copy_.levels[level].extent) - 1;
  for (int64_t shift = 0; shift < 64 && (last >> shift) != 0; shift += kDigitBits) {
    const auto bucketOf = [=](int64_t entry) {
      return static_cast<int64_t>((static_cast<uint64_t>(key[entry]) >> shift) & (kBuckets - 1));
    };
    for (int64_t b = 0; b < kBuckets; ++b)
      buckets_[b] = 0;
    for (int64_t e = 0; e < entries_; ++e)
      ++buckets_[bucketOf(order_[e])];
    int64_t start = 0;
    for (int64_t b = 0; b < kBuckets; ++b) {
      const int64_t count = buckets_[b];
      buckets_[b] = start;
      start += count;
    }
    for (int64_t e = 0; e < entries_; ++e)
      nextOrder_.set(buckets_[bucketOf(order_[e])]++, order_[e]);
    const Integers sorted = nextOrder_;
    nextOrder_ = order_;
    order_ = sorted;
  }
}

/// The outermost level in which sorted entry `entry` differs from the one before it; the copy's order for a repeat.
int64_t Reorder::firstNewLevel(int64_t entry) const {
  int64_t k = 0;
  if (entry > 0)
    while (k < copy_.order && keys_[k][order_[entry]] == keys_[k][order_[entry - 1]])
      ++k;
  return k;
}

void Reorder::countNodes() {
  nodes_[0] = copy_.levels[0].extent;
  for (int64_t k = 1; k < copy_.order; ++k)
    nodes_[k] = 0;
  for (int64_t e = 0; e < entries_; ++e) {
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

/// Order 1: scatters into zeros.
void Reorder::writeVector() {
  for (int64_t b = 0; b < copy_.stored * copy_.valueBytes; ++b)
    static_cast<char *>(copy_.values)[b] = 0;
  for (int64_t e = 0; e < entries_; ++e) {
    const int64_t entry = order_[e], at = keys_[0][entry];
    if (firstNewLevel(e) == 0)
      copyValue(source_, entry, copy_.values, at);
    else
      addValue(source_, entry, copy_.values, at);
  }
}

void Reorder::writeTree() {
  const int64_t order = copy_.order;
  int64_t next[kMaxOrder];
  for (int64_t k = 0; k < order; ++k)
    next[k] = 0;
  int64_t row = 0; // the first row whose pointer is not written yet
  for (int64_t e = 0; e < entries_; ++e) {
    const int64_t entry = order_[e];
    const int64_t first = firstNewLevel(e);
    for (; row <= keys_[0][entry]; ++row)
      store(copy_.levels[1].pointers, copy_.pointerBytes, row, next[1]);
    for (int64_t k = first > 1 ? first : 1; k < order; ++k) {
      store(copy_.levels[k].indices, copy_.indexBytes, next[k], keys_[k][entry]);
      if (k + 1 < order)
        store(copy_.levels[k + 1].pointers, copy_.pointerBytes, next[k], next[k + 1]);
      ++next[k];
    }
    if (first < order)
      copyValue(source_, entry, copy_.values, next[order - 1] - 1);
    else
      addValue(source_, entry, copy_.values, next[order - 1] - 1);
  }
  for (; row <= copy_.levels[0].extent; ++row)
    store(copy_.levels[1].pointers, copy_.pointerBytes, row, next[1]);
  for (int64_t k = 2; k < order; ++k)
    store(copy_.levels[k].pointers, copy_.pointerBytes, next[k - 1], next[k]);
}

/// Counts and extents by themselves, before any array is read.
Status checkCounts(const Tensor &source, const Tensor &copy) {
  if (source.stored < 0 || source.rootCount < 0)
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
  Status status = checkCounts(*source, *copy);
  if (status == Status::Ok)
    status = Reorder(*allocator, *source, *copy).run();
  return static_cast<int32_t>(status);
}

} // namespace spc::runtime
