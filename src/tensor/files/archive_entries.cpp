// SciPy's matrices in archives of which a piece at a time is read.
#include "tensor/files/block_readers.h"

#include <algorithm>
#include <utility>

namespace spc::tensor {

namespace {

/// All of a small member.
std::optional<NumpyArray> smallMember(const FileParts &file, const ZipEntries &members, const std::string &name,
                                      std::vector<char> &bytes, FileProblem &problem) {
  constexpr int64_t kMost = 64;
  const ZipEntry *entry = memberOf(members, name, problem);
  if (!entry)
    return std::nullopt;
  MemberStream stream(file, *entry);
  const std::optional<NumpyArray> header = headerOfMember(stream, problem);
  NumpyArray array;
  if (!header || (header->count > kMost && !failWith(problem, "its member '" + name + "' is too long")) ||
      !readPiece(stream, *header, header->count, bytes, array, problem) || !finishMembers({&stream}, problem))
    return std::nullopt;
  return array;
}

/// Puts entries that pointers and indices list into pieces.
class ListGiver {
public:
  ListGiver(const FileParts &file, const ZipEntries &members, const std::vector<int64_t> &shape, const PieceSink &sink,
            FileProblem &problem)
      : file_(file), members_(members), sink_(sink), problem_(problem) {
    piece_.shape = shape;
  }

  bool giveCoo() {
    if (!open("row") || !open("col") || !open("data"))
      return false;
    const int64_t count = headers_[2].count;
    if (headers_[0].count != count || headers_[1].count != count)
      return failWith(problem_, "its members 'row', 'col' and 'data' differ in length");
    std::vector<int64_t> rows, columns;
    for (int64_t begin = 0; begin < count; begin += kPieceEntries) {
      const int64_t some = std::min(kPieceEntries, count - begin);
      if (!places(0, some, rows) || !places(1, some, columns))
        return false;
      for (int64_t e = 0; e < some; ++e)
        if (!add(rows[static_cast<size_t>(e)], columns[static_cast<size_t>(e)], begin + e))
          return false;
      if (!addValues(2, some))
        return false;
    }
    return finish();
  }

  bool giveSegments(size_t major) {
    if (!open("indptr") || !open("indices") || !open("data"))
      return false;
    const int64_t majors = piece_.shape[major], count = headers_[2].count;
    if (headers_[0].count - 1 != majors || headers_[1].count < count)
      return failWith(problem_, "its member 'indptr' or 'indices' does not have the length that its shape asks for");
    std::vector<int64_t> pointers, listed;
    if (!places(0, 1, pointers))
      return false;
    int64_t place = pointers.front();
    if (place < 0 || place > count)
      return unordered();
    for (int64_t left = place; left > 0; left -= std::min(left, kPieceEntries)) // which belong to no row
      if (!places(1, std::min(left, kPieceEntries), listed) || !skip(2, std::min(left, kPieceEntries)))
        return false;
    for (int64_t row = 0; row < majors; ++row) {
      if (row % kPieceEntries == 0 && !places(0, std::min(kPieceEntries, majors - row), pointers))
        return false;
      const int64_t end = pointers[static_cast<size_t>(row % kPieceEntries)];
      if (end < place || end > count)
        return unordered();
      while (place < end) {
        const int64_t some = std::min(end - place, kPieceEntries - static_cast<int64_t>(pending_));
        if (!places(1, some, listed))
          return false;
        for (const int64_t other : listed)
          if (!add(major == 0 ? row : other, major == 0 ? other : row, place++))
            return false;
        pending_ += static_cast<size_t>(some);
        if (static_cast<int64_t>(pending_) == kPieceEntries && !addPending())
          return false;
      }
    }
    return addPending() && finish();
  }

private:
  bool unordered() { return failWith(problem_, "its member 'indptr' does not ascend from 0 to the number of entries"); }

  bool open(const std::string &name) {
    const ZipEntry *entry = memberOf(members_, name, problem_);
    if (!entry)
      return false;
    streams_.push_back(std::make_unique<MemberStream>(file_, *entry));
    const std::optional<NumpyArray> header = headerOfMember(*streams_.back(), problem_);
    if (!header)
      return false;
    if (header->shape.size() != 1 || (name == "data" ? header->isText() : !header->isInteger()))
      return failWith(problem_, name == "data" ? "its member 'data' holds no numbers in one dimension"
                                               : "its member '" + name + "' is no list of integers");
    headers_.push_back(*header);
    return true;
  }

  bool skip(size_t at, int64_t count) {
    NumpyArray piece;
    return readPiece(*streams_[at], headers_[at], count, buffer_, piece, problem_);
  }

  bool places(size_t at, int64_t count, std::vector<int64_t> &numbers) {
    NumpyArray piece;
    if (!readPiece(*streams_[at], headers_[at], count, buffer_, piece, problem_))
      return false;
    numbers.resize(static_cast<size_t>(count));
    piece.copyIntegers(0, count, numbers.data());
    return true;
  }

