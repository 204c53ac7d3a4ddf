#include "host/kernel_call.h"

#include "host/kernel_status.h"
#include "spc/spc.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

namespace spc::host {

namespace {

constexpr DiagnosticKind kOutsidePattern{"outside-pattern", Severity::Error};

/// Positions of entries in the order of their coordinates.
std::vector<size_t> sortedPositions(const tensor::Coordinates &entries) {
  std::vector<size_t> positions(entries.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  size_t order = entries.shape.size();
  auto at = [&](size_t k) { return entries.coordinates.begin() + static_cast<ptrdiff_t>(k * order); };
  std::sort(positions.begin(), positions.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(at(a), at(a) + static_cast<ptrdiff_t>(order), at(b),
                                        at(b) + static_cast<ptrdiff_t>(order));
  });
  return positions;
}

/// The slots of a tensor whose structure another one shares, by that one's dimensions: both have the same levels, which
/// may store other dimensions.
tensor::Coordinates slotsFor(const format::Format &format, const tensor::PackedTensor &owner,
                             std::vector<int64_t> &positions) {
  tensor::Coordinates slots = owner.slots(positions);
  const tensor::Coordinates own = slots;
  const std::vector<int> dims = format::correspondingDims(owner.format(), format);
  for (size_t from = 0; from < dims.size(); ++from) {
    const auto to = static_cast<size_t>(dims[from]);
    slots.shape[to] = own.shape[from];
    for (size_t e = 0; e < slots.size(); ++e)
      slots.coordinates[e * dims.size() + to] = own.coordinates[e * dims.size() + from];
  }
  return slots;
}

/// A tensor that shares the structure of `owner`: its given values, in the slots that there are for them.
bool fillPattern(Session &session, const sema::Tensor &tensor, const tensor::PackedTensor &owner,
                 tensor::Coordinates given, tensor::PackedTensor &output) {
  tensor::sortAndSum(given, tensor.type);
  std::vector<int64_t> slots;
  const tensor::Coordinates pattern = slotsFor(tensor.format, owner, slots);
  std::vector<size_t> positions = sortedPositions(pattern);
  size_t order = pattern.shape.size();
  auto next = positions.begin();
  for (size_t k = 0; k < given.size(); ++k) {
    auto wanted = given.coordinates.begin() + static_cast<ptrdiff_t>(k * order);
    auto compare = [&](size_t position) {
      auto have = pattern.coordinates.begin() + static_cast<ptrdiff_t>(position * order);
      return std::lexicographical_compare(have, have + static_cast<ptrdiff_t>(order), wanted,
                                          wanted + static_cast<ptrdiff_t>(order));
    };
    next = std::find_if_not(next, positions.end(), compare);
    if (next == positions.end() || !std::equal(wanted, wanted + static_cast<ptrdiff_t>(order),
                                               pattern.coordinates.begin() + static_cast<ptrdiff_t>(*next * order))) {
      session.diagnostics().report(kOutsidePattern, tensor.where,
                                   "the given '" + tensor.name +
                                       "' has an entry outside of the pattern that it shares with its operand");
      return false;
    }
    const tensor::Number value = given.value(k);
    if (!tensor::storeNumber(output.values(), tensor.type, slots[*next], value)) {
      session.diagnostics().report(kUnstorable, tensor.where,
                                   "'" + tensor.name +
                                       "' cannot be stored: " + tensor::valueNotStored(value, tensor.type));
      return false;
    }
  }
  return true;
}

class Packer {
public:
  Packer(Session &session, const sema::Kernel &kernel, const abi::Signature &signature, Inputs &inputs)
      : session_(session), kernel_(kernel), signature_(signature), inputs_(inputs) {
    arguments_.resize(kernel.parameters.size());
  }

  std::optional<std::vector<CallArgument>> pack() {
    // Operands first: outputs that share a pattern ask them for its size.
    for (bool sharesPattern : {false, true})
      for (size_t k = 0; k < arguments_.size(); ++k)
        if (sharesPattern == sharesOther(k) && !packOne(k))
          return std::nullopt;
    return std::move(arguments_);
  }

private:
  const sema::Tensor &tensorAt(size_t k) const { return kernel_.tensors[kernel_.parameters[k]]; }
  bool sharesOther(size_t k) const { return ownerOf(kernel_.parameters[k]) != kernel_.parameters[k]; }
  sema::TensorId ownerOf(sema::TensorId tensor) const { return sema::structureOwner(kernel_, tensor); }

  bool packOne(size_t k) {
    const sema::Tensor &tensor = tensorAt(k);
    Input &input = inputs_.parameters[k];
    if (tensor.order() == 0) {
      return tensor::storeNumber(arguments_[k].scalar, tensor.type, 0, input.scalar);
    }
    const Progress::Phase phase(session_.progress(), "packing " + tensor.name, WorkUnit::None);
    std::vector<int64_t> shape = inputs_.shapeOf(tensor);
    return sharesOther(k) ? packSharing(k, shape) : packOwn(k, shape);
  }

  bool packOwn(size_t k, const std::vector<int64_t> &shape) {
    const sema::Tensor &tensor = tensorAt(k);
    if (std::optional<tensor::PackedTensor> &packed = inputs_.parameters[k].packed) {
      arguments_[k].tensor = std::move(packed);
      return true;
    }
    std::optional<tensor::Coordinates> entries = std::exchange(inputs_.parameters[k].entries, std::nullopt);
    if (!entries) {
      int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
      return makeOutput(k, shape, tensor.format.isDense() ? elements : 0);
    }
    std::string error;
    arguments_[k].tensor = tensor::PackedTensor::pack(std::move(*entries), tensor.format, tensor.type, error);
    return arguments_[k].tensor || reportUnstorable(tensor, error);
  }

