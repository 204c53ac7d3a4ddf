// A kernel compiled in process and compared with the dense evaluator.
#pragma once

#include "codegen/jit.h"
#include "harness/dense_evaluator.h"
#include "harness/kernel_spec.h"
#include "harness/meaning.h"
#include "pipeline/compiler.h"

#include <memory>
#include <string>

namespace spc::testing {

/// In kernels with conditional entries, of which patterns alone do not say where they are: makes the entries that
/// `tensors` were evaluated to have the ones that are stored, and those that pad them.
void takeConditionalPatterns(const syntax::Kernel &kernel, const TensorMap &tensors, PatternMap &least,
                             PatternMap &most);

/// A compiled kernel, or the reason why there is none.
class KernelUnderTest {
public:
  enum class Outcome {
    Compiled,
    Refused, ///< with an error that names the reason
    Broken,  ///< an internal error, or a refusal without an error
  };

  /// `workshop`, which must outlive this, compiles in place of that of the process for the level.
  explicit KernelUnderTest(const KernelSpec &spec, pipeline::Workshop *workshop = nullptr);

  Outcome outcome() const { return outcome_; }
  /// All diagnostics as text, warnings included.
  std::string diagnostics() const;
  /// The id of the first error; empty without one.
  std::string firstError() const;
  /// Whether a diagnostic with this id was reported.
  bool reported(std::string_view id) const;
  int extentClasses() const { return analyzed_.classes.count; }
  const sema::Kernel &kernel() const { return *analyzed_.kernel; }
  const ExtentClasses &classes() const { return analyzed_.classes; }
  const syntax::Kernel &tree() const { return analyzed_.tree; }
  const AnalyzedKernel &analyzed() const { return analyzed_; }
  /// Requires: Compiled.
  const codegen::JitKernel &code() const;

  /// Whether every sparse operand's format can store a tensor of the trial's shape, and its data.
  bool canStore(const Trial &trial) const { return testing::canStore(analyzed_, trial); }

  /// Runs on the trial's data and compares outputs with the evaluators, operands with what they were before, and what
  /// is allocated with what the outputs have. Returns the empty string or the first difference. Requires: Compiled.
  /// With `meaning`, they are compared with what the evaluators make of that.
  std::string check(const Trial &trial, const Meaning *meaning = nullptr) const;

  /// Runs on the trial's data with memory that ends at the first request, at the second one and so on, until it
  /// suffices. Returns the empty string, or what is wrong after a failure. Requires: Compiled.
  std::string checkFailures(const Trial &trial) const;

private:
  void compile(const KernelSpec &spec, pipeline::Workshop *workshop);

  SourceManager sources_;
  Diagnostics diagnostics_;
  AnalyzedKernel analyzed_;
  std::shared_ptr<codegen::JitKernel> code_;
  Outcome outcome_ = Outcome::Broken;
};

} // namespace spc::testing
