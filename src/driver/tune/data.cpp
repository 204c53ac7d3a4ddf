#include "driver/tune/data.h"

#include "driver/tune/results.h"

#include "support/memory.h"
#include "tensor/pack/parts.h"
#include "tune/gather.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>

namespace spc::driver {

namespace {

double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const std::string &textName(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

/// Numbers that no type rounds to 0 and whose sums stay small; the same in each run.
void fillDense(tensor::PackedTensor &tensor, sema::ValueType type) {
  uint32_t state = 12345;
  void *values = tensor.values();
  for (int64_t k = 0, count = tensor.valueCount(); k < count; ++k) {
    state = state * 1664525 + 1013904223;
    const double fraction = 0.5 + (state >> 8) / 33554432.0; // 0.5 to 1
    tensor::storeNumber(values, type, k, {sema::isFloat(type) || sema::isComplex(type) ? fraction : 1, 0});
  }
}

void appendAll(tensor::Coordinates &to, const tensor::Coordinates &from) {
  for (size_t e = 0; e < from.size(); ++e)
    to.append(from.coordinates.data() + e * from.shape.size(), from.value(e));
}

} // namespace

std::unique_ptr<TuneData> TuneData::read(Session &session, const sema::Kernel &kernel, const syntax::Kernel &tree,
                                         const host::InputOptions &options) {
  std::optional<host::Inputs> read = host::readInputs(session, kernel, tree, options);
  if (!read)
    return nullptr;
  auto data = std::make_unique<TuneData>();
  for (size_t k = 0; k < kernel.extents.size(); ++k) {
    const sema::ExtentId id(k);
    data->sizes_[kernel.extents[id].name] = read->extents[id];
    data->extentIds_[kernel.extents[id].name] = id;
  }
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    host::Input &given = read->parameters[k];
    Input &input = data->inputs_[textName(kernel.tensors[kernel.parameters[k]])];
    input.scalar = given.scalar;
    if (given.entries && input.entries) // parts of one tensor
      appendAll(*input.entries, *given.entries);
    else if (given.entries)
      input.entries = std::move(given.entries);
  }
  return data;
}

const tensor::Coordinates *TuneData::entriesOf(const std::string &tensor) const {
  const auto found = inputs_.find(tensor);
  return found != inputs_.end() && found->second.entries ? &*found->second.entries : nullptr;
}

void TuneData::findOrders(const sema::Kernel &kernel, const std::vector<std::string> &sparse, double mostPartsSeconds) {
  constexpr int32_t kPartSize = 4096;           // rows of 32 doubles of a part are 1 MiB: a second-level cache
  constexpr double kPartsSecondsPerEdge = 1e-6; // METIS takes about as long
  orders_.assign(1, {});
  if (sparse.empty())
    return;
  IdVector<sema::ExtentId, int64_t> sizes;
  for (const sema::Extent &extent : kernel.extents)
    sizes.push_back(sizes_.at(extent.name));
  std::vector<tune::SparseOperand> operands;
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    const std::string &name = textName(tensor);
    if (tensor.part == 0 && std::find(sparse.begin(), sparse.end(), name) != sparse.end())
      operands.push_back({tensor.extents, entriesOf(name)});
  }
  tune::OrderFinder finder(sizes, operands);
  if (!finder.hasGraph())
    return;
  orders_.push_back(finder.reverseCuthillMcKee());
  orders_.push_back(finder.byDegree());
  tune::ExtentOrders parts;
  if (kPartsSecondsPerEdge * static_cast<double>(finder.edges()) < mostPartsSeconds)
    parts = finder.byParts(kPartSize);
  orders_.push_back(std::move(parts)); // at the same place of each data set, and perhaps no order
}

