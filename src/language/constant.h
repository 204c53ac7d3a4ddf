// Tensors of numbers that a kernel has as constants: what declarations say, and what they hold.
#pragma once

#include "support/source.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spc::language {

/// A number of any value type. `rest`: what an integer of 2^53 and more is beyond `real`, its nearest double.
struct ConstantNumber {
  double real = 0;
  double imaginary = 0;
  int16_t rest = 0;
};

/// The value of a `const`: numbers in the text, or a file that has them.
struct ConstantDecl {
  std::string file;           ///< as written; empty where the text has the numbers
  std::vector<int64_t> shape; ///< of the lists, as deep as they go: one that is empty says nothing of those within
  std::vector<ConstantNumber> numbers; ///< row-major
  std::vector<Span> places;            ///< of the numbers; empty where they have none
  Span where;
};

/// Entries of a constant in any order, possibly with repeats: `coordinates` holds as many numbers an entry as there are
/// dimensions.
struct ConstantEntries {
  std::vector<int64_t> shape;
  std::vector<int64_t> coordinates;
  std::vector<double> values;    ///< real parts
  std::vector<double> imaginary; ///< as many; empty where all are 0 without a sign
  std::vector<int16_t> rests;    ///< as many; empty where all are 0

  size_t size() const { return values.size(); }
  ConstantNumber value(size_t entry) const;
  /// Adds an entry whose coordinates are added by themselves.
  void append(const ConstantNumber &number);
};

/// What entries hold, as bytes: the same of the same entries in one order.
std::string bytesOf(const ConstantEntries &entries);

/// The number of an integer's decimal digits, without a sign: exact where it has 64 bits.
ConstantNumber integerOfDigits(std::string_view digits);

/// A number as the language writes it among those of a constant: "0.5", "-3", "inf", "nan", "1+2i", "true" is 1.
std::string textOf(const ConstantNumber &number);

} // namespace spc::language
