// The candidates: formats that an operand fits, with their parameters, and schedules.
#pragma once

#include "format/format_file.h"
#include "tune/cost_model.h"

#include <string>
#include <vector>

namespace spc::tune {

/// A format to be tried for an operand.
struct FormatChoice {
  std::string name;      ///< for people: "bsr 3x3"
  std::string knownName; ///< by which format files refer to it; empty where its levels are to be written
  format::Format format;
};

/// An operand's facts.
struct OperandFacts {
  int order = 2;
  std::vector<int64_t> shape;
  Pattern pattern; ///< of a matrix
  bool isSymmetric = false;
  double density = 0; ///< share of elements that are entries
};

OperandFacts factsOf(const tensor::Coordinates &entries);

/// The formats that come with spc and suit an operand, and variants of theirs: sizes of blocks, of index types that
/// hold the extents, widths of ELL's part of hyb by quantiles of row lengths, orders of CSF's levels.
std::vector<FormatChoice> formatChoices(format::FormatLoader &loader, const OperandFacts &facts);

/// The choices that there are in a kernel's schedule.
struct ScheduleFacts {
  bool assembles = false;         ///< there are kinds of workspaces
  bool hasThreads = false;        ///< there are sizes of chunks
  std::vector<std::string> loops; ///< the index variables in the compiler's order, if another one may be wanted
};

/// Schedules that differ from `from` in one key. All orders of loops are among them, of four variables at most; they
/// may be refused.
std::vector<format::Schedule> neighbours(const format::Schedule &from, const ScheduleFacts &facts);

/// "tile 32, prefetch 8, loops i k j"; empty where all is the compiler's choice.
std::string describe(const format::Schedule &schedule);

} // namespace spc::tune
