#include "tensor/numpy_files.h"

#include "tensor/readers.h"
#include "tensor/segments.h"

#include <algorithm>
#include <cmath>

namespace spc::tensor {

namespace {

std::nullopt_t malformed(FileProblem &problem, std::string message) {
  problem = {FileProblem::Kind::Malformed, std::move(message)};
  return std::nullopt;
}

/// Goes to the next place of an array, the last coordinate running fastest, or the first.
void advance(std::vector<int64_t> &at, const std::vector<int64_t> &shape, bool isFortran) {
  for (size_t step = 0; step < at.size(); ++step) {
    const size_t dim = isFortran ? step : at.size() - 1 - step;
    if (++at[dim] < shape[dim])
      return;
    at[dim] = 0;
  }
}

/// Reads SciPy's sparse matrices from their arrays.
class SparseReader {
public:
  SparseReader(const ZipMembers &members, FileProblem &problem) : members_(members), problem_(problem) {}

  std::optional<Coordinates> read() {
    const std::optional<NumpyArray> format = array("format", false), shape = array("shape", false);
    data_ = format && shape ? array("data", false) : std::nullopt;
    if (!data_)
      return std::nullopt;
    if (data_->kind == 'S' || data_->kind == 'U' || !readShape(*shape))
      return malformed(problem_, problem_.message.empty() ? "its member 'data' holds no numbers" : problem_.message);
    const std::string name = format->text();
    const bool isRead = name == "csr"   ? readSegments(0)
                        : name == "csc" ? readSegments(1)
                        : name == "coo" ? readCoo()
                        : name == "bsr" ? readBlocks()
                        : name == "dia" ? readDiagonals()
                                        : fail("its format '" + name + "' is none of csr, csc, coo, bsr and dia");
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
    std::optional<NumpyArray> array = readNumpyArray(found->second, problem_);
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
      result_.shape.push_back(shape.integer(dim).value_or(-1));
      if (result_.shape.back() < 0)
        return fail("an extent is negative or too large");
    }
    return true;
  }

  bool add(int64_t row, int64_t column, int64_t value) {
    const int64_t at[] = {row, column};
    if (row < 0 || row >= result_.shape[0] || column < 0 || column >= result_.shape[1])
      return fail("its entry " + std::to_string(value) + " lies at (" + std::to_string(row) + ", " +
                  std::to_string(column) + "), counted from 0, outside of its shape");
    result_.append(at, data_->number(value));
    requireRoom(result_);
    return true;
  }

  bool readCoo() {
    const auto rows = array("row", true), columns = rows ? array("col", true) : std::nullopt;
    if (!columns)
      return false;
    if (data_->shape.size() != 1 || rows->count != data_->count || columns->count != data_->count)
      return fail("its members 'row', 'col' and 'data' differ in length");
    for (int64_t e = 0; e < data_->count; ++e)
      if (!add(rows->integer(e).value_or(-1), columns->integer(e).value_or(-1), e))
        return false;
    return true;
  }

  /// Calls `use` with the major and the minor coordinate and the place of each entry that pointers and indices list.
  template <typename Use> bool eachListed(int64_t majors, int64_t entries, const Use &use) {
    const auto indices = array("indices", true), pointers = indices ? array("indptr", true) : std::nullopt;
    if (!pointers)
      return false;
    if (pointers->count != majors + 1 || indices->count < entries)
      return fail("its member 'indptr' or 'indices' does not have the length that its shape asks for");
    int64_t begin = pointers->integer(0).value_or(-1);
    for (int64_t major = 0; major < majors; ++major) {
      const int64_t end = pointers->integer(major + 1).value_or(-1);
      if (begin < 0 || end < begin || end > entries || end > indices->count)
        return fail("its member 'indptr' does not ascend from 0 to the number of entries");
      for (int64_t place = begin; place < end; ++place)
        if (!use(major, indices->integer(place).value_or(-1), place))
          return false;
      begin = end;
    }
    return true;
  }

  bool readSegments(size_t major) {
    if (data_->shape.size() != 1)
      return fail("its member 'data' has not one dimension");
    return eachListed(result_.shape[major], data_->count, [&](int64_t at, int64_t listed, int64_t place) {
      return major == 0 ? add(at, listed, place) : add(listed, at, place);
    });
  }

  bool readBlocks() {
    const std::vector<int64_t> &blocks = data_->shape;
    if (blocks.size() != 3 || blocks[1] < 1 || blocks[2] < 1 || result_.shape[0] % blocks[1] != 0 ||
        result_.shape[1] % blocks[2] != 0)
      return fail("its blocks do not divide its shape");
    const int64_t height = blocks[1], width = blocks[2];
    return eachListed(result_.shape[0] / height, blocks[0], [&](int64_t row, int64_t column, int64_t block) {
      if (column < 0 || column >= result_.shape[1] / width)
        return fail("a block lies outside of its shape");
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j) {
          const int64_t place =
              data_->isFortran ? block + blocks[0] * (i + height * j) : (block * height + i) * width + j;
          if (!add(row * height + i, column * width + j, place))
            return false;
        }
      return true;
    });
  }