  bool add(int64_t row, int64_t column, int64_t place) {
    if (row < 0 || row >= piece_.shape[0] || column < 0 || column >= piece_.shape[1])
      return failWith(problem_, "its entry " + std::to_string(place) + " lies at (" + std::to_string(row) + ", " +
                                    std::to_string(column) + "), counted from 0, outside of its shape");
    piece_.coordinates.push_back(row);
    piece_.coordinates.push_back(column);
    return true;
  }

  bool addValues(size_t at, int64_t count) {
    NumpyArray values;
    if (!readPiece(*streams_[at], headers_[at], count, buffer_, values, problem_))
      return false;
    appendValues(values, 0, count, piece_);
    return sink_(piece_);
  }

  bool addPending() {
    const auto count = static_cast<int64_t>(std::exchange(pending_, 0));
    return addValues(2, count);
  }

  bool finish() {
    for (const auto &stream : streams_)
      if (!finishMembers({stream.get()}, problem_))
        return false;
    return true;
  }

  const FileParts &file_;
  const ZipEntries &members_;
  const PieceSink &sink_;
  FileProblem &problem_;
  std::vector<std::unique_ptr<MemberStream>> streams_;
  std::vector<NumpyArray> headers_;
  std::vector<char> buffer_;
  Coordinates piece_;
  size_t pending_ = 0; ///< entries that have their coordinates alone
};

} // namespace

bool failWith(FileProblem &problem, std::string message) {
  problem = {FileProblem::Kind::Malformed, std::move(message)};
  return false;
}

FileProblem changed() {
  return {FileProblem::Kind::Malformed, "it has changed since it was opened, or cannot be read to its end"};
}

const ZipEntry *memberOf(const ZipEntries &members, const std::string &name, FileProblem &problem) {
  const auto found = members.find(name + ".npy");
  if (found != members.end())
    return &found->second;
  failWith(problem, "it lacks the member '" + name + "' that a matrix of scipy.sparse.save_npz has");
  return nullptr;
}

std::optional<NumpyArray> headerOfMember(MemberStream &stream, FileProblem &problem) {
  std::optional<NumpyArray> array =
      readNumpyHeader([&](char *to, size_t count) { return stream.read(to, count); }, problem);
  if (array && stream.left() != array->byteCount()) {
    problem = wrongLength(*array, stream.left());
    array.reset();
  }
  if (!array)
    problem.message = "its member '" + stream.name().substr(0, stream.name().rfind(".npy")) + "': " + problem.message;
  return array;
}

bool readPiece(MemberStream &stream, const NumpyArray &array, int64_t count, std::vector<char> &buffer,
               NumpyArray &piece, FileProblem &problem) {
  piece = array;
  piece.count = count;
  buffer.resize(piece.byteCount());
  piece.bytes = {buffer.data(), buffer.size()};
  return stream.read(buffer.data(), buffer.size()) == buffer.size() ||
         failWith(problem,
                  "the archive is damaged: its member '" + stream.name() + "' does not decompress to what it says");
}

bool finishMembers(std::initializer_list<MemberStream *> members, FileProblem &problem) {
  for (MemberStream *member : members)
    if (!member->finish())
      return failWith(problem, "the archive is damaged: its member '" + member->name() +
                                   "' does not decompress to what it says");
  return true;
}

std::optional<Archive> openArchive(const FileParts &file, FileProblem &problem) {
  const std::optional<std::vector<ZipEntry>> list =
      listZip([&](uint64_t at, char *to, size_t count) { return file.read(at, to, count); }, file.size(), problem);
  if (!list)
    return std::nullopt;
  Archive archive;
  for (const ZipEntry &entry : *list)
    if (!archive.members.emplace(entry.name, entry).second) {
      failWith(problem, "the archive is damaged: it has two members '" + entry.name + "'");
      return std::nullopt;
    }
  if (!archive.members.contains("format.npy"))
    return archive;
  std::vector<char> bytes;
  const std::optional<NumpyArray> format = smallMember(file, archive.members, "format", bytes, problem);
  if (!format)
    return std::nullopt;
  archive.format = format->text();
  const std::optional<NumpyArray> shape = smallMember(file, archive.members, "shape", bytes, problem);
  if (!shape)
    return std::nullopt;
  if (!shape->isInteger() || shape->count != 2 || shape->shape.size() != 1) {
    failWith(problem, "its shape is not that of a matrix");
    return std::nullopt;
  }
  for (const int64_t dim : {0, 1}) {
    archive.shape.push_back(shape->integer(dim).value_or(-1));
    if (archive.shape.back() < 0 && !failWith(problem, "an extent is negative or too large"))
      return std::nullopt;
  }
  return archive;
}

std::optional<std::vector<int64_t>> giveEntries(const FileParts &file, const ZipEntries &members,
                                                const std::string &format, const PieceSink &sink,
                                                FileProblem &problem) {
  const std::optional<Archive> archive = openArchive(file, problem);
  if (!archive)
    return std::nullopt;
  ListGiver giver(file, members, archive->shape, sink, problem);
  const bool isGiven = format == "coo" ? giver.giveCoo() : giver.giveSegments(format == "csr" ? 0 : 1);
  return isGiven ? std::optional(archive->shape) : std::nullopt;
}

} // namespace spc::tensor
