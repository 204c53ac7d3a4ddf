// The cost of a call on given data: steps, bytes and operations.
#pragma once

#include "explain/data.h"
#include "explain/step_counter.h"
#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::explain {

/// The traffic of one tensor's arrays in a call.
struct Traffic {
  std::string tensor;
  double read = 0, written = 0; ///< bytes, each array counted once however often its elements are used
};

/// The cost of a whole call. It leaves out, and names, what depends on entries that the call works out.
struct CallCost {
  std::vector<std::optional<double>> steps; ///< by step of the kernel: iterations of the innermost loops, counted
  std::vector<std::optional<double>> bytes; ///< by step: of the arrays that a statement reads and writes, each once
  std::vector<Traffic> traffic;
  std::vector<std::string> unknown; ///< tensors whose arrays are not in the traffic
  size_t alternative = 0;           ///< of the kernel's, that the call takes; statements of others take no steps
  double operations = 0;            ///< arithmetic of the terms, an addition into the target included

  std::optional<double> allSteps() const;
  double allBytes() const;
};

/// Counts. Takes time and memory in proportion to the entries of the operands, at most `mostWalked` places of a term
/// one by one, and to the places of assembled results. The traffic of assembled tensors is taken from `like`, the same
/// kernel's cost with operands in other formats, if it is given.
CallCost costOn(const sema::Kernel &kernel, Data &data, const CallCost *like = nullptr,
                double mostWalked = kMostWalked);

} // namespace spc::explain
