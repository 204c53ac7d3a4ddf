#include "driver/tune/results.h"

#include "host/kernel_call.h"

#include <algorithm>

namespace spc::driver {

namespace {

const sema::Tensor &tensorAt(const TuneCode &candidate, size_t parameter) {
  return candidate.kernel.tensors[candidate.kernel.parameters[parameter]];
}

/// Where a call finds the values of a parameter.
void *valuesOf(TuneArguments &arguments, size_t parameter) {
  tensor::PackedTensor *tensor = arguments.tensors[parameter];
  return tensor ? tensor->values() : arguments.arguments[parameter].scalar;
}

/// Makes what calls update as it was. False where memory runs out.
bool restoreOperands(const TuneCode &candidate, TuneArguments &arguments) {
  for (size_t k = 0; k < arguments.saved.size(); ++k) {
    const host::SavedArgument &saved = arguments.saved[k];
    const sema::Tensor &tensor = tensorAt(candidate, k);
    if (saved.entries) {
      std::string error;
      arguments.arguments[k].tensor = tensor::PackedTensor::pack(*saved.entries, tensor.format, tensor.type, error);
      if (!arguments.arguments[k].tensor)
        return false;
      arguments.addresses[k] = arguments.arguments[k].address(candidate.signature.parameters[k]);
    } else {
      saved.restoreValues(arguments.tensors[k], arguments.arguments[k].scalar);
    }
  }
  return true;
}

template <typename T> void addPlain(const void *values, int64_t count, uint64_t step, tune::ResultSums &sums) {
  for (int64_t k = 0; k < count; ++k)
    sums.add(static_cast<const T *>(values)[k], step * static_cast<uint64_t>(k));
}

/// Of all elements in row-major order; or with `step` 0 of entries that are anywhere.
void addNumbers(const void *values, sema::ValueType type, int64_t count, uint64_t step, tune::ResultSums &sums) {
  if (type == sema::ValueType::F64)
    return addPlain<double>(values, count, step, sums);
  if (type == sema::ValueType::F32)
    return addPlain<float>(values, count, step, sums);
  for (int64_t k = 0; k < count; ++k) {
    const tensor::Number number = tensor::loadNumber(values, type, k);
    const uint64_t place = step * static_cast<uint64_t>(k);
    sums.add(number.real, place);
    if (number.imaginary != 0)
      sums.add(number.imaginary, step * ~place);
  }
}

} // namespace

void saveOperands(const TuneCode &candidate, TuneArguments &arguments) {
  for (size_t k = 0; k < arguments.arguments.size(); ++k)
    arguments.saved.push_back(host::SavedArgument::of(tensorAt(candidate, k), candidate.signature.parameters[k],
                                                      arguments.tensors[k], arguments.arguments[k].scalar));
}

std::optional<TuneResults> resultsOf(const TuneCode &candidate, TuneArguments &arguments, const spc_context *context) {
  spc_status status = SPC_OK;
  if (!restoreOperands(candidate, arguments) || !timedCall(candidate, arguments, context, status))
    return std::nullopt;
  TuneResults results;
  for (size_t k = 0; k < arguments.arguments.size(); ++k) {
    const sema::Tensor &tensor = tensorAt(candidate, k);
    if (!tensor.isWritten)
      continue;
    tune::ResultSums &sums = results[tensor.partOf.empty() ? tensor.name : tensor.partOf];
    const tensor::PackedTensor *packed = arguments.tensors[k];
    const bool isDense = !packed || tensor.format.sameStorage(format::denseFormat(tensor.order()));
    addNumbers(valuesOf(arguments, k), tensor.type, packed ? packed->valueCount() : 1, isDense ? 1 : 0, sums);
  }
  return results;
}

bool agree(const TuneResults &results, const TuneResults &expected, double epsilon) {
  return std::equal(
      results.begin(), results.end(), expected.begin(), expected.end(),
      [&](const auto &a, const auto &b) { return a.first == b.first && a.second.agree(b.second, epsilon); });
}

} // namespace spc::driver
