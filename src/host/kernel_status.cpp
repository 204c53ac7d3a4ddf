#include "host/kernel_status.h"

#include "format/levels.h"
#include "host/arguments.h"

#include <algorithm>

namespace spc::host {

namespace {

constexpr DiagnosticKind kKernelStatus{"kernel-status", Severity::Error};

/// A tensor that a status is about, and why.
struct Culprit {
  const sema::Tensor *tensor;
  std::string name;
  std::string reason;
};

class CulpritFinder {
public:
  CulpritFinder(const sema::Kernel &kernel, const Inputs &inputs) : kernel_(kernel), inputs_(inputs) {}

  std::vector<Culprit> of(spc_status status) {
    switch (status) {
    case SPC_ERROR_SHAPE:
      findWindows();
      findLeastExtents();
      findLinearPlaces();
      break;
    case SPC_ERROR_COUNT:
      findNarrowOutputs();
      break;
    case SPC_ERROR_MEMORY:
      findLargest();
      break;
    case SPC_ERROR_INDEX_TYPE:
      findAssembled("has more entries than its indices or pointers can count: ",
                    [](const format::Format &) { return true; });
      break;
    case SPC_ERROR_INDEX_RANGE:
      findAssembled("has an entry where its format stores none: ", leavesOut);
      break;
    case SPC_ERROR_PATTERN:
      findPlaced();
      break;
    case SPC_OK:
    case SPC_ERROR_NULL:
    case SPC_ERROR_STRIDE:
    case SPC_ERROR_CONTEXT:
    case SPC_ERROR_POINTERS:
    case SPC_ERROR_UNSORTED:
    case SPC_ERROR_DUPLICATE:
    case SPC_ERROR_OVERLAP:
      break;
    }
    return std::move(found_);
  }

private:
  int64_t sizeOf(const sema::Tensor &tensor, size_t dim) const { return inputs_.extents[tensor.extents[dim]]; }

  void add(const sema::Tensor &tensor, const std::string &reason) {
    const std::string name = tensor.name.starts_with('$') ? "an intermediate result" : "'" + tensor.name + "'";
    const auto isSame = [&](const Culprit &known) { return known.tensor == &tensor; };
    if (std::none_of(found_.begin(), found_.end(), isSame))
      found_.push_back({&tensor, name, reason});
  }

  void addTooSmall(const sema::Tensor &tensor, size_t dim, int64_t needed) {
    add(tensor, "is indexed up to " + std::to_string(needed - 1) + " in dimension " + std::to_string(dim) +
                    ", which has size " + std::to_string(sizeOf(tensor, dim)));
  }

  /// Indices such as i + 2 that leave their dimension.
  void findWindows() {
    for (const sema::Tensor &tensor : kernel_.tensors) {
      const auto *view = tensor.as<sema::View>();
      for (size_t dim = 0; view && dim < view->windows.size(); ++dim) {
        int64_t last = view->windows[dim].constant;
        bool isRead = true;
        for (const sema::Window::Multiple &term : view->windows[dim].terms) {
          const int64_t size = sizeOf(tensor, static_cast<size_t>(term.dim));
          isRead = isRead && size > 0;
          last += term.scale * (size - 1);
        }
        const sema::Tensor &source = kernel_.tensors[view->source];
        if (isRead && last >= sizeOf(source, dim))
          addTooSmall(source, dim, last + 1);
      }
    }
  }

  /// Constant indices of sparse operands.
  void findLeastExtents() {
    for (const sema::LeastExtent &needed : kernel_.leastExtents)
      for (sema::TensorId id : kernel_.parameters)
        for (size_t dim = 0; dim < kernel_.tensors[id].extents.size(); ++dim)
          if (kernel_.tensors[id].extents[dim] == needed.extent && inputs_.extents[needed.extent] < needed.least &&
              !kernel_.tensors[id].format.isDense())
            addTooSmall(kernel_.tensors[id], dim, needed.least);
  }

  /// Extremes over several variables with more places than a number counts.
  void findLinearPlaces() {
    for (const sema::LinearPlaces &extents : kernel_.linearPlaces) {
      double places = 1;
      for (sema::ExtentId extent : extents)
        places *= static_cast<double>(inputs_.extents[extent]);
      for (sema::TensorId id : kernel_.parameters)
        if (places >= 0x1p63 &&
            std::count(kernel_.tensors[id].extents.begin(), kernel_.tensors[id].extents.end(), extents.front()) > 0)
          add(kernel_.tensors[id], "has more elements than an i64 counts, which is what their places are numbered by");
    }
  }

