#include "format/levels.h"
#include "runtime/levels/entries.h"
#include "support/memory.h"
#include "tensor/pack/packed_arrays.h"
#include "tensor/pack/runtime_tensor.h"
#include "tensor/pack/zeros.h"

#include <algorithm>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using format::LevelKind;

/// Visits every stored entry from the outermost level inwards.
class Unpacker {
public:
  explicit Unpacker(const PackedArrays &arrays)
      : arrays_(arrays), format_(arrays.format()), values_(arrays.array(FieldRole::Values)),
        byDimension_(static_cast<size_t>(format_.order())) {
    for (int d = 0; d < format_.order(); ++d)
      result_.shape.push_back(arrays.number(FieldRole::Size, d));
    for (int k = 0; k < format_.levelCount(); ++k)
      mayPad_ = mayPad_ || mayPad(k);
  }

  /// Notes slots, and leaves out none that holds a zero.
  void noteSlots(std::vector<int64_t> &positions) {
    positions_ = &positions;
    mayPad_ = false;
  }

  /// Takes every zero for padding.
  void leaveOutZeros() { mayPad_ = true; }

  /// How many slots were looked at one by one.
  int64_t walked() const { return walked_; }

  Coordinates unpack() {
    if (!values_)
      return std::move(result_);
    reserve(arrays_.valueCount);
    if (format_.isDense())
      visitDense(0, 0);
    else if (!unpackRows())
      walk();
    return std::move(result_);
  }

private:
  void reserve(int64_t slots) {
    if (mayPad_) // how many slots are padding is not known
      return;
    const auto entries = static_cast<size_t>(std::max<int64_t>(slots, 0));
    result_.coordinates.reserve(entries * result_.shape.size());
    result_.values.reserve(entries);
    adviseLargePages(result_.coordinates.data(), result_.coordinates.capacity() * sizeof(int64_t));
    adviseLargePages(result_.values.data(), result_.values.capacity() * sizeof(double));
  }

  /// Walks through the rows of CSR, or the columns of CSC, of the usual types. False, with nothing done, for all
  /// others.
  bool unpackRows() {
    const bool isUsual = format_.order() == 2 && format_.levelCount() == 2 && !positions_ && !format_.interleaved &&
                         format_.symmetry == format::Symmetry::None && format_.pointers == format_.indices &&
                         format_.indices == format::IndexType::I32 && format::kindOf(format_, 0) == LevelKind::Dense &&
                         format_.levels[0].part == format::Part::Whole &&
                         format::kindOf(format_, 1) == LevelKind::Compressed && !format_.levels[1].hasLengths() &&
                         format_.levels[1].part == format::Part::Whole && arrays_.array(FieldRole::Pointers, 1) &&
                         arrays_.array(FieldRole::Indices, 1);
    if (isUsual && arrays_.valueType() == sema::ValueType::F64)
      putRows(static_cast<const double *>(values_));
    else if (isUsual && arrays_.valueType() == sema::ValueType::F32)
      putRows(static_cast<const float *>(values_));
    else
      return false;
    return true;
  }

  template <typename Value> void putRows(const Value *values) {
    const auto *pointers = static_cast<const int32_t *>(arrays_.array(FieldRole::Pointers, 1));
    const auto *indices = static_cast<const int32_t *>(arrays_.array(FieldRole::Indices, 1));
    const int major = format_.levels[0].dim, minor = format_.levels[1].dim;
    const int64_t extent = result_.shape[minor];
    for (int64_t row = 0; row < result_.shape[major]; ++row)
      for (int64_t e = pointers[row]; e < pointers[row + 1]; ++e) {
        if (indices[e] < 0 || indices[e] >= extent)
          continue;
        result_.coordinates.push_back(major == 0 ? row : indices[e]);
        result_.coordinates.push_back(major == 0 ? indices[e] : row);
        result_.values.push_back(static_cast<double>(values[e]));
      }
  }

  /// Looks at every slot.
  struct AllSlots {
    Unpacker &unpacker;
    void operator()(int64_t position, const int64_t *at) const { unpacker.add(at, position); }
  };

