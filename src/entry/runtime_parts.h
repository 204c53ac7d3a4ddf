// Which functions of the runtime a kernel needs: it links those that it names alone, so that what is known when it is
// compiled keeps its object small and its compilation short.
#pragma once

#include "runtime/runtime.h"
#include "sema/kernel.h"

namespace spc::entry {

/// What an assembly needs besides collecting, as fields of runtime::Assembly; null: no such function.
struct AssemblyParts {
  int dense = 0;
  int list = -1;
  bool notesLengths = false;
  const runtime::Function *place = nullptr, *pack = nullptr, *merge = nullptr, *dropZeros = nullptr, *narrow = nullptr,
                          *startPlan = nullptr, *finishPlan = nullptr;
};

/// The parts for a statement that assembles, in this phase.
AssemblyParts assemblyParts(const sema::Kernel &kernel, const sema::Statement &statement, runtime::Phase phase);

/// The function that builds the arrays of one tensor from another's: `convert` or one of its like. `dims` gives the
/// dimensions of `source` their numbers in `target`; empty: the same. `dropsPadding`: what a format with padding stores
/// as 0 is left out.
const runtime::Function &converterFor(const sema::Tensor &source, const sema::Tensor &target, bool dropsPadding,
                                      const std::vector<int> &dims = {});

} // namespace spc::entry
