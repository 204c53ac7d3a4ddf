#include "runtime/collector.h"

namespace spc::runtime {
namespace {

/// A buffer of more than so many times what it holds is not handed over.
constexpr int64_t kMostRoom = 4;

/// The segment that holds all entries and not too much room besides, if there is one. Pages that are never touched cost
/// nothing.
Segment *onlySegment(const AssemblyState &state, int64_t total) {
  for (int64_t chunk = 0; chunk < state.assembly->chunks; ++chunk)
    if (const Collector *run = entriesOf(state, chunk))
      for (Segment *segment = run->first; segment; segment = segment->next)
        if (segment->count > 0)
          return segment->count == total && segment->capacity / kMostRoom <= total ? segment : nullptr;
  return nullptr;
}

struct Joining {
  AssemblyState &state;
  void *Segment::*elements;
  int64_t width;
  void *joined;
};

void joinChunk(void *closure, int64_t chunk) {
  const auto &[state, elements, width, joined] = *static_cast<Joining *>(closure);
  Collector *run = entriesOf(state, chunk);
  if (!run)
    return;
  int64_t to = run->base;
  for (Segment *segment = run->first; segment; segment = segment->next) {
    copyElements(elementAt(joined, to, width), segment->*elements, segment->count, width);
    releaseArray(state.allocator, segment->*elements);
    to += segment->count;
  }
}

} // namespace

Collector *entriesOf(const AssemblyState &state, int64_t chunk) {
  for (int64_t r = 0; r < state.assembly->runs; ++r)
    if (Collector &run = collectorOf(state, chunk, r); run.total > 0)
      return &run;
  return nullptr;
}

int64_t sumTotals(AssemblyState &state) {
  int64_t total = 0;
  for (int64_t chunk = 0; chunk < state.assembly->chunks; ++chunk)
    if (Collector *run = entriesOf(state, chunk)) {
      run->base = total;
      total += run->total;
    }
  return total;
}

bool joinElements(AssemblyState &state, int64_t total, void *Segment::*elements, int64_t width, void *&joined) {
  joined = nullptr;
  if (Segment *segment = onlySegment(state, total)) {
    joined = segment->*elements;
    segment->*elements = nullptr;
    return true;
  }
  if (!allocateArray(state.allocator, total, width, joined))
    return false;
  Joining joining = {state, elements, width, joined};
  forAll(*state.assembly, state.assembly->chunks, joinChunk, &joining);
  return true;
}

} // namespace spc::runtime
