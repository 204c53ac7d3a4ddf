// How functions that MLIR compiled take and give arrays, where they have llvm.emit_c_interface.
#pragma once

#include <cstdint>

namespace mlir {

/// MLIR's descriptor of a strided array.
template <int Rank> struct Array {
  void *allocated, *aligned;
  int64_t offset, sizes[Rank], strides[Rank];
};

using Array1 = Array<1>;
using Array2 = Array<2>;
using Array3 = Array<3>;

/// Elements that lie one after the other.
inline Array1 arrayOf(const void *elements, int64_t size) {
  return {const_cast<void *>(elements), const_cast<void *>(elements), 0, {size}, {1}};
}
inline Array2 arrayOf(const void *elements, int64_t rows, int64_t columns) {
  return {const_cast<void *>(elements), const_cast<void *>(elements), 0, {rows, columns}, {columns, 1}};
}
inline Array3 arrayOf(const void *elements, int64_t size, int64_t rows, int64_t columns) {
  return {const_cast<void *>(elements),
          const_cast<void *>(elements),
          0,
          {size, rows, columns},
          {rows * columns, columns, 1}};
}
template <class Elements> Array1 arrayOf(const Elements &elements) {
  return arrayOf(elements.data(), int64_t(elements.size()));
}

} // namespace mlir
