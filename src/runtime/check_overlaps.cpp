// Whether arguments overlap in memory. Freestanding.
#include "runtime/runtime.h"

namespace spc::runtime {
namespace {

/// A region in bytes, its dimensions from the widest stride to the narrowest, those that are contiguous joined. What is
/// left of a contiguous region is one run of bytes without dimensions.
struct Box {
  uintptr_t first = 0;
  uint64_t run = 0; ///< bytes that lie one after the other; 0: the box is empty
  int depth = 0;
  uint64_t extents[kMaxOrder] = {};
  uint64_t strides[kMaxOrder] = {};

  /// Bytes from the first to the end of the last, from dimension `d` on.
  uint64_t span(int d) const {
    uint64_t bytes = run;
    for (; d < depth; ++d)
      bytes += (extents[d] - 1) * strides[d];
    return bytes;
  }
};

/// Adds a dimension where strides stay sorted.
void insert(Box &box, uint64_t extent, uint64_t stride) {
  int place = box.depth++;
  for (; place > 0 && box.strides[place - 1] < stride; --place) {
    box.extents[place] = box.extents[place - 1];
    box.strides[place] = box.strides[place - 1];
  }
  box.extents[place] = extent;
  box.strides[place] = stride;
}

Box boxOf(const Region &region) {
  Box box;
  box.first = reinterpret_cast<uintptr_t>(region.first);
  box.run = static_cast<uint64_t>(region.bytes);
  for (int64_t d = 0; d < region.order; ++d) {
    if (region.extents[d] <= 0 || region.bytes <= 0)
      box.run = 0;
    if (region.extents[d] <= 1 || region.strides[d] == 0)
      continue;
    const auto extent = static_cast<uint64_t>(region.extents[d]);
    uint64_t stride = static_cast<uint64_t>(region.strides[d]) * static_cast<uint64_t>(region.bytes);
    if (region.strides[d] < 0) {
      box.first += static_cast<uintptr_t>((extent - 1) * stride);
      stride = 0 - stride;
    }
    insert(box, extent, stride);
  }
  while (box.run > 0 && box.depth > 0 && box.strides[box.depth - 1] == box.run)
    box.run *= box.extents[--box.depth];
  return box;
}

/// Whether a box, from dimension `d` on and `first` its first byte, has a byte in [begin, end).
bool touches(const Box &box, int d, uint64_t first, uint64_t begin, uint64_t end) {
  const uint64_t span = box.span(d);
  if (first >= end || first + span <= begin)
    return false;
  if (d == box.depth || (first >= begin && first + span <= end))
    return true;
  // The first place that does not end before the range; those from there on that begin within it.
  const uint64_t inner = box.span(d + 1), stride = box.strides[d];
  uint64_t place = begin >= first + inner ? (begin - first - inner) / stride + 1 : 0;
  for (; place < box.extents[d] && first + place * stride < end; ++place)
    if (touches(box, d + 1, first + place * stride, begin, end))
      return true;
  return false;
}

/// Whether a run of `box` from dimension `d` on touches `other`.
bool overlaps(const Box &box, int d, uint64_t first, const Box &other) {
  if (first >= other.first + other.span(0) || first + box.span(d) <= other.first)
    return false;
  if (d == box.depth)
    return touches(other, 0, other.first, first, first + box.run);
  for (uint64_t place = 0; place < box.extents[d]; ++place)
    if (overlaps(box, d + 1, first + place * box.strides[d], other))
      return true;
  return false;
}

} // namespace

extern "C" int32_t spc_rt_check_overlaps(const Region *regions, int64_t count) {
  for (int64_t a = 0; a < count; ++a)
    for (int64_t b = 0; b < a; ++b) {
      if (!regions[a].first || !regions[b].first || (regions[a].isWritten == 0 && regions[b].isWritten == 0))
        continue;
      const Box box = boxOf(regions[a]), other = boxOf(regions[b]);
      const bool isEmpty = box.run == 0 || other.run == 0;
      // The contiguous one is looked for in the other.
      if (!isEmpty && (box.depth == 0 ? overlaps(box, 0, box.first, other) : overlaps(other, 0, other.first, box)))
        return static_cast<int32_t>(Status::Overlap);
    }
  return static_cast<int32_t>(Status::Ok);
}

} // namespace spc::runtime
