// A kernel's meaning, worked out from its statements once more: what results of compiled code are compared with.
// Nothing here knows of loops, storage or code; it shares the checked program with the compiler, and no arithmetic.
#pragma once

#include "sema/program.h"
#include "tensor/tensor.h"

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace spc::reference {

/// A number in double precision, and how far from it a correct kernel's may be: a running error analysis (Higham,
/// "Accuracy and Stability of Numerical Algorithms", section 3.3) of the operations that the text has, where sums may
/// be added up in any order, factors multiplied in any, and a product with one sum be that of its addends. An infinity
/// or a NaN has the error 0 where it is certain that the number is none. Integers and bools are exact, or not certain
/// at all.
struct Value {
  std::complex<double> number = 0; ///< of an integer the nearest
  double magnitude = 0;            ///< the sum of the absolute values of its addends
  double addends = 1;              ///< how many these are
  double error = 0;                ///< an infinity where nothing is certain
  int64_t integer = 0;             ///< of integers and bools, modulo 2^64
  double most = 1, least = 1;      ///< of what products of some of its factors are; its own number beside these
  bool isMissing = false;          ///< it is what missing entries make of an expression
  /// The other indices that are right as well, of values that rounding may put into another order.
  std::shared_ptr<const std::vector<int64_t>> alternatives;
};

/// A tensor of the program. A dense one of up to some millions of elements is an array, others are tables of what
/// they store.
class Tensor {
public:
  Tensor() = default;
  /// Throws Unsupported where 64 bits do not number the elements. `isComputed`: a statement says what it holds.
  Tensor(std::vector<int64_t> shape, sema::ValueType type, bool isSparse, double fill, bool isComputed = false);

  /// Its storage is padded with zeros, so that a 0 is no entry but in products.
  void setPadded() { isPadded_ = true; }
  /// Whether infinities or NaNs were filled in.
  bool hasNonFinite() const { return hasNonFinite_; }
  bool isPadded() const { return isPadded_; }

  /// Adds the entries, rounded to the tensor's type; repeated ones are summed before that.
  void fill(tensor::Coordinates entries);

  const std::vector<int64_t> &shape() const { return shape_; }
  sema::ValueType type() const { return type_; }
  bool isSparse() const { return isSparse_; }
  bool isComputed() const { return isComputed_; }
  /// A statement will say what it holds.
  void setComputed() { isComputed_ = true; }
  /// The value of a missing entry.
  const Value &missing() const { return missing_; }
  double fillValue() const { return fill_; }

  /// The element at a place in row-major order; what a missing entry is where there is none.
  Value at(int64_t place) const;
  bool isStored(int64_t place) const;
  /// Whether something was put there, be it a zero that pads.
  bool has(int64_t place) const { return !dense_.empty() || table_.contains(place); }
  /// Requires: a value of this type where that is exact.
  void set(int64_t place, const Value &value);
  /// The places of all entries, in no order.
  std::vector<int64_t> places() const;

private:
  void put(int64_t place, Value value);

  std::vector<int64_t> shape_;
  sema::ValueType type_ = sema::ValueType::F64;
  bool isSparse_ = false;
  double fill_ = 0;
  bool isComputed_ = false, isPadded_ = false, hasNonFinite_ = false;
  Value missing_;
  std::vector<Value> dense_; ///< all elements, or none: then `table_` has the entries
  std::unordered_map<int64_t, Value> table_;
};

using Tensors = std::map<std::string, Tensor>;

/// Thrown by evaluate(): what it does not evaluate, or that there is too much of it, in words that go on after "the
/// reference does not ...".
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a tensor of the program is stored.
struct Storage {
  bool isSparse = false;
  double fill = 0;
  std::string owner = {};     ///< whose entries it has, if those are another one's
  std::vector<int> dims = {}; ///< for each dimension of the owner the one that stands in its place
};

/// Storages by the tensors' names. Temporaries that are not there are dense.
using Storages = std::map<std::string, Storage>;

/// Those of a kernel.
Storages storagesOf(const sema::Kernel &kernel);

/// A tensor of a program before anything is put in.
Tensor emptyTensor(const sema::Tensor &tensor, const std::vector<int64_t> &shape);

/// Runs the statements in order on `tensors`, which holds every tensor of the program by name but temporaries, outputs
/// included, with the types that it has there. Products are evaluated where their sparse factors have entries,
/// everything else at every point of its index variables. Throws Unsupported beyond kMostPoints points, for patterns of
/// what statements have computed, and for infinities beside padding: before anything is evaluated, unless it takes what
/// a statement computes to know.
void evaluate(const sema::Program &program, Tensors &tensors, const Storages &storages);
inline constexpr int64_t kMostPoints = 100'000'000;

/// The relative rounding error of one operation in a type; 0 of integers and bools.
double epsilonOf(sema::ValueType type);

/// How a kernel's result compares with `expected`.
struct Comparison {
  int64_t compared = 0;                           ///< elements, those that one of both stores
  int64_t uncertain = 0;                          ///< as many more, of which rounding may make anything
  double largest = 0;                             ///< difference
  std::optional<std::vector<int64_t>> firstWrong; ///< the first element that differs by more than its error
  tensor::Number actual, wanted;                  ///< of that
  double allowed = 0;                             ///< its error
};

/// `entries`: what the kernel's result stores. Anything is right where a number that is too large for a float, or none,
/// is expected.
Comparison compare(const Tensor &expected, const tensor::Coordinates &entries);

} // namespace spc::reference
