// Sizes, and where tensors live.
#pragma once

#include "language/constant.h"
#include "support/ids.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spc::sema {

using TensorId = Id<struct TensorTag>; ///< into Kernel::tensors
using ExtentId = Id<struct ExtentTag>; ///< into Kernel::extents

/// A size that follows from others: a sum of products of extents and numbers.
struct ExtentSum {
  struct Product {
    int64_t factor;
    std::vector<ExtentId> extents;
  };
  std::vector<Product> products;
  int64_t constant = 0;
};

/// One symbolic size. Every tensor dimension has one; dimensions that must agree share it.
struct Extent {
  std::string name;                 ///< declared name, else an index variable's; unique in the kernel, an identifier
  std::optional<int64_t> fixed;     ///< declared as a number
  std::vector<ExtentSum> sums = {}; ///< declared so: the size is what each of them gives
};

/// How a view comes to one dimension of its source: at the sum of multiples of its own indices, and a constant. It must
/// stay inside; the entry checks that.
struct Window {
  struct Multiple {
    int dim;
    int64_t scale;
    bool operator==(const Multiple &) const = default;
  };
  std::vector<Multiple> terms;
  int64_t constant = 0;
  bool operator==(const Window &) const = default;
};

/// An argument of the compiled function: operand, output or both; operands of order 0 are scalars by value.
struct Parameter {};

/// Numbers that the kernel has itself, in the object's read-only data: an operand that is no argument.
struct Constant {
  std::shared_ptr<const language::ConstantEntries> entries; ///< null until they are read
};

/// Lives for one call; allocated by the entry code: dense, row-major, or the values of a shared structure, or
/// assembled.
struct Temporary {
  bool isRestricted = false; ///< computed only where sparse factors of its readers are stored
  bool isPart = false;       ///< part of a product, which is computed before the rest to save
                             ///< steps; of type Bool: whether such a part has an entry
  bool isRanked = false;     ///< read row by row in the order of its dimensions, all of them, or what it stores of them
  bool dropsZeros = false;   ///< it is assembled of bools, and lists those that are true
  bool mayLack = false;      ///< it is 0 where it has no entries, and nothing tells where that is
  bool marksMissing = false; ///< of f32 or f64: an element that is missing is -0, which no sum is
  std::optional<TensorId> standsFor = std::nullopt; ///< the output whose new entries it has until they are placed there
};

/// A copy of `source` in another format, made by the entry code before anything runs (of the recomputation, before
/// that), or by a RefreshCopy.
struct Converted {
  TensorId source; ///< of a tensor that is stored as a sum its part 0, which stands for the whole
  /// Has each entry once and in order, in both triangles, all parts added up, and no padding.
  bool isCanonical = false;
  bool dropsPadding = false; ///< has what the source stores but the zeros of a format with padding
};

/// A temporary of the source text that the statement of the target `reader` computes where it reads it.
struct Fused {
  TensorId reader;
};

/// A dense temporary in the memory of `holder`, an array of its shape and type, each of whose elements is computed of
/// the temporary's at the same place. The steps that compute it write to the holder.
struct Held {
  TensorId holder;
};

/// Elements of the dense `source`, at other indices: nothing of its own is stored.
struct View {
  TensorId source;
  std::vector<Window> windows; ///< by dimension of the source
  bool hasUnitStride = true;   ///< neighbours along the last dimension are neighbours in memory
};

/// A whole number that a call knows: the sum of a number and of products of numbers and scalars of integers.
struct Amount {
  struct Product {
    int64_t factor;
    std::vector<TensorId> scalars; ///< in the order of their ids
    bool operator==(const Product &) const = default;
  };
  int64_t number = 0;
  std::vector<Product> products = {}; ///< of other scalars each; no factor is 0

  bool isNumber() const { return products.empty(); }
  bool isZero() const { return isNumber() && number == 0; }
  bool operator==(const Amount &) const = default;
};

/// A bool tensor that says where index variables agree, made by the entry code before anything runs: under each of its
/// first coordinates, the row, the last dimension has one entry at most, in the column where `columnScale * column` is
/// `constant` and `rowScales` times the row's coordinates, or in the one that `source` holds there. It is what a tie of
/// index variables becomes, so that loops run over its solutions as over the entries of any operand (sema/ties).
struct Tie {
  std::vector<Amount> rowScales = {};
  int64_t columnScale = 1; ///< positive
  Amount constant = {};
  std::optional<TensorId> source = std::nullopt; ///< of integers, dense, of the rows' order
  bool isChecked = false;                        ///< the call fails where a row has no column
  bool isOnce = false;                           ///< the call fails where two rows have one
  std::optional<TensorId> indexed = {};          ///< what a checked equation indexes, for messages
  bool operator==(const Tie &) const = default;
};

/// The scalar that a declared extent's name stands for.
struct Size {
  ExtentId extent;
};

/// Where a tensor lives.
using TensorRole = std::variant<Parameter, Constant, Temporary, Converted, Fused, Held, View, Tie, Size>;

} // namespace spc::sema
