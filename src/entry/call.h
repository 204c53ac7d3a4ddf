// The entry's calls of bodies, which depend on where these run.
#pragma once

#include "entry/allocator.h"
#include "entry/work.h"

#include "mlir/Support/LogicalResult.h"

#include <optional>

namespace spc::entry {

/// How a body's rows, or the positions of a compressed root, are divided.
struct Chunks {
  std::optional<Work> work; ///< nullopt where the body takes them all at once
  mlir::Value tasks;        ///< chunks; 1 where they run one after the other
  mlir::Value hook;         ///< the context's parallel-for, or NULL
  mlir::Value borders;      ///< of a body that assembles: where each chunk begins and the last one ends; else null
  const sema::Tensor *copied = nullptr; ///< the output of which each chunk has a copy; null: all write to the outputs
  bool setsToZero = false;              ///< the body sets it to zero first
};

/// A body that assembles, as plan() has to know it.
struct Assembling {
  mlir::Value
      nanoseconds; ///< that it takes, roughly, beyond what it takes to visit what is stored below its rows; or null
};

/// How the entry calls the bodies of a backend (pipeline/backend.h).
class BodyCalls {
public:
  virtual ~BodyCalls() = default;

  /// Builds what decides how a body is divided. One without arguments bound as `begin` and `end` is not. `assembling`:
  /// null for a body that assembles nothing; else the borders are there to look at.
  virtual Chunks plan(Entry &entry, mlir::LLVM::LLVMFuncOp body, const Assembling *assembling) const = 0;

  /// Builds the call of a body with each argument as its spc.bind says. `chunks` are those that plan() gave. `assembly`
  /// is bound as such; null for a body that assembles nothing. Fails, for a bug of ours, on an argument without a
  /// value.
  virtual mlir::LogicalResult call(Entry &entry, Memory &memory, mlir::LLVM::LLVMFuncOp body, const Chunks &chunks,
                                   mlir::Value assembly) const = 0;

  /// Whether the bodies of a sweep can run piece by piece; else each is called for all rows.
  virtual bool mayRunTogether(Entry &entry, const sema::Sweep &sweep) const = 0;

  /// Builds that, with the memory that it takes. Requires: they may. Fails as call() does.
  virtual mlir::LogicalResult runTogether(Entry &entry, Memory &memory, const sema::Sweep &sweep) const = 0;
};

/// Calls of bodies that run on the processors that the entry runs on: at once, or, where the context has a parallel-for
/// and there is enough work, in chunks of equal work, as many as the time it takes asks for, each from a task of its
/// own; one after the other where memory for copies runs out.
const BodyCalls &callsInChunks();

} // namespace spc::entry
