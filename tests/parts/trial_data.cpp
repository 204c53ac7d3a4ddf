#include "parts/trial_data.h"

#include "fuzz/generator.h"
#include "harness/kernel_arguments.h"
#include "reference/reference.h"

#include <stdexcept>

namespace spc::testing {
namespace {

/// The size of an extent.
int64_t sizeOf(const AnalyzedKernel &analyzed, const TensorMap &data, sema::ExtentId extent) {
  for (const sema::Tensor &tensor : analyzed.program->tensors)
    for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
      if (tensor.extents[dim] == extent && data.contains(tensor.name))
        return data.at(tensor.name).shape[dim];
  return 0;
}

} // namespace

TensorMap dataOf(const AnalyzedKernel &analyzed, const Trial &given) {
  const Trial trial = withRoom(analyzed.classes, given);
  if (!canStore(analyzed, trial) || !windowsFit(analyzed.classes, trial.extents))
    return {};
  TestContext context(trial.chunks);
  KernelArguments arguments(*analyzed.kernel, analyzed.classes, trial, context);
  const bool isPacked = arguments.pack().empty();
  TensorMap tensors = isPacked ? arguments.denseTensors() : TensorMap();
  arguments.release();
  return tensors;
}

std::string problemOnTrials(const AnalyzedKernel &analyzed, uint64_t seed, int64_t &unsupported,
                            const std::function<std::string(const TensorMap &, const Trial &)> &problemOn) {
  constexpr uint64_t kTrials = 3;
  for (uint64_t k = 0; k < kTrials; ++k) {
    Trial trial = generateTrial(analyzed.classes.count, seed * kTrials + k);
    trial.nonFinite = false;
    trial = withRoom(analyzed.classes, trial);
    const TensorMap data = dataOf(analyzed, trial);
    if (data.empty())
      continue;
    try {
      if (std::string problem = problemOn(data, trial); !problem.empty())
        return problem + "\n" + describe(trial);
    } catch (const reference::Unsupported &) {
      ++unsupported;
    }
  }
  return {};
}

std::vector<PartData> partsOf(const AnalyzedKernel &analyzed, const sema::IndexDivision &division,
                              const TensorMap &data, int64_t count, uint64_t seed) {
  const std::vector<int64_t> cuts = cutsOf(sizeOf(analyzed, data, division.extent), count, seed);
  std::vector<PartData> parts;
  for (size_t p = 0; p + 1 < cuts.size(); ++p) {
    std::vector<int64_t> own;
    for (int64_t at = cuts[p]; at < cuts[p + 1]; ++at)
      own.push_back(at);
    parts.push_back(partOf(analyzed, division, data, std::move(own)));
  }
  return parts;
}

Joining joiningIn(const AnalyzedKernel &analyzed, const sema::IndexDivision &division, const std::string &name) {
  for (const sema::ArgumentPart &part : division.arguments)
    if (const sema::Tensor &tensor = analyzed.kernel->tensors[part.tensor];
        tensor.name == name || tensor.partOf == name)
      return joiningOf(part);
  throw std::logic_error(name + " is no argument");
}

} // namespace spc::testing
