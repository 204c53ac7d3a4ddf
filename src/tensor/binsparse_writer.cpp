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

/// Unsigned integers: of 32 bits where all of them fit.
Hdf5Array placesArray(std::string name, const std::vector<int64_t> &places, bool isWide) {
  return packedArray(std::move(name), isWide ? sema::ValueType::U64 : sema::ValueType::U32, places.size(),
                     [&](size_t k) { return fromInteger(places[k]); });
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
  if (entries.shape.size() == 1) {
    arrays.push_back(placesArray("indices_0", lists.rows, isWide));
    return "CVEC";
  }
  if (!lists.byRow && !lists.byColumn) {
    arrays.push_back(placesArray("indices_0", lists.rows, isWide));
    arrays.push_back(placesArray("indices_1", lists.columns, isWide));
    return "COO";
  }
  const std::vector<int64_t> pointers =
      lists.byRow ? pointersOf(lists.rows, lists.rowCount) : pointersOf(lists.columns, lists.columnCount);
  arrays.push_back(placesArray("pointers_to_1", pointers, isWide));
  arrays.push_back(placesArray("indices_1", lists.byRow ? lists.columns : lists.rows, isWide));
  return lists.byRow ? "CSR" : "CSC";
}

} // namespace

std::optional<std::string> writeBinsparse(const Coordinates &entries, const WriteOptions &options) {
  std::vector<Hdf5Array> arrays;
  const std::string_view format = !options.isDense            ? addPlaces(entries, arrays)
                                  : entries.shape.size() == 1 ? "DVEC"
                                                              : "DMATR";
  arrays.push_back(packedArray("values", sema::arithmeticType(options.type), entries.size(),
                               [&](size_t e) { return entries.value(e); }));
  return writeHdf5(descriptorOf(format, entries, arrays), arrays);
}

} // namespace spc::tensor
