// An output whose arrays the call makes.
#pragma once

#include "abi/signature.h"
#include "harness/dense_evaluator.h"
#include "harness/pattern_evaluator.h"
#include "harness/test_context.h"
#include "tensor/tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::testing {

/// What an assembled output must come to.
struct ExpectedOutput {
  DenseTensor values;
  Pattern least;             ///< what must be stored
  Pattern most;              ///< what may be: more where what statements read has padding that others wrote
  bool mayLackZeros = false; ///< a computed 0 that was stored in a format with padding is no entry any more
};

/// A tensor of zeros at the elements of a mask, or nullopt where the format has no room for them: fixed widths may be
/// too narrow, index types too small.
std::optional<tensor::PackedTensor> packMask(const std::vector<uint8_t> &stored, const std::vector<int64_t> &shape,
                                             const format::Format &format, sema::ValueType type);

/// A tensor that reads the arrays of a struct, a number a field, and owns none of them.
tensor::PackedTensor readerOf(const format::Format &format, sema::ValueType type, const std::vector<uint64_t> &fields,
                              const std::vector<int64_t> &shape);

/// The elements that a tensor has a place for.
std::vector<uint8_t> placesOf(const tensor::PackedTensor &tensor, const std::vector<int64_t> &shape);

class AssembledOutput {
public:
  /// Room for a result in `context`'s memory, which must outlive this. The struct holds zeros, or where `isSpoilt`
  /// garbage in each field.
  AssembledOutput(const abi::StructType &type, std::vector<int64_t> shape, TestContext &context, bool isSpoilt);

  /// Says the size of a dimension, which no operand does.
  void setSize(int dimension, int64_t size);

  /// A tensor that the call reads before it replaces it. Returns the empty string or why it cannot be stored.
  std::string fill(const tensor::Coordinates &entries);

  /// Another one as this was before the call.
  AssembledOutput again() const {
    AssembledOutput other(*this);
    other.slots_ = before_;
    return other;
  }

  /// What to hand to the kernel.
  void *cStruct() { return slots_.data(); }
  const abi::StructType &type() const { return type_; }

  /// The entries that the struct holds, in storage order. Requires: a valid structure.
  tensor::Coordinates content() const;

  /// The same with the values of all slots, those of padding too.
  tensor::Coordinates slots() const;

  /// Checks that the struct is as its format promises. Returns the empty string or what is wrong.
  std::string checkStructure() const;

  /// Checks the struct after a successful call: structure, stored elements, values. Returns the empty string or the
  /// first difference.
  std::string check(const ExpectedOutput &expected) const;

  /// After a call that failed: whether the struct is as it was.
  bool isUnchanged() const { return slots_ == before_; }

  /// Arrays that the struct points to.
  int64_t arrays() const;
  /// Frees them.
  void release();

private:
  std::string checkPattern(const ExpectedOutput &expected, const std::vector<uint8_t> &stored,
                           const std::vector<std::complex<double>> &values) const;
  std::optional<tensor::PackedTensor> packed(const Pattern &pattern) const {
    return packMask(pattern.stored, shape_, type_.format, type_.value);
  }
  std::string nameOf(int64_t element) const;

  const abi::StructType type_;
  const std::vector<int64_t> shape_;
  TestContext &context_;
  std::vector<uint64_t> slots_, before_; ///< the struct, field by field
};

} // namespace spc::testing
