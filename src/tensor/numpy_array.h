// Arrays as NumPy's files hold them. Private to this folder.
#pragma once

#include "tensor/numbers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::tensor {

/// What is wrong with a file that is no text.
struct FileProblem {
  enum class Kind { Malformed, Unsupported, Range } kind = Kind::Malformed;
  std::string message; ///< empty where nothing is wrong
};

/// An array in the bytes of a .npy file, which outlive it.
struct NumpyArray {
  char kind = 'f';         ///< as NumPy's type strings have it: b i u f c, and S U of text
  size_t elementBytes = 8; ///< of text: all of it
  bool isBigEndian = false;
  bool isFortran = false; ///< the first coordinate runs fastest
  std::vector<int64_t> shape;
  int64_t count = 0; ///< the product of the shape
  std::string_view bytes;

  /// Element `at` in the order of the file. Requires: no text.
  Number number(int64_t at) const;
  bool isInteger() const { return kind == 'i' || kind == 'u'; }
  /// An integer element; nullopt where it exceeds int64_t.
  std::optional<int64_t> integer(int64_t at) const;
  /// The characters of a text without dimensions, ASCII alone.
  std::string text() const;
};

/// Reads the whole of a .npy file. nullopt with a problem: no such file, shortened or longer than its header says, or
/// an array of Python objects or other elements that are no numbers.
std::optional<NumpyArray> readNumpyArray(std::string_view file, FileProblem &problem);

/// The bytes of a .npy file up to its elements.
std::string numpyHeader(std::string_view type, const std::vector<int64_t> &shape);

} // namespace spc::tensor
