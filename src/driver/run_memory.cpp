#include "driver/run_memory.h"

#include "driver/log.h"
#include "driver/run_cost.h"
#include "driver/run_options.h"
#include "format/levels.h"
#include "support/memory.h"

#include <algorithm>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kTooLarge{"tensor-too-large", Severity::Error};
constexpr DiagnosticKind kMuchMemory{"much-memory", Severity::Warning};

/// At least so much: the outer dense levels, and what is stored of each entry.
double packedBytes(const sema::Tensor &tensor, const tensor::Announced &announced) {
  const format::Format &format = tensor.format.isSum() ? tensor.format.parts.back() : tensor.format;
  double parents = 1, bytes = 0;
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::CoordinateRange range = format::coordinateRange(format.levels[k]);
    const size_t dim = range.dim ? static_cast<size_t>(*range.dim) : announced.shape.size();
    const double extent = dim < announced.shape.size()
                              ? static_cast<double>(announced.shape[dim]) / static_cast<double>(range.block)
                              : static_cast<double>(range.block);
    if (format.levels[k].isDense()) {
      parents *= format::kindOf(format, k) == format::LevelKind::Dense ? extent : 1;
      continue;
    }
    if (k > 0 && format.hasPointers())
      bytes += parents * format::bits(format.pointers) / 8;
    const int bytesAnEntry = format::bits(format.indices) / 8 + sema::bytesOf(tensor.type);
    return bytes + announced.entries * bytesAnEntry;
  }
  return parents * sema::bytesOf(tensor.type);
}

/// While it is packed, with the list of its entries.
double bytesOf(const AnnouncedInput &input) {
  const auto numbers = static_cast<double>(input.second.shape.size() + 1);
  return packedBytes(*input.first, input.second) + input.second.entries * numbers * sizeof(double);
}

} // namespace

void checkMemory(Session &session, const sema::Tensor &tensor, double words, const std::vector<int64_t> &shape) {
  constexpr double kUsable = 0.75; // the rest of the system lives in memory too
  if (words * sizeof(double) < kUsable * physicalMemory())
    return;
  session.diagnostics()
      .report(kTooLarge, tensor.where,
              "'" + tensor.name + "' of shape " + describeShape(shape) + " does not fit into this machine's memory")
      .advise("is a size mistaken? a format that stores less, with --format " + tensor.name + "=..., may help");
}

bool reportMemory(Session &session, const std::vector<AnnouncedInput> &inputs, bool asks) {
  if (inputs.empty())
    return true;
  double total = 0;
  for (const AnnouncedInput &input : inputs)
    total += bytesOf(input);
  const double free = freeMemory();
  log("reading and packing the inputs takes " + shown(total) + " bytes; " + shown(free) + " are free");
  if (total <= free)
    return true;
  const auto largest = std::max_element(inputs.begin(), inputs.end(),
                                        [](const auto &a, const auto &b) { return bytesOf(a) < bytesOf(b); });
  const sema::Tensor &tensor = *largest->first;
  const size_t before = session.diagnostics().all().size();
  session.diagnostics()
      .report(kMuchMemory, tensor.where,
              "the inputs take some " + shown(total) +
                  " bytes while they are read and packed, which is more than is free; '" + tensor.name + "' takes " +
                  shown(bytesOf(*largest)))
      .advise("a format that stores less, with --format " + tensor.name +
              "=..., may help; -Werror=much-memory refuses to begin");
  const bool isWarned = session.diagnostics().all().size() > before;
  session.flush(); // before the system ends the process for want of memory
  return !asks || !isWarned || session.failed() || mayBeginByTerminal(session);
}

} // namespace spc::driver
