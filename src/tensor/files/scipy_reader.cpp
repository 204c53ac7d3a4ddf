// SciPy's sparse matrices, from their arrays.
#include "support/memory.h"
#include "tensor/files/integers.h"
#include "tensor/files/numpy_files.h"
#include "tensor/files/packed_segments.h"
#include "tensor/files/readers.h"

#include <algorithm>

namespace spc::tensor {

namespace {

std::nullopt_t malformed(FileProblem &problem, std::string message) {
  problem = {FileProblem::Kind::Malformed, std::move(message)};
  return std::nullopt;
}

/// Reads SciPy's sparse matrices from their arrays.
class SparseReader {
public:
  SparseReader(const ZipMembers &members, const ReadRequest &request, FileProblem &problem)
      : members_(members), request_(request), problem_(problem) {}

  std::optional<FileTensor> read() {
    const std::optional<NumpyArray> format = array("format", false), shape = array("shape", false);
    data_ = format && shape ? array("data", false) : std::nullopt;
    if (!data_)
      return std::nullopt;
    if (data_->isText() || !readShape(*shape))
      return malformed(problem_, problem_.message.empty() ? "its member 'data' holds no numbers" : problem_.message);
    const std::string name = format->text();
    const bool isRead = name == "csr"   ? readSegments(0)
                        : name == "csc" ? readSegments(1)
                        : name == "coo" ? readCoo()
                        : name == "bsr" ? readBlocks()
                        : name == "dia" ? readDiagonals()
                                        : fail("its format '" + name + "' is none of csr, csc, coo, bsr and dia");
    if ((name == "bsr" || name == "dia") && !request_.keepsSigns())
      entries_.dropZeros(); // which nothing tells from padding
    result_.entries = std::move(entries_);
    return isRead ? std::optional(std::move(result_)) : std::nullopt;
  }

private:
  bool fail(std::string message) {
    malformed(problem_, std::move(message));
    return false;
  }

  /// A member; of integers in one dimension where it says places.
  std::optional<NumpyArray> array(const std::string &name, bool isPlaces) {
    const auto found = members_.find(name + ".npy");
    if (found == members_.end())
      return malformed(problem_, "it lacks the member '" + name + "' that a matrix of scipy.sparse.save_npz has");
    std::optional<NumpyArray> array = readNumpyArray(found->second.bytes, problem_);
    if (!array)
      problem_.message = "its member '" + name + "': " + problem_.message;
    if (array && isPlaces && (!array->isInteger() || array->shape.size() != 1))
      return malformed(problem_, "its member '" + name + "' is no list of integers");
    return array;
  }

  bool readShape(const NumpyArray &shape) {
    if (!shape.isInteger() || shape.count != 2 || shape.shape.size() != 1)
      return fail("its shape is not that of a matrix");
    for (int64_t dim = 0; dim < 2; ++dim) {
      entries_.shape.push_back(shape.integer(dim).value_or(-1));
      if (entries_.shape.back() < 0)
        return fail("an extent is negative or too large");
    }
    return true;
  }

  bool outside(int64_t row, int64_t column, int64_t value) {
    return fail("its entry " + std::to_string(value) + " lies at (" + std::to_string(row) + ", " +
                std::to_string(column) + "), counted from 0, outside of its shape");
  }

  /// Adds where an entry is; its value is added with those of others.
  bool place(int64_t row, int64_t column, int64_t value) {
    if (row < 0 || row >= entries_.shape[0] || column < 0 || column >= entries_.shape[1])
      return outside(row, column, value);
    entries_.coordinates.push_back(row);
    entries_.coordinates.push_back(column);
    return true;
  }

  /// Adds values that follow one another in the file as their entries do.
  bool addValues(int64_t begin, int64_t count) {
    appendValues(*data_, begin, count, entries_);
    return true;
  }

  /// How many entries have been placed.
  int64_t entryCount() const { return static_cast<int64_t>(entries_.coordinates.size() / 2); }

  /// Makes room for a list.
  void reserve(int64_t count) {
    requireRoomForList(static_cast<double>(count), 2);
    entries_.coordinates.reserve(2 * static_cast<size_t>(count));
    entries_.values.reserve(static_cast<size_t>(count));
    adviseLargePages(entries_.coordinates.data(), entries_.coordinates.capacity() * sizeof(int64_t));
    adviseLargePages(entries_.values.data(), entries_.values.capacity() * sizeof(double));
  }

  bool readCoo() {
    const auto rows = array("row", true), columns = rows ? array("col", true) : std::nullopt;
    if (!columns)
      return false;
    if (data_->shape.size() != 1 || rows->count != data_->count || columns->count != data_->count)
      return fail("its members 'row', 'col' and 'data' differ in length");
    reserve(data_->count);
    Integers row(*rows), column(*columns);
    for (int64_t e = 0; e < data_->count; ++e)
      if (!place(row[e], column[e], e))
        return false;
    return addValues(0, data_->count);
  }

