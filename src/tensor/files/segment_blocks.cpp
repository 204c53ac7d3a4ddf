// SciPy's csr and csc in blocks of rows or columns: the pointers are held, all else is read as it is needed.
#include "tensor/files/block_readers.h"
#include "tensor/files/packed_segments.h"
#include "tensor/pack/packed_arrays.h"

#include <algorithm>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using sema::ValueType;

class SegmentBlocks : public BlockReader {
public:
  SegmentBlocks(std::unique_ptr<FileParts> file, std::vector<int64_t> shape, size_t major, const PackTarget &target)
      : file_(std::move(file)), shape_(std::move(shape)), major_(major), target_(target),
        packs_(target.isPacked && segmentsMajor(target.format) == major) {}

  /// Opens the members; false with a problem.
  bool open(const ZipEntries &members, FileProblem &problem);

  const std::vector<int64_t> &shape() const override { return shape_; }
  double heldBytes() const override { return static_cast<double>(pointers_.size() * sizeof(int64_t)); }
  double bytesFor(int64_t begin, int64_t end) const override;
  std::optional<FileTensor> read(int64_t begin, int64_t end, FileProblem &problem) override;

private:
  bool readPointers(MemberStream &stream, FileProblem &problem);
  bool readPacked(int64_t begin, int64_t end, FileTensor &result, FileProblem &problem);
  bool readList(int64_t begin, int64_t end, Coordinates &entries, FileProblem &problem);
  bool listPacked(const PackedArrays &arrays, int64_t begin, Coordinates &entries, FileProblem &problem) const;
  bool outside(int64_t at, int64_t listed, int64_t place, FileProblem &problem) const;
  bool skipFirst(FileProblem &problem);

  int64_t entriesIn(int64_t begin, int64_t end) const {
    return pointers_[static_cast<size_t>(end)] - pointers_[static_cast<size_t>(begin)];
  }
  std::vector<int64_t> blockShape(int64_t begin, int64_t end) const {
    std::vector<int64_t> shape = shape_;
    shape[major_] = end - begin;
    return shape;
  }

  std::unique_ptr<FileParts> file_;
  std::vector<int64_t> shape_;
  size_t major_;
  PackTarget target_;
  bool packs_;
  bool hasLists_ = false; ///< a block was in another order than the target's
  std::vector<int64_t> pointers_;
  std::unique_ptr<MemberStream> indices_, values_;
  NumpyArray index_, value_; ///< the headers
  std::vector<char> buffer_;
};

bool SegmentBlocks::readPointers(MemberStream &stream, FileProblem &problem) {
  const std::optional<NumpyArray> header = headerOfMember(stream, problem);
  if (!header)
    return false;
  if (!header->isInteger() || header->shape.size() != 1)
    return failWith(problem, "its member 'indptr' is no list of integers");
  if (header->count - 1 != shape_[major_])
    return failWith(problem, "its member 'indptr' or 'indices' does not have the length that its shape asks for");
  pointers_.resize(static_cast<size_t>(header->count));
  for (int64_t begin = 0; begin < header->count; begin += kPieceEntries) {
    const int64_t count = std::min(kPieceEntries, header->count - begin);
    NumpyArray piece;
    if (!readPiece(stream, *header, count, buffer_, piece, problem))
      return false;
    piece.copyIntegers(0, count, pointers_.data() + begin);
  }
  return true;
}