  void findNarrowOutputs() {
    for (const sema::Tensor &tensor : kernel_.tensors)
      for (int k = 0; k < tensor.format.levelCount(); ++k) {
        const format::Level &level = tensor.format.levels[static_cast<size_t>(k)];
        if (tensor.isAssembled() && format::kindOf(tensor.format, k) == format::LevelKind::FixedWidth && level.width &&
            !level.hasWidthOne())
          add(tensor, "has room for " + std::to_string(*level.width) + " entries in a row, and one has more");
      }
    for (const sema::Tensor &tensor : kernel_.tensors)
      for (int k = 0; k < tensor.format.levelCount(); ++k)
        if (tensor.isAssembled() && format::kindOf(tensor.format, k) == format::LevelKind::ClosedCompressed)
          add(tensor,
              "has a row with more entries than there is room for: it is stored as " + format::describe(tensor.format));
  }

  /// Whether a format has no place for some coordinates.
  static bool leavesOut(const format::Format &format) {
    bool isClosed = format.symmetry != format::Symmetry::None;
    for (int k = 0; k < format.levelCount(); ++k) {
      const format::LevelKind kind = format::kindOf(format, k);
      isClosed |= kind == format::LevelKind::ClosedDense || kind == format::LevelKind::ClosedCompressed;
    }
    return isClosed;
  }

  void findAssembled(const std::string &reason, bool (*mayBe)(const format::Format &)) {
    for (const sema::Tensor &tensor : kernel_.tensors)
      if (tensor.isAssembled() && mayBe(tensor.format))
        add(tensor, reason + "it is stored as " + format::describe(tensor.format));
  }

  void findPlaced() {
    for (const sema::Step &step : kernel_.steps)
      if (const auto *placement = std::get_if<sema::Placement>(&step))
        add(kernel_.tensors[placement->to], "keeps its structure, in which some entry has no place");
  }

  /// The dense tensors that take most, the largest first.
  void findLargest() {
    std::vector<std::pair<double, const sema::Tensor *>> sizes;
    for (const sema::Tensor &tensor : kernel_.tensors) {
      double bytes = sema::bytesOf(tensor.type);
      for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
        bytes *= static_cast<double>(sizeOf(tensor, dim));
      if (tensor.is<sema::Temporary>() && tensor.format.isDense())
        sizes.emplace_back(bytes, &tensor);
    }
    std::sort(sizes.begin(), sizes.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    if (!sizes.empty())
      add(*sizes.front().second, "is dense, of shape " + describeShape(inputs_.shapeOf(*sizes.front().second)));
    for (const sema::Tensor &tensor : kernel_.tensors)
      if (sizes.empty() && tensor.isAssembled())
        add(tensor, "is assembled, in memory for what the call finds");
  }

  const sema::Kernel &kernel_;
  const Inputs &inputs_;
  std::vector<Culprit> found_;
};

} // namespace

void reportStatus(Session &session, const sema::Kernel &kernel, const Inputs &inputs, spc_status status) {
  const std::vector<Culprit> culprits = CulpritFinder(kernel, inputs).of(status);
  std::string about;
  for (const Culprit &culprit : culprits)
    about += (about.empty() ? " for " : ", ") + culprit.name;
  Diagnostic &failure = session.diagnostics().report(
      kKernelStatus, culprits.empty() ? Span{} : culprits.front().tensor->where,
      "the kernel returned status " + std::to_string(status) + about + ": " + spc_status_string(status));
  if (const spc_problem &problem = *spc_last_problem();
      problem.status == status && problem.name && (culprits.empty() || status == SPC_ERROR_MEMORY)) {
    std::string text(static_cast<size_t>(spc_status_message(nullptr, 0, status, &problem)), ' ');
    spc_status_message(text.data(), static_cast<int64_t>(text.size()) + 1, status, &problem);
    failure.note(Span{}, text);
  }
  for (const Culprit &culprit : culprits)
    failure.note(&culprit == &culprits.front() ? Span{} : culprit.tensor->where, culprit.name + " " + culprit.reason);
}

} // namespace spc::host
