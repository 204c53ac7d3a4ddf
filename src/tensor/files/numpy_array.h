// Arrays as NumPy's files hold them. Private to this folder.
#pragma once

#include "tensor/numbers.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::tensor {

/// The problem with a file that is no text.
struct FileProblem {
  enum class Kind { Malformed, Unsupported, Range } kind = Kind::Malformed;
  std::string message; ///< empty where nothing is wrong
};

/// Gives the next bytes of a file: fewer than asked for at its end alone, and where it cannot be read any further.
using ByteReader = std::function<size_t(char *to, size_t count)>;

/// That of bytes in memory, which outlive it.
ByteReader readerOf(std::string_view bytes);

/// An array in the bytes of a .npy file, which outlive it.
struct NumpyArray {
  char kind = 'f';         ///< as NumPy's type strings have it: b i u f c, and S U of text
  size_t elementBytes = 8; ///< of text: all of it
  bool isBigEndian = false;
  bool isFortran = false; ///< the first coordinate runs fastest
  std::vector<int64_t> shape;
  int64_t count = 0; ///< the product of the shape
  std::string_view bytes;

  bool isText() const { return kind == 'S' || kind == 'U'; }
  bool isInteger() const { return kind == 'i' || kind == 'u'; }
  uint64_t byteCount() const { return static_cast<uint64_t>(count) * elementBytes; }
  /// Element `at` in the order of the file. Requires: no text.
  Number number(int64_t at) const;
  /// An integer element; nullopt where it exceeds int64_t.
  std::optional<int64_t> integer(int64_t at) const;
  /// Stores elements from `begin` on as `type`, each as storeNumber() does. Gives the place of one that it does not
  /// store, and has then stored no more than those before it. Requires: no text.
  std::optional<int64_t> store(int64_t begin, int64_t elements, sema::ValueType type, void *to) const;
  /// Copies integer elements from `begin` on; -1 for those that exceed int64_t.
  void copyIntegers(int64_t begin, int64_t elements, int64_t *to) const;
  /// The characters of a text without dimensions, ASCII alone.
  std::string text() const;
};

/// The number type of NumPy's kind and size; nullopt where spc has none.
std::optional<sema::ValueType> numberType(char kind, size_t bytes);

/// Reads the beginning of a .npy file, up to its elements. nullopt with a problem: no such file, or an array of Python
/// objects or other elements that are no numbers.
std::optional<NumpyArray> readNumpyHeader(const ByteReader &file, FileProblem &problem);

/// Reads the whole of a .npy file. nullopt with a problem: as above, and shortened or longer than its header says.
std::optional<NumpyArray> readNumpyArray(std::string_view file, FileProblem &problem);

/// The problem with a file in which so many bytes of elements follow the header.
FileProblem wrongLength(const NumpyArray &array, uint64_t follow);

/// The bytes of a .npy file up to its elements.
std::string numpyHeader(std::string_view type, const std::vector<int64_t> &shape);

} // namespace spc::tensor
