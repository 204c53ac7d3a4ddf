// Reads the elements of NumPy's arrays piece by piece: an array need not be in memory beside what is made of it.
#include "support/memory.h"
#include "tensor/files/numpy_files.h"
#include "tensor/files/readers.h"
#include "tensor/files/strided_copy.h"
#include "tensor/pack/packed_arrays.h"

#include <algorithm>

namespace spc::tensor {

namespace {

using abi::FieldRole;

constexpr int64_t kReadElements = int64_t{1} << 15; ///< elements

/// Walks through the places of an array in the order of its file.
class Walk {
public:
  explicit Walk(const NumpyArray &array) : shape_(array.shape), at_(array.shape.size()) {
    for (size_t step = 0; step < at_.size(); ++step)
      order_.push_back(array.isFortran ? step : at_.size() - 1 - step);
  }

  /// The dimension that runs fastest. Requires: one at least.
  size_t fastest() const { return order_.front(); }
  const std::vector<size_t> &order() const { return order_; }
  const std::vector<int64_t> &at() const { return at_; }

  /// How many of so many places follow along the fastest dimension.
  int64_t run(int64_t most) const { return at_.empty() ? 1 : std::min(most, shape_[fastest()] - at_[fastest()]); }

  /// Goes on by a run.
  void advance(int64_t run) {
    for (const size_t dim : order_) {
      at_[dim] += run;
      if (at_[dim] < shape_[dim])
        return;
      at_[dim] = 0;
      run = 1;
    }
  }

private:
  const std::vector<int64_t> &shape_;
  std::vector<size_t> order_; ///< the fastest first
  std::vector<int64_t> at_;
};

/// Calls `use` with one piece after the other, an array of its own, and where it begins, until it gives false; so it
/// does then, and with a problem where the file ends early or late.
template <typename Use>
bool eachPiece(const NumpyArray &array, const ByteReader &file, FileProblem &problem, const Use &use) {
  std::vector<char> buffer(static_cast<size_t>(std::clamp(array.count, int64_t{1}, kReadElements)) *
                           array.elementBytes);
  NumpyArray piece = array;
  for (int64_t begin = 0; begin < array.count; begin += piece.count) {
    piece.count = std::min(kReadElements, array.count - begin);
    const size_t got = file(buffer.data(), piece.byteCount());
    if (got < piece.byteCount()) {
      problem = wrongLength(array, static_cast<uint64_t>(begin) * array.elementBytes + got);
      return false;
    }
    piece.bytes = {buffer.data(), got};
    if (!use(piece, begin))
      return false;
  }
  uint64_t follow = array.byteCount();
  while (const size_t got = file(buffer.data(), buffer.size()))
    follow += got;
  if (follow > array.byteCount())
    problem = wrongLength(array, follow);
  return follow == array.byteCount();
}

/// Fills the values of a dense tensor.
class ElementPacker {
public:
  ElementPacker(const NumpyArray &array, PackedArrays &arrays)
      : arrays_(arrays), walk_(array), bytes_(static_cast<size_t>(sema::bytesOf(arrays.valueType()))),
        values_(static_cast<char *>(arrays.allocateUnset(FieldRole::Values, 0, array.count))) {
    uint64_t expected = 1; // wraps only where there are no elements
    for (const size_t dim : walk_.order()) {
      strides_.resize(array.shape.size());
      strides_[dim] = arrays.number(FieldRole::Stride, static_cast<int>(dim));
      isInOrder_ = isInOrder_ && (array.shape[dim] == 1 || static_cast<uint64_t>(strides_[dim]) == expected);
      expected *= static_cast<uint64_t>(array.shape[dim]);
    }
    if (!isInOrder_)
      piece_.resize(static_cast<size_t>(std::min(array.count, kReadElements)) * bytes_);
  }

