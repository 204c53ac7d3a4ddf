#include "tensor/array_source.h"
#include "tensor/binsparse.h"
#include "tensor/segments.h"

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

template <typename NumberAt>
Hdf5Array packedArray(std::string name, sema::ValueType type, size_t count, const NumberAt &at) {
  Hdf5Array array{std::move(name), type, std::string(count * static_cast<size_t>(sema::bytesOf(type)), '\0')};
  for (size_t k = 0; k < count; ++k)
    storeNumber(array.elements.data(), type, static_cast<int64_t>(k), at(k));
  return array;
}

Hdf5Array sourceArray(std::string name, sema::ValueType type, const ByteSource &source) {
  Hdf5Array array{std::move(name), type, {}};
  source([&](std::string_view piece) { array.elements += piece; });
  return array;
}

/// Pointers: unsigned integers of 32 bits where all of them fit.
Hdf5Array pointersArray(const std::vector<int64_t> &pointers, bool isWide) {
  return packedArray("pointers_to_1", isWide ? sema::ValueType::U64 : sema::ValueType::U32, pointers.size(),
                     [&](size_t k) { return fromInteger(pointers[k]); });
}

std::string descriptorOf(std::string_view format, const Coordinates &entries, const std::vector<Hdf5Array> &arrays) {
  std::string shape, types;
  for (const int64_t extent : entries.shape)
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  for (const Hdf5Array &array : arrays)
    types += (types.empty() ? "\"" : ", \"") + array.name + "\": \"" + binsparseType(array.type) + "\"";
  return R"({"binsparse": {"version": "0.1", "format": ")" + std::string(format) + R"(", "shape": [)" + shape +
         R"(], "number_of_stored_values": )" + std::to_string(entries.size()) + R"(, "data_types": {)" + types + "}}}";
}

/// The arrays that say where the entries of a matrix or vector are, and the format that has them.
std::string_view addPlaces(const Coordinates &entries, std::vector<Hdf5Array> &arrays) {
  const MatrixLists lists = matrixLists(entries);
  const bool isWide = std::max({lists.rowCount, lists.columnCount, static_cast<int64_t>(entries.size())}) > INT32_MAX;
  const sema::ValueType places = isWide ? sema::ValueType::U64 : sema::ValueType::U32;
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
  arrays.push_back(pointersArray(pointersOf(entries, lists), isWide));
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
  return writeHdf5(descriptorOf(format, entries, arrays), arrays);
}

} // namespace spc::tensor