  /// Passes over what is padding alone.
  struct NonZeroSlots : AllSlots {
    std::vector<int64_t> below = {}; ///< by level: slots of one position, where all have as many; else 0
    int64_t skip(int64_t level, int64_t at, int64_t end) const {
      const int64_t each = below[static_cast<size_t>(level)];
      if (each == 0 || at >= end)
        return at;
      return firstNonZero(this->unpacker.values_, this->unpacker.arrays_.valueType(), at * each, end * each) / each;
    }
  };

  void walk() {
    RuntimeTensor source(arrays_);
    if (!source.hasArrays())
      return;
    if (!mayPad_) {
      runtime::walkEntries(source.tensor(), AllSlots{*this});
      return;
    }
    NonZeroSlots slots{{*this}};
    slots.below.resize(format_.levels.size());
    int64_t below = 1;
    for (size_t k = format_.levels.size(); k-- > 0;) {
      slots.below[k] = below;
      const runtime::Level &level = source.tensor().levels[k];
      const bool hasWidth = level.kind == LevelKind::FixedWidth || level.kind == LevelKind::Singleton;
      below *= level.kind == LevelKind::Dense ? runtime::denseCount(level) : hasWidth ? level.width : 0;
    }
    runtime::walkEntries(source.tensor(), std::move(slots));
  }

  /// Whether a zero at this level may be padding.
  bool mayPad(int k) const {
    switch (format::kindOf(format_, k)) {
    case LevelKind::FixedWidth:
    case LevelKind::ClosedCompressed:
      return true;
    case LevelKind::Dense:
    case LevelKind::Compressed:
    case LevelKind::Singleton:
    case LevelKind::RaggedDense:
    case LevelKind::ClosedDense:
      break;
    }
    return false;
  }

  void emit(const int64_t *place, Number value, int64_t position) {
    if (positions_)
      positions_->push_back(position);
    result_.append(place, value);
    if (sema::isComplex(arrays_.valueType()))
      result_.imaginary.resize(result_.size());
  }

  void add(const int64_t *at, int64_t position) {
    ++walked_;
    if (isBeyondTriangle(at))
      return;
    const Number value = arrays_.loadValue(values_, position);
    if (mayPad_ && value == Number())
      return;
    emit(at, value, position);
    if (format_.symmetry == format::Symmetry::None || at[0] == at[1])
      return;
    const int64_t mirror[] = {at[1], at[0]};
    emit(mirror, format::isHermitian(format_.symmetry) ? Number{value.real, -value.imaginary} : value, position);
  }

  /// On the side of the diagonal that a symmetric format does not store: a dense level has room there all the same.
  bool isBeyondTriangle(const int64_t *at) const {
    return format_.symmetry != format::Symmetry::None &&
           (format::storesLower(format_.symmetry) ? at[0] < at[1] : at[0] > at[1]);
  }

  /// By dimension, so that elements come in row-major order however they are stored.
  void visitDense(int dim, int64_t offset) {
    if (dim == format_.order())
      return emit(byDimension_.data(), arrays_.loadValue(values_, offset), offset);
    int64_t stride = arrays_.number(FieldRole::Stride, dim);
    for (int64_t c = 0; c < result_.shape[dim]; ++c) {
      byDimension_[dim] = c;
      visitDense(dim + 1, offset + c * stride);
    }
  }

  const PackedArrays &arrays_;
  const format::Format &format_;
  const void *values_;
  std::vector<int64_t> byDimension_;
  Coordinates result_;
  bool mayPad_ = false;
  int64_t walked_ = 0;
  std::vector<int64_t> *positions_ = nullptr;
};

} // namespace

Coordinates PackedTensor::slots(std::vector<int64_t> &positions) const {
  Unpacker unpacker(state_->arrays);
  unpacker.noteSlots(positions);
  return unpacker.unpack();
}

Coordinates PackedTensor::unpack() const {
  return Unpacker(state_->arrays).unpack();
}

Coordinates PackedTensor::entries(int64_t *walked) const {
  Unpacker unpacker(state_->arrays);
  if (format::hasPadding(format()))
    unpacker.leaveOutZeros();
  Coordinates entries = unpacker.unpack();
  if (walked)
    *walked = unpacker.walked();
  return entries;
}

} // namespace spc::tensor
