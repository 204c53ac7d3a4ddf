// Which loops are worth having for AVX-512.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::pipeline {

/// Whether AVX-512 makes a body faster than AVX2 does: where it has vectors that fill a register of `registerBytes`, or
/// else loops over contiguous floats, which LLVM vectorises, and none that gathers. Loops that gather took up to twice
/// the time on 512 bits that they took on 256 (SpMV, Zen 5); other instructions than those on wide vectors gain nothing
/// here.
bool gainsFromAvx512(mlir::func::FuncOp body, int64_t registerBytes);

/// Whether a body gathers under masks.
bool gathersUnderMasks(mlir::func::FuncOp body);

} // namespace spc::pipeline
