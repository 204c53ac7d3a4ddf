// What a call costs on given data: steps, bytes and operations.
#pragma once

#include "explain/data.h"
#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::explain {

/// What one tensor's arrays add to the traffic of a call.
struct Traffic {
  std::string tensor;
  double read = 0, written = 0; ///< bytes, each array counted once however often its elements are used
};

/// Of a whole call. What is not known, as it depends on entries that the call works out, is left out, and named.
struct CallCost {
  std::vector<std::optional<double>> steps; ///< by step of the kernel: iterations of the innermost loops, counted
  std::vector<std::optional<double>> bytes; ///< by step: of the arrays that a statement reads and writes, each once
  std::vector<Traffic> traffic;
  std::vector<std::string> unknown; ///< tensors whose arrays are not in the traffic
  double operations = 0;            ///< arithmetic of the terms, an addition into the target included

  std::optional<double> allSteps() const;
  double allBytes() const;
};

/// Counts. Takes time and memory in proportion to the entries of the operands, at most 2 * 10^7 places one by one, and
/// to the places of assembled results. With `like`, the same kernel's cost with operands in other formats, the traffic
/// of assembled tensors is taken from there.
CallCost costOn(const sema::Kernel &kernel, Data &data, const CallCost *like = nullptr);

} // namespace spc::explain
