// What files say of their tensors before these are read.
#include "tensor/files/files.h"
#include "tensor/files/numpy_array.h"
#include "tensor/files/readers.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace spc::tensor {

namespace {

/// An array of NumPy; nullopt where the file cannot have its elements.
std::optional<Announced> announcedArray(TextReader &reader) {
  FileProblem unheard;
  uint64_t taken = 0;
  const ByteReader file = [&](char *to, size_t count) {
    const size_t got = reader.bytes(to, count);
    taken += got;
    return got;
  };
  const std::optional<NumpyArray> array = readNumpyHeader(file, unheard);
  if (!array || array->isText() || array->byteCount() > reader.most() - std::min(taken, reader.most()))
    return std::nullopt;
  return Announced{array->shape, static_cast<double>(array->count), 0, true};
}

/// Of an archive, or of HDF5, as if its arrays were those of a matrix as they take the least room: it is read whole.
Announced announcedArchive(uint64_t bytes) {
  constexpr double kEntryBytes = 12; // an index of 4 bytes, and a value
  return {{}, static_cast<double>(bytes) / kEntryBytes, static_cast<double>(bytes), true};
}

/// Of lines that have no header, as if all were like the first ones.
std::optional<Announced> announcedLines(TextReader &reader) {
  constexpr int kLines = 1000;
  const uint64_t most = reader.most();
  uint64_t lines = 0, bytes = 0;
  for (; lines < kLines && reader.nextLine('#'); ++lines)
    for (std::string_view token = reader.token(); !token.empty(); token = reader.token())
      bytes += token.size() + 1;
  if (lines < kLines || reader.failed() || !reader.size())
    return std::nullopt;
  return Announced{{}, static_cast<double>(most) / static_cast<double>(bytes) * static_cast<double>(lines), 0, false};
}

} // namespace

std::optional<Announced> announcedBy(const std::string &path, std::optional<uint64_t> limit) {
  std::error_code failed;
  const uint64_t bytes = std::filesystem::is_regular_file(path, failed) ? std::filesystem::file_size(path, failed) : 0;
  if (failed || bytes == 0)
    return std::nullopt;
  Diagnostics unheard{WarningOptions()};
  TextSource source(path, limit, unheard);
  TextReader reader(source, path, unheard);
  reader.skipByteOrderMark();
  if (reader.startsWith("%%MatrixMarket"))
    return readAnnounced(reader);
  if (reader.failed())
    return std::nullopt;
  if (reader.startsWith("\x93NUMPY"))
    return announcedArray(reader);
  if (reader.startsWith("PK\x03\x04") || reader.startsWith("\x89HDF\r\n"))
    return announcedArchive(bytes);
  const std::optional<FileName> name = fileNamed(path);
  return name && name->kind == FileKind::Tns ? announcedLines(reader) : std::nullopt;
}

} // namespace spc::tensor
