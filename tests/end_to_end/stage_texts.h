// The compiler's intermediate text for kernels of every kind in every format, to look for what must never be in it.
#pragma once

#include "pipeline/compiler.h"

#include <string>
#include <vector>

namespace spc::testing {

/// One kernel at one stage.
struct StageText {
  std::string kernel; ///< statements and formats
  std::string text;
};

/// Products, scaling, sums, sampled products and divisions, in every format of the algebra; compiled once, up to
/// the stages Linalg, Sparse and Loops, one of which `stage` is.
const std::vector<StageText> &stageTexts(pipeline::Stage stage);

/// The first kernel whose text at `stage` has `word` in it; empty where there is none.
std::string textWith(pipeline::Stage stage, const std::string &word);

/// The first line at `stage` that has both words in it; empty where there is none.
std::string lineWith(pipeline::Stage stage, const std::string &word, const std::string &other);

} // namespace spc::testing
