// One expression with one format for each operand: compiled once, run on all patterns.
#pragma once

#include "codegen/jit.h"
#include "exhaustive/formats.h"
#include "exhaustive/patterns.h"
#include "exhaustive/reference.h"
#include "pipeline/compiler.h"
#include "sema/kernel.h"
#include "support/diagnostic.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::testing {

/// What came of a unit.
struct UnitCounts {
  std::string refusal;    ///< the id of the error that the kernel is refused with; empty: it is compiled
  int64_t calls = 0;      ///< that were compared
  int64_t unstorable = 0; ///< tuples of which some format cannot hold its pattern
  int64_t mismatches = 0;
  std::string first; ///< the first mismatch, or what broke
};

/// Formats by operand, as numbers in the list of shipped formats.
using FormatTuple = std::vector<int>;

class Unit {
public:
  Unit(Reference &reference, const FormatTuple &formats, ShippedFormats &shipped, pipeline::Workshop &workshop,
       int optLevel);
  ~Unit();

  /// Runs every `stride`-th tuple from `first` on.
  UnitCounts run(OperandStore &store, size_t first, size_t stride);

  /// `A=csr B=coo`.
  std::string formatsText() const;

private:
  struct Argument;
  struct Setting;

  void compile(ShippedFormats &shipped, pipeline::Workshop &workshop, int optLevel);
  Setting &settingFor(const PatternTuple &patterns);
  std::string call(Setting &setting, const std::vector<PackedParts *> &operands, const Outcome &expected);
  std::string check(Argument &argument, const DenseTensor &expected) const;
  std::string checkEntries(Argument &argument, const DenseTensor &expected) const;

  Reference &reference_;
  const FormatTuple formats_;
  std::vector<format::Format> operandFormats_;
  std::vector<std::string> formatNames_;
  SourceManager sources_;
  Diagnostics diagnostics_;
  std::optional<sema::Kernel> kernel_;
  std::shared_ptr<codegen::JitKernel> code_;
  std::map<std::vector<int64_t>, std::unique_ptr<Setting>> settings_; ///< by the shapes of the operands
};

} // namespace spc::testing
