#include "runtime/pack/entry_reader.h"

#include <stddef.h>

namespace spc::runtime {
namespace {

/// A list of entries that tensors take theirs from, one after the other.
class RemainingEntries {
public:
  RemainingEntries(const Allocator &allocator, const EntryList &entries)
      : allocator_(allocator), entries_(entries), block_(allocator) {}

  /// The list, with room for what is taken from it and for where its values are.
  bool prepare() {
    const int64_t bytes = entries_.count > INT32_MAX ? 8 : 4;
    int64_t extents[kMaxOrder], from = 0, fits = 0;
    Layout layout;
    for (int64_t d = 0; d < entries_.order; ++d)
      extents[d] = layout.add(entries_.count, sizeof(int64_t));
    const int64_t takenFrom = layout.add(entries_.count, sizeof(int64_t));
    if (entries_.from.isNull())
      from = layout.add(entries_.count, bytes);
    fits = layout.add(entries_.count, 1);
    if (!block_.allocate(layout))
      return false;
    taken_ = entries_;
    for (int64_t d = 0; d < entries_.order; ++d)
      taken_.at[d] = {block_.at(extents[d]), sizeof(int64_t)};
    taken_.from = {block_.at(takenFrom), sizeof(int64_t)};
    fits_ = reinterpret_cast<uint8_t *>(block_.at(fits));
    if (!entries_.from.isNull())
      return true;
    entries_.from = {block_.at(from), bytes};
    for (int64_t e = 0; e < entries_.count; ++e)
      entries_.from.set(e, e);
    return true;
  }

  /// Packs what the tensor has room for, or all that is left.
  Status give(Tensor &target, bool isLast) {
    if (isLast)
      return packEntries(allocator_, entries_, target, true);
    if (const Status status = findFitting(allocator_, entries_, target, fits_); status != Status::Ok)
      return status;
    taken_.count = 0;
    int64_t left = 0;
    for (int64_t e = 0; e < entries_.count; ++e)
      if (fits_[e] != 0)
        copy(e, taken_, taken_.count++);
      else
        copy(e, entries_, left++);
    entries_.count = left;
    return packEntries(allocator_, taken_, target, true);
  }

private:
  void copy(int64_t entry, const EntryList &to, int64_t place) const {
    for (int64_t d = 0; d < entries_.order; ++d)
      to.at[d].set(place, entries_.at[d][entry]);
    to.from.set(place, entries_.from[entry]);
  }

  const Allocator &allocator_;
  EntryList entries_, taken_{};
  Block block_;
  uint8_t *fits_ = nullptr;
};

Status distribute(const Allocator &allocator, const Tensor &source, const SumPart *parts) {
  EntryReader reader(allocator);
  if (const Status status = reader.read(source, false); status != Status::Ok)
    return status;
  RemainingEntries remaining(allocator, reader.list());
  if (!remaining.prepare())
    return Status::Memory;
  for (const SumPart *part = parts; part; part = part->next)
    if (const Status status = remaining.give(*part->tensor, part->next == nullptr); status != Status::Ok)
      return status;
  return Status::Ok;
}

} // namespace

extern "C" int32_t spc_rt_distribute(const Allocator *allocator, const Tensor *source, const SumPart *parts) {
  for (const SumPart *part = parts; part; part = part->next)
    clearArrays(*part->tensor);
  const Status status = distribute(*allocator, *source, parts);
  for (const SumPart *part = parts; status != Status::Ok && part; part = part->next)
    releaseArrays(*allocator, *part->tensor);
  return static_cast<int32_t>(status);
}

} // namespace spc::runtime
