#include "format/levels.h"
#include "support/memory.h"
#include "tensor/level_coordinates.h"
#include "tensor/packed_arrays.h"
#include "tensor/zeros.h"

#include <algorithm>

namespace spc::tensor {

namespace {

using abi::FieldRole;
using format::Level;
using format::LevelKind;

/// Visits every stored entry from the outermost level inwards.
class Unpacker {
public:
  explicit Unpacker(const PackedArrays &arrays)
      : arrays_(arrays), format_(arrays.format()), values_(arrays.array(FieldRole::Values)),
        byLevel_(format_.levels.size()), byDimension_(format_.order()) {
    for (int d = 0; d < format_.order(); ++d)
      result_.shape.push_back(arrays.number(FieldRole::Size, d));
    for (int k = 0; k < format_.levelCount(); ++k)
      prepare(k);
    countSlotsBelow();
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
      visit(0, 0);
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
                         format_.levels[1].part == format::Part::Whole && walks_[1].pointers && walks_[1].indices;
    if (isUsual && arrays_.valueType() == sema::ValueType::F64)
      putRows(static_cast<const double *>(values_));
    else if (isUsual && arrays_.valueType() == sema::ValueType::F32)
      putRows(static_cast<const float *>(values_));
    else
      return false;
    return true;
  }

  template <typename Value> void putRows(const Value *values) {
    const auto *pointers = static_cast<const int32_t *>(walks_[1].pointers);
    const auto *indices = static_cast<const int32_t *>(walks_[1].indices);
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

  /// What is needed of a level to walk it.
  struct Walk {
    LevelRange range;
    const void *pointers = nullptr;
    const void *indices = nullptr;
    int64_t stride = 1, offset = 0;
    int64_t width = 0;
    std::vector<int64_t> begins; ///< of lengths: where each parent begins
    int64_t slotsBelow = 0;      ///< of one position, where all have as many; else 0
  };

  void prepare(int k) {
    const Level &level = format_.levels[k];
    Walk walk{rangeOf(level, result_.shape), arrays_.array(FieldRole::Pointers, k),
              arrays_.array(FieldRole::Indices, k)};
    walk.width = level.width ? *level.width : arrays_.number(FieldRole::Width, k);
    if (level.hasLengths())
      walk.pointers = arrays_.array(FieldRole::Lengths, k);
    mayPad_ = mayPad_ || mayPad(k);
    if (format_.interleaved && !level.isDense()) {
      const int first = format_.firstListed();
      walk.indices = arrays_.array(FieldRole::Entries, first);
      walk.stride = format_.levelCount() - first;
      walk.offset = k - first;
    }
    walks_.push_back(std::move(walk));
  }

  void countSlotsBelow() {
    int64_t below = 1;
    for (int k = format_.levelCount() - 1; k >= 0; --k) {
      walks_[k].slotsBelow = below;
      const LevelKind kind = format::kindOf(format_, k);
      const bool hasWidth = kind == LevelKind::FixedWidth || kind == LevelKind::Singleton;
      below *= kind == LevelKind::Dense ? walks_[k].range.count : hasWidth ? walks_[k].width : 0;
    }
  }

  /// The next position of level k from `at` on with anything but padding below it.
  int64_t skipPadding(int k, int64_t at, int64_t end) const {
    const int64_t below = walks_[k].slotsBelow;
    return mayPad_ && below > 0 ? firstNonZero(values_, arrays_.valueType(), at * below, end * below) / below : at;
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

  void add(int64_t position) {
    ++walked_;
    fromLevels(format_, byLevel_, byDimension_);
    for (size_t d = 0; d < byDimension_.size(); ++d)
      if (byDimension_[d] < 0 || byDimension_[d] >= result_.shape[d])
        return;
    if (isBeyondTriangle())
      return;
    const Number value = arrays_.loadValue(values_, position);
    if (mayPad_ && value == Number())
      return;
    emit(byDimension_.data(), value, position);
    if (format_.symmetry == format::Symmetry::None || byDimension_[0] == byDimension_[1])
      return;
    const int64_t mirror[] = {byDimension_[1], byDimension_[0]};
    emit(mirror, value, position);
  }

  /// On the side of the diagonal that a symmetric format does not store: a dense level has room there all the same.
  bool isBeyondTriangle() const {
    return (format_.symmetry == format::Symmetry::Lower && byDimension_[0] < byDimension_[1]) ||
           (format_.symmetry == format::Symmetry::Upper && byDimension_[0] > byDimension_[1]);
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

  /// The positions of a parent's entries, as first and one past the last.
  std::pair<int64_t, int64_t> segment(int k, int64_t parent) {
    const Level &level = format_.levels[k];
    Walk &walk = walks_[k];
    const auto load = [&](int64_t at) { return PackedArrays::load(walk.pointers, format_.pointers, at); };
    switch (format::kindOf(format_, k)) {
    case LevelKind::Dense:
      return {parent * walk.range.count, (parent + 1) * walk.range.count};
    case LevelKind::Singleton:
    case LevelKind::FixedWidth:
      return {parent * walk.width, (parent + 1) * walk.width};
    case LevelKind::Compressed:
    case LevelKind::RaggedDense:
      if (k == 0)
        return {0, arrays_.number(FieldRole::Count, 0)};
      if (level.hasLengths())
        return sumOfLengths(walk, parent, load);
      return walk.pointers ? std::pair(load(parent), load(parent + 1)) : std::pair<int64_t, int64_t>(0, 0);
    case LevelKind::ClosedDense:
    case LevelKind::ClosedCompressed:
      return sumOfLengths(walk, parent, [&](int64_t p) { return closed(k, level.length, p); });
    }
    return {0, 0};
  }

  /// The positions of a parent's entries where `lengthOf` says how many each parent has.
  template <typename LengthOf>
  static std::pair<int64_t, int64_t> sumOfLengths(Walk &walk, int64_t parent, const LengthOf &lengthOf) {
    if (walk.begins.empty())
      walk.begins.push_back(0);
    while (static_cast<int64_t>(walk.begins.size()) <= parent + 1)
      walk.begins.push_back(walk.begins.back() + lengthOf(static_cast<int64_t>(walk.begins.size()) - 1));
    return {walk.begins[parent], walk.begins[parent + 1]};
  }

  int64_t closed(int k, const format::ClosedForm &form, int64_t parent) const {
    const int64_t parents = std::max<int64_t>(1, result_.shape[format_.levels[k - 1].dim]);
    return valueOf(form, parent % parents, result_.shape[format_.levels[k].dim]);
  }

  void visit(int k, int64_t position) {
    if (k == format_.levelCount())
      return add(position);
    const Level &level = format_.levels[k];
    const auto [begin, end] = segment(k, position);
    const int64_t start = format::kindOf(format_, k) == LevelKind::ClosedDense ? closed(k, level.start, position) : 0;
    if (!level.isDense() && !walks_[k].indices)
      return;
    for (int64_t at = skipPadding(k, begin, end); at < end; at = skipPadding(k, at + 1, end)) {
      byLevel_[k] = level.isDense() ? start + at - begin
                                    : PackedArrays::load(walks_[k].indices, format_.indices,
                                                         at * walks_[k].stride + walks_[k].offset);
      visit(k + 1, at);
    }
  }

  const PackedArrays &arrays_;
  const format::Format &format_;
  const void *values_;
  std::vector<Walk> walks_;
  std::vector<int64_t> byLevel_;
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