  bool packSharing(size_t k, const std::vector<int64_t> &shape) {
    const sema::Tensor &tensor = tensorAt(k);
    const auto operand =
        std::find(kernel_.parameters.begin(), kernel_.parameters.end(), ownerOf(kernel_.parameters[k]));
    tensor::PackedTensor &owner = *arguments_[static_cast<size_t>(operand - kernel_.parameters.begin())].tensor;
    if (!makeOutput(k, shape, owner.valueCount()))
      return false;
    if (signature_.parameters[k].kind == abi::ParameterKind::Values)
      arguments_[k].tensor->borrowStructure(owner);
    std::optional<tensor::Coordinates> given = std::exchange(inputs_.parameters[k].entries, std::nullopt);
    return !given || fillPattern(session_, tensor, owner, std::move(*given), *arguments_[k].tensor);
  }

  bool makeOutput(size_t k, const std::vector<int64_t> &shape, int64_t values) {
    const sema::Tensor &tensor = tensorAt(k);
    std::string error;
    arguments_[k].tensor = tensor::PackedTensor::output(shape, tensor.format, tensor.type, values, error);
    return arguments_[k].tensor || reportUnstorable(tensor, error);
  }

  bool reportUnstorable(const sema::Tensor &tensor, const std::string &reason) {
    session_.diagnostics().report(kUnstorable, tensor.where, "'" + tensor.name + "' cannot be stored: " + reason);
    return false;
  }

  Session &session_;
  const sema::Kernel &kernel_;
  const abi::Signature &signature_;
  Inputs &inputs_;
  std::vector<CallArgument> arguments_;
};

} // namespace

void *CallArgument::address(const abi::Parameter &parameter) {
  if (parameter.kind == abi::ParameterKind::Tensor)
    return tensor->cStruct();
  return parameter.kind == abi::ParameterKind::Values ? tensor->values() : scalar;
}

tensor::Number CallArgument::number(const abi::Parameter &parameter) const {
  return tensor::loadNumber(scalar, parameter.value, 0);
}

std::optional<std::vector<CallArgument>> packArguments(Session &session, const sema::Kernel &kernel,
                                                       const abi::Signature &signature, Inputs &inputs) {
  return Packer(session, kernel, signature, inputs).pack();
}

std::vector<void *> pointersOf(KernelCall &call) {
  std::vector<void *> pointers;
  for (size_t k = 0; k < call.arguments.size(); ++k)
    pointers.push_back(call.arguments[k].address(call.signature.parameters[k]));
  return pointers;
}

bool finishCall(Session &session, KernelCall &call, int32_t status) {
  if (status == SPC_OK) {
    for (size_t k = 0; k < call.arguments.size(); ++k)
      if (call.signature.parameters[k].isAssembled)
        call.arguments[k].tensor->adoptArrays();
    return true;
  }
  reportStatus(session, call.kernel, call.inputs, static_cast<spc_status>(status));
  return false;
}

bool callKernel(Session &session, KernelCall &call) {
  return finishCall(session, call, call.code.invoke()(call.context, pointersOf(call).data()));
}

SavedArgument SavedArgument::of(const sema::Tensor &tensor, const abi::Parameter &parameter,
                                tensor::PackedTensor *packed, void *scalar) {
  SavedArgument saved;
  if (!tensor.isWritten || !tensor.isRead)
    return saved;
  if (parameter.isAssembled) {
    saved.entries = packed->unpack();
    return saved;
  }
  const auto *values = static_cast<const unsigned char *>(packed ? packed->values() : scalar);
  if (values)
    saved.values.assign(values, values + (packed ? packed->valueCount() : 1) * sema::bytesOf(tensor.type));
  return saved;
}

void SavedArgument::restoreValues(tensor::PackedTensor *packed, void *scalar) const {
  if (!values.empty())
    std::memcpy(packed ? packed->values() : scalar, values.data(), values.size());
}

SavedArguments::SavedArguments(const KernelCall &call) {
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    CallArgument &argument = call.arguments[k];
    saved_.push_back(SavedArgument::of(call.kernel.tensors[call.kernel.parameters[k]], call.signature.parameters[k],
                                       argument.tensor ? &*argument.tensor : nullptr, argument.scalar));
  }
}

bool SavedArguments::restore(Session &session, KernelCall &call) const {
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    const sema::Tensor &tensor = call.kernel.tensors[call.kernel.parameters[k]];
    CallArgument &argument = call.arguments[k];
    if (call.signature.parameters[k].isAssembled) {
      std::string error;
      argument.tensor =
          saved_[k].entries
              ? tensor::PackedTensor::pack(*saved_[k].entries, tensor.format, tensor.type, error)
              : tensor::PackedTensor::output(call.inputs.shapeOf(tensor), tensor.format, tensor.type, 0, error);
      if (!argument.tensor) {
        session.diagnostics().report(kUnstorable, tensor.where, "'" + tensor.name + "' cannot be stored: " + error);
        return false;
      }
    } else {
      saved_[k].restoreValues(argument.tensor ? &*argument.tensor : nullptr, argument.scalar);
    }
  }
  return true;
}

} // namespace spc::host
