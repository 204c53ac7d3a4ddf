// Addresses in loops, put together so that what a loop does not change is computed in front of it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace spc::codegen {

/// Computes the pointer `base + row * stride + k + 8` of an innermost loop that changes `row` alone as `base + k`, in
/// front of the loop, `+ row * stride + 8`: processors add the last two for nothing. LLVM's own passes leave the order
/// in which several loads have a sum in common, `base + row * stride`, which needs an instruction for each entry. To be
/// run last.
class HoistAddresses : public llvm::PassInfoMixin<HoistAddresses> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace spc::codegen
