#include "driver/run/block_results.h"

#include "driver/run/shares.h"
#include "host/input_memory.h"
#include "host/results.h"
#include "support/quantities.h"
#include "tensor/files/files.h"
#include "tensor/pack/packed_arrays.h"

#include <cstring>
#include <utility>

namespace spc::driver {

namespace {

using abi::FieldRole;
using sema::ArgumentPart;

constexpr double kPacking = 2; ///< times what a list takes, while it is packed

double listBytes(const tensor::Coordinates &entries) {
  return static_cast<double>((entries.coordinates.size() + entries.values.size() + entries.imaginary.size()) *
                             sizeof(double));
}

/// Copies the elements of a dense tensor to their places in another one, which begin at a coordinate of a dimension.
void copySlice(const tensor::PackedArrays &from, const tensor::PackedArrays &to, int dim, int64_t begin) {
  const auto bytes = static_cast<size_t>(sema::bytesOf(from.valueType()));
  const int order = from.format().order(), last = order - 1;
  std::vector<int64_t> at(static_cast<size_t>(order));
  const char *source = static_cast<const char *>(from.array(FieldRole::Values));
  char *target = static_cast<char *>(to.array(FieldRole::Values)) +
                 begin * to.number(FieldRole::Stride, dim) * static_cast<int64_t>(bytes);
  const int64_t run = from.number(FieldRole::Size, last), fromStride = from.number(FieldRole::Stride, last),
                toStride = to.number(FieldRole::Stride, last);
  for (int64_t done = 0; done < from.valueCount; done += run) {
    int64_t fromPlace = 0, toPlace = 0;
    for (int d = 0; d < last; ++d) {
      fromPlace += at[static_cast<size_t>(d)] * from.number(FieldRole::Stride, d);
      toPlace += at[static_cast<size_t>(d)] * to.number(FieldRole::Stride, d);
    }
    for (int64_t k = 0; k < run; ++k)
      std::memcpy(target + static_cast<size_t>(toPlace + k * toStride) * bytes,
                  source + static_cast<size_t>(fromPlace + k * fromStride) * bytes, bytes);
    for (int d = last - 1; d >= 0 && ++at[static_cast<size_t>(d)] == from.number(FieldRole::Size, d); --d)
      at[static_cast<size_t>(d)] = 0;
  }
}

} // namespace

BlockResults::BlockResults(Session &session, const sema::Kernel &kernel, const abi::Signature &signature,
                           const sema::IndexDivision &division, const host::Inputs &whole, const OutputFiles &files,
                           double memory)
    : session_(session), kernel_(kernel), signature_(signature), whole_(whole), files_(files), memory_(memory),
      results_(kernel.parameters.size()), arguments_(kernel.parameters.size()) {
  for (size_t k = 0; k < results_.size(); ++k) {
    for (const ArgumentPart &part : division.arguments)
      if (part.tensor == kernel.parameters[k])
        results_[k].part = &part;
    results_[k].way = wayOf(k);
  }
}

BlockResults::Way BlockResults::wayOf(size_t parameter) const {
  const sema::Tensor &tensor = tensorAt(parameter);
  const ArgumentPart &part = *results_[parameter].part;
  if (!tensor.isWritten)
    return Way::None;
  if (tensor.order() > 0 && !tensor.format.isDense())
    return Way::Listed;
  if (part.role != ArgumentPart::Role::Slice)
    return Way::Reduced;
  const std::optional<std::string> &path = files_[parameter];
  const std::optional<tensor::FileName> name = path && *path != "-" ? tensor::fileNamed(*path) : std::nullopt;
  const bool isStreamed = name && name->kind == tensor::FileKind::Npy &&
                          name->compression == tensor::Compression::None && part.dims.front() == 0 &&
                          GrowingFile::mayBe(*path);
  return isStreamed ? Way::Streamed : Way::Dense;
}

bool BlockResults::begin() {
  for (size_t k = 0; k < results_.size(); ++k) {
    Result &result = results_[k];
    const sema::Tensor &tensor = tensorAt(k);
    const std::vector<int64_t> shape = whole_.shapeOf(tensor);
    if (result.way == Way::Streamed) {
      result.file = GrowingFile::begin(*files_[k], session_.diagnostics());
      if (!result.file || !result.file->write(tensor::npyHeader(tensor.type, shape), session_.diagnostics()))
        return false;
    } else if (result.way == Way::Dense) {
      const int64_t elements = tensor::elementCount(shape).value_or(0);
      std::string error;
      arguments_[k].tensor = tensor::PackedTensor::output(shape, tensor.format, tensor.type, elements, error);
      if (!arguments_[k].tensor) {
        session_.diagnostics().report(host::kUnstorable, tensor.where,
                                      "'" + tensor.name + "' cannot be stored: " + error);
        return false;
      }
    }
    result.entries.shape = shape;
  }
  return true;
}

double BlockResults::held() const {
  double bytes = 0;
  for (size_t k = 0; k < results_.size(); ++k) {
    const sema::Tensor &tensor = tensorAt(k);
    if (results_[k].way == Way::Dense || results_[k].way == Way::Reduced)
      bytes += host::leastBytes(tensor, whole_.shapeOf(tensor), 0);
    else if (results_[k].way == Way::Listed)
      bytes += listBytes(results_[k].entries);
  }
  return bytes;
}

/// Adds the entries of a block, counted as in the whole.
void BlockResults::takeList(size_t parameter, int64_t begin, const host::KernelCall &call) {
  Result &result = results_[parameter];
  const bool isSlice = result.part->role == ArgumentPart::Role::Slice;
  if (!isSlice && result.hasFirst)
    return;
  const tensor::Coordinates entries = host::resultOf(call, parameter);
  std::vector<int64_t> at(entries.shape.size());
  for (size_t e = 0; e < entries.size(); ++e) {
    std::copy_n(entries.coordinates.data() + e * at.size(), at.size(), at.data());
    if (isSlice)
      at[static_cast<size_t>(result.part->dims.front())] += begin;
    result.entries.append(at.data(), entries.value(e));
  }
}

void BlockResults::takeShare(size_t parameter, host::CallArgument &share) {
  const sema::Tensor &tensor = tensorAt(parameter);
  host::CallArgument &result = arguments_[parameter];
  if (!results_[parameter].hasFirst) {
    result = std::move(share);
    return;
  }
  if (results_[parameter].part->role != ArgumentPart::Role::Reduced)
    return;
  const sema::Reduction reduction = results_[parameter].part->reduction;
  if (share.tensor)
    reduceShare(reduction, tensor.type, result.tensor->values(), share.tensor->values(), share.tensor->valueCount());
  else
    reduceShare(reduction, tensor.type, result.scalar, share.scalar, 1);
}

bool BlockResults::takeOne(size_t parameter, const host::OperandBlock &block, host::KernelCall &call) {
  Result &result = results_[parameter];
  host::CallArgument &argument = call.arguments[parameter];
  switch (result.way) {
  case Way::None:
    break;
  case Way::Streamed: {
    bool isWritten = true;
    tensor::npyElements (*argument.tensor)(
        [&](std::string_view bytes) { isWritten = isWritten && result.file->write(bytes, session_.diagnostics()); });
    return isWritten;
  }
  case Way::Dense:
    copySlice(argument.tensor->arrays(), arguments_[parameter].tensor->arrays(), result.part->dims.front(),
              block.begin);
    break;
  case Way::Listed:
    takeList(parameter, block.begin, call);
    if (const double bytes = kPacking * listBytes(result.entries); bytes > memory_)
      return reportTooLarge(parameter, bytes);
    break;
  case Way::Reduced:
    takeShare(parameter, argument);
    break;
  }
  result.hasFirst = true;
  return true;
}

bool BlockResults::reportTooLarge(size_t parameter, double bytes) {
  const sema::Tensor &tensor = tensorAt(parameter);
  session_.diagnostics()
      .report(host::kTooLittleMemory, tensor.where,
              "the entries of '" + tensor.name + "', which are held until the end and packed then, take " +
                  roughText(bytes) + " bytes by now, more than --memory")
      .advise("give more memory");
  return false;
}

bool BlockResults::take(const host::OperandBlock &block, host::KernelCall &call) {
  for (size_t k = 0; k < results_.size(); ++k)
    if (!takeOne(k, block, call))
      return false;
  return true;
}

bool BlockResults::deliver(const codegen::JitKernel &code, const void *context, int digits) {
  std::vector<std::unique_ptr<GrowingFile>> grown;
  for (size_t k = 0; k < results_.size(); ++k) {
    const sema::Tensor &tensor = tensorAt(k);
    if (results_[k].way == Way::Listed) {
      std::string error;
      arguments_[k].tensor =
          tensor::PackedTensor::pack(std::move(results_[k].entries), tensor.format, tensor.type, error);
      if (!arguments_[k].tensor) {
        session_.diagnostics().report(host::kUnstorable, tensor.where,
                                      "'" + tensor.name + "' cannot be stored: " + error);
        return false;
      }
    }
    grown.push_back(std::move(results_[k].file));
  }
  host::KernelCall call{code, kernel_, whole_, signature_, arguments_, context};
  return deliverOutputs(session_, call, files_, std::nullopt, digits, std::move(grown));
}

} // namespace spc::driver
