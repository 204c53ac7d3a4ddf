// Tensors in memory: coordinate lists, tensors packed into any format, and the C structs that kernels take.
#pragma once

#include "abi/signature.h"
#include "format/footprint.h"
#include "format/format.h"
#include "sema/kernel.h"
#include "support/memory.h"
#include "tensor/numbers.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::tensor {

/// The product of all extents; nullopt when it is no int64_t.
std::optional<int64_t> elementCount(const std::vector<int64_t> &shape);

/// Entries in any order, 0-based, possibly with repeats. `coordinates` holds order() numbers an entry.
struct Coordinates {
  std::vector<int64_t> shape;
  std::vector<int64_t> coordinates;
  std::vector<double> values;    ///< real parts, whatever the type
  std::vector<double> imaginary; ///< imaginary parts, as many; empty where all are 0 without a sign
  std::vector<int16_t> rests;    ///< of large integers, see Number::rest, as many; empty where all are 0

  int order() const { return static_cast<int>(shape.size()); }
  size_t size() const { return values.size(); }

  /// The value of an entry.
  Number value(size_t entry) const;
  /// Adds an entry; `at` is order() numbers.
  void append(const int64_t *at, Number value);
  /// Adds the value of an entry whose coordinates are added by themselves.
  void appendValue(Number value);
  /// Leaves out the entries that are 0, of whatever sign.
  void dropZeros();
};

/// Sorts by coordinates in dimension order and sums repeated entries, as doubles unless `type` is an integer's.
/// Requires coordinates within the shape.
void sortAndSum(Coordinates &entries, sema::ValueType type = sema::ValueType::F64);

/// Turns an n x 1 matrix, which is how Matrix Market writes a vector, or a 1 x n one into an order-1 tensor. False,
/// with `entries` left as they are, when the shape is another one.
bool asVector(Coordinates &entries);

class PackedArrays;

/// An array that lies in two places of memory: what a tensor has, and another one that holds or held the same.
struct TwinArray {
  MallocedArray spare;
  void *inUse;
};
using TwinArrays = std::vector<TwinArray>;

/// A tensor in a format, owning its arrays, with the C struct that kernels take.
class PackedTensor {
public:
  /// Packs entries (any order; repeats are summed) of order >= 1, which are freed on the way. An array without elements
  /// is NULL. nullopt, with the reason in `error`, when a count or a coordinate does not fit the format's index types,
  /// a coordinate lies outside the shape, the orders differ, or memory runs out.
  static std::optional<PackedTensor> pack(Coordinates entries, const format::Format &format, sema::ValueType value,
                                          std::string &error);

  /// An output: a dense tensor of zeros, or a sparse struct with the shape set, NULL arrays and no entries (whose
  /// arrays a pattern-sharing kernel's entry sets; `valueCount` values are owned here). nullopt, with the reason in
  /// `error`, when it is too large for memory.
  static std::optional<PackedTensor> output(const std::vector<int64_t> &shape, const format::Format &format,
                                            sema::ValueType value, int64_t valueCount, std::string &error);

  /// A tensor of arrays that have been filled.
  static PackedTensor owning(PackedArrays arrays);

  /// The arrays that the struct points to, for writing it.
  const PackedArrays &arrays() const;

  PackedTensor(PackedTensor &&) noexcept;
  PackedTensor &operator=(PackedTensor &&) noexcept;
  ~PackedTensor();

  /// The struct described by abi::structFor(format, value), valid as long as this lives. Kernels may set its pointers.
  void *cStruct();

  std::vector<int64_t> shape() const;

  /// Number of elements of the values array.
  int64_t valueCount() const;

  /// The footprint of the struct as it is now: a kernel may have made it.
  format::Footprint footprint() const;

  /// The memory in which these arrays lie.
  std::vector<MemoryRange> ranges() const;

  /// Copies all arrays that this owns to other memory, and takes the copies; what it had is added to `twins` as spare.
  /// Throws std::bad_alloc.
  void copyArrays(TwinArrays &twins);

  /// Takes the spare arrays of those that it has, and leaves these, with what they hold, as spare.
  void swapArrays(TwinArrays &twins);

  /// After either, of all tensors: points the struct to arrays in use where it points to spare ones, its own or those
  /// that it shares.
  void followArrays(const TwinArrays &twins);

  /// All stored entries, in storage order; a dense tensor's every element, in row-major order. Reads through the C
  /// struct, so that it sees what a kernel wrote, structure pointers included.
  Coordinates unpack() const;

  /// The entries: as unpack(), without the zeros of a format that pads with such. `walked` is how many slots took more
  /// than finding the next value that is not 0.
  Coordinates entries(int64_t *walked = nullptr) const;

  /// The coordinates of every slot of the values array that lies inside of the tensor, padding included, and which
  /// slot each is; a symmetric tensor's off the diagonal twice. Values are what the slots hold.
  Coordinates slots(std::vector<int64_t> &positions) const;

  /// Takes over every field of `owner`'s struct but the values: both have one structure. Requires: the same format.
  void borrowStructure(const PackedTensor &owner);

  /// Takes over the arrays that a kernel has put into the struct with malloc, having freed those that were there.
  void adoptArrays();

  /// Frees the arrays, of which there are none until adoptArrays(): for results that a kernel makes anew.
  void freeArrays();

  /// The values array.
  void *values();

  /// The elements of an array that this owns, real parts only; empty where there is no such array or it is NULL.
  std::vector<double> elements(abi::FieldRole role, int index) const;

  const format::Format &format() const;

private:
  struct State;
  explicit PackedTensor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace spc::tensor