bool SegmentBlocks::open(const ZipEntries &members, FileProblem &problem) {
  const ZipEntry *pointers = memberOf(members, "indptr", problem), *indices = memberOf(members, "indices", problem),
                 *values = memberOf(members, "data", problem);
  if (!pointers || !indices || !values)
    return false;
  MemberStream stream(*file_, *pointers);
  if (!readPointers(stream, problem) || !finishMembers({&stream}, problem))
    return false;
  indices_ = std::make_unique<MemberStream>(*file_, *indices);
  values_ = std::make_unique<MemberStream>(*file_, *values);
  const std::optional<NumpyArray> index = headerOfMember(*indices_, problem),
                                  value = index ? headerOfMember(*values_, problem) : std::nullopt;
  if (!value)
    return false;
  index_ = *index;
  value_ = *value;
  if (!index_.isInteger() || index_.shape.size() != 1)
    return failWith(problem, "its member 'indices' is no list of integers");
  if (value_.isText() || value_.shape.size() != 1)
    return failWith(problem,
                    value_.isText() ? "its member 'data' holds no numbers" : "its member 'data' has not one dimension");
  if (index_.count < value_.count)
    return failWith(problem, "its member 'indptr' or 'indices' does not have the length that its shape asks for");
  if (pointers_.front() < 0 || !std::is_sorted(pointers_.begin(), pointers_.end()) || pointers_.back() > value_.count)
    return failWith(problem, "its member 'indptr' does not ascend from 0 to the number of entries");
  return skipFirst(problem);
}

/// Entries in front of those of the first row belong to none.
bool SegmentBlocks::skipFirst(FileProblem &problem) {
  for (int64_t left = pointers_.front(); left > 0; left -= std::min(left, kPieceEntries)) {
    NumpyArray piece;
    const int64_t count = std::min(left, kPieceEntries);
    if (!readPiece(*indices_, index_, count, buffer_, piece, problem) ||
        !readPiece(*values_, value_, count, buffer_, piece, problem))
      return false;
  }
  return true;
}

double SegmentBlocks::bytesFor(int64_t begin, int64_t end) const {
  const auto entries = static_cast<double>(entriesIn(begin, end));
  if (!packs_ || hasLists_)
    return listBytes(target_, blockShape(begin, end), entries);
  const int index = format::bits(target_.format.indices) / 8, pointer = format::bits(target_.format.pointers) / 8;
  return entries * (sema::bytesOf(target_.type) + index) + static_cast<double>(end - begin + 1) * pointer;
}

bool SegmentBlocks::outside(int64_t at, int64_t listed, int64_t place, FileProblem &problem) const {
  return failWith(problem, "its entry " + std::to_string(place) + " lies at (" +
                               std::to_string(major_ == 0 ? at : listed) + ", " +
                               std::to_string(major_ == 0 ? listed : at) + "), counted from 0, outside of its shape");
}

/// Entries in an order that the target does not store, and repeated ones, as a list.
bool SegmentBlocks::listPacked(const PackedArrays &arrays, int64_t begin, Coordinates &entries,
                               FileProblem &problem) const {
  const ValueType index = valueTypeOf(target_.format.indices);
  const int64_t rows = entries.shape[major_], first = pointers_[static_cast<size_t>(begin)];
  entries.coordinates.reserve(2 * static_cast<size_t>(arrays.valueCount));
  entries.values.reserve(static_cast<size_t>(arrays.valueCount));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t place = pointers_[static_cast<size_t>(begin + row)] - first;
         place < pointers_[static_cast<size_t>(begin + row + 1)] - first; ++place) {
      const auto listed = static_cast<int64_t>(loadNumber(arrays.array(FieldRole::Indices, 1), index, place).real);
      if (listed < 0 || listed >= shape_[1 - major_])
        return outside(begin + row, listed, first + place, problem);
      const int64_t at[] = {major_ == 0 ? row : listed, major_ == 0 ? listed : row};
      entries.append(at, arrays.loadValue(arrays.array(FieldRole::Values), place));
    }
  return true;
}