  /// Calls `use` with the major and the minor coordinate and the place of each entry that pointers and indices list,
  /// which begin at `first`.
  template <typename Use>
  bool eachListed(const NumpyArray &pointers, const NumpyArray &indices, int64_t majors, int64_t entries,
                  int64_t &first, const Use &use) {
    if (pointers.count - 1 != majors || indices.count < entries)
      return fail("its member 'indptr' or 'indices' does not have the length that its shape asks for");
    Integers pointer(pointers), index(indices);
    int64_t begin = first = pointer[0];
    for (int64_t major = 0; major < majors; ++major) {
      const int64_t end = pointer[major + 1];
      if (begin < 0 || end < begin || end > entries || end > indices.count)
        return fail("its member 'indptr' does not ascend from 0 to the number of entries");
      for (int64_t place = begin; place < end; ++place)
        if (!use(major, index[place], place))
          return false;
      begin = end;
    }
    return true;
  }

  bool readSegments(size_t major) {
    const auto indices = array("indices", true), pointers = indices ? array("indptr", true) : std::nullopt;
    if (!pointers)
      return false;
    if (data_->shape.size() != 1)
      return fail("its member 'data' has not one dimension");
    const SegmentArrays arrays{entries_.shape, major, *pointers, *indices, *data_};
    if (request_.packs() && (!request_.shape || *request_.shape == entries_.shape) &&
        (result_.packed = packSegments(arrays, *request_.target)))
      return true;
    reserve(data_->count);
    int64_t first = 0;
    const auto add = [&](int64_t at, int64_t listed, int64_t value) {
      return major == 0 ? place(at, listed, value) : place(listed, at, value);
    };
    return eachListed(*pointers, *indices, entries_.shape[major], data_->count, first, add) &&
           (entryCount() == 0 || addValues(first, entryCount()));
  }

  bool readBlocks() {
    const auto indices = array("indices", true), pointers = indices ? array("indptr", true) : std::nullopt;
    if (!pointers)
      return false;
    const std::vector<int64_t> &blocks = data_->shape;
    if (blocks.size() != 3 || blocks[1] < 1 || blocks[2] < 1 || entries_.shape[0] % blocks[1] != 0 ||
        entries_.shape[1] % blocks[2] != 0)
      return fail("its blocks do not divide its shape");
    reserve(data_->count);
    const int64_t height = blocks[1], width = blocks[2];
    int64_t first = 0;
    const auto addBlock = [&](int64_t row, int64_t column, int64_t block) {
      if (column < 0 || column >= entries_.shape[1] / width)
        return fail("a block lies outside of its shape");
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j) {
          entries_.coordinates.push_back(row * height + i);
          entries_.coordinates.push_back(column * width + j);
          if (data_->isFortran)
            entries_.appendValue(data_->number(block + blocks[0] * (i + height * j)));
        }
      return true;
    };
    return eachListed(*pointers, *indices, entries_.shape[0] / height, blocks[0], first, addBlock) &&
           (data_->isFortran || entryCount() == 0 || addValues(first * height * width, entryCount()));
  }

  /// Column j of each diagonal holds the entry (j - offset, j); those outside of the matrix mean nothing.
  bool readDiagonals() {
    const auto offsets = array("offsets", true);
    if (!offsets)
      return false;
    if (data_->shape.size() != 2 || data_->shape[0] != offsets->count)
      return fail("its members 'offsets' and 'data' differ in length");
    requireRoomForList(static_cast<double>(data_->count), 2);
    const int64_t stored = data_->shape[1], most = std::max(entries_.shape[0], entries_.shape[1]);
    for (int64_t k = 0; k < offsets->count; ++k) {
      const int64_t offset = offsets->integer(k).value_or(INT64_MAX);
      if (offset >= most || offset <= -most)
        continue;
      const int64_t begin = std::max<int64_t>(0, offset),
                    end = std::min({stored, entries_.shape[1], entries_.shape[0] + offset});
      for (int64_t j = begin; j < end; ++j) {
        entries_.coordinates.push_back(j - offset);
        entries_.coordinates.push_back(j);
        if (data_->isFortran)
          entries_.appendValue(data_->number(k + j * data_->shape[0]));
      }
      if (!data_->isFortran && begin < end)
        addValues(k * stored + begin, end - begin);
    }
    return true;
  }

  const ZipMembers &members_;
  const ReadRequest &request_;
  FileProblem &problem_;
  std::optional<NumpyArray> data_;
  Coordinates entries_;
  FileTensor result_;
};

} // namespace

void appendValues(const NumpyArray &array, int64_t begin, int64_t count, Coordinates &entries) {
  if (array.kind == 'c' || (array.isInteger() && array.elementBytes == sizeof(int64_t))) {
    for (int64_t at = begin; at < begin + count; ++at)
      entries.appendValue(array.number(at));
    return;
  }
  const size_t before = entries.values.size();
  entries.values.resize(before + static_cast<size_t>(count));
  array.store(begin, count, sema::ValueType::F64, entries.values.data() + before);
}

std::optional<FileTensor> readNpz(const ZipMembers &members, const ReadRequest &request, FileProblem &problem) {
  if (members.contains("format.npy"))
    return SparseReader(members, request, problem).read();
  if (members.size() != 1 || !members.begin()->first.ends_with(".npy"))
    return malformed(problem, "it holds neither one array nor a matrix that scipy.sparse.save_npz has written");
  const std::string_view file = members.begin()->second.bytes;
  return readNpy(readerOf(file), file.size(), request, problem);
}

} // namespace spc::tensor
