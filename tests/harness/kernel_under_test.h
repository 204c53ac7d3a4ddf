// A kernel compiled in process and compared with the dense evaluator.
#pragma once

#include "codegen/jit.h"
#include "harness/data.h"
#include "harness/dense_evaluator.h"
#include "harness/extent_classes.h"
#include "harness/formats.h"
#include "harness/meaning.h"
#include "harness/test_context.h"
#include "pipeline/compiler.h"
#include "sema/kernel.h"
#include "support/diagnostic.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::testing {

/// What is compiled. Tensors without a format are left to the compiler's defaults.
struct KernelSpec {
  std::string statements;
  std::map<std::string, std::string> formats; ///< spellings of formats.h, or "structure of A", by tensor
  sema::ValueType type = sema::ValueType::F64;
  std::map<std::string, sema::ValueType> types;  ///< tensors of another value type
  std::map<std::string, std::string> fills = {}; ///< declared, by tensor
  IndexTypes index;
  int optLevel = 1;
  bool strictFp = false;
  bool fuses = true;
  bool checked = false;
  std::optional<int64_t> chunk; ///< the schedule's: work in a chunk
  /// Tensors of `type` have a type parameter, `Type`, that is given from outside, as are all of `types`. Conversions to
  /// it, `Type(x)`, may stand in the statements.
  bool typesAreGiven = false;
  bool declares = true;      ///< each tensor; false is for kernels whose tensors are all f64
  format::Schedule schedule; ///< of the first format's file
};

/// Every input that the kernel's text and options come from, for failure messages.
std::string describe(const KernelSpec &spec);

/// One execution's shape and data.
struct Trial {
  std::vector<int64_t> extents; ///< by extent class
  Fill fill = Fill::Random;
  bool nonFinite = false; ///< dense operands hold infinities and NaNs
  bool padded = false;    ///< dense tensors of order >= 2 have gaps between rows
  uint64_t seed = 1;
  /// Outputs are the evaluator's to the last bit: of f64 kernels that sum and multiply as the source is written.
  bool exact = false;
  Chunks chunks = Chunks::Serial;
  std::optional<Fill> otherFill = {}; ///< of every second sparse operand, where it is another one
};

std::string describe(const Trial &trial);

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
  int extentClasses() const { return classes_.count; }
  const sema::Kernel &kernel() const { return *kernel_; }
  const ExtentClasses &classes() const { return classes_; }
  const syntax::Kernel &tree() const { return tree_; }
  /// Requires: Compiled.
  const codegen::JitKernel &code() const;

  /// Whether every sparse operand's format can store a tensor of the trial's shape, and its data: padding slots are
  /// zeros, which non-finite operands turn into NaNs.
  bool canStore(const Trial &trial) const;

  /// Runs on the trial's data and compares outputs with the evaluators, operands with what they were before, and what
  /// is allocated with what the outputs have. Returns the empty string or the first difference. Requires: Compiled.
  /// With `meaning`, they are compared with what the evaluators make of that.
  std::string check(const Trial &trial, const Meaning *meaning = nullptr) const;

  /// Runs on the trial's data with memory that ends at the first request, at the second one and so on, until it
  /// suffices. Returns the empty string, or what is wrong after a failure. Requires: Compiled.
  std::string checkFailures(const Trial &trial) const;

private:
  /// The trial with extents that have room for what windows reach.
  Trial withRoom(Trial trial) const;
  void compile(const KernelSpec &spec, pipeline::Workshop *workshop);

  SourceManager sources_;
  Diagnostics diagnostics_;
  syntax::Kernel tree_;
  ExtentClasses classes_;
  std::optional<sema::Kernel> kernel_;
  std::unique_ptr<codegen::JitKernel> code_;
  Outcome outcome_ = Outcome::Broken;
};

} // namespace spc::testing
