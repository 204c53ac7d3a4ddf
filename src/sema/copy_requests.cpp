#include "sema/copy_requests.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Of a part the first part, which stands for the whole.
TensorId wholeOf(const Kernel &kernel, TensorId tensor) {
  const std::string &whole = kernel.tensors[tensor].partOf;
  const auto isPart = [&](const Tensor &other) { return other.partOf == whole; };
  const auto first = std::find_if(kernel.tensors.begin(), kernel.tensors.end(), isPart);
  return whole.empty() ? tensor : TensorId(static_cast<size_t>(first - kernel.tensors.begin()));
}

/// Whether a copy of a tensor's entries has fewer elements than the tensor.
bool mayBeCopied(const Kernel &kernel, TensorId tensor) {
  const format::Format &format = kernel.tensors[tensor].format;
  const std::vector<TensorId> parts = partsOf(kernel, tensor);
  const auto isDense = [](const format::Format &part) { return part.isDense(); };
  return !format::isCanonical(format) && std::none_of(format.parts.begin(), format.parts.end(), isDense) &&
         std::none_of(parts.begin(), parts.end(), [&](TensorId part) { return isDense(kernel.tensors[part].format); });
}

} // namespace

bool CopyRequests::ask(const Kernel &kernel, TensorId tensor, TensorId target, Span where) {
  for (auto kept = keptFrom_.find(tensor); kept != keptFrom_.end(); kept = keptFrom_.find(tensor))
    tensor = kept->second;
  tensor = wholeOf(kernel, tensor);
  const Tensor &source = kernel.tensors[tensor];
  if (asked_.contains(tensor))
    return true;
  if (source.is<Converted>() || !mayBeCopied(kernel, tensor))
    return false;
  const bool isNew = requests_.try_emplace(tensor, Request{source.format, where}).second;
  const bool isForced = !readsCopy(target, tensor) && forced_.emplace(target, tensor).second;
  if (isNew || isForced)
    asked_.insert(tensor);
  return isNew || isForced;
}

bool CopyRequests::askFor(const Kernel &kernel, TensorId tensor, format::Format format) {
  tensor = wholeOf(kernel, tensor);
  const bool isNew = formats_.emplace(tensor, std::move(format)).second;
  if (isNew)
    asked_.insert(tensor);
  return isNew;
}

void CopyRequests::beginRound() {
  asked_.clear();
  keptFrom_.clear();
}

std::string quotedName(const Kernel &kernel, TensorId tensor) {
  const Tensor &named = kernel.tensors[tensor];
  if (const auto *copy = named.as<Converted>())
    return quotedName(kernel, copy->source);
  if (const auto *temporary = named.as<Temporary>(); temporary && temporary->standsFor)
    return quotedName(kernel, *temporary->standsFor);
  return "'" + (named.partOf.empty() ? named.name : named.partOf) + "'";
}

} // namespace spc::sema
