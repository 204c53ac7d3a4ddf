// Reading what a run has collected. Freestanding.
#pragma once

#include "runtime/assembly/assembly_state.h"

namespace spc::runtime {

/// Reads the rows of a run, one after the other.
struct RowReader {
  explicit RowReader(const RunState &of) : run(of), segment(of.first), record(of.state->rowOrder + 1) { open(); }

  bool isDone() const { return next == run.rowCount; }
  const int64_t *row() const { return run.rows + next * record; }
  int64_t length() const { return row()[record - 1] - passed; }
  /// The entries of the row, until skip() moves on.
  const void *keys() const { return elementAt(segment->keys, offset, run.state->keyBytes); }
  const void *values() const { return elementAt(segment->values, offset, run.state->valueBytes); }

  void skip() {
    offset += length();
    passed = row()[record - 1];
    ++next;
    open();
  }

private:
  /// Moves on to the segment of the row, which lies in one.
  void open() {
    while (!isDone() && offset == segment->count) {
      segment = segment->next;
      offset = 0;
    }
  }

  const RunState &run;
  const Segment *segment;
  int64_t record;
  int64_t next = 0;
  int64_t passed = 0; ///< entries before the row
  int64_t offset = 0; ///< those of its segment before the row
};

} // namespace spc::runtime
