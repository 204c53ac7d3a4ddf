#include "pipeline/backend.h"
#include "pipeline/cpu/backend.h"

namespace spc::pipeline {

std::unique_ptr<Backend> createBackend(const codegen::TargetOptions &target, Versions versions,
                                       Diagnostics &diagnostics) {
  std::optional<codegen::Target> processors = cpuTarget(target, versions, diagnostics);
  return processors ? std::make_unique<CpuBackend>(std::move(*processors)) : nullptr;
}

} // namespace spc::pipeline
