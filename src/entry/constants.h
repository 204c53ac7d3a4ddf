// Constants in the entry: arrays of the object in place of what callers pass.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// The name of the global that has a constant's array of that number.
std::string constantSymbol(const sema::Kernel &kernel, sema::TensorId id, size_t number);

/// Declares a global for each array.
void declareConstants(mlir::ModuleOp module, const sema::Kernel &kernel, const StoredConstants &constants);

/// A constant, or a copy of one. Requires: the entry has it.
TensorView constantView(Entry &entry, sema::TensorId id);

/// Sets the tensors that are constants, and no copies.
void bindConstants(Entry &entry);

} // namespace spc::entry
