// Locations that say which index variables loops and coordinates are parts of.
#pragma once

#include "dialect/index_marks.h"

#include "mlir/IR/Location.h"

namespace spc::transforms {

/// The array that a location has as its metadata; null for a plain one.
inline mlir::ArrayAttr metadataOf(mlir::Location location) {
  auto fused = mlir::dyn_cast<mlir::FusedLoc>(location);
  return fused ? mlir::dyn_cast_or_null<mlir::ArrayAttr>(fused.getMetadata()) : mlir::ArrayAttr();
}

/// A location without its metadata.
inline mlir::Location plain(mlir::Location location) {
  return metadataOf(location) ? mlir::cast<mlir::FusedLoc>(location).getLocations().front() : location;
}

} // namespace spc::transforms