/// Reads into the arrays of the target, each piece as it comes.
bool SegmentBlocks::readPacked(int64_t begin, int64_t end, FileTensor &result, FileProblem &problem) {
  const int64_t count = entriesIn(begin, end), first = pointers_[static_cast<size_t>(begin)];
  const std::vector<int64_t> shape = blockShape(begin, end);
  PackedArrays arrays(target_.format, target_.type, shape);
  const ValueType pointerType = valueTypeOf(target_.format.pointers), indexType = valueTypeOf(target_.format.indices);
  void *const pointers = arrays.allocateUnset(FieldRole::Pointers, 1, end - begin + 1);
  for (int64_t row = begin; row <= end; ++row)
    storeNumber(pointers, pointerType, row - begin, fromInteger(pointers_[static_cast<size_t>(row)] - first));
  auto *const indices = static_cast<char *>(arrays.allocateUnset(FieldRole::Indices, 1, count));
  auto *const values = static_cast<char *>(arrays.allocateUnset(FieldRole::Values, 0, count));
  arrays.valueCount = count;
  arrays.setNumber(FieldRole::Count, 1, count);
  arrays.setNumber(FieldRole::Stored, 0, count);
  for (int64_t done = 0; done < count; done += kPieceEntries) {
    const int64_t some = std::min(kPieceEntries, count - done);
    NumpyArray piece;
    if (!readPiece(*indices_, index_, some, buffer_, piece, problem))
      return false;
    if (const auto bad = piece.store(0, some, indexType, indices + done * sema::bytesOf(indexType))) {
      const auto row = std::upper_bound(pointers_.begin(), pointers_.end(), first + done + *bad) - pointers_.begin();
      return outside(row - 1, piece.integer(*bad).value_or(-1), first + done + *bad, problem);
    }
    if (!readPiece(*values_, value_, some, buffer_, piece, problem))
      return false;
    if (const auto bad = piece.store(0, some, target_.type, values + done * sema::bytesOf(target_.type))) {
      result.unstorable = valueNotStored(piece.number(*bad), target_.type);
      return true;
    }
  }
  if (hasOrderedSegments(arrays)) {
    result.packed = PackedTensor::owning(std::move(arrays));
    return true;
  }
  hasLists_ = true;
  result.entries.shape = shape;
  return listPacked(arrays, begin, result.entries, problem);
}

bool SegmentBlocks::readList(int64_t begin, int64_t end, Coordinates &entries, FileProblem &problem) {
  const int64_t last = pointers_[static_cast<size_t>(end)];
  const size_t major = major_;
  entries.shape = blockShape(begin, end);
  int64_t row = begin;
  std::vector<int64_t> listed;
  for (int64_t place = pointers_[static_cast<size_t>(begin)]; place < last; place += kPieceEntries) {
    const int64_t some = std::min(kPieceEntries, last - place);
    NumpyArray piece;
    if (!readPiece(*indices_, index_, some, buffer_, piece, problem))
      return false;
    listed.resize(static_cast<size_t>(some));
    piece.copyIntegers(0, some, listed.data());
    for (int64_t e = 0; e < some; ++e) {
      while (pointers_[static_cast<size_t>(row + 1)] <= place + e)
        ++row;
      const int64_t other = listed[static_cast<size_t>(e)];
      if (other < 0 || other >= shape_[1 - major])
        return outside(row, other, place + e, problem);
      entries.coordinates.push_back(major == 0 ? row - begin : other);
      entries.coordinates.push_back(major == 0 ? other : row - begin);
    }
    if (!readPiece(*values_, value_, some, buffer_, piece, problem))
      return false;
    appendValues(piece, 0, some, entries);
  }
  return true;
}

std::optional<FileTensor> SegmentBlocks::read(int64_t begin, int64_t end, FileProblem &problem) {
  FileTensor result;
  const bool fits = entriesIn(begin, end) <= format::largest(target_.format.pointers);
  if (!(packs_ && fits ? readPacked(begin, end, result, problem) : readList(begin, end, result.entries, problem)))
    return std::nullopt;
  const bool isLast = end == shape_[major_] && result.unstorable.empty();
  if (file_->hasChanged() || (isLast && !finishMembers({indices_.get(), values_.get()}, problem))) {
    if (file_->hasChanged())
      problem = changed();
    return std::nullopt;
  }
  return result;
}

} // namespace

std::unique_ptr<BlockReader> segmentBlocks(std::unique_ptr<FileParts> file, const ZipEntries &members, size_t major,
                                           const PackTarget &target, FileProblem &problem) {
  std::optional<Archive> archive = openArchive(*file, problem);
  if (!archive)
    return nullptr;
  auto blocks = std::make_unique<SegmentBlocks>(std::move(file), archive->shape, major, target);
  return blocks->open(members, problem) ? std::move(blocks) : nullptr;
}

} // namespace spc::tensor
