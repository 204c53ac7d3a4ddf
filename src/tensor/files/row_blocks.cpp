#include "tensor/files/row_blocks.h"

#include "tensor/files/block_readers.h"
#include "tensor/files/readers.h"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace spc::tensor {

namespace {

constexpr DiagnosticKind kBlocksFile{"tensor-file", Severity::Error};
constexpr DiagnosticKind kBlocksSyntax{"tensor-syntax", Severity::Error};
constexpr DiagnosticKind kBlocksUnsupported{"tensor-unsupported", Severity::Error};
constexpr DiagnosticKind kBlocksRange{"tensor-range", Severity::Error};

enum class BlocksKind { Npy, Npz, Hdf5, Compressed, Text };

BlocksKind blocksKind(const FileParts &file, const std::string &path) {
  std::array<char, 8> bytes{};
  const std::string_view begin(bytes.data(), file.read(0, bytes.data(), bytes.size()));
  if (begin.starts_with("\x93NUMPY"))
    return BlocksKind::Npy;
  if (begin.starts_with("PK\x03\x04"))
    return BlocksKind::Npz;
  if (begin.starts_with("\x89HDF\r\n"))
    return BlocksKind::Hdf5;
  const std::optional<FileName> name = fileNamed(path);
  const bool isText = !name || name->kind == FileKind::MatrixMarket || name->kind == FileKind::Tns;
  return isText ? BlocksKind::Text : BlocksKind::Compressed;
}

/// The array of a file that has nothing else, with the shape that a tensor of the target's order sees: one of a column
/// or a row is a vector. `begin` is where its elements are.
std::optional<NumpyArray> arrayOf(const FileParts &file, uint64_t at, const PackTarget &target, uint64_t &begin,
                                  FileProblem &problem) {
  begin = at;
  std::optional<NumpyArray> array = readNumpyHeader(
      [&](char *to, size_t count) {
        const size_t got = file.read(begin, to, count);
        begin += got;
        return got;
      },
      problem);
  if (array && array->isText()) {
    problem = {FileProblem::Kind::Unsupported, "its elements are texts, which are no numbers"};
    return std::nullopt;
  }
  if (array && target.format.order() == 1 && array->shape.size() == 2 && (array->shape[0] == 1 || array->shape[1] == 1))
    array->shape = {array->count};
  return array;
}

/// The member that is the only one; null where there are others, or it is deflated.
const ZipEntry *onlyArray(const Archive &archive) {
  const bool isOne = archive.members.size() == 1 && archive.members.begin()->first.ends_with(".npy");
  return isOne && !archive.members.begin()->second.isDeflated ? &archive.members.begin()->second : nullptr;
}

/// The dimension that has pointers; 2 where none has.
size_t segmentsOf(const Archive &archive) {
  return archive.format == "csr" ? 0 : archive.format == "csc" ? 1 : 2;
}

std::string whyNotArchive(const Archive &archive) {
  const std::string &format = archive.format;
  if (format.empty() && !onlyArray(archive))
    return "it holds compressed arrays: numpy.savez writes one that is read in blocks";
  const bool isRead = format.empty() || format == "csr" || format == "csc" || format == "coo";
  return isRead ? "" : "it is a matrix in " + format + ", of which csr, csc and coo are read in blocks";
}

/// Reads a text through.
std::unique_ptr<BlockReader> textBlocks(const BlocksRequest &request, const PackTarget &target,
                                        Diagnostics &diagnostics, WorkCount *count) {
  TextSource source(request.path, request.limit, diagnostics, count);
  TextReader reader(source, request.path, diagnostics);
  reader.skipByteOrderMark();
  const bool hasBanner = reader.startsWith("%%MatrixMarket");
  const std::optional<FileName> name = fileNamed(request.path);
  if (reader.failed())
    return nullptr;
  if (!hasBanner && !name) {
    diagnostics.report(kBlocksFile, {}, "neither its name nor its first line says what kind of file it is")
        .at(request.path);
    return nullptr;
  }
  const int order = target.format.order();
  Buckets buckets(request.dim, order, request.buffers);
  bool isOfOrder = true;
  const PieceSink sink = [&](Coordinates &piece) {
    if (order == 1)
      asVector(piece);
    isOfOrder = piece.order() == order;
    const bool isTaken = isOfOrder && buckets.add(piece);
    piece.coordinates.clear();
    piece.values.clear();
    piece.imaginary.clear();
    piece.rests.clear();
    return isTaken;
  };
  const bool isTns = name && name->kind == FileKind::Tns && !hasBanner;
  std::optional<Coordinates> rest = isTns ? readTns(reader, request.shape, sink)
                                          : readMatrixMarket(reader, request.shape, target.format.isDense(), sink);
  if (!buckets.why().empty())
    diagnostics.report(kBlocksFile, {}, buckets.why()).at(request.path);
  if (!rest && !isOfOrder) // which is for the caller to say
    return blocksOf(Coordinates{std::vector<int64_t>(static_cast<size_t>(order) + 1), {}, {}, {}}, request.dim, target);
  if (!rest || reader.failed() || !buckets.why().empty())
    return nullptr;
  if (order == 1)
    asVector(*rest);
  return buckets.reader(rest->shape, target);
}

std::unique_ptr<BlockReader> matrixBlocks(std::unique_ptr<FileParts> file, const BlocksRequest &request,
                                          const PackTarget &target, const Archive &archive, Diagnostics &diagnostics) {
  FileProblem problem;
  const std::string &format = archive.format;
  const int order = target.format.order();
  const size_t major = segmentsOf(archive);
  std::unique_ptr<BlockReader> blocks;
  if (major == static_cast<size_t>(request.dim) && order == 2) {
    blocks = segmentBlocks(std::move(file), archive.members, major, target, problem);
  } else {
    Buckets buckets(request.dim, order, request.buffers);
    const auto sink = [&](Coordinates &piece) {
      Coordinates own{piece.shape, std::move(piece.coordinates), std::move(piece.values), std::move(piece.imaginary),
                      std::move(piece.rests)};
      piece = {own.shape, {}, {}, {}, {}};
      return (order == 2 || asVector(own)) && buckets.add(own);
    };
    Coordinates shape;
    if (order == 1 && archive.shape[0] != 1 && archive.shape[1] != 1)
      return blocksOf(Coordinates{archive.shape, {}, {}, {}}, 0, target);
    if (const auto given = giveEntries(*file, archive.members, format, sink, problem)) {
      shape.shape = *given;
      if (order == 1)
        asVector(shape);
      blocks = buckets.reader(shape.shape, target);
    }
    if (!blocks && !buckets.why().empty())
      diagnostics.report(kBlocksFile, {}, buckets.why()).at(request.path);
  }
  if (!blocks && !problem.message.empty())
    reportProblem(problem, request.path, diagnostics);
  return blocks;
}

std::unique_ptr<BlockReader> elementBlocks(std::unique_ptr<FileParts> file, uint64_t at, uint64_t bytes,
                                           const BlocksRequest &request, const PackTarget &target,
                                           Diagnostics &diagnostics) {
  FileProblem problem;
  uint64_t begin = 0;
  std::optional<NumpyArray> array = arrayOf(*file, at, target, begin, problem);
  if (array && bytes - std::min(bytes, begin - at) != array->byteCount()) {
    problem = wrongLength(*array, bytes - std::min(bytes, begin - at));
    array.reset();
  }
  if (!array) {
    reportProblem(problem, request.path, diagnostics);
    return nullptr;
  }
  if (array->shape.size() != static_cast<size_t>(target.format.order()))
    return blocksOf(Coordinates{array->shape, {}, {}, {}}, 0, target);
  return arrayBlocks(std::move(file), begin, *array, request.dim, target);
}

std::unique_ptr<BlockReader> openAny(const BlocksRequest &request, const PackTarget &target, Diagnostics &diagnostics,
                                     WorkCount *count) {
  auto file = std::make_unique<FileParts>(request.path);
  if (!file->isOpen()) {
    diagnostics.report(kBlocksFile, {}, "it is no regular file that can be read").at(request.path);
    return nullptr;
  }
  const uint64_t size = file->size();
  switch (blocksKind(*file, request.path)) {
  case BlocksKind::Npy:
    return elementBlocks(std::move(file), 0, size, request, target, diagnostics);
  case BlocksKind::Npz: {
    FileProblem problem;
    const std::optional<Archive> archive = openArchive(*file, problem);
    if (!archive) {
      reportProblem(problem, request.path, diagnostics);
      return nullptr;
    }
    if (!archive->format.empty())
      return matrixBlocks(std::move(file), request, target, *archive, diagnostics);
    const ZipEntry *array = onlyArray(*archive);
    return array ? elementBlocks(std::move(file), array->begin, array->bytes, request, target, diagnostics) : nullptr;
  }
  case BlocksKind::Hdf5: {
    FileProblem problem;
    std::unique_ptr<BlockReader> blocks = binsparseBlocks(std::move(file), request.path, target, problem);
    if (!blocks)
      reportProblem(problem, request.path, diagnostics);
    return blocks;
  }
  default:
    return textBlocks(request, target, diagnostics, count);
  }
}

} // namespace

