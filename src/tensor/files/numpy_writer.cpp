// Writes NumPy's and SciPy's files from lists of entries, and from the arrays of packed tensors.
#include "tensor/files/array_source.h"
#include "tensor/files/numpy_files.h"
#include "tensor/files/packed_segments.h"
#include "tensor/files/segments.h"

#include <algorithm>

namespace spc::tensor {

namespace {

/// The type string of the elements that a value type is written as: bf16, which NumPy lacks, as f32.
std::string_view typeString(sema::ValueType type) {
  switch (type) {
  case sema::ValueType::F16:
    return "<f2";
  case sema::ValueType::BF16:
  case sema::ValueType::F32:
    return "<f4";
  case sema::ValueType::F64:
    return "<f8";
  case sema::ValueType::I8:
    return "|i1";
  case sema::ValueType::I16:
    return "<i2";
  case sema::ValueType::I32:
    return "<i4";
  case sema::ValueType::I64:
    return "<i8";
  case sema::ValueType::U8:
    return "|u1";
  case sema::ValueType::U16:
    return "<u2";
  case sema::ValueType::U32:
    return "<u4";
  case sema::ValueType::U64:
    return "<u8";
  case sema::ValueType::Bool:
    return "|b1";
  case sema::ValueType::CF32:
    return "<c8";
  case sema::ValueType::CF64:
    return "<c16";
  }
  return "<f8";
}

sema::ValueType writtenType(sema::ValueType type) {
  return type == sema::ValueType::BF16 ? sema::ValueType::F32 : type;
}

/// A .npy file of elements in one dimension, or in those of a shape.
ZipSource arrayFile(ByteSource elements, sema::ValueType type, const std::vector<int64_t> &shape) {
  const std::string header = numpyHeader(typeString(type), shape);
  const uint64_t bytes = static_cast<uint64_t>(elementCount(shape).value_or(0)) * sema::bytesOf(type);
  return {header.size() + bytes, [header, elements = std::move(elements)](const ByteSink &sink) {
            sink(header);
            elements(sink);
          }};
}

ZipSource textFile(std::string bytes) {
  return {bytes.size(), [bytes](const ByteSink &sink) { sink(bytes); }};
}

/// A list of integers, which are few, as a .npy file.
ZipSource integersFile(const std::vector<int64_t> &integers, bool isWide) {
  const sema::ValueType type = isWide ? sema::ValueType::I64 : sema::ValueType::I32;
  std::string bytes(integers.size() * static_cast<size_t>(sema::bytesOf(type)), '\0');
  for (size_t k = 0; k < integers.size(); ++k)
    storeNumber(bytes.data(), type, static_cast<int64_t>(k), fromInteger(integers[k]));
  return textFile(numpyHeader(typeString(type), {static_cast<int64_t>(integers.size())}) + bytes);
}

/// What every matrix of SciPy has; `data` are its values.
NumpyMembers matrixMembers(const std::string &name, int64_t rows, int64_t columns, ZipSource data) {
  return {{"shape.npy", integersFile({rows, columns}, true)},
          {"data.npy", std::move(data)},
          {"format.npy", textFile(numpyHeader("|S3", {}) + name)}};
}

void giveNpy(const ZipSource &file, uint64_t elements, WorkCount *count, const ByteSink &sink) {
  ByteProgress progress(count, elements, file.size);
  progress.counted(file.bytes)(sink);
}

bool giveNpz(const NumpyMembers &members, uint64_t entries, WorkCount *count, const ByteSink &sink) {
  uint64_t bytes = 0;
  for (const auto &[name, member] : members)
    bytes += 2 * member.size; // once for the checksum
  ByteProgress progress(count, entries, bytes);
  NumpyMembers counted;
  for (const auto &[name, member] : members)
    counted[name] = {member.size, progress.counted(member.bytes)};
  return writeZip(counted, sink);
}

ZipSource elementsFile(const PackedTensor &tensor) {
  const PackedArrays &arrays = tensor.arrays();
  const sema::ValueType type = writtenType(arrays.valueType());
  return arrayFile(elementsOf(arrays, type), type, tensor.shape());
}

} // namespace

void writeNpy(const Coordinates &entries, const WriteOptions &options, const ByteSink &sink) {
  const sema::ValueType type = writtenType(options.type);
  giveNpy(arrayFile(valuesOf(entries, type), type, entries.shape), entries.size(), options.count, sink);
}

bool writeNpz(const Coordinates &entries, const WriteOptions &options, const ByteSink &sink) {
  const sema::ValueType type = writtenType(options.type);
  if (options.isDense)
    return giveNpz({{"arr_0.npy", arrayFile(valuesOf(entries, type), type, entries.shape)}}, entries.size(),
                   options.count, sink);
  const MatrixLists lists = matrixLists(entries);
  const auto count = static_cast<int64_t>(entries.size());
  const bool isWide = std::max({lists.rowCount, lists.columnCount, count}) > INT32_MAX;
  const sema::ValueType places = isWide ? sema::ValueType::I64 : sema::ValueType::I32;
  const auto coordinates = [&](size_t dim) { return arrayFile(coordinatesOf(entries, dim, places), places, {count}); };
  NumpyMembers members =
      matrixMembers(lists.byRow      ? "csr"
                    : lists.byColumn ? "csc"
                                     : "coo",
                    lists.rowCount, lists.columnCount, arrayFile(valuesOf(entries, type), type, {count}));
  if (lists.byRow || lists.byColumn) {
    members["indices.npy"] = coordinates(lists.byRow ? 1 : 0);
    members["indptr.npy"] = integersFile(pointersOf(entries, lists), isWide);
  } else {
    members["row.npy"] = coordinates(0);
    members["col.npy"] = coordinates(1);
  }
  return giveNpz(members, entries.size(), options.count, sink);
}

std::optional<NumpyMembers> npzMembers(const PackedTensor &tensor) {
  const PackedArrays &arrays = tensor.arrays();
  if (arrays.format().isDense())
    return NumpyMembers{{"arr_0.npy", elementsFile(tensor)}};
  const std::optional<size_t> major = segmentsMajor(arrays.format());
  const std::vector<int64_t> shape = tensor.shape();
  const int64_t count = arrays.valueCount;
  if (!major || shape[*major] > mostPointers(count) || !hasOrderedSegments(arrays))
    return std::nullopt;
  const bool isWide = std::max({shape[0], shape[1], count}) > INT32_MAX;
  const sema::ValueType type = writtenType(arrays.valueType()),
                        places = isWide ? sema::ValueType::I64 : sema::ValueType::I32;
  const auto integers = [&](abi::FieldRole role, format::IndexType from, int64_t length) {
    return arrayFile(integersOf(arrays.array(role, 1), from, length, places), places, {length});
  };
  NumpyMembers members =
      matrixMembers(*major == 0 ? "csr" : "csc", shape[0], shape[1], arrayFile(valuesOf(arrays, type), type, {count}));
  members["indices.npy"] = integers(abi::FieldRole::Indices, arrays.format().indices, count);
  members["indptr.npy"] = integers(abi::FieldRole::Pointers, arrays.format().pointers, shape[*major] + 1);
  return members;
}

CountedSource npzFile(NumpyMembers members, uint64_t entries) {
  return [members = std::move(members), entries](const ByteSink &sink, WorkCount *count) {
    giveNpz(members, entries, count, sink);
  };
}

std::string npyHeader(sema::ValueType type, const std::vector<int64_t> &shape) {
  return numpyHeader(typeString(writtenType(type)), shape);
}

ByteSource npyElements(const PackedTensor &tensor) {
  return elementsOf(tensor.arrays(), writtenType(tensor.arrays().valueType()));
}

CountedSource npyFile(const PackedTensor &tensor) {
  return [&tensor](const ByteSink &sink, WorkCount *count) {
    giveNpy(elementsFile(tensor), static_cast<uint64_t>(tensor.valueCount()), count, sink);
  };
}

} // namespace spc::tensor
