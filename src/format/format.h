// The format algebra: a format is a list of levels from the outside in.
//
// Storage and extent are the two axes of SparseTIR (Ye et al., ASPLOS 2023, section 3.1); level properties follow
// Chou, Kjolstad and Amarasinghe, "Format Abstraction for Sparse Tensor Algebra Compilers" (OOPSLA 2018).
#pragma once

#include "format/level_kind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spc::format {

/// Whether a level has all coordinates or lists those that it has.
enum class Storage { Dense, Compressed };

/// What the number of a level's entries under each parent is known from.
enum class Extent {
  Fixed,   ///< dense: the dimension's extent; compressed: `Level::width` (ELL; singletons)
  Ragged,  ///< an offsets array, one number for each parent and one more ("pointers")
  Lengths, ///< an array with one number for each parent
  Closed,  ///< `Level::length`, a closed form of the parent's coordinate; no array
};

/// The type of pointers or of indices.
enum class IndexType { U8, U16, I32, I64 };

/// Width of an index type in bits.
int bits(IndexType type);

/// The largest number that an index type holds.
int64_t largest(IndexType type);

/// "u8", "u16", "i32" or "i64".
const char *spelling(IndexType type);

/// The type so spelled; nullopt for anything else.
std::optional<IndexType> indexTypeNamed(const std::string &name);

/// constant + slope * (coordinate of the parent level) + size * (extent of the level's own dimension).
struct ClosedForm {
  int64_t constant = 0;
  int64_t slope = 0;
  int64_t size = 0;

  bool operator==(const ClosedForm &) const = default;
};

/// One level of a format.
struct Level {
  int dim = 0; ///< the tensor dimension this level stores, 0-based; of a difference j - i it is that of j
  Storage storage = Storage::Dense;
  Extent extent = Extent::Fixed;
  bool unique = true;  ///< no coordinate occurs twice under one parent
  bool ordered = true; ///< coordinates ascend under one parent
  Part part = Part::Whole;
  int64_t block = 0;                ///< of a quotient or a remainder, at least 1
  int minus = -1;                   ///< of a difference j - i: the dimension i
  std::optional<int64_t> width = 1; ///< compressed and fixed: entries a parent; nullopt: a number given at run time
  ClosedForm length;                ///< of a closed extent: entries of the parent
  ClosedForm start; ///< of a dense level with a ragged extent of any kind: the parent's first coordinate
  /// The dense root of a copy that a kernel makes may have positions that are looked up: where there are many
  /// coordinates without entries, these take no memory. Loops never run over such a root; no format file has one.
  bool isFound = false;

  // The kind of the level depends on the level above: kindOf() says it (levels.h).
  /// It has no list of its coordinates.
  bool isDense() const { return storage == Storage::Dense; }
  /// A dense level with all of its coordinates under every parent: position = parent * extent + coordinate.
  bool isFullyDense() const { return isDense() && extent == Extent::Fixed; }
  /// The array that says where its segments end holds lengths, no pointers.
  bool hasLengths() const { return extent == Extent::Lengths; }
  /// It lists one coordinate under each parent: a singleton, or a fixed width of 1.
  bool hasWidthOne() const { return storage == Storage::Compressed && extent == Extent::Fixed && width == 1; }

  bool operator==(const Level &) const = default;
};

/// Which triangle of a symmetric matrix is stored; each entry off the diagonal then stands for its mirror image too. Of
/// a Hermitian matrix that is the conjugate.
enum class Symmetry { None, Lower, Upper, HermitianLower, HermitianUpper };

constexpr bool isHermitian(Symmetry symmetry) {
  return symmetry == Symmetry::HermitianLower || symmetry == Symmetry::HermitianUpper;
}

/// Whether the triangle that is stored, if one is, is the lower one.
constexpr bool storesLower(Symmetry symmetry) {
  return symmetry == Symmetry::Lower || symmetry == Symmetry::HermitianLower;
}

/// The same symmetry with the other triangle stored.
Symmetry exchanged(Symmetry symmetry);

/// What entries of one place make together: their sum, the least or the greatest, the last one in the order in which
/// they are stored; or they are a mistake.
enum class Duplicates { Sum, Min, Max, Last, Error };

/// "sum", "min", "max", "last" or "error".
const char *spelling(Duplicates duplicates);

/// What is so spelled; nullopt for anything else.
std::optional<Duplicates> duplicatesNamed(const std::string &name);

/// A format of one definite order. The levels cover every dimension exactly once: whole, as a quotient with the
/// remainder of the same block further in, or as a difference j - i together with i or with j whole. An order-0 format
/// has no levels.
/// Loaded formats are canonical: a level above a singleton is non-unique, and a dense format's index types are i32.
struct Format {
  std::string name; ///< what the user called it, for messages only: nothing is decided by it
  std::vector<Level> levels;
  IndexType pointers = IndexType::I32;
  IndexType indices = IndexType::I32;
  /// COO's coordinates as one array of structs: entry p has level k's coordinate at p * (levels from the first listed
  /// one on) + (k - first).
  bool interleaved = false;
  Symmetry symmetry = Symmetry::None;
  Duplicates duplicates = Duplicates::Sum;
  std::vector<Format> parts; ///< of a tensor that is the sum of parts in several formats (hyb); then without levels

  /// The number of the tensor's dimensions.
  int order() const;
  int levelCount() const { return static_cast<int>(levels.size()); }
  bool isSum() const { return !parts.empty(); }
  /// Every element is stored, level by level dimension by dimension: what a dense C array or a transposed one is.
  bool isDense() const;
  /// The outermost level that lists its coordinates; levelCount() where none does.
  int firstListed() const;
  /// Whether some level has an array of pointers or of lengths, whose type `pointers` then is.
  bool hasPointers() const;
  /// Whether some level lists its coordinates in arrays, whose type `indices` then is.
  bool hasIndices() const { return firstListed() < levelCount(); }
  /// Whether one entry of the tensor may be stored in several places, which `duplicates` then combines.
  bool mayRepeat() const;
  /// Same levels, types of the arrays that there are, layout, symmetry and meaning of repeats; the name does not count.
  bool sameStorage(const Format &other) const;
};

/// The row-major dense format of an order.
Format denseFormat(int order);

/// `format` with its modes permuted: what is dimension d in `format` is dimension `modes[d]` of the result.
/// This is TACO's reading of a mode order: `csf:2,0,1` stores dimension 2 outermost.
/// Requires: `modes` is a permutation of 0 … order-1.
Format permuted(const Format &format, const std::vector<int> &modes);

/// For each dimension of `from` the dimension of `to` that stands in its place. Requires: `to` begins with
/// the levels of `from`, which may store other dimensions there.
std::vector<int> correspondingDims(const Format &from, const Format &to);

/// The levels in words: "(i: dense, j: compressed), pointers i32, indices i32", with types only of arrays that the
/// format has. `dims` names the dimensions; those that it does not name are i, j, k, ….
std::string describe(const Format &format, const std::vector<std::string> &dims = {});

/// A level's coordinate: "i", "i / 4", "j % 8", "j - i", with names for dimensions as in describe().
std::string coordinateText(const Level &level, const std::vector<std::string> &dims = {});

} // namespace spc::format
