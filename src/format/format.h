// The format algebra: a format is a list of levels from the outside in.
//
// Storage and extent are the two axes of SparseTIR (Ye et al., ASPLOS 2023, section 3.1); level properties follow
// Chou, Kjolstad and Amarasinghe, "Format Abstraction for Sparse Tensor Algebra Compilers" (OOPSLA 2018).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spc::format {

/// Whether a level has all coordinates or lists those that it has.
enum class Storage { Dense, Compressed };

/// Fixed and compressed with one entry a parent is a singleton (COO's inner coordinates).
enum class Extent { Fixed, Ragged };

/// The type of pointers or of indices.
enum class IndexType { I32, I64 };

/// Width of an index type in bits.
int bits(IndexType type);

/// "i32" or "i64".
const char *spelling(IndexType type);

/// One level of a format.
struct Level {
  int dim = 0; ///< the tensor dimension this level stores, 0-based
  Storage storage = Storage::Dense;
  Extent extent = Extent::Fixed;
  bool unique = true;  ///< no coordinate occurs twice under one parent
  bool ordered = true; ///< coordinates ascend under one parent

  bool isDense() const { return storage == Storage::Dense; }
  /// Has its own pointers array, except at the root, where the entry count is a field.
  bool isCompressed() const { return storage == Storage::Compressed && extent == Extent::Ragged; }
  /// One coordinate for each entry of the level above.
  bool isSingleton() const { return storage == Storage::Compressed && extent == Extent::Fixed; }

  bool operator==(const Level &) const = default;
};

/// A format of one definite order. `levels[k].dim` is a permutation of 0 … order-1. An order-0 format has no levels.
/// Loaded formats are canonical: in COO every level above the innermost is non-unique, and everything else is unique.
struct Format {
  std::string name; ///< what the user called it, for messages only: nothing is decided by it
  std::vector<Level> levels;
  IndexType pointers = IndexType::I32;
  IndexType indices = IndexType::I32;

  int order() const { return static_cast<int>(levels.size()); }
  bool isDense() const;
  /// The level that stores dimension `dim`; -1 when there is no such dimension.
  int levelOf(int dim) const;
  /// Same levels and index types; the name does not count.
  bool sameStorage(const Format &other) const;
};

/// The row-major dense format of an order.
Format denseFormat(int order);

/// `format` with its modes permuted: level k of the result stores the dimension `modes[k]`.
/// This is TACO's reading of a mode order: `csf:2,0,1` stores dimension 2 outermost.
/// Requires: `modes` is a permutation of 0 … order-1 and format.levels[k].dim == k for all k, or any format, whose
/// level k is then taken to store dimension modes[levels[k].dim].
Format permuted(const Format &format, const std::vector<int> &modes);

/// The levels in words: "(i: dense, j: compressed), pointers i32, indices i32". A dense format has no index types.
std::string describe(const Format &format);

} // namespace spc::format
