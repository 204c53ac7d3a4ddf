// What spc made of a kernel, for people: the one output of this stage, which text.h and page.h render.
#pragma once

#include "explain/cost.h"
#include "pipeline/code_facts.h"
#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::explain {

/// Something that was not done for speed, or was done at a price; its id is documented in docs/explain.md.
struct Remark {
  std::string id;
  Span where;
  std::string text;
  std::string advice; ///< what would enable it; may be empty
};

/// A loop of a nest.
struct LoopLine {
  std::string variable; ///< "i", "j / 8"
  bool isReduction = false;
  std::string over;               ///< "entries of A (row_ptr, col_ind)", "all of k"
  std::vector<std::string> notes; ///< what passes did to it
};

struct Nest {
  std::string assignment; ///< "C(i,k) += A(i,j)*B(j,k)"
  Span where;
  std::vector<LoopLine> loops; ///< outermost first
};

/// A step of the kernel: a statement, or a copy.
struct StepLine {
  std::string title;
  Span where;
  std::vector<Nest> nests;
  std::vector<std::string> notes;             ///< threads, how a result is assembled, machine code
  std::string cost;                           ///< as a formula; empty without loops
  std::optional<double> steps;                ///< counted
  std::optional<double> bytes;                ///< of the arrays that it reads and writes, each once
  std::optional<double> stepShare, byteShare; ///< of all statements', where there are several
};

struct TensorLine {
  std::string name, storage, role;
  std::optional<double> bytes;   ///< of all arrays, on the data
  std::optional<double> entries; ///< that a sparse one stores, padding included
};

/// The cost of an operand in another format.
struct Alternative {
  std::string tensor, format;
  bool isOwn = false; ///< the one that the kernel was explained with
  std::optional<double> steps, bytes;
  std::string why; ///< there are no numbers
};

/// The roofs of the machine.
struct Roofs {
  double bytesPerSecond = 0;
  double operationsPerSecond = 0;
};

/// How long calls took.
struct MeasuredTime {
  double seconds = 0; ///< of one call, the median
  int threads = 1;
  std::string memory; ///< on which pages arrays lay
};

/// The sources of an explanation.
struct Provenance {
  std::string version, machine, command;
};

struct Explanation {
  std::string function;
  std::vector<TensorLine> tensors;
  std::vector<StepLine> steps;
  std::vector<std::string> divisions; ///< by which index variables processes may divide the data, and why not by others
  std::vector<Remark> remarks;
  std::optional<CallCost> cost; ///< with data
  std::vector<Alternative> alternatives;
  std::optional<Roofs> roofs;
  std::optional<MeasuredTime> measured;
  Provenance provenance;
};

/// `data` null: there is none, and no numbers.
Explanation explainKernel(const sema::Kernel &kernel, const std::vector<pipeline::BodyFacts> &bodies, int optLevel,
                          Data *data);

/// How a tensor is stored, in words: "csr (i: dense, j: compressed)".
std::string storageOf(const sema::Kernel &kernel, const sema::Tensor &tensor);

/// Remarks on what the passes left undone, those on what costs most first. `data` may be null.
std::vector<Remark> remarksOn(const sema::Kernel &kernel, const std::vector<pipeline::BodyFacts> &bodies, int optLevel,
                              Data *data, size_t alternative);

} // namespace spc::explain