  /// Column j of each diagonal holds the entry (j - offset, j); those outside of the matrix mean nothing.
  bool readDiagonals() {
    const auto offsets = array("offsets", true);
    if (!offsets)
      return false;
    if (data_->shape.size() != 2 || data_->shape[0] != offsets->count)
      return fail("its members 'offsets' and 'data' differ in length");
    const int64_t stored = data_->shape[1], most = std::max(result_.shape[0], result_.shape[1]);
    for (int64_t k = 0; k < offsets->count; ++k) {
      const int64_t offset = offsets->integer(k).value_or(INT64_MAX);
      if (offset >= most || offset <= -most)
        continue;
      for (int64_t j = std::max<int64_t>(0, offset);
           j < std::min({stored, result_.shape[1], result_.shape[0] + offset}); ++j)
        if (!add(j - offset, j, data_->isFortran ? k + j * data_->shape[0] : k * stored + j))
          return false;
    }
    return true;
  }

  const ZipMembers &members_;
  FileProblem &problem_;
  std::optional<NumpyArray> data_;
  Coordinates result_;
};

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

/// All values one after the other as a .npy file of a given shape.
std::string valuesFile(const Coordinates &entries, sema::ValueType type, const std::vector<int64_t> &shape) {
  const sema::ValueType written = type == sema::ValueType::BF16 ? sema::ValueType::F32 : type;
  std::string values(entries.size() * static_cast<size_t>(sema::bytesOf(written)), '\0');
  for (size_t e = 0; e < entries.size(); ++e)
    storeNumber(values.data(), written, static_cast<int64_t>(e), entries.value(e));
  return numpyHeader(typeString(written), shape) + values;
}

/// Integers as a .npy file: of 32 bits where all of them fit.
std::string integersFile(const std::vector<int64_t> &integers, bool isWide) {
  const sema::ValueType type = isWide ? sema::ValueType::I64 : sema::ValueType::I32;
  std::string bytes(integers.size() * static_cast<size_t>(sema::bytesOf(type)), '\0');
  for (size_t k = 0; k < integers.size(); ++k)
    storeNumber(bytes.data(), type, static_cast<int64_t>(k), fromInteger(integers[k]));
  return numpyHeader(typeString(type), {static_cast<int64_t>(integers.size())}) + bytes;
}

} // namespace

std::optional<Coordinates> readNpy(std::string_view file, FileProblem &problem) {
  const std::optional<NumpyArray> array = readNumpyArray(file, problem);
  if (!array)
    return std::nullopt;
  if (array->kind == 'S' || array->kind == 'U') {
    problem = {FileProblem::Kind::Unsupported, "its elements are texts, which are no numbers"};
    return std::nullopt;
  }
  Coordinates result;
  result.shape = array->shape;
  std::vector<int64_t> at(array->shape.size());
  for (int64_t e = 0; e < array->count; ++e) {
    if (const Number value = array->number(e); value != Number() || std::signbit(value.real)) {
      result.append(at.data(), value);
      requireRoom(result);
    }
    advance(at, array->shape, array->isFortran);
  }
  return result;
}

std::optional<Coordinates> readNpz(const ZipMembers &members, FileProblem &problem) {
  if (members.contains("format.npy"))
    return SparseReader(members, problem).read();
  if (members.size() == 1 && members.begin()->first.ends_with(".npy"))
    return readNpy(members.begin()->second, problem);
  return malformed(problem, "it holds neither one array nor a matrix that scipy.sparse.save_npz has written");
}

std::string writeNpy(const Coordinates &entries, sema::ValueType type) {
  return valuesFile(entries, type, entries.shape);
}

std::optional<std::string> writeNpz(const Coordinates &entries, const WriteOptions &options) {
  if (options.isDense)
    return writeZip({{"arr_0.npy", writeNpy(entries, options.type)}});
  const MatrixLists lists = matrixLists(entries);
  const auto count = static_cast<int64_t>(entries.size());
  const bool isWide = std::max({lists.rowCount, lists.columnCount, count}) > INT32_MAX;
  ZipMembers members = {{"shape.npy", integersFile({lists.rowCount, lists.columnCount}, true)},
                        {"data.npy", valuesFile(entries, options.type, {count})},
                        {"format.npy", numpyHeader("|S3", {}) + (lists.byRow      ? "csr"
                                                                 : lists.byColumn ? "csc"
                                                                                  : "coo")}};
  if (lists.byRow || lists.byColumn) {
    members["indices.npy"] = integersFile(lists.byRow ? lists.columns : lists.rows, isWide);
    members["indptr.npy"] = integersFile(
        lists.byRow ? pointersOf(lists.rows, lists.rowCount) : pointersOf(lists.columns, lists.columnCount), isWide);
  } else {
    members["row.npy"] = integersFile(lists.rows, isWide);
    members["col.npy"] = integersFile(lists.columns, isWide);
  }
  return writeZip(members);
}

} // namespace spc::tensor