host::Inputs TuneData::inputsFor(const sema::Kernel &kernel, size_t order) const {
  host::Inputs inputs;
  for (const sema::Extent &extent : kernel.extents)
    inputs.extents.push_back(sizes_.at(extent.name));
  inputs.parameters.resize(kernel.parameters.size());
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const sema::Tensor &tensor = kernel.tensors[kernel.parameters[k]];
    const Input &input = inputs_.at(textName(tensor));
    inputs.parameters[k].scalar = input.scalar;
    if (!input.entries || tensor.part > 0)
      continue;
    tensor::Coordinates entries = *input.entries;
    std::vector<const tune::Order *> byDimension;
    for (sema::ExtentId extent : tensor.extents)
      byDimension.push_back(orders_[order].of(extentIds_.at(kernel.extents[extent].name)));
    tune::permute(entries, byDimension);
    if (tensor.partOf.empty()) {
      inputs.parameters[k].entries = std::move(entries);
      continue;
    }
    std::vector<format::Format> formats;
    for (sema::TensorId part : sema::partsOf(kernel, kernel.parameters[k]))
      formats.push_back(kernel.tensors[part].format);
    std::vector<tensor::Coordinates> parts = tensor::splitIntoParts(std::move(entries), formats, tensor.type);
    for (size_t part = 0; part < parts.size(); ++part)
      inputs.parameters[k + part].entries = std::move(parts[part]);
  }
  return inputs;
}

double TuneData::rowBytes(const sema::Kernel &fallback, sema::ExtentId columns) const {
  double bytes = 0;
  for (sema::TensorId id : fallback.parameters) {
    const sema::Tensor &tensor = fallback.tensors[id];
    if (!tensor.format.isDense() ||
        std::find(tensor.extents.begin(), tensor.extents.end(), columns) == tensor.extents.end())
      continue;
    double row = sema::bytesOf(tensor.type);
    for (sema::ExtentId extent : tensor.extents)
      row *= extent == columns ? 1.0 : static_cast<double>(sizes_.at(fallback.extents[extent].name));
    bytes += row;
  }
  return bytes;
}

TuneData::Cost TuneData::costs(const sema::Kernel &fallback, const std::string &tensor, const format::Format &format,
                               size_t order) {
  constexpr double kMostMemory = 0.125; // of the machine's; the default's and a few more candidates' lie there too
  const tensor::Coordinates &entries = *entriesOf(tensor);
  if (entries.order() != 2)
    return {};
  const auto isIt = [&](sema::TensorId id) { return textName(fallback.tensors[id]) == tensor; };
  const sema::Tensor &operand =
      fallback.tensors[*std::find_if(fallback.parameters.begin(), fallback.parameters.end(), isIt)];
  auto found = patterns_.find({tensor, order});
  if (found == patterns_.end()) {
    tensor::Coordinates ordered = entries;
    tune::permute(ordered, {orders_[order].of(operand.extents[0]), orders_[order].of(operand.extents[1])});
    found = patterns_.emplace(std::pair(tensor, order), tune::patternOf(ordered)).first;
  }
  const int valueBytes = sema::bytesOf(operand.type);
  const double row = rowBytes(fallback, operand.extents[1]);
  const tune::StorageCost cost = tune::costOf(found->second, format, valueBytes);
  const auto nnz = static_cast<double>(entries.size());
  const double plain = nnz * (valueBytes + 4 + row) + static_cast<double>(entries.shape[0]) * 4;
  return {tune::movedBytes(cost, row) / std::max(plain, 1.0), cost.bytes < kMostMemory * physicalMemory()};
}

tensor::PackedTensor *TuneData::denseOf(const sema::Tensor &tensor, const std::vector<int64_t> &shape) {
  if (tensor.order() == 0 || !tensor.format.isDense() || !tensor.partOf.empty() || entriesOf(tensor.name))
    return nullptr;
  auto found = dense_.find(tensor.name);
  if (found == dense_.end()) {
    std::string error;
    const int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    auto packed = tensor::PackedTensor::output(shape, tensor.format, tensor.type, elements, error);
    if (!packed)
      return nullptr;
    if (tensor.isRead)
      fillDense(*packed, tensor.type);
    found = dense_.emplace(tensor.name, std::move(*packed)).first;
  }
  return &found->second;
}

