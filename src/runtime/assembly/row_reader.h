// Reading what a run has collected. Freestanding.
#pragma once

#include "runtime/assembly/assembly_state.h"

namespace spc::runtime {

/// Reads the rows of a run, one after the other.
struct RowReader {
  explicit RowReader(const RunState &of) : run(of), buffer(of.first), record(of.state->rowOrder + 1) { open(); }

  bool isDone() const { return next == run.rowCount; }
  const int64_t *row() const { return run.rows + next * record; }
  int64_t length() const { return row()[record - 1] - passed; }
  /// The entries of the row, until skip() moves on.
  const void *keys() const { return elementAt(buffer->keys, offset, run.state->keyBytes); }
  const void *values() const { return elementAt(buffer->values, offset, run.state->valueBytes); }

  void skip() {
    offset += length();
    passed = row()[record - 1];
    ++next;
    open();
  }

private:
  /// Moves on to the buffer of the row, which lies in one.
  void open() {
    while (!isDone() && offset == buffer->count) {
      buffer = buffer->next;
      offset = 0;
    }
  }

  const RunState &run;
  const EntryBuffer *buffer;
  int64_t record;
  int64_t next = 0;
  int64_t passed = 0; ///< entries before the row
  int64_t offset = 0; ///< those of its buffer before the row
};

} // namespace spc::runtime