void reportProblem(const FileProblem &problem, const std::string &path, Diagnostics &diagnostics) {
  const DiagnosticKind &kind = problem.kind == FileProblem::Kind::Malformed     ? kBlocksSyntax
                               : problem.kind == FileProblem::Kind::Unsupported ? kBlocksUnsupported
                                                                                : kBlocksRange;
  diagnostics.report(kind, {}, problem.message).at(path);
}

BlockAccess blockAccess(const BlocksRequest &request) {
  const FileParts file(request.path);
  if (!file.isOpen())
    return {"it is no regular file that can be read"};
  const BlocksKind kind = blocksKind(file, request.path);
  if (kind == BlocksKind::Compressed)
    return {"it is compressed as a whole"};
  if (kind == BlocksKind::Text)
    return {"", true};
  if (request.shape)
    return {"--shape gives it another shape"};
  FileProblem problem;
  if (kind == BlocksKind::Hdf5) {
    const std::optional<BinsparseLayout> layout = binsparseLayoutOf(request.path, problem);
    const bool isOther = !layout && problem.kind == FileProblem::Kind::Unsupported;
    if (!layout) // what is malformed opening it reports
      return {isOther ? problem.message : ""};
    return {layout->major == static_cast<size_t>(request.dim) && static_cast<int>(layout->shape.size()) == request.order
                ? ""
                : "files of HDF5 are read in blocks of the dimension that comes first in them"};
  }
  if (kind == BlocksKind::Npz) {
    const std::optional<Archive> archive = openArchive(file, problem);
    if (!archive) // which opening it reports
      return {};
    const bool isSorted = !archive->format.empty() && segmentsOf(*archive) != static_cast<size_t>(request.dim);
    return {whyNotArchive(*archive), isSorted};
  }
  return {};
}

std::unique_ptr<BlockReader> openBlocks(const BlocksRequest &request, const PackTarget &target,
                                        Diagnostics &diagnostics, WorkCount *count) {
  const auto fail = [&] {
    diagnostics.report(kBlocksFile, {}, "there is no memory left to read it in blocks").at(request.path);
    return nullptr;
  };
  try {
    return openAny(request, target, diagnostics, count);
  } catch (const std::bad_alloc &) {
    return fail();
  } catch (const std::length_error &) {
    return fail();
  }
}

} // namespace spc::tensor
