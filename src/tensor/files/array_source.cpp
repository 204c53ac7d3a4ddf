#include "tensor/files/array_source.h"

#include "tensor/files/numpy_array.h"
#include "tensor/files/packed_segments.h"
#include "tensor/files/strided_copy.h"

#include <algorithm>
#include <vector>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using sema::ValueType;

constexpr size_t kSourceBytes = size_t{1} << 18;
constexpr int64_t kSourceElements = int64_t{1} << 15; ///< elements

/// Gives `count` elements of a type that `make` puts into a buffer, from one of them on so many.
template <typename Make> ByteSource made(int64_t count, ValueType written, Make make) {
  return [=](const ByteSink &sink) {
    const auto bytes = static_cast<size_t>(sema::bytesOf(written));
    std::vector<char> buffer(static_cast<size_t>(std::min(count, kSourceElements)) * bytes);
    for (int64_t begin = 0; begin < count; begin += kSourceElements) {
      const int64_t piece = std::min(kSourceElements, count - begin);
      make(begin, piece, buffer.data());
      sink({buffer.data(), static_cast<size_t>(piece) * bytes});
    }
  };
}

std::string_view bytesAt(const void *array, int64_t count, size_t elementBytes) {
  return {static_cast<const char *>(array), static_cast<size_t>(count) * elementBytes};
}

/// Bytes that are there, which outlive the source, in pieces.
ByteSource sourceOf(std::string_view bytes) {
  return [bytes](const ByteSink &sink) {
    for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kSourceBytes)))
      sink(rest.substr(0, kSourceBytes));
  };
}

/// Reads elements of a dense tensor in row-major order, however they are stored.
class Gatherer {
public:
  explicit Gatherer(const PackedArrays &arrays) : from_(static_cast<const char *>(arrays.array(FieldRole::Values))) {
    for (int dim = 0; dim < arrays.format().order(); ++dim) {
      shape_.push_back(arrays.number(FieldRole::Size, dim));
      strides_.push_back(arrays.number(FieldRole::Stride, dim));
    }
  }

  bool isInOrder() const {
    uint64_t expected = 1; // wraps only where there are no elements
    for (size_t dim = shape_.size(); dim-- > 0;) {
      if (shape_[dim] != 1 && static_cast<uint64_t>(strides_[dim]) != expected)
        return false;
      expected *= static_cast<uint64_t>(shape_[dim]);
    }
    return true;
  }

  /// Copies elements from one of them on. Requires: there is one.
  void gather(int64_t begin, int64_t count, size_t bytes, char *to) const {
    const int64_t columns = shape_.back(), stride = strides_.back();
    while (count > 0) {
      int64_t rest = begin / columns, offset = begin % columns * stride;
      for (size_t dim = shape_.size() - 1; dim-- > 0; rest /= shape_[dim])
        offset += rest % shape_[dim] * strides_[dim];
      const int64_t run = std::min(count, columns - begin % columns);
      copyStrided(bytes, run, from_ + offset * static_cast<int64_t>(bytes), stride, to, 1);
      to += static_cast<size_t>(run) * bytes;
      begin += run;
      count -= run;
    }
  }

private:
  const char *from_;
  std::vector<int64_t> shape_, strides_;
};

/// Numbers one by one.
void convert(const void *from, ValueType type, int64_t begin, int64_t count, ValueType written, char *to) {
  for (int64_t k = 0; k < count; ++k)
    storeNumber(to, written, k, loadNumber(from, type, begin + k));
}

} // namespace

ByteSource integersOf(const void *array, format::IndexType type, int64_t count, ValueType written) {
  const ValueType own = valueTypeOf(type);
  const auto bytes = static_cast<size_t>(sema::bytesOf(own));
  const bool isSame = bytes == static_cast<size_t>(sema::bytesOf(written)); // with or without a sign: none is negative
  if (isSame)
    return sourceOf(bytesAt(array, count, bytes));
  NumpyArray from;
  from.kind = sema::isUnsigned(own) ? 'u' : 'i';
  from.elementBytes = bytes;
  from.bytes = bytesAt(array, count, bytes);
  return made(count, written,
              [from, written](int64_t begin, int64_t piece, char *to) { from.store(begin, piece, written, to); });
}

ByteSource valuesOf(const PackedArrays &arrays, ValueType written) {
  const void *values = arrays.array(FieldRole::Values);
  const ValueType own = arrays.valueType();
  if (own == written)
    return sourceOf(bytesAt(values, arrays.valueCount, static_cast<size_t>(sema::bytesOf(own))));
  return made(arrays.valueCount, written,
              [=](int64_t begin, int64_t piece, char *to) { convert(values, own, begin, piece, written, to); });
}

bool isRowMajor(const PackedArrays &arrays) {
  return Gatherer(arrays).isInOrder();
}

ByteSource elementsOf(const PackedArrays &arrays, ValueType written) {
  const Gatherer gatherer(arrays);
  if (gatherer.isInOrder())
    return valuesOf(arrays, written);
  const ValueType own = arrays.valueType();
  const auto bytes = static_cast<size_t>(sema::bytesOf(own));
  return made(arrays.valueCount, written, [=](int64_t begin, int64_t piece, char *to) {
    if (own == written)
      return gatherer.gather(begin, piece, bytes, to);
    std::vector<char> gathered(static_cast<size_t>(piece) * bytes);
    gatherer.gather(begin, piece, bytes, gathered.data());
    convert(gathered.data(), own, 0, piece, written, to);
  });
}

ByteSource valuesOf(const Coordinates &entries, ValueType written) {
  const auto count = static_cast<int64_t>(entries.size());
  if (written == ValueType::F64)
    return sourceOf(bytesAt(entries.values.data(), count, sizeof(double)));
  return made(count, written, [&entries, written](int64_t begin, int64_t piece, char *to) {
    const double *values = entries.values.data() + begin;
    if (written == ValueType::F32)
      for (int64_t k = 0; k < piece; ++k)
        reinterpret_cast<float *>(to)[k] = static_cast<float>(values[k]);
    else
      for (int64_t k = 0; k < piece; ++k)
        storeNumber(to, written, k, entries.value(static_cast<size_t>(begin + k)));
  });
}

ByteSource coordinatesOf(const Coordinates &entries, size_t dim, ValueType written) {
  return made(static_cast<int64_t>(entries.size()), written,
              [&entries, dim, written](int64_t begin, int64_t piece, char *to) {
                const size_t order = entries.shape.size();
                const int64_t *at = entries.coordinates.data() + static_cast<size_t>(begin) * order + dim;
                const bool isThere = dim < order;
                for (int64_t k = 0; k < piece; ++k) {
                  const int64_t place = isThere ? at[static_cast<size_t>(k) * order] : 0;
                  if (sema::bytesOf(written) == sizeof(int64_t))
                    reinterpret_cast<int64_t *>(to)[k] = place;
                  else
                    reinterpret_cast<int32_t *>(to)[k] = static_cast<int32_t>(place);
                }
              });
}

void ByteProgress::add(uint64_t bytes) {
  done_ += bytes;
  const auto entries = static_cast<uint64_t>(static_cast<double>(entries_) * static_cast<double>(done_) /
                                             static_cast<double>(std::max<uint64_t>(bytes_, 1)));
  if (count_ && entries > counted_)
    count_->add(entries - counted_);
  counted_ = std::max(counted_, entries);
}

ByteSource ByteProgress::counted(ByteSource bytes) {
  return [this, bytes = std::move(bytes)](const ByteSink &sink) {
    bytes([&](std::string_view piece) {
      sink(piece);
      add(piece.size());
    });
  };
}

} // namespace spc::tensor
