#include "driver/explain/other_formats.h"

#include "support/quantities.h"
#include "tensor/pack/footprint.h"
#include "tensor/pack/parts.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace spc::driver {
namespace {

/// Values that a format may store of an operand for it to be packed and counted: so many in any case, of each entry,
/// and at most.
constexpr double kAnyValues = 1e5;
constexpr double kMostOfEntry = 40;
constexpr double kMostValues = 3e7;

/// Iterations that are walked one by one for all formats of all operands together: some seconds.
constexpr double kMostWalkedInAll = 1e8;

const std::string &wholeName(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

std::string firstError(const Diagnostics &diagnostics) {
  for (const Diagnostic &one : diagnostics.all())
    if (one.severity >= Severity::Error)
      return one.message;
  return "";
}

using Entries = std::map<std::string, tensor::Coordinates>;

/// The entries of the sparse operands by their names in the kernel, parts put together.
Entries entriesOf(const sema::Kernel &kernel, const host::Inputs &inputs) {
  Entries all;
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const sema::Tensor &tensor = kernel.tensors[kernel.parameters[k]];
    const std::optional<tensor::Coordinates> &own = inputs.parameters[k].entries;
    if (!own || tensor.format.isDense() || tensor.hasDeclaredOwner())
      continue;
    tensor::Coordinates &whole = all[wholeName(tensor)];
    whole.shape = own->shape;
    for (size_t e = 0; e < own->size(); ++e)
      whole.append(own->coordinates.data() + e * own->shape.size(), own->value(e));
  }
  return all;
}

double valuesIn(const tensor::Coordinates &entries, const format::Format &format) {
  return format::footprintOf(format, entries.shape, 0, tensor::levelCounts(entries, format)).values;
}

class FormatTrials {
public:
  FormatTrials(Session &session, const KernelInput &input, const sema::Kernel &kernel, const SharedOptions &options,
               const host::Inputs &inputs, const explain::CallCost &own)
      : session_(session), input_(input), kernel_(kernel), options_(options), inputs_(inputs), own_(own),
        entries_(entriesOf(kernel, inputs)), scratch_({"spc", "explain"}),
        loader_(formatFolders(options.formatFolders), session.sources(), scratch_.diagnostics()) {
    const double trials = static_cast<double>(entries_.size() * loader_.known().size());
    mostWalked_ = kMostWalkedInAll / std::max(1.0, trials);
  }

  std::vector<explain::Alternative> run() {
    std::vector<explain::Alternative> all;
    for (const auto &[name, entries] : entries_) {
      all.push_back({name, formatNameOf(name), true, own_.allSteps(), own_.allBytes(), ""});
      for (const format::KnownFormat &known : loader_.known())
        if (known.name != all.back().format && known.name != formatNameOf(name))
          tryFormat(name, known.name, all);
    }
    // Of each tensor the one that it has, then by bytes, then those without numbers.
    std::stable_sort(all.begin(), all.end(), [](const explain::Alternative &a, const explain::Alternative &b) {
      const auto key = [](const explain::Alternative &one) {
        return std::tuple(!one.isOwn, !one.why.empty(), one.bytes.value_or(0));
      };
      return a.tensor != b.tensor ? a.tensor < b.tensor : key(a) < key(b);
    });
    return all;
  }

private:
  std::string formatNameOf(const std::string &tensor) const {
    for (const format::Binding &binding : input_.bindings)
      if (binding.tensor == tensor && binding.family)
        return binding.family->name();
    for (const sema::Tensor &one : kernel_.tensors)
      if (wholeName(one) == tensor)
        return one.format.name;
    return "";
  }

  /// The bindings with another format for one tensor. One that names no tensor binds all others that it did.
  std::vector<format::Binding> bindingsWith(const std::string &tensor, const format::Binding &other) const {
    std::vector<format::Binding> bindings;
    for (const format::Binding &binding : input_.bindings) {
      if (binding.tensor == tensor)
        continue;
      if (binding.tensor || !binding.family) {
        bindings.push_back(binding);
        continue;
      }
      for (const auto &[name, entries] : entries_)
        if (name != tensor && binding.family->instantiate(entries.order())) {
          bindings.push_back(binding);
          bindings.back().tensor = name;
        }
    }
    bindings.push_back(other);
    bindings.back().tensor = tensor;
    return bindings;
  }

