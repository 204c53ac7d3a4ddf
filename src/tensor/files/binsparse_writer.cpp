#include "tensor/files/array_source.h"
#include "tensor/files/binsparse.h"
#include "tensor/files/packed_segments.h"
#include "tensor/files/segments.h"

#include <algorithm>

namespace spc::tensor {

namespace {

/// As Binsparse names the types of arrays, which have no half-precision floats.
std::string binsparseType(sema::ValueType type) {
  const auto bits = std::to_string(8 * sema::bytesOf(type));
  if (type == sema::ValueType::Bool)
    return "bint8";
  if (sema::isComplex(type))
    return type == sema::ValueType::CF32 ? "complex[float32]" : "complex[float64]";
  return (sema::isFloat(type) ? "float" : sema::isUnsigned(type) ? "uint" : "int") + bits;
}

Hdf5Array viewOf(std::string name, sema::ValueType type, const void *elements, int64_t count) {
  const size_t bytes = static_cast<size_t>(count) * static_cast<size_t>(sema::bytesOf(type));
  return {std::move(name), type, {static_cast<const char *>(elements), bytes}, {}};
}

Hdf5Array sourceArray(std::string name, sema::ValueType type, const ByteSource &source) {
  std::vector<char> owned;
  source([&](std::string_view piece) { owned.insert(owned.end(), piece.begin(), piece.end()); });
  const std::string_view elements(owned.data(), owned.size());
  return {std::move(name), type, elements, std::move(owned)};
}

/// Unsigned integers: of 32 bits where all of them fit.
sema::ValueType placesType(int64_t rows, int64_t columns, int64_t entries) {
  return std::max({rows, columns, entries}) > INT32_MAX ? sema::ValueType::U64 : sema::ValueType::U32;
}

std::string descriptorOf(std::string_view format, const std::vector<int64_t> &extents, int64_t entries,
                         const std::vector<Hdf5Array> &arrays) {
  std::string shape, types;
  for (const int64_t extent : extents)
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  for (const Hdf5Array &array : arrays)
    types += (types.empty() ? "\"" : ", \"") + array.name + "\": \"" + binsparseType(array.type) + "\"";
  return R"({"binsparse": {"version": "0.1", "format": ")" + std::string(format) + R"(", "shape": [)" + shape +
         R"(], "number_of_stored_values": )" + std::to_string(entries) + R"(, "data_types": {)" + types + "}}}";
}

/// The arrays that say where the entries of a matrix or vector are, and the format that has them.
std::string_view addPlaces(const Coordinates &entries, std::vector<Hdf5Array> &arrays) {
  const MatrixLists lists = matrixLists(entries);
  const sema::ValueType places = placesType(lists.rowCount, lists.columnCount, static_cast<int64_t>(entries.size()));
  const auto add = [&](const char *name, size_t dim) {
    arrays.push_back(sourceArray(name, places, coordinatesOf(entries, dim, places)));
  };
  if (entries.shape.size() == 1) {
    add("indices_0", 0);
    return "CVEC";
  }
  if (!lists.byRow && !lists.byColumn) {
    add("indices_0", 0);
    add("indices_1", 1);
    return "COO";
  }
  const std::vector<int64_t> pointers = pointersOf(entries, lists);
  const auto count = static_cast<int64_t>(pointers.size());
  arrays.push_back(
      sourceArray("pointers_to_1", places, integersOf(pointers.data(), format::IndexType::I64, count, places)));
  add("indices_1", lists.byRow ? 1 : 0);
  return lists.byRow ? "CSR" : "CSC";
}

} // namespace

std::optional<std::string> writeBinsparse(const Coordinates &entries, const WriteOptions &options) {
  std::vector<Hdf5Array> arrays;
  const std::string_view format = !options.isDense            ? addPlaces(entries, arrays)
                                  : entries.shape.size() == 1 ? "DVEC"
                                                              : "DMATR";
  const sema::ValueType type = sema::arithmeticType(options.type);
  arrays.push_back(sourceArray("values", type, valuesOf(entries, type)));
  return writeHdf5(descriptorOf(format, entries.shape, static_cast<int64_t>(entries.size()), arrays), arrays);
}

bool hasBinsparseArrays(const PackedTensor &tensor) {
  const PackedArrays &arrays = tensor.arrays();
  if (arrays.format().isDense())
    return tensor.format().order() <= 2;
  const std::optional<size_t> major = segmentsMajor(arrays.format());
  return major && tensor.shape()[*major] <= mostPointers(arrays.valueCount) && hasOrderedSegments(arrays);
}

std::optional<std::string> writeBinsparse(const PackedTensor &tensor) {
  using abi::FieldRole;
  const PackedArrays &from = tensor.arrays();
  const std::vector<int64_t> shape = tensor.shape();
  const int64_t count = from.valueCount;
  const sema::ValueType own = from.valueType(), type = sema::arithmeticType(own);
  std::vector<Hdf5Array> arrays;
  std::string_view format = shape.size() == 1 ? "DVEC" : "DMATR";
  if (const std::optional<size_t> major = segmentsMajor(from.format())) {
    const sema::ValueType places = placesType(shape[0], shape[1], count);
    const auto add = [&](const char *name, FieldRole role, format::IndexType index, int64_t length) {
      const void *array = from.array(role, 1);
      arrays.push_back(format::bits(index) / 8 == sema::bytesOf(places)
                           ? viewOf(name, places, array, length)
                           : sourceArray(name, places, integersOf(array, index, length, places)));
    };
    add("pointers_to_1", FieldRole::Pointers, from.format().pointers, shape[*major] + 1);
    add("indices_1", FieldRole::Indices, from.format().indices, count);
    format = *major == 0 ? "CSR" : "CSC";
  }
  const bool isView = type == own && (!from.format().isDense() || isRowMajor(from));
  arrays.push_back(isView                    ? viewOf("values", type, from.array(FieldRole::Values), count)
                   : from.format().isDense() ? sourceArray("values", type, elementsOf(from, type))
                                             : sourceArray("values", type, valuesOf(from, type)));
  return writeHdf5(descriptorOf(format, shape, count, arrays), arrays);
}

} // namespace spc::tensor
