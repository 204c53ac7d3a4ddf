// What goes wrong in passes, for reports of bugs.
#pragma once

#include "mlir/Pass/PassInstrumentation.h"

#include <memory>
#include <string>

namespace spc::pipeline {

/// The faults of the passes of one run.
struct PassFaults {
  std::string failed; ///< what fails, or leaves operations that do not verify, and within which other pass; else empty
  std::string lost;   ///< "spc-x: ...": the first pass that makes loops forget which ones of the plan they are
};

/// Notes faults of passes. `keepsPlaces`: loops are to keep their places in the plan, or go.
std::unique_ptr<mlir::PassInstrumentation> watchPasses(PassFaults &faults, bool keepsPlaces);

} // namespace spc::pipeline
