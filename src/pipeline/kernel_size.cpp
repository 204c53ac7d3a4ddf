#include "pipeline/kernel_size.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

namespace spc::pipeline {
namespace {

constexpr DiagnosticKind kKernelTooLarge{"kernel-too-large", Severity::Error};

constexpr size_t kMostOperations = 75000;
constexpr size_t kOperationsOfLoop = 60;  ///< into which later passes turn a loop that counts
constexpr size_t kOperationsOfLevel = 60; ///< of an entry, which checks each level that is listed

bool isAssembled(const sema::Kernel &kernel, const sema::Step &step) {
  const auto *statement = std::get_if<sema::Statement>(&step);
  return statement && kernel.tensors[statement->target].isAssembled();
}

size_t operationsIn(mlir::Operation *op) {
  size_t count = 0;
  op->walk([&](mlir::Operation *each) { count += mlir::isa<mlir::scf::ForOp>(each) ? kOperationsOfLoop : 1; });
  return count;
}

/// An assembled output is computed by two functions, one of which counts entries alone.
size_t operationsOf(mlir::ModuleOp module, const sema::Kernel &kernel, size_t step) {
  mlir::Operation *body = module.lookupSymbol(sema::bodyName(kernel, step));
  return body ? operationsIn(body) * (isAssembled(kernel, kernel.steps[step]) ? 2 : 1) : 0;
}

/// An entry checks the levels of all tensors; that of an assembled output is there three times.
size_t operationsOfEntries(const sema::Kernel &kernel) {
  size_t levels = 0, entries = 1;
  for (sema::TensorId id : kernel.parameters) {
    const std::vector<format::Level> &all = kernel.tensors[id].format.levels;
    levels += static_cast<size_t>(
        std::count_if(all.begin(), all.end(), [](const format::Level &level) { return !level.isDense(); }));
    if (kernel.tensors[id].isAssembled())
      entries = 3;
  }
  return levels * entries * kOperationsOfLevel;
}

} // namespace

bool checkSize(mlir::ModuleOp module, const sema::Kernel &kernel, Diagnostics &diagnostics) {
  const size_t entries = operationsOfEntries(kernel);
  size_t all = entries, most = 0;
  Span where;
  for (size_t k = 0; k < kernel.steps.size(); ++k) {
    const size_t own = operationsOf(module, kernel, k);
    all += own;
    if (const auto *statement = std::get_if<sema::Statement>(&kernel.steps[k]); statement && own > most) {
      most = own;
      where = statement->where;
    }
  }
  if (all <= kMostOperations)
    return true;
  diagnostics
      .report(kKernelTooLarge, where,
              "the kernel becomes " + std::to_string(all) + " operations, " + std::to_string(most) +
                  " of them for this statement; the limit is " + std::to_string(kMostOperations))
      .advise("divide it into several kernels, or into statements with fewer terms and operands");
  return false;
}

} // namespace spc::pipeline
