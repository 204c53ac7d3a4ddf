// Which elements of a result are stored, element by element on masks: what the structure of an assembled output is
// compared with. It reads the syntax tree alone, and shares nothing with sema or with the evaluator of values.
#pragma once

#include "sema/value_type.h"
#include "syntax/ast.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace spc::testing {

/// The stored elements of one tensor.
struct Pattern {
  enum class Kind {
    Dense,     ///< all elements, whatever is assigned
    Kept,      ///< those of the mask, whatever is assigned
    Assembled, ///< those of the mask, until a statement makes new ones
  };
  std::vector<int64_t> shape;
  Kind kind = Kind::Dense;
  std::vector<uint8_t> stored = {};  ///< row-major; unused where the tensor is dense
  std::vector<uint8_t> entries = {}; ///< of what is stored, where some of it is padding: what pattern() asks for
  double fill = 0;                   ///< what missing elements are
  sema::ValueType type = sema::ValueType::F64;
  /// Where set: adds what the format stores besides, such as the rest of a block, to the mask that a statement wrote.
  std::function<void(std::vector<uint8_t> &)> pad = {};
  bool isWritten = false;                       ///< by a statement
  std::vector<std::vector<uint8_t>> masks = {}; ///< after each statement that wrote it

  bool isEntry(int64_t element) const {
    return entries.empty() ? isStored(element) : entries[static_cast<size_t>(element)] != 0;
  }
  bool isStored(int64_t element) const { return kind == Kind::Dense || stored[static_cast<size_t>(element)] != 0; }
};

using PatternMap = std::map<std::string, Pattern>;

/// Runs the statements in order on `patterns`, which holds every tensor of the kernel by name.
///
/// A sum or difference is stored where any of its operands is, a product where all are, a quotient where its numerator
/// is; a reduction is stored where that holds for some value of its variables. What is dense is stored everywhere, and
/// zeros count as any other entry. An assembled target gets what its right side stores, and with `+=` keeps what it
/// has. Later statements read it with its padding. Returns the empty string, or what is wrong with the kernel.
///
/// `isWide`: with the zeros that kernels may store besides. Loops cannot visit the union of where one operand lacks
/// entries and where another one has them; then they visit all of what is around it.
std::string evaluatePatterns(const syntax::Kernel &kernel, PatternMap &patterns, bool isWide = false);

} // namespace spc::testing
