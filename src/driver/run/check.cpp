#include "driver/run/check.h"

#include "driver/run/outputs.h"
#include "format/levels.h"
#include "host/results.h"
#include "tensor/pack/constants.h"

#include <algorithm>
#include <set>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kNotChecked{"not-checked", Severity::Error};
constexpr DiagnosticKind kChecked{"checked", Severity::Note};
constexpr int kDigits = 17; ///< which tell all doubles apart
constexpr DiagnosticKind kWrongResult{"wrong-result", Severity::Internal};

const std::string &nameInText(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

/// What a tensor stores whose entries are elements of runs that are stored whole, or that its format combines where
/// they repeat; nullopt of others, and of what cannot be stored, which is an error when it is packed.
std::optional<tensor::Coordinates> entriesAsStored(const sema::Tensor &tensor, const tensor::Coordinates &entries) {
  const bool storesRuns = format::listsRuns(tensor.format) && !format::hasPadding(tensor.format);
  if (!storesRuns && tensor.format.duplicates == format::Duplicates::Sum)
    return std::nullopt;
  std::string error;
  const auto packed = tensor::PackedTensor::pack(entries, tensor.format, tensor.type, error);
  return packed ? std::optional(packed->unpack()) : std::nullopt;
}

/// Gives a tensor that has another one's structure an entry for each of that one's, 0 where it is given none.
void fillStructure(const sema::Tensor &tensor, const sema::Tensor &owner, const tensor::Coordinates &structure,
                   tensor::Coordinates &entries) {
  const std::vector<int> dims = format::correspondingDims(owner.format, tensor.format);
  const size_t order = dims.size();
  std::set<std::vector<int64_t>> known;
  for (auto at = entries.coordinates.begin(); at != entries.coordinates.end(); at += static_cast<ptrdiff_t>(order))
    known.emplace(at, at + static_cast<ptrdiff_t>(order));
  std::vector<int64_t> at(order);
  for (size_t e = 0; e < structure.size(); ++e) {
    for (size_t dim = 0; dim < order; ++dim)
      at[static_cast<size_t>(dims[dim])] = structure.coordinates[e * order + dim];
    if (known.insert(at).second)
      entries.append(at.data(), {});
  }
}

/// The parameters and the constants as the kernel's text has them.
reference::Tensors tensorsOf(const sema::Kernel &kernel, const host::Inputs &inputs) {
  reference::Tensors tensors;
  std::map<std::string, tensor::Coordinates> entries;
  const auto add = [&](const sema::Tensor &tensor, const std::vector<int64_t> &shape,
                       const std::optional<tensor::Coordinates> &given) {
    const std::string &name = nameInText(tensor);
    tensors.try_emplace(name, reference::emptyTensor(tensor, shape));
    tensor::Coordinates &all = entries.try_emplace(name, tensor::Coordinates{shape, {}, {}, {}}).first->second;
    const std::optional<tensor::Coordinates> own = given ? entriesAsStored(tensor, *given) : std::nullopt;
    const std::optional<tensor::Coordinates> &stored = own ? own : given;
    for (size_t e = 0; stored && e < stored->size(); ++e)
      all.append(stored->coordinates.data() + e * shape.size(), stored->value(e));
  };
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const sema::Tensor &tensor = kernel.tensors[kernel.parameters[k]];
    const host::Input &input = inputs.parameters[k];
    add(tensor, inputs.shapeOf(tensor), input.entries);
    if (tensor.order() == 0 && tensor.isRead)
      entries.at(nameInText(tensor)).append(nullptr, input.scalar);
  }
  for (sema::TensorId id : kernel.tensors.ids())
    if (const auto *constant = kernel.tensors[id].as<sema::Constant>())
      add(kernel.tensors[id], constant->entries->shape, tensor::entriesOfConstant(kernel, id));
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id], &owner = kernel.tensors[sema::structureOwner(kernel, id)];
    if (tensor.hasDeclaredOwner() && tensor.isRead)
      fillStructure(tensor, owner, entries.at(nameInText(owner)), entries.at(nameInText(tensor)));
  }
  for (auto &[name, given] : entries)
    tensors.at(name).fill(std::move(given));
  return tensors;
}

/// As the language writes it: `C(1, 2)` with coordinates from 0.
std::string elementText(const std::string &tensor, const std::vector<int64_t> &at) {
  std::string text;
  for (int64_t coordinate : at)
    text += (text.empty() ? "(" : ", ") + std::to_string(coordinate);
  return tensor + (text.empty() ? "" : text + ")");
}

} // namespace

std::optional<reference::Tensors> referenceResults(Session &session, const sema::Kernel &kernel,
                                                   const sema::Program &program, const host::Inputs &inputs,
                                                   bool distributes) {
  const Progress::Phase phase(session.progress(), "evaluating the kernel's text", WorkUnit::None);
  if (distributes) {
    session.diagnostics()
        .report(kNotChecked, session.find("--check"),
                "this run cannot be checked: what --fp=distribute multiplies out may lose any number of digits")
        .advise("leave out one of the two");
    return std::nullopt;
  }
  try {
    reference::Tensors tensors = tensorsOf(kernel, inputs);
    reference::evaluate(program, tensors, reference::storagesOf(kernel));
    return tensors;
  } catch (const reference::Unsupported &reason) {
    session.diagnostics()
        .report(kNotChecked, session.find("--check"),
                std::string("this run cannot be checked: the reference does not ") + reason.what())
        .advise("leave out --check, or run on less data");
    return std::nullopt;
  }
}

bool checkResults(Session &session, const host::KernelCall &call, const reference::Tensors &expected) {
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    const sema::Tensor &tensor = call.kernel.tensors[call.kernel.parameters[k]];
    if (!tensor.isWritten || tensor.part > 0)
      continue;
    const std::string &name = nameInText(tensor);
    const reference::Comparison result = reference::compare(expected.at(name), host::resultOf(call, k));
    if (result.firstWrong) {
      session.diagnostics()
          .report(kWrongResult, tensor.where,
                  "the compiled kernel computes a wrong '" + name + "': " + elementText(name, *result.firstWrong) +
                      " is " + tensor::toText(result.actual, kDigits) + " where the kernel's text says " +
                      tensor::toText(result.wanted, kDigits) + ", give or take " +
                      tensor::toText({result.allowed}, kDigits))
          .advise("coordinates count from 0; -O0 and other formats may compute it right");
      return false;
    }
    std::string said = "'" + name + "' is what the kernel's text says: " + std::to_string(result.compared) +
                       " elements were compared, which differ by " + tensor::toText({result.largest}, kDigits) +
                       " at most";
    if (result.uncertain > 0)
      said += "; of " + std::to_string(result.uncertain) + " more rounding may make any number";
    session.diagnostics().report(kChecked, tensor.where, said);
  }
  return true;
}

} // namespace spc::driver
