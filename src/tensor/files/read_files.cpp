#include "tensor/files/files.h"

#include "support/memory.h"
#include "tensor/files/binsparse.h"
#include "tensor/files/numpy_files.h"
#include "tensor/files/readers.h"

#include <cmath>
#include <new>
#include <stdexcept>

namespace spc::tensor {

namespace {

constexpr DiagnosticKind kUnreadableFile{"tensor-file", Severity::Error};

/// Of the machine's memory, what a list of entries may take: sorting and packing it take as much again, twice.
constexpr double kListShare = 0.25;

/// Files that are known by their first bytes.
enum class BinaryKind { None, Npy, Npz, Hdf5 };

void requireRoomFor(double bytes) {
  static const double most = kListShare * physicalMemory();
  if (bytes > most)
    throw std::bad_alloc();
}

BinaryKind binaryKind(TextReader &reader) {
  return reader.startsWith("\x93NUMPY")     ? BinaryKind::Npy
         : reader.startsWith("PK\x03\x04")  ? BinaryKind::Npz
         : reader.startsWith("\x89HDF\r\n") ? BinaryKind::Hdf5
                                            : BinaryKind::None;
}

std::optional<FileTensor> readArchive(BinaryKind kind, TextReader &reader, const ReadRequest &request,
                                      FileProblem &problem) {
  FileBytes file = reader.rest();
  const uint64_t most = reader.mostFromArchive(file.size());
  bool isTooLong = false;
  std::optional<FileTensor> result;
  if (reader.failed())
    return std::nullopt;
  if (kind == BinaryKind::Npz) {
    if (const std::optional<ZipMembers> members = readZip(file, most, isTooLong, problem))
      result = readNpz(*members, request, problem);
  } else if (const std::optional<Hdf5Contents> contents = readHdf5(file, most, isTooLong, problem)) {
    result = readBinsparse(*contents, request, problem);
  }
  if (isTooLong)
    reader.tooLong(most);
  return isTooLong ? std::nullopt : std::move(result);
}

std::optional<FileTensor> readBinary(BinaryKind kind, TextReader &reader, const ReadRequest &request) {
  FileProblem problem;
  std::optional<FileTensor> result;
  if (kind == BinaryKind::Npy)
    result = readNpy([&](char *to, size_t count) { return reader.bytes(to, count); }, reader.size(), request, problem);
  else
    result = readArchive(kind, reader, request, problem);
  if (reader.failed())
    return std::nullopt;
  if (result && !result->packed && result->unstorable.empty() && request.shape)
    return applyShape(result->entries, *request.shape, reader) ? std::move(result) : std::nullopt;
  if (result || problem.message.empty())
    return result;
  switch (problem.kind) {
  case FileProblem::Kind::Malformed:
    reader.malformedFile(problem.message);
    break;
  case FileProblem::Kind::Unsupported:
    reader.unsupportedFile(problem.message);
    break;
  case FileProblem::Kind::Range:
    reader.wrongShape(problem.message);
    break;
  }
  return std::nullopt;
}

std::optional<FileTensor> read(const std::string &path, const ReadRequest &request, std::optional<uint64_t> limit,
                               Diagnostics &diagnostics, WorkCount *count) {
  TextSource source(path, limit, diagnostics, count);
  TextReader reader(source, path, diagnostics);
  reader.skipByteOrderMark();
  if (reader.startsWith("\xFF\xFE") || reader.startsWith("\xFE\xFF")) {
    reader.malformedFile("it is text of UTF-16: save it as UTF-8, 'iconv -f UTF-16 -t UTF-8'");
    return std::nullopt;
  }
  const bool hasBanner = reader.startsWith("%%MatrixMarket");
  if (reader.failed())
    return std::nullopt;
  if (const BinaryKind kind = binaryKind(reader); kind != BinaryKind::None)
    return readBinary(kind, reader, request);
  const std::optional<FileName> name = fileNamed(path);
  const bool isTns = name && name->kind == FileKind::Tns;
  if (name && !isTns && name->kind != FileKind::MatrixMarket) {
    reader.malformedFile("its first bytes are not those of a .npy, .npz or HDF5 file");
    return std::nullopt;
  }
  if (hasBanner || isMatrixMarket(path) || isTns) {
    std::optional<Coordinates> entries = hasBanner || !isTns
                                             ? readMatrixMarket(reader, request.shape, request.keepsSigns())
                                             : readTns(reader, request.shape);
    if (!entries || reader.failed())
      return std::nullopt;
    return FileTensor{std::nullopt, std::move(*entries), {}};
  }
  diagnostics.report(kUnreadableFile, {}, "neither its name nor its first line says what kind of file it is")
      .at(path)
      .advise("name it .mtx (Matrix Market) or .tns (FROSTT), with .gz or .zst where it is compressed; NumPy's .npy "
              "and .npz files and HDF5 are known by their first bytes");
  return std::nullopt;
}

} // namespace

bool isElementListed(Number value, bool keepsSigns) {
  return value != Number() || (keepsSigns && (std::signbit(value.real) || std::signbit(value.imaginary)));
}

bool applyShape(Coordinates &entries, const std::vector<int64_t> &shape, TextReader &text) {
  if (shape.size() == 1)
    asVector(entries);
  if (shape.size() != entries.shape.size()) {
    const bool isMatrix = entries.shape.size() == 2;
    std::string extents;
    for (const int64_t extent : entries.shape)
      extents += (extents.empty() ? "" : " x ") + std::to_string(extent);
    return text.wrongShape((isMatrix ? "a matrix of " : "a tensor of ") + extents + " cannot have a shape of order " +
                           std::to_string(shape.size()));
  }
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] < entries.shape[d])
      return text.wrongShape("its extent " + std::to_string(entries.shape[d]) + " in dimension " +
                             std::to_string(d + 1) + " is above the given shape's " + std::to_string(shape[d]));
  entries.shape = shape;
  return true;
}

