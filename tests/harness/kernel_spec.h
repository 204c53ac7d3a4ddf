// A kernel that is tested, as its text and options, and the data that it runs on.
#pragma once

#include "format/format_file.h"
#include "harness/data.h"
#include "harness/extent_classes.h"
#include "harness/formats.h"
#include "harness/test_context.h"
#include "sema/program.h"
#include "support/diagnostic.h"
#include "syntax/ast.h"

#include <map>
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
  std::optional<int> optLevel = {}; ///< see levelOf
  bool strictFp = false;
  bool fuses = true;
  bool checked = false;
  bool asWritten = false;          ///< sums of a product are taken at once
  bool distributes = false;        ///< products of sums are multiplied out though their addends may cancel
  std::optional<size_t> plan = {}; ///< the number, from 0, of the one that is compiled alone
  std::optional<int64_t> chunk;    ///< the schedule's: work in a chunk
  /// Tensors of `type` have a type parameter, `Type`, that is given from outside, as are all of `types`. Conversions to
  /// it, `Type(x)`, may stand in the statements.
  bool typesAreGiven = false;
  bool declares = true;      ///< each tensor; false is for kernels whose tensors are all f64
  format::Schedule schedule; ///< of the first format's file
};

/// The level of optimisation that it says; else -O0, as most kernels are compiled, with an eighth at -O1 and -O3, by
/// a hash of the kernel. SPC_TEST_ALL in the environment has -O1 in place of all of these, SPC_TEST_OPT_LEVEL a level
/// for all kernels.
int levelOf(const KernelSpec &spec);

/// Every input that the kernel's text and options come from, for failure messages.
std::string describe(const KernelSpec &spec);

/// One execution's shape and data.
struct Trial {
  std::vector<int64_t> extents; ///< by extent class
  Fill fill = Fill::Random;
  bool nonFinite = false; ///< dense operands hold infinities and NaNs
  bool padded = false;    ///< dense tensors have gaps between rows, vectors between elements
  uint64_t seed = 1;
  /// Outputs are the evaluator's to the last bit: of f64 kernels that sum and multiply as the source is written.
  bool exact = false;
  Chunks chunks = Chunks::Serial;
  std::optional<Near> near = {};      ///< floats are near each other
  std::optional<Fill> otherFill = {}; ///< of every second sparse operand, where it is another one
};

std::string describe(const Trial &trial);

/// What becomes of a kernel before it is compiled.
struct AnalyzedKernel {
  ExtentClasses classes;
  syntax::Kernel tree;                  ///< of what the evaluators read, with the types that are given from outside
  std::optional<sema::Program> program; ///< of what is compiled
  std::optional<sema::Kernel> kernel;
};

/// nullopt of its kernel with an error reported. Throws std::logic_error where a tensor has another type than was asked
/// for: the evaluators take the compiler's word for it.
AnalyzedKernel analyze(const KernelSpec &spec, SourceManager &sources, Diagnostics &diagnostics);

/// The trial with extents that have room for what windows reach.
Trial withRoom(const ExtentClasses &classes, Trial trial);

/// Whether some extent is 0. Then what a sum runs over may be nothing.
bool hasEmptyExtent(const Trial &trial);

/// Whether an expression has a reduction of which that holds.
bool hasReduction(const syntax::Expr &expr, bool (*holds)(language::Reduction));

/// Whether every sparse operand's format can store a tensor of the trial's shape, and its data: padding slots are
/// zeros, which non-finite operands turn into NaNs.
bool canStore(const AnalyzedKernel &analyzed, const Trial &trial);

} // namespace spc::testing
