#include "sema/verify/verification.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// The loop over a term's rows: the outermost one that nothing is summed over.
LoopId rowsOf(const Term &term) {
  for (LoopId loop : term.loops.ids())
    if (!term.loops[loop].isReduction)
      return loop;
  return LoopId(0);
}

/// The dimensions of a tensor in which an access is at the rows: of a sparse one that of its outermost level.
std::vector<int> rowDims(const Kernel &kernel, TensorId tensor, const std::vector<Index> &indices, LoopId rows) {
  const format::Format &format = kernel.tensors[tensor].format;
  std::vector<int> dims;
  const size_t last = format.isDense() ? indices.size() : std::min<size_t>(1, indices.size());
  for (size_t k = 0; k < last; ++k)
    if (indices[k].has(rows) && indices[k].constant == 0)
      dims.push_back(format.isDense() ? static_cast<int>(k) : format.levels.front().dim);
  return dims;
}

/// All accesses of a sweep's steps to a tensor have a dimension of the rows in common.
bool hasRows(Verification &verification, const Sweep &sweep, TensorId tensor) {
  const Kernel &kernel = verification.kernel;
  std::optional<std::vector<int>> common;
  const auto add = [&](const std::vector<Index> &indices, LoopId rows) {
    const std::vector<int> dims = rowDims(kernel, tensor, indices, rows);
    if (!common)
      common = dims;
    const auto isOther = [&](int dim) { return std::find(dims.begin(), dims.end(), dim) == dims.end(); };
    common->erase(std::remove_if(common->begin(), common->end(), isOther), common->end());
  };
  for (size_t k = sweep.begin; k < sweep.end; ++k)
    for (const Term &term : std::get<Statement>(kernel.steps[k]).terms) {
      if (std::get<Statement>(kernel.steps[k]).target == tensor)
        add(term.target, rowsOf(term));
      for (const Operand &operand : term.operands)
        if (operand.tensor == tensor)
          add(operand.indices, rowsOf(term));
    }
  return verification.holds(common && !common->empty(), "is written in a sweep, and used there in other rows");
}

bool isHeldAlone(Verification &verification, const Sweep &sweep, TensorId tensor) {
  const Kernel &kernel = verification.kernel;
  if (!verification.holds(kernel.tensors.has(tensor) && kernel.tensors[tensor].is<Temporary>() &&
                              !kernel.tensors[tensor].isAssembled(),
                          "is held by a sweep, and no temporary"))
    return false;
  for (size_t k = 0; k < kernel.steps.size(); ++k)
    if (!verification.holds(sweepOf(kernel, k) == &sweep || !uses(kernel.steps[k], tensor),
                            "is held by a sweep, and used outside of it"))
      return false;
  return true;
}

bool sweepHolds(Verification &verification, const Sweep &sweep) {
  const Kernel &kernel = verification.kernel;
  for (size_t k = sweep.begin; k < sweep.end; ++k) {
    verification.step = k;
    const auto *statement = std::get_if<Statement>(&kernel.steps[k]);
    if (!verification.holds(statement && !statement->collecting, "is in a sweep, and no statement of rows"))
      return false;
  }
  verification.step.reset();
  for (size_t k = sweep.begin; k < sweep.end; ++k) {
    verification.tensor = std::get<Statement>(kernel.steps[k]).target;
    if (!hasRows(verification, sweep, *verification.tensor))
      return false;
  }
  for (const TensorId held : sweep.held) {
    verification.tensor = held;
    if (!isHeldAlone(verification, sweep, held))
      return false;
  }
  verification.tensor.reset();
  return true;
}

} // namespace

bool sweepsHold(Verification &verification) {
  const Kernel &kernel = verification.kernel;
  size_t next = 0;
  for (const Sweep &sweep : kernel.sweeps) {
    if (!verification.holds(sweep.begin >= next && sweep.begin < sweep.end && sweep.end <= kernel.steps.size(),
                            "sweeps have no steps, or steps in common") ||
        !verification.holds(kernel.alternatives.empty() && !kernel.recomputation,
                            "steps that calls choose are in a sweep") ||
        !sweepHolds(verification, sweep))
      return false;
    next = sweep.end;
  }
  return true;
}

} // namespace spc::sema