  void tryFormat(const std::string &tensor, const std::string &name, std::vector<explain::Alternative> &all) {
    for (const format::Binding &binding : loader_.load(name)) {
      if (binding.tensor || !binding.family)
        continue;
      const std::optional<format::Format> format = binding.family->instantiate(entries_.at(tensor).order());
      if (!format)
        continue;
      explain::Alternative one{tensor, name, false, {}, {}, ""};
      const double values = format->isSum() ? 0 : valuesIn(entries_.at(tensor), *format);
      const auto entries = static_cast<double>(entries_.at(tensor).size());
      if (values > std::min(kMostValues, std::max(kAnyValues, kMostOfEntry * entries)))
        one.why = "would store " + numberText(values) + " values";
      else
        one.why = measure(bindingsWith(tensor, binding), one);
      all.push_back(std::move(one));
    }
  }

  /// Why there are no numbers; empty where there are.
  std::string measure(const std::vector<format::Binding> &bindings, explain::Alternative &one) {
    Diagnostics own;
    const sema::Options checks = checksOf(input_, options_, kernel_.function);
    const std::optional<sema::Kernel> kernel = sema::analyze(input_.tree, bindings, checks, own);
    if (options_.verify)
      session_.diagnostics().appendInternal(own);
    if (!kernel)
      return "does not fit: " + firstError(own);
    IdVector<sema::ExtentId, int64_t> extents;
    for (const sema::Extent &extent : kernel->extents) {
      const auto known = std::find_if(kernel_.extents.begin(), kernel_.extents.end(),
                                      [&](const sema::Extent &other) { return other.name == extent.name; });
      extents.add(known == kernel_.extents.end() ? 0
                                                 : inputs_.extents[sema::ExtentId(known - kernel_.extents.begin())]);
    }
    explain::Data data(*kernel, std::move(extents));
    std::string error;
    if (!addAll(*kernel, data, error))
      return "cannot store it: " + error;
    const explain::CallCost cost = explain::costOn(*kernel, data, &own_, mostWalked_);
    one.steps = cost.allSteps();
    if (cost.unknown.empty())
      one.bytes = cost.allBytes();
    return "";
  }

  bool addAll(const sema::Kernel &kernel, explain::Data &data, std::string &error) const {
    for (sema::TensorId id : kernel.parameters) {
      const sema::Tensor &tensor = kernel.tensors[id];
      const auto entries = entries_.find(wholeName(tensor));
      if (entries == entries_.end() || tensor.format.isDense() || tensor.part > 0)
        continue;
      std::vector<tensor::Coordinates> parts;
      std::vector<format::Format> formats;
      const std::vector<sema::TensorId> ids = sema::partsOf(kernel, id);
      for (sema::TensorId part : ids)
        formats.push_back(kernel.tensors[part].format);
      if (ids.size() > 1)
        parts = tensor::splitIntoParts(entries->second, formats);
      else
        parts = {entries->second};
      for (size_t k = 0; k < ids.size(); ++k)
        if (!data.add(ids[k], parts[k], error))
          return false;
    }
    return true;
  }

  Session &session_;
  const KernelInput &input_;
  const sema::Kernel &kernel_;
  const SharedOptions &options_;
  const host::Inputs &inputs_;
  const explain::CallCost &own_;
  Entries entries_;
  Session scratch_;
  format::FormatLoader loader_;
  double mostWalked_ = 0; ///< for one
};

} // namespace

std::vector<explain::Alternative> otherFormats(Session &session, const KernelInput &input, const sema::Kernel &kernel,
                                               const SharedOptions &options, const host::Inputs &inputs,
                                               const explain::CallCost &own) {
  return FormatTrials(session, input, kernel, options, inputs, own).run();
}

} // namespace spc::driver
