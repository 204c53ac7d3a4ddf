#include "runtime/integers.h"
#include "runtime/levels/entries.h"
#include "runtime/levels/rebased.h"
#include "runtime/memory.h"
#include "runtime/values.h"

#include <stddef.h>

namespace spc::runtime {
namespace {

/// The entries of several tensors as one list of coordinates, which lives as long as this object.
class EntryJoin {
public:
  EntryJoin(const Allocator &allocator, const Tensor &target, bool withValues)
      : allocator_(allocator), block_(allocator), target_(target), withValues_(withValues) {}

  /// Ok; Memory; Count; IndexRange; IndexType.
  Status read(const Source *sources) {
    int64_t capacity = 0;
    duplicates_ = sources->tensor->duplicates; // of several, which make a sum, they add up
    for (const Source *source = sources; source; source = source->next) {
      if (source->tensor->stored < 0 || source->tensor->levels[0].count < 0)
        return Status::Count;
      if (source->tensor->stored > INT64_MAX / 4 - capacity)
        return Status::Memory;
      capacity += (source->isSymmetric != 0 ? 2 : 1) * source->tensor->stored;
    }
    for (int64_t k = 0; capacity > 0 && k < target_.order; ++k)
      if (target_.levels[k].extent - 1 > largest(target_.indexBytes))
        return Status::IndexType;
    if (!allocate(capacity))
      return Status::Memory;
    for (const Source *source = sources; source; source = source->next)
      if (const Status status = readOne(*source); status != Status::Ok)
        return status;
    levels_[0].count = list_.stored = count_;
    return Status::Ok;
  }

  const Tensor &list() const { return list_; }

private:
  bool allocate(int64_t capacity) {
    int64_t offsets[kMaxOrder];
    Layout layout;
    for (int64_t k = 0; k < target_.order; ++k)
      offsets[k] = layout.add(capacity, target_.indexBytes);
    const int64_t values = layout.add(withValues_ ? capacity : 0, target_.valueBytes);
    if (!block_.allocate(layout))
      return false;
    list_ = {target_.order,
             0,
             target_.pointerBytes,
             target_.indexBytes,
             target_.valueBytes,
             levels_,
             withValues_ ? block_.at(values) : nullptr,
             target_.valueKind,
             duplicates_};
    for (int64_t k = 0; k < target_.order; ++k) {
      Level &level = levels_[target_.levels[k].dimension];
      level = target_.levels[k];
      level.kind = level.dimension == 0 ? LevelKind::Compressed : LevelKind::Singleton;
      level.pointers = nullptr;
      level.indices = block_.at(offsets[k]);
      level.isUnique = 0;
      at_[level.dimension] = {level.indices, target_.indexBytes};
    }
    return true;
  }

  Status readOne(const Source &source) {
    const Rebased whole(allocator_, *source.tensor);
    if (whole.status() != Status::Ok)
      return whole.status();
    const Tensor &tensor = whole.tensor();
    const bool drops = source.dropsZeros != 0 && withValues_;
    const auto *values = static_cast<const char *>(tensor.values);
    const int64_t bytes = tensor.valueBytes;
    return walkEntries(tensor, [&](int64_t position, const int64_t *at) {
      if (drops && isZero(tensor.valueKind, values + position * bytes, bytes))
        return;
      append(tensor, position, at);
      if (source.isSymmetric != 0 && at[0] != at[1]) {
        const int64_t mirrored[2] = {at[1], at[0]};
        append(tensor, position, mirrored);
        if (source.isHermitian != 0 && withValues_)
          negateImaginary(list_.values, count_ - 1);
      }
    });
  }

  void append(const Tensor &tensor, int64_t position, const int64_t *at) {
    for (int64_t d = 0; d < target_.order; ++d)
      at_[d].set(count_, at[d]);
    if (withValues_)
      copyValue(tensor, tensor.values, position, list_.values, count_);
    ++count_;
  }

  void negateImaginary(void *values, int64_t position) const {
    if (target_.valueBytes == 8)
      static_cast<float *>(values)[2 * position + 1] *= -1;
    else
      static_cast<double *>(values)[2 * position + 1] *= -1;
  }

  const Allocator &allocator_;
  Block block_;
  const Tensor &target_;
  bool withValues_;
  Tensor list_{};
  Level levels_[kMaxOrder] = {};
  Integers at_[kMaxOrder];
  int64_t count_ = 0;
  Duplicates duplicates_ = Duplicates::Sum;
};

} // namespace

extern "C" int32_t spc_rt_convert_joined(const Allocator *allocator, const Workers *workers, const Sources *sources,
                                         Tensor *target, int64_t withValues) {
  EntryJoin join(*allocator, *target, withValues != 0);
  const Status status = join.read(sources->first);
  return status == Status::Ok ? sources->convert(allocator, workers, &join.list(), target, withValues)
                              : static_cast<int32_t>(status);
}

} // namespace spc::runtime
