#include "host/input_memory.h"

#include "format/footprint.h"
#include "host/arguments.h"
#include "host/log.h"
#include "support/memory.h"
#include "support/quantities.h"

#include <algorithm>

namespace spc::host {

namespace {

constexpr DiagnosticKind kTooLarge{"tensor-too-large", Severity::Error};
constexpr DiagnosticKind kMuchMemory{"much-memory", Severity::Warning};

/// While it is packed, with what it is packed from.
double bytesOf(const ForeseenTensor &foreseen, bool packs) {
  const sema::Tensor &tensor = *foreseen.tensor;
  const tensor::Announced &announced = foreseen.announced;
  std::vector<int64_t> shape = announced.shape;
  shape.resize(static_cast<size_t>(tensor.order()), 1);
  double packed = leastBytes(tensor, shape, announced.entries);
  if (announced.shape.empty() && tensor.format.isDense())
    packed = std::max(packed, announced.heldBytes);
  const bool isList = !(packs && announced.isArrays && (tensor.format.isDense() || announced.heldBytes > 0));
  const double list = isList ? announced.entries * (tensor.order() + 1) * sizeof(double) : 0;
  return packed + list + announced.heldBytes;
}

} // namespace

double leastBytes(const sema::Tensor &tensor, const std::vector<int64_t> &shape, double entries) {
  const format::Format &format = tensor.format.isSum() ? tensor.format.parts.back() : tensor.format;
  return format::leastFootprint(format, shape, sema::bytesOf(tensor.type), entries).bytes;
}

void checkMemory(Session &session, const sema::Tensor &tensor, double bytes, const std::vector<int64_t> &shape) {
  constexpr double kUsable = 0.75; // the rest of the system lives in memory too
  if (bytes < kUsable * physicalMemory())
    return;
  session.diagnostics()
      .report(kTooLarge, tensor.where,
              "'" + tensor.name + "' of shape " + describeShape(shape) + " does not fit into this machine's memory")
      .advise("is a size mistaken? a format that stores less, with --format " + tensor.name + "=..., may help");
}

void addDense(const sema::Kernel &kernel, const IdVector<sema::ExtentId, std::optional<int64_t>> &sizes,
              std::vector<ForeseenTensor> &tensors) {
  for (const sema::Tensor &tensor : kernel.tensors) {
    const bool isStored = tensor.is<sema::Parameter>() || tensor.is<sema::Temporary>();
    const bool isRead = std::any_of(tensors.begin(), tensors.end(),
                                    [&](const ForeseenTensor &other) { return other.tensor == &tensor; });
    if (!isStored || isRead || !tensor.format.isDense() || tensor.order() == 0)
      continue;
    ForeseenTensor foreseen{&tensor, {}};
    for (const sema::ExtentId extent : tensor.extents)
      if (sizes[extent])
        foreseen.announced.shape.push_back(*sizes[extent]);
    if (foreseen.announced.shape.size() == tensor.extents.size())
      tensors.push_back(std::move(foreseen));
  }
}

bool reportMemory(Session &session, const std::vector<ForeseenTensor> &tensors, bool packs, bool asks) {
  double total = 0;
  for (const ForeseenTensor &foreseen : tensors)
    total += bytesOf(foreseen, packs);
  const double free = freeMemory();
  if (tensors.empty())
    return true;
  log("the tensors that are known, and reading and packing them, take " + roughText(total) + " bytes; " +
      roughText(free) + " are free");
  if (total <= free)
    return true;
  const auto largest = std::max_element(tensors.begin(), tensors.end(), [&](const auto &a, const auto &b) {
    return bytesOf(a, packs) < bytesOf(b, packs);
  });
  const sema::Tensor &tensor = *largest->tensor;
  const size_t before = session.diagnostics().all().size();
  session.diagnostics()
      .report(kMuchMemory, tensor.where,
              "the tensors take some " + roughText(total) +
                  " bytes while the inputs are read and packed, which is more than is free; '" + tensor.name +
                  "' takes " + roughText(bytesOf(*largest, packs)))
      .advise("a format that stores less, with --format " + tensor.name +
              "=..., may help; -Werror=much-memory refuses to begin");
  const bool isWarned = session.diagnostics().all().size() > before;
  session.flush(); // before the system ends the process for want of memory
  return !asks || !isWarned || session.failed() || mayBeginByTerminal(session);
}

} // namespace spc::host
