#include "tensor/packed_arrays.h"

namespace spc::tensor {

namespace {

using abi::FieldRole;

/// Visits every stored entry from the outermost level inwards.
class Unpacker {
public:
  explicit Unpacker(const PackedArrays &arrays)
      : arrays_(arrays), format_(arrays.format()), values_(arrays.array(FieldRole::Values)),
        coordinates_(format_.order()) {
    for (int k = 0; k < format_.order(); ++k) {
      result_.shape.push_back(arrays.number(FieldRole::Size, k));
      pointers_.push_back(arrays.array(FieldRole::Pointers, k));
      indices_.push_back(arrays.array(FieldRole::Indices, k));
    }
  }

  Coordinates unpack() {
    if (!values_)
      return std::move(result_);
    if (format_.isDense())
      visitDense(0, 0);
    else
      visit(0, 0);
    return std::move(result_);
  }

private:
  void add(int64_t position) {
    result_.coordinates.insert(result_.coordinates.end(), coordinates_.begin(), coordinates_.end());
    result_.values.push_back(arrays_.loadValue(values_, position));
  }

  /// By dimension, so that elements come in row-major order however they are stored.
  void visitDense(int dim, int64_t offset) {
    if (dim == format_.order())
      return add(offset);
    int64_t stride = arrays_.number(FieldRole::Stride, dim);
    for (int64_t c = 0; c < result_.shape[dim]; ++c) {
      coordinates_[dim] = c;
      visitDense(dim + 1, offset + c * stride);
    }
  }

  void visit(int k, int64_t position) {
    if (k == format_.order())
      return add(position);
    const format::Level &level = format_.levels[k];
    if (level.isDense()) {
      int64_t extent = result_.shape[level.dim];
      for (int64_t c = 0; c < extent; ++c) {
        coordinates_[level.dim] = c;
        visit(k + 1, position * extent + c);
      }
      return;
    }
    if (!indices_[k])
      return;
    int64_t begin = position;
    int64_t end = position + 1;
    if (level.isCompressed() && k == 0) {
      begin = 0;
      end = arrays_.number(FieldRole::Count, 0);
    } else if (level.isCompressed()) {
      begin = pointers_[k] ? PackedArrays::load(pointers_[k], format_.pointers, position) : 0;
      end = pointers_[k] ? PackedArrays::load(pointers_[k], format_.pointers, position + 1) : 0;
    }
    for (int64_t at = begin; at < end; ++at) {
      coordinates_[level.dim] = PackedArrays::load(indices_[k], format_.indices, at);
      visit(k + 1, at);
    }
  }

  const PackedArrays &arrays_;
  const format::Format &format_;
  const void *values_;
  std::vector<const void *> pointers_;
  std::vector<const void *> indices_;
  std::vector<int64_t> coordinates_;
  Coordinates result_;
};

} // namespace

Coordinates PackedTensor::unpack() const {
  return Unpacker(state_->arrays).unpack();
}

} // namespace spc::tensor
