// The two evaluators of the language on one kernel and its data: that of `spc run --check`, and that of the tests.
#pragma once

#include "harness/dense_evaluator.h"
#include "harness/kernel_spec.h"
#include "reference/reference.h"

#include <cstdint>
#include <functional>
#include <string>

namespace spc::testing {

/// How two evaluations compare.
struct Agreement {
  std::string problem; ///< the first difference, or what one of them does not evaluate by mistake; empty where none is
  std::string notChecked; ///< what --check would say in place of evaluating
  int64_t compared = 0;   ///< elements of results
  int64_t uncertain = 0;  ///< as many of which rounding may make anything
  int64_t nonFinite = 0;  ///< of those compared: infinities and NaNs
};

/// What is done to the operands that a trial gives before they are read.
using Place = std::function<void(TensorMap &)>;

/// Both evaluators' results on a trial's data. Requires: an analysed kernel that can store the trial.
Agreement compareEvaluators(const AnalyzedKernel &analyzed, const Trial &trial, const Place &place = {});

/// The results that the evaluator of --check has for tensors as the tests' evaluator has them. Throws
/// reference::Unsupported.
reference::Tensors referenceResults(const AnalyzedKernel &analyzed, const TensorMap &tensors);

} // namespace spc::testing
