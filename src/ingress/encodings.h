// MLIR's sparse encodings and element types as spc's formats and value types.
#pragma once

#include "format/format.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

#include <optional>
#include <string>

namespace spc::ingress {

/// A format, or why the encoding is none.
struct FormatOrReason {
  std::optional<format::Format> format;
  std::string reason;
  std::string difference; ///< of its arrays from those that MLIR's runtime has; empty: none
};

/// The format of an encoding; slices of it say nothing of how entries are stored.
FormatOrReason formatOf(mlir::sparse_tensor::SparseTensorEncodingAttr encoding);

/// The language's name of a type; empty where it has none. Integers without a sign have one there, and bits are bools.
std::string typeName(mlir::Type type);

/// The name of a type of integers as that of those without a sign.
std::string withoutSign(mlir::Type type);

/// Whether tensors of a type list coordinates.
bool listsEntries(mlir::Type type);

} // namespace spc::ingress
