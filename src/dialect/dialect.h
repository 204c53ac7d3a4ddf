// The dialect `spc`, its operations, types and attributes (SpcDialect.td, SpcOps.td, SpcTypes.td, SpcAttributes.td).
#pragma once

#include "dialect/attributes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/SpcDialect.h.inc"
#include "dialect/SpcTypeEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/SpcTypes.h.inc"

namespace spc::dialect {

/// The memory that the operations for assembly read and write.
struct CollectedEntries : mlir::SideEffects::Resource::Base<CollectedEntries> {
  llvm::StringRef getName() final { return "spc.collected_entries"; }
};

} // namespace spc::dialect

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // in what mlir-tblgen writes of operations
#define GET_OP_CLASSES
#include "dialect/SpcOps.h.inc"
#pragma GCC diagnostic pop