std::shared_ptr<TuneArguments> TuneData::pack(const TuneCode &candidate, size_t order) {
  Session scratch({"spc", "tune"}); // what does not fit a candidate is no error of the user's
  host::Inputs inputs = inputsFor(candidate.kernel, order);
  auto result = std::make_shared<TuneArguments>();
  const double start = secondsNow();
  std::optional<std::vector<host::CallArgument>> packed =
      host::packArguments(scratch, candidate.kernel, candidate.signature, inputs);
  result->packSeconds = secondsNow() - start;
  if (!packed)
    return nullptr;
  result->arguments = std::move(*packed);
  for (size_t k = 0; k < result->arguments.size(); ++k) {
    const sema::Tensor &tensor = candidate.kernel.tensors[candidate.kernel.parameters[k]];
    const abi::Parameter &parameter = candidate.signature.parameters[k];
    tensor::PackedTensor *dense = denseOf(tensor, inputs.shapeOf(tensor));
    if (dense && tensor.isRead && tensor.isWritten)
      fillDense(*dense, tensor.type); // which calls of other candidates have changed
    result->tensors.push_back(tensor.order() == 0 ? nullptr : dense ? dense : &*result->arguments[k].tensor);
    result->addresses.push_back(!dense                                         ? result->arguments[k].address(parameter)
                                : parameter.kind == abi::ParameterKind::Tensor ? dense->cStruct()
                                                                               : dense->values());
  }
  saveOperands(candidate, *result);
  return result;
}

TunePermutingCost TuneData::permutingCost(const TuneCode &fallback, size_t order) {
  const auto [found, isNew] = permuting_.try_emplace(order);
  if (isNew)
    found->second = measurePermuting(fallback, order);
  return found->second;
}

TunePermutingCost TuneData::measurePermuting(const TuneCode &fallback, size_t order) const {
  TunePermutingCost cost;
  for (sema::TensorId id : fallback.kernel.parameters) {
    const sema::Tensor &tensor = fallback.kernel.tensors[id];
    if (tensor.order() == 0 || (!tensor.format.isDense() && !tensor.isWritten))
      continue;
    std::vector<int64_t> shape;
    std::vector<const tune::Order *> byDimension;
    for (sema::ExtentId extent : tensor.extents) {
      shape.push_back(sizes_.at(fallback.kernel.extents[extent].name));
      byDimension.push_back(orders_[order].of(extent));
    }
    if (std::all_of(byDimension.begin(), byDimension.end(), [](const tune::Order *one) { return !one; }))
      continue;
    if (!tensor.format.isDense()) {
      cost.hasSparseResult = true;
      continue;
    }
    const auto bytes = static_cast<size_t>(sema::bytesOf(tensor.type));
    const int64_t elements = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    const std::vector<unsigned char> values(static_cast<size_t>(elements) * bytes);
    const int times = (tensor.isRead ? 1 : 0) + (tensor.isWritten ? 1 : 0);
    cost.seconds += times * tune::gatherSeconds(values.data(), shape, byDimension, bytes);
  }
  return cost;
}

std::optional<double> timedCall(const TuneCode &candidate, TuneArguments &arguments, const spc_context *context,
                                spc_status &status) {
  for (size_t k = 0; k < arguments.tensors.size(); ++k)
    if (candidate.signature.parameters[k].isAssembled &&
        !candidate.kernel.tensors[candidate.kernel.parameters[k]].isRead)
      arguments.tensors[k]->freeArrays();
  const double start = secondsNow();
  status = static_cast<spc_status>(candidate.code->invoke()(context, arguments.addresses.data()));
  const double seconds = secondsNow() - start;
  if (status != SPC_OK)
    return std::nullopt;
  for (size_t k = 0; k < arguments.arguments.size(); ++k)
    if (candidate.signature.parameters[k].isAssembled)
      arguments.arguments[k].tensor->adoptArrays();
  return seconds;
}

} // namespace spc::driver
