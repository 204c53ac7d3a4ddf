#include "runtime/assembly/row_reader.h"
#include "runtime/levels/walk.h"
#include "runtime/values.h"

namespace spc::runtime {
namespace {

/// Appends rows to a run that has room for them.
class RowWriter {
public:
  RowWriter(RunState &to) : to_(to), state_(*to.state) {}

  void add(const RowReader &from, int64_t first, int64_t length) {
    copyElements(elementAt(to_.keys, count_, state_.keyBytes), elementAt(from.keys(), first, state_.keyBytes), length,
                 state_.keyBytes);
    if (state_.valueBytes > 0)
      copyElements(elementAt(to_.values, count_, state_.valueBytes), elementAt(from.values(), first, state_.valueBytes),
                   length, state_.valueBytes);
    count_ += length;
  }

  void addOne(const RowReader &from, int64_t entry) {
    copyElement(elementAt(to_.keys, count_, state_.keyBytes), elementAt(from.keys(), entry, state_.keyBytes),
                state_.keyBytes);
    if (state_.valueBytes > 0)
      copyElement(elementAt(to_.values, count_, state_.valueBytes), elementAt(from.values(), entry, state_.valueBytes),
                  state_.valueBytes);
    ++count_;
  }

  /// Adds to the value of the last entry.
  void addToLast(const RowReader &from, int64_t entry) {
    if (state_.valueBytes == 0)
      return;
    addValue(*state_.assembly->target, from.values(), entry, to_.values, count_ - 1);
  }

  void endRow(const int64_t *coordinates) { count_ = runtime::endRow(to_, count_, coordinates); }
  int64_t count() const { return count_; }

private:
  RunState &to_;
  const AssemblyState &state_;
  int64_t count_ = 0;
};

void mergeEntries(RowWriter &writer, const RowReader &a, const RowReader &b, int64_t keyBytes) {
  const int64_t lengthA = a.length(), lengthB = b.length();
  int64_t i = 0, j = 0;
  while (i < lengthA && j < lengthB) {
    const int64_t keyA = load(a.keys(), keyBytes, i), keyB = load(b.keys(), keyBytes, j);
    if (keyA <= keyB)
      writer.addOne(a, i++);
    else
      writer.addOne(b, j);
    if (keyA == keyB)
      writer.addToLast(b, j);
    if (keyB <= keyA)
      ++j;
  }
  writer.add(a, i, lengthA - i);
  writer.add(b, j, lengthB - j);
}

int compareRows(const RowReader &a, const RowReader &b, int64_t rowOrder) {
  if (a.isDone() || b.isDone())
    return a.isDone() ? 1 : -1;
  for (int64_t place = 0; place < rowOrder; ++place)
    if (a.row()[place] != b.row()[place])
      return a.row()[place] < b.row()[place] ? -1 : 1;
  return 0;
}

/// Writes the union of the rows of `a` and `b` into `to`.
void writeUnion(RunState &to, RowReader a, RowReader b) {
  const AssemblyState &state = *to.state;
  RowWriter writer(to);
  while (!a.isDone() || !b.isDone()) {
    const int order = compareRows(a, b, state.rowOrder);
    const int64_t *coordinates = order <= 0 ? a.row() : b.row();
    if (order == 0)
      mergeEntries(writer, a, b, state.keyBytes);
    else
      writer.add(order < 0 ? a : b, 0, (order < 0 ? a : b).length());
    writer.endRow(coordinates);
    if (order <= 0)
      a.skip();
    if (order >= 0)
      b.skip();
  }
  to.last->count = writer.count();
  to.total = to.before + writer.count();
}

} // namespace

int64_t joinRow(RunState &run, int64_t count, int64_t before) {
  const AssemblyState &state = *run.state;
  if (run.capacity - count < before)
    count = makeRoom(run, count, before);
  if (run.status == Status::Memory)
    return count;
  const auto copy = [&](int64_t from, int64_t to) {
    copyElement(elementAt(run.keys, to, state.keyBytes), elementAt(run.keys, from, state.keyBytes), state.keyBytes);
    if (state.valueBytes > 0)
      copyElement(elementAt(run.values, to, state.valueBytes), elementAt(run.values, from, state.valueBytes),
                  state.valueBytes);
  };
  // The first ones move behind the row. What is written never catches up with what is read.
  for (int64_t e = 0; e < before; ++e)
    copy(run.rowStart + e, count + e);
  int64_t write = run.rowStart, first = count, second = run.rowStart + before;
  const int64_t end = count + before;
  for (; first < end || second < count; ++write) {
    const int64_t a = first < end ? load(run.keys, state.keyBytes, first) : INT64_MAX;
    const int64_t b = second < count ? load(run.keys, state.keyBytes, second) : INT64_MAX;
    copy(a <= b ? first : second, write);
    if (a == b && state.valueBytes > 0)
      addValue(*state.assembly->target, run.values, second, run.values, write);
    first += a <= b ? 1 : 0;
    second += b <= a ? 1 : 0;
  }
  return write;
}

extern "C" void spc_rt_merge_runs(Run *into, Run *from) {
  auto &run = *static_cast<RunState *>(into), &other = *static_cast<RunState *>(from);
  RunState merged = {};
  merged.state = run.state;
  merged.expected = run.expected;
  merged.sorting = run.sorting;
  merged.sortingCapacity = run.sortingCapacity;
  merged.status = run.status != Status::Ok ? run.status : other.status;
  if (merged.status == Status::Ok) {
    if (openRun(merged, newBuffer(*merged.state, run.total + other.total + 1)))
      writeUnion(merged, RowReader(run), RowReader(other));
    else
      merged.status = Status::Memory;
  }
  releaseEntries(run);
  releaseEntries(other);
  copyElements(&run, &merged, 1, sizeof(RunState)); // an assignment would become a call of libc
}

} // namespace spc::runtime
