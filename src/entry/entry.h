// The exported entry of a kernel: C structs in, calls to the body out.
#pragma once

#include "abi/signature.h"
#include "entry/stored_constant.h"
#include "sema/kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"

#include <string>

namespace llvm {
class TargetMachine;
}

namespace spc::entry {

class BodyCalls;

/// Sets the machine's triple and data layout on a module, whence translation takes them. To be called before addEntry,
/// which passes sizes to malloc as wide as the target's pointers.
void setTarget(mlir::ModuleOp module, const llvm::TargetMachine &machine);

/// The internal function that holds the code of body `name`.
std::string bodySymbol(const std::string &name);

/// Adds the functions that an object exports to a module in the LLVM dialect that holds the kernel's bodies as internal
/// llvm.funcs, whose arguments carry spc.bind attributes (see docs/why.md, "The body's arguments"):
/// `spc_status <symbol>(const spc_context *, ...)` for the call and for each phase, which takes a plan or NULL as its
/// last argument, for each of them `spc_status <argvSymbol>(const spc_context *, void **arguments)`, where arguments[k]
/// is the k-th pointer or points to the k-th number; and the signature as text. The entry checks pointers, shapes,
/// strides and the context, sets a shared pattern's NULL pointers, allocates temporaries, makes converted copies, calls
/// the bodies as `calls` does (call.h) and frees again. On every failure it returns a status and leaves nothing
/// allocated. Bodies become internal, bodySymbol(), and are never inlined. Fails, with an MLIR diagnostic, on a body
/// that does not fit the kernel: a bug of ours. The module declares a global for each array of the constants,
/// constantSymbol() (constants.h), to be defined in LLVM's.
mlir::LogicalResult addEntry(mlir::ModuleOp module, const sema::Kernel &kernel, const abi::Signature &signature,
                             const BodyCalls &calls, const StoredConstants &constants = {});

} // namespace spc::entry
