#include "runtime/assembly/row_reader.h"
#include "runtime/hot.h"
#include "runtime/levels/walk.h"
#include "runtime/pack/pack.h"
#include "runtime/pack/rows.h"

namespace spc::runtime {
namespace {

/// Builds a list of all entries, with coordinates by dimension, chunk by chunk in parallel.
class ListBuilder {
public:
  explicit ListBuilder(AssemblyState &state) : state_(state) {
    list_.order = state.assembly->order;
    list_.count = sumTotals(state);
  }
  ListBuilder(const ListBuilder &) = delete;
  ListBuilder &operator=(const ListBuilder &) = delete;
  ~ListBuilder() {
    for (void *&array : arrays_)
      releaseArray(state_.allocator, array);
    releaseArray(state_.allocator, values_);
  }

  /// The bytes of coordinates that hold all.
  int64_t coordinateBytes() const {
    bool fits = true;
    for (int64_t d = 0; d < list_.order; ++d)
      fits = fits && state_.extents[d] <= INT32_MAX;
    return fits ? 4 : 8;
  }

  /// False where memory ran out.
  bool build(int64_t bytes) {
    for (int64_t d = 0; d < list_.order; ++d) {
      if (!allocateArray(state_.allocator, list_.count, bytes, arrays_[d]))
        return false;
      list_.at[d] = {arrays_[d], bytes};
    }
    if (state_.valueBytes > 0 && !allocateArray(state_.allocator, list_.count, state_.valueBytes, values_))
      return false;
    list_.values = values_;
    runTasks(state_.assembly->workers, state_.assembly->chunks, listChunk, this);
    return true;
  }
  const EntryList &list() const { return list_; }

  /// A matrix's as a tensor, which is good as long as the builder.
  Tensor matrix() {
    Tensor matrix = *state_.assembly->target;
    matrix.order = 2;
    matrix.levels = levels_;
    for (int64_t k = 0; k < 2; ++k) {
      Level &level = matrix.levels[k];
      level.kind = k == 0 ? LevelKind::Compressed : LevelKind::Singleton;
      level.part = Part::Whole;
      level.dimension = k;
      level.extent = state_.extents[k];
      level.count = list_.count;
      level.indices = arrays_[k];
      level.stride = 1;
    }
    matrix.stored = list_.count;
    matrix.values = values_;
    return matrix;
  }

private:
  void listRow(const RowReader &reader, int64_t to) const {
    const Assembly &assembly = *state_.assembly;
    const int64_t length = reader.length();
    for (int64_t place = 0; place < assembly.rowOrder; ++place)
      for (int64_t e = 0; e < length; ++e)
        list_.at[assembly.dims[place]].set(to + e, reader.row()[place]);
    for (int64_t e = 0; e < length; ++e) {
      int64_t at[kMaxOrder];
      spreadKey(state_, load(reader.keys(), state_.keyBytes, e), at);
      for (int64_t place = assembly.rowOrder; place < assembly.order; ++place)
        list_.at[assembly.dims[place]].set(to + e, at[assembly.dims[place]]);
    }
    if (values_)
      copyElements(elementAt(values_, to, state_.valueBytes), reader.values(), length, state_.valueBytes);
  }

  SPC_HOT static void listChunk(void *closure, int64_t chunk) {
    const auto &builder = *static_cast<ListBuilder *>(closure);
    RunState *run = entriesOf(builder.state_, chunk);
    if (!run)
      return;
    int64_t to = run->base;
    for (RowReader reader(*run); !reader.isDone(); reader.skip()) {
      builder.listRow(reader, to);
      to += reader.length();
    }
    releaseEntries(*run);
  }

  AssemblyState &state_;
  EntryList list_ = {};
  void *arrays_[kMaxOrder] = {};
  void *values_ = nullptr;
  Level levels_[2] = {};
};

template <typename I, typename V> Status packByRows(AssemblyState &state) {
  Tensor &target = *state.assembly->target;
  clearArrays(target);
  ListBuilder builder(state);
  if (builder.coordinateBytes() > static_cast<int64_t>(sizeof(I)) || builder.list().count > largest(sizeof(I)))
    return Status::IndexType;
  if (!builder.build(sizeof(I)))
    return Status::Memory;
  const Status status =
      buildRows<I, V>(state.allocator, state.assembly->workers, builder.matrix(), target, state.valueBytes > 0);
  if (status != Status::Ok)
    releaseArrays(state.allocator, target);
  return status;
}

} // namespace

extern "C" int32_t spc_rt_pack_list(Assembly *assembly) {
  AssemblyState &state = *assembly->state;
  ListBuilder builder(state);
  if (!builder.build(builder.coordinateBytes()))
    return static_cast<int32_t>(Status::Memory);
  return static_cast<int32_t>(packEntries(state.allocator, builder.list(), *assembly->target, state.valueBytes > 0));
}

#define SPC_DEFINE_PACKERS(INDEX, VALUE, I, V)                                                                         \
  extern "C" int32_t spc_rt_pack_list_rows_##INDEX##_##VALUE(Assembly *assembly) {                                     \
    return static_cast<int32_t>(packByRows<I, V>(*assembly->state));                                                   \
  }
SPC_DEFINE_PACKERS(4, 4, int32_t, uint32_t)
SPC_DEFINE_PACKERS(4, 8, int32_t, uint64_t)
SPC_DEFINE_PACKERS(8, 4, int64_t, uint32_t)
SPC_DEFINE_PACKERS(8, 8, int64_t, uint64_t)
#undef SPC_DEFINE_PACKERS

} // namespace spc::runtime