bool givePiece(Coordinates &entries, const PieceSink &sink, size_t least) {
  return !sink || entries.size() < least || sink(entries);
}

void requireRoom(const Coordinates &entries) {
  constexpr size_t kEvery = size_t{1} << 16;
  if (entries.values.size() % kEvery <= 1) // one entry or two have been added
    requireRoomForPiece(entries);
}

void requireRoomForPiece(const Coordinates &entries) {
  const size_t numbers =
      entries.coordinates.size() + entries.values.size() + entries.imaginary.size() + entries.rests.size();
  requireRoomFor(static_cast<double>(numbers) * sizeof(double));
}

void requireRoomForList(double entries, int order) {
  requireRoomFor(entries * (order + 1) * sizeof(double));
}

std::optional<FileName> fileNamed(const std::string &path) {
  std::string_view name = path;
  Compression compression = Compression::None;
  for (const auto &[ending, one] : {std::pair(".gz", Compression::Gzip), std::pair(".zst", Compression::Zstd)})
    if (compression == Compression::None && name.ends_with(ending)) {
      name.remove_suffix(std::string_view(ending).size());
      compression = one;
    }
  for (const auto &[ending, kind] :
       {std::pair(".mtx", FileKind::MatrixMarket), std::pair(".tns", FileKind::Tns), std::pair(".npy", FileKind::Npy),
        std::pair(".npz", FileKind::Npz), std::pair(".h5", FileKind::Hdf5), std::pair(".hdf5", FileKind::Hdf5)})
    if (name.ends_with(ending))
      return FileName{kind, compression};
  return std::nullopt;
}

bool isMatrixMarket(const std::string &path) {
  const std::optional<FileName> name = fileNamed(path);
  return name && name->kind == FileKind::MatrixMarket;
}

bool statesShape(const std::string &path) {
  const std::optional<FileName> name = fileNamed(path);
  return name && name->kind != FileKind::Tns;
}

namespace {

std::optional<FileTensor> readOrReport(const std::string &path, const ReadRequest &request,
                                       std::optional<uint64_t> limit, Diagnostics &diagnostics, WorkCount *count) {
  try {
    return read(path, request, limit, diagnostics, count);
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) {
  }
  diagnostics.report(kUnreadableFile, {}, "its tensor does not fit into memory").at(path);
  return std::nullopt;
}

} // namespace

std::optional<FileTensor> readTensorFor(const PackTarget &target, const std::string &path, const Shape &shape,
                                        Diagnostics &diagnostics, std::optional<uint64_t> limit, WorkCount *count) {
  return readOrReport(path, {shape, &target}, limit, diagnostics, count);
}

std::optional<Coordinates> readTensor(const std::string &path, const Shape &shape, Diagnostics &diagnostics,
                                      std::optional<uint64_t> limit, WorkCount *count) {
  std::optional<FileTensor> read = readOrReport(path, {shape}, limit, diagnostics, count);
  return read ? std::optional(std::move(read->entries)) : std::nullopt;
}

} // namespace spc::tensor
