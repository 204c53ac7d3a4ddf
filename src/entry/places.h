// The places that checks name when they fail.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// An argument as a whole.
Place placeOf(const Entry &entry, const abi::Parameter &parameter);

/// A field of an argument's struct, with its number, where it is one; the argument as a whole where it has no such
/// field.
Place placeOf(const Entry &entry, const TensorArgument &argument, abi::FieldRole role, size_t index = 0);

/// A tensor: an argument, or one within the kernel. `bytes`, which may be null: how many were asked for.
Place placeOf(const Entry &entry, const sema::Tensor &tensor, mlir::Value bytes = {});

/// A size of an argument, that should be the extent: what the argument says that the extent comes from.
Place sizePlace(const Entry &entry, const TensorArgument &argument, size_t dimension);

/// A place whose number should be another one: a field of `other`, or the end of an array that is a field.
Place against(Place place, const TensorArgument &other, abi::FieldRole role, size_t index, mlir::Value wanted);

} // namespace spc::entry
