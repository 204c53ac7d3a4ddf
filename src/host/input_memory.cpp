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

/// A temporary of spc's own has no name that an option could have.
std::string adviceOn(const sema::Tensor &tensor) {
  return tensor.name.starts_with("$") ? "--plan=as-written may do without it"
                                      : "a format that stores less, with --format " + tensor.name + "=..., may help";
}

void checkMemory(Session &session, const sema::Tensor &tensor, double bytes, const std::vector<int64_t> &shape) {
  constexpr double kUsable = 0.75; // the rest of the system lives in memory too
  if (bytes < kUsable * physicalMemory())
    return;
  session.diagnostics()
      .report(kTooLarge, tensor.where,
              "'" + tensor.name + "' of shape " + describeShape(shape) + " does not fit into this machine's memory")
      .advise("is a size mistaken? " + adviceOn(tensor));
}

/// The alternative whose dense temporaries have the fewest elements: no call is sure to take any other one.
size_t smallestAlternative(const sema::Kernel &kernel, const IdVector<sema::ExtentId, std::optional<int64_t>> &sizes) {
  std::vector<double> elements(std::max<size_t>(1, kernel.alternatives.size()));
  for (const sema::Tensor &tensor : kernel.tensors)
    if (tensor.alternative && tensor.format.isDense()) {
      double own = 1;
      for (const sema::ExtentId extent : tensor.extents)
        own *= static_cast<double>(sizes[extent].value_or(0));
      elements[*tensor.alternative] += own;
    }
  return static_cast<size_t>(std::min_element(elements.begin(), elements.end()) - elements.begin());
}

void addDense(const sema::Kernel &kernel, const IdVector<sema::ExtentId, std::optional<int64_t>> &sizes,
              std::vector<ForeseenTensor> &tensors) {
  const size_t alternative = smallestAlternative(kernel, sizes);
  for (const sema::TensorId id : kernel.tensors.ids()) {
    const sema::Tensor &tensor = kernel.tensors[id];
    const bool isStored = tensor.is<sema::Parameter>() || (tensor.is<sema::Temporary>() && !tensor.isOfRecomputation &&
                                                           tensor.alternative.value_or(alternative) == alternative);
    const bool isRead = std::any_of(tensors.begin(), tensors.end(),
                                    [&](const ForeseenTensor &other) { return other.tensor == &tensor; });
    if (!isStored || isRead || sema::holderOf(kernel, id) || !tensor.format.isDense() || tensor.order() == 0)
      continue;
    ForeseenTensor foreseen{&tensor, {}};
    for (const sema::ExtentId extent : tensor.extents)
      if (sizes[extent])
        foreseen.announced.shape.push_back(*sizes[extent]);
    if (foreseen.announced.shape.size() == tensor.extents.size())
      tensors.push_back(std::move(foreseen));
  }
}

bool fitsInto(Session &session, const std::vector<ForeseenTensor> &tensors, bool packs, double memory) {
  double total = 0;
  for (const ForeseenTensor &foreseen : tensors)
    total += bytesOf(foreseen, packs);
  if (total <= memory || tensors.empty())
    return true;
  const auto largest = std::max_element(tensors.begin(), tensors.end(), [&](const auto &a, const auto &b) {
    return bytesOf(a, packs) < bytesOf(b, packs);
  });
  const sema::Tensor &tensor = *largest->tensor;
  session.diagnostics()
      .report(kTooLittleMemory, tensor.where,
              "tensors that are read as a whole take some " + roughText(total) + " bytes, more than --memory; '" +
                  tensor.name + "' takes " + roughText(bytesOf(*largest, packs)) +
                  (largest->whyWhole.empty() ? "" : ", as " + largest->whyWhole))
      .advise("give more memory, or divide another index with --by");
  return false;
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
      .advise(adviceOn(tensor) + "; -Werror=much-memory refuses to begin");
  const bool isWarned = session.diagnostics().all().size() > before;
  session.flush(); // before the system ends the process for want of memory
  return !asks || !isWarned || session.failed() || mayBeginByTerminal(session);
}

} // namespace spc::host