  /// False, with the reason in `error`, where a value does not fit.
  bool add(const NumpyArray &piece, int64_t begin, std::string &error) {
    char *to = isInOrder_ ? values_ + static_cast<size_t>(begin) * bytes_ : piece_.data();
    if (const auto bad = piece.store(0, piece.count, arrays_.valueType(), to)) {
      error = valueNotStored(piece.number(*bad), arrays_.valueType());
      return false;
    }
    for (int64_t done = 0; !isInOrder_ && done < piece.count;) {
      int64_t offset = 0;
      for (size_t dim = 0; dim < strides_.size(); ++dim)
        offset += walk_.at()[dim] * strides_[dim];
      const int64_t run = walk_.run(piece.count - done);
      copyStrided(bytes_, run, piece_.data() + static_cast<size_t>(done) * bytes_, 1,
                  values_ + static_cast<size_t>(offset) * bytes_, strides_[walk_.fastest()]);
      walk_.advance(run);
      done += run;
    }
    return true;
  }

private:
  PackedArrays &arrays_;
  Walk walk_;
  size_t bytes_;
  char *values_;
  std::vector<int64_t> strides_;
  bool isInOrder_ = true; ///< elements follow one another in the file as in the tensor
  std::vector<char> piece_;
};

/// Throws std::bad_alloc where elements exceed this machine's memory: the system grants more than it has.
void requireMemoryFor(double bytes) {
  constexpr double kUsable = 0.75;
  if (bytes > kUsable * physicalMemory())
    throw std::bad_alloc();
}

/// Adds the elements of a piece that are listed.
void addListed(const NumpyArray &piece, bool keepsSigns, Walk &walk, std::vector<int64_t> &at, Coordinates &result) {
  const bool isWhole = piece.isInteger() && piece.elementBytes == sizeof(int64_t);
  std::vector<double> numbers(static_cast<size_t>(piece.count));
  const bool isReal = piece.kind != 'c' && !isWhole;
  if (isReal)
    piece.store(0, piece.count, sema::ValueType::F64, numbers.data());
  for (int64_t done = 0; done < piece.count;) {
    const int64_t run = walk.run(piece.count - done);
    at = walk.at();
    int64_t none = 0;
    int64_t &place = at.empty() ? none : at[walk.fastest()];
    for (int64_t e = done; e < done + run; ++e, ++place) {
      const Number value = isReal ? Number{numbers[static_cast<size_t>(e)]} : piece.number(e);
      if (isElementListed(value, keepsSigns))
        result.append(at.data(), value);
    }
    walk.advance(run);
    done += run;
  }
  requireRoomForPiece(result);
}

} // namespace

bool isArrayOf(const NumpyArray &array, const PackTarget &target) {
  return target.format.isDense() && target.format.order() == static_cast<int>(array.shape.size()) &&
         !array.shape.empty();
}

std::optional<PackedTensor> packElements(const NumpyArray &array, const ByteReader &file, const PackTarget &target,
                                         FileProblem &problem, std::string &unstorable) {
  requireMemoryFor(static_cast<double>(array.count) * sema::bytesOf(target.type));
  PackedArrays arrays(target.format, target.type, array.shape);
  arrays.setStrides();
  ElementPacker packer(array, arrays);
  const auto add = [&](const NumpyArray &piece, int64_t begin) { return packer.add(piece, begin, unstorable); };
  if (!eachPiece(array, file, problem, add))
    return std::nullopt;
  arrays.valueCount = array.count;
  return PackedTensor::owning(std::move(arrays));
}

std::optional<Coordinates> listElements(const NumpyArray &array, const ByteReader &file, bool keepsSigns,
                                        FileProblem &problem) {
  Coordinates result;
  result.shape = array.shape;
  Walk walk(array);
  std::vector<int64_t> at;
  const auto add = [&](const NumpyArray &piece, int64_t) {
    addListed(piece, keepsSigns, walk, at, result);
    return true;
  };
  return eachPiece(array, file, problem, add) ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<FileTensor> readNpy(const ByteReader &file, std::optional<uint64_t> fileBytes, const ReadRequest &request,
                                  FileProblem &problem) {
  uint64_t taken = 0;
  const ByteReader counted = [&](char *to, size_t count) {
    const size_t got = file(to, count);
    taken += got;
    return got;
  };
  std::optional<NumpyArray> array = readNumpyHeader(counted, problem);
  if (!array)
    return std::nullopt;
  if (array->isText()) {
    problem = {FileProblem::Kind::Unsupported, "its elements are texts, which are no numbers"};
    return std::nullopt;
  }
  if (fileBytes && *fileBytes - std::min(taken, *fileBytes) != array->byteCount()) {
    problem = wrongLength(*array, *fileBytes - std::min(taken, *fileBytes));
    return std::nullopt;
  }
  FileTensor result;
  if (request.packs()) {
    NumpyArray own = *array;
    if (request.target->format.order() == 1 && own.shape.size() == 2 && (own.shape[0] == 1 || own.shape[1] == 1))
      own.shape = {own.count}; // as asVector() has it
    if (isArrayOf(own, *request.target) && (!request.shape || *request.shape == own.shape)) {
      result.packed = packElements(own, counted, *request.target, problem, result.unstorable);
      return result.packed || !result.unstorable.empty() ? std::optional(std::move(result)) : std::nullopt;
    }
  }
  std::optional<Coordinates> entries = listElements(*array, counted, request.keepsSigns(), problem);
  if (!entries)
    return std::nullopt;
  result.entries = std::move(*entries);
  return result;
}

} // namespace spc::tensor
