// The loops of a body, read off its MLIR.
#pragma once

#include "pipeline/code_facts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::pipeline {

/// The loops of a body, those over the same ranges as one, in the order in which they first occur. Loops whose bounds
/// are constants, which passes make, are left out.
std::vector<LoopFacts> loopsOf(mlir::func::FuncOp body);

} // namespace spc::pipeline
