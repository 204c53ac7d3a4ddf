// What a kernel is compared with where that is not its own text: another kernel that means the same.
#pragma once

#include "harness/dense_evaluator.h"
#include "harness/pattern_evaluator.h"
#include "syntax/ast.h"

#include <map>
#include <string>
#include <vector>

namespace spc::testing {

/// Another kernel on the same tensors.
struct Meaning {
  syntax::Kernel tree;
  /// By tensor, where its dimensions have another order: which one of the compiled kernel's each of the meaning's is.
  std::map<std::string, std::vector<int>> dimensions = {};
  /// It has temporaries that the compiled kernel lacks. Both texts are evaluated, and must agree on dense results where
  /// those are numbers.
  bool hasTemporaries = false;
};

/// What another kernel makes of `tensors`, with its order of dimensions in between. Returns the empty string, or what
/// is wrong with the kernel.
std::string evaluate(const Meaning &meaning, TensorMap &tensors);
std::string evaluatePatterns(const Meaning &meaning, PatternMap &patterns, bool isWide);

/// Evaluates the meaning on `before`, its temporaries dense, and compares dense tensors with `after`. Returns the empty
/// string or the first difference.
std::string disagreement(const Meaning &meaning, TensorMap before, const TensorMap &after);

} // namespace spc::testing
