// What the passes made of a kernel's loops, read off the loops themselves and off LLVM's code, for people to be told.
#pragma once

#include "pipeline/compiler.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spc::pipeline {

/// The range of a loop, as far as its bounds say: the positions of a level of a sparse tensor, or an extent.
struct LoopRange {
  enum class Kind { Level, Extent, Unknown };
  Kind kind = Kind::Unknown;
  std::string name; ///< of the tensor, or of the extent
  int level = 0;    ///< of a tensor
  auto operator<=>(const LoopRange &) const = default;
};

/// All loops of one body for one processor that run over the same ranges: passes make several of one.
struct LoopFacts {
  std::vector<LoopRange> ranges; ///< several where positions of several operands are merged
  int copies = 0;                ///< how many of them there are
  int lanes = 1;                 ///< of the widest vectors that are computed with directly in them
  std::string element;           ///< of these: "f64"; empty where there are none
  int accumulators = 0;          ///< the most vectors that one of them carries from iteration to iteration
  bool prefetches = false;
  bool isTile = false; ///< it steps by more than one, over tiles
};

/// A body's machine code for one processor, as LLVM optimised it.
struct MachineFacts {
  std::string processor;   ///< "x86-64-v3"; empty where the target has one
  int innermost = 0;       ///< loops without loops inside
  int vectorised = 0;      ///< of these, how many compute with vectors
  std::string widest;      ///< "8 x f64": the most that one of these vectors holds; empty without any
  bool gathers = false;    ///< elements at listed places are loaded as vectors
  int prefetches = 0;      ///< instructions
  int64_t vectorBytes = 0; ///< of the target's registers
  std::vector<LoopFacts> loops;
};

/// One step of the kernel that has loops.
struct BodyFacts {
  size_t step = 0;                  ///< into sema::Kernel::steps
  bool inChunks = false;            ///< its outermost loop may run in chunks on several threads
  std::string items;                ///< what is divided: "rows of i", "positions of A's root"
  std::string copies;               ///< the output of which each chunk but the first has a copy; empty: none
  std::vector<std::string> sharers; ///< tensors whose stored entries weigh in a chunk's share
  bool hasTrials = false;           ///< large calls measure whether prefetches pay
  bool usesWorkspace = false;       ///< an assembled row is accumulated in a workspace, as entries come in no order
  std::vector<MachineFacts> machines;
};

/// Compiles the kernel as `compile` would, and says what came of each step with loops. nullopt with a diagnostic on
/// failure.
std::optional<std::vector<BodyFacts>> describeCode(const sema::Kernel &kernel, const CompileOptions &options,
                                                   Diagnostics &diagnostics);

} // namespace spc::pipeline
