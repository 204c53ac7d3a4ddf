// The positions of places in a tensor. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// The position among `target`'s values of the place at `coordinates` (by dimension), or -1 where it stores none.
/// Searches sorted lists in logarithmic time; a place that is not found that way is looked for in linear time, as lists
/// need not be sorted.
int64_t positionOf(const Tensor &target, const int64_t *coordinates);

/// walkEntries() of entries.h with less code, for what is called seldom: each use of that is a walk of its own.
Status visitEntries(const Tensor &source, void (*note)(void *closure, int64_t position, const int64_t *at),
                    void *closure);

template <typename Note> Status visitEntries(const Tensor &source, Note note) {
  const auto call = [](void *closure, int64_t position, const int64_t *at) {
    (*static_cast<Note *>(closure))(position, at);
  };
  return visitEntries(source, call, &note);
}

} // namespace spc::runtime
