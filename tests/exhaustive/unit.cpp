#include "exhaustive/unit.h"

#include "../include/spc/message.h"
#include "abi/signature.h"
#include "harness/comparison.h"
#include "harness/data.h"
#include "pipeline/compiler.h"
#include "sema/analyze.h"
#include "support/render.h"
#include "tensor/numbers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace spc::testing {
namespace {

/// The hooks of the calls: what is live is counted.
int64_t liveArrays = 0;

void *allocate(void *, int64_t bytes, int64_t) noexcept {
  ++liveArrays;
  return std::malloc(static_cast<size_t>(bytes));
}

void release(void *, void *memory) noexcept {
  liveArrays -= memory ? 1 : 0;
  std::free(memory);
}

spc_context context = {sizeof(spc_context), nullptr, &allocate, &release, nullptr};

int roleOf(const std::string &tensor, int arity) {
  for (int role = 0; role < arity; ++role)
    if (tensor == operandName(role))
      return role;
  return -1;
}

/// What nobody computes.
tensor::Number garbage(sema::ValueType type) {
  return {sema::isFloat(type) || sema::isComplex(type) ? std::numeric_limits<double>::quiet_NaN()
          : type == sema::ValueType::Bool              ? 1
                                                       : 111};
}

tensor::PackedTensor makeOutput(const std::vector<int64_t> &shape, const format::Format &format, sema::ValueType type,
                                int64_t values) {
  std::string problem;
  auto made = tensor::PackedTensor::output(shape, format, type, values, problem);
  if (!made)
    throw std::runtime_error(problem);
  return std::move(*made);
}

} // namespace

/// One argument of the calls on operands of one shape.
struct Unit::Argument {
  const sema::Tensor *tensor;
  abi::Parameter parameter;
  std::vector<int64_t> shape;
  int role = -1, part = 0; ///< of a sparse operand
  int ownerRole = -1;      ///< of a result that has the pattern of a sparse operand
  std::optional<tensor::PackedTensor> packed;
  std::vector<double> initial; ///< of dense tensors
  alignas(16) char scalar[16] = {};
  std::vector<uint64_t> blank; ///< a sparse result's struct before the call

  bool isResult() const { return tensor->isWritten; }
  bool isSparse() const { return !tensor->format.isDense(); }
  void *values() { return shape.empty() ? scalar : packed->values(); }
  void *pointer() { return shape.empty() ? scalar : packed->cStruct(); }

  /// Dense content as it is before a call.
  void reset() {
    for (size_t at = 0; at < initial.size(); ++at)
      tensor::storeNumber(values(), tensor->type, static_cast<int64_t>(at),
                          tensor->isRead ? tensor::Number{initial[at]} : garbage(tensor->type));
  }
  void freeArrays() {
    auto *fields = static_cast<char *>(packed->cStruct());
    for (size_t f = 0; f < parameter.type.fields.size(); ++f) {
      void *array = nullptr;
      if (parameter.type.fields[f].type == abi::FieldType::Int64)
        continue;
      std::memcpy(&array, fields + 8 * f, 8);
      if (array)
        release(nullptr, array);
    }
    std::memcpy(fields, blank.data(), 8 * blank.size());
  }
};

struct Unit::Setting {
  std::vector<std::unique_ptr<Argument>> arguments;
  std::vector<void *> pointers;
};

Unit::Unit(Reference &reference, const FormatTuple &formats, ShippedFormats &shipped, pipeline::Workshop &workshop,
           int optLevel)
    : reference_(reference), formats_(formats) {
  compile(shipped, workshop, optLevel);
}

Unit::~Unit() = default;

void Unit::compile(ShippedFormats &shipped, pipeline::Workshop &workshop, int optLevel) {
  std::vector<format::Binding> bindings;
  for (size_t role = 0; role < formats_.size(); ++role) {
    const auto number = static_cast<size_t>(formats_[role]);
    operandFormats_.push_back(shipped.formats()[number]);
    formatNames_.push_back(operandName(static_cast<int>(role)) + "=" + shipped.names()[number]);
    bindings.push_back(shipped.bind(operandName(static_cast<int>(role)), shipped.names()[number]));
  }
  for (const auto &[tensor, format] : reference_.expression().formats)
    bindings.push_back(shipped.bind(tensor, format));
  kernel_ = sema::analyze(reference_.tree(), bindings, {.function = "kernel", .verify = true}, diagnostics_);
  if (kernel_)
    code_ = optLevel == 0 ? workshop.compile(*kernel_, diagnostics_)
                          : pipeline::compileToMemory(*kernel_, optLevel, diagnostics_, nullptr, /*verifyEach=*/true);
}

std::string Unit::formatsText() const {
  std::string text;
  for (const std::string &name : formatNames_)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

Unit::Setting &Unit::settingFor(const PatternTuple &patterns) {
  std::vector<int64_t> key;
  const int arity = reference_.expression().arity;
  for (int role = 0; role < arity; ++role)
    for (int64_t extent : reference_.shapeOf(operandName(role), patterns))
      key.push_back(extent);
  std::unique_ptr<Setting> &setting = settings_[key];
  if (setting)
    return *setting;
  setting = std::make_unique<Setting>();
  setting->pointers.push_back(&context);
  for (const abi::Parameter &parameter : abi::makeSignature(*kernel_).parameters) {
    const sema::Tensor &tensor = kernel_->tensors[parameter.tensor];
    const std::string &name = tensor.partOf.empty() ? tensor.name : tensor.partOf;
    auto argument = std::make_unique<Argument>();
    argument->tensor = &tensor;
    argument->parameter = parameter;
    argument->shape = reference_.shapeOf(name, patterns);
    argument->role = roleOf(name, arity);
    argument->part = tensor.part;
    const sema::Tensor &owner = kernel_->tensors[sema::structureOwner(*kernel_, parameter.tensor)];
    if (argument->role < 0 && argument->isSparse() && &owner != &tensor)
      argument->ownerRole = roleOf(owner.name, arity);
    if (argument->role < 0 && argument->isSparse()) {
      argument->packed = makeOutput(argument->shape, tensor.format, tensor.type, 0);
      const auto *fields = static_cast<const char *>(argument->packed->cStruct());
      argument->blank.resize(parameter.type.fields.size());
      std::memcpy(argument->blank.data(), fields, 8 * argument->blank.size());
      for (size_t f = 0; f < argument->blank.size(); ++f)
        if (parameter.type.fields[f].type != abi::FieldType::Int64)
          argument->blank[f] = 0;
    } else if (argument->role < 0) {
      argument->initial = reference_.initialOf(name, patterns);
      if (!argument->shape.empty())
        argument->packed = makeOutput(argument->shape, tensor.format, tensor.type, 0);
      for (size_t at = 0; at < argument->initial.size(); ++at)
        tensor::storeNumber(argument->values(), tensor.type, static_cast<int64_t>(at), {argument->initial[at]});
    }
    setting->pointers.push_back(argument->role < 0 ? argument->pointer() : nullptr);
    setting->arguments.push_back(std::move(argument));
  }
  return *setting;
}

UnitCounts Unit::run(OperandStore &store, size_t first, size_t stride) {
  UnitCounts counts;
  const std::vector<PatternTuple> &tuples = reference_.tuples();
  if (!code_) {
    for (const Diagnostic &diagnostic : diagnostics_.all()) {
      if (diagnostic.severity == Severity::Internal)
        counts.first = renderText(diagnostic, false);
      else if (diagnostic.severity == Severity::Error && counts.refusal.empty())
        counts.refusal = diagnostic.kind.id;
    }
    counts.mismatches = !counts.first.empty() || counts.refusal.empty() ? 1 : 0;
    return counts;
  }
  Readings readings = {};
  for (size_t role = 0; role < formats_.size(); ++role)
    readings[role] = operandFormats_[role].isDense()                            ? Reading::Dense
                     : operandFormats_[role].symmetry != format::Symmetry::None ? Reading::Symmetric
                                                                                : Reading::Sparse;
  const bool assembles = std::any_of(kernel_->parameters.begin(), kernel_->parameters.end(), [&](sema::TensorId id) {
    return kernel_->tensors[id].isAssembled() && !reference_.expression().formats.contains(kernel_->tensors[id].name);
  });
  std::vector<PackedParts *> operands(formats_.size());
  for (size_t tuple = first; tuple < tuples.size(); tuple += stride) {
    for (size_t role = 0; role < formats_.size(); ++role)
      operands[role] =
          store.find(static_cast<int>(role), formats_[role], tuples[tuple][role], reference_.expression().type);
    if (std::find(operands.begin(), operands.end(), nullptr) != operands.end()) {
      ++counts.unstorable;
      continue;
    }
    const Outcome &expected = reference_.outcome(tuple, readings, assembles);
    const std::string problem =
        expected.problem.empty() ? call(settingFor(tuples[tuple]), operands, expected) : expected.problem;
    ++counts.calls;
    counts.mismatches += problem.empty() ? 0 : 1;
    if (problem.empty() || !counts.first.empty())
      continue;
    std::ostringstream text;
    for (size_t role = 0; role < formats_.size(); ++role) {
      const SmallPattern &pattern = smallPatterns()[static_cast<size_t>(tuples[tuple][role])];
      text << operandName(static_cast<int>(role)) << " " << pattern.rows << "x" << pattern.columns << " pattern "
           << pattern.bits << ", ";
    }
    counts.first = text.str() + problem;
  }
  return counts;
}

std::string Unit::call(Setting &setting, const std::vector<PackedParts *> &operands, const Outcome &expected) {
  for (size_t k = 0; k < setting.arguments.size(); ++k) {
    Argument &argument = *setting.arguments[k];
    if (argument.role >= 0) {
      PackedParts &parts = *operands[static_cast<size_t>(argument.role)];
      setting.pointers[k + 1] = parts[static_cast<size_t>(argument.part)].cStruct();
    } else if (argument.ownerRole >= 0) {
      const PackedParts &parts = *operands[static_cast<size_t>(argument.ownerRole)];
      const int64_t count = parts.front().valueCount();
      argument.packed = makeOutput(argument.shape, argument.tensor->format, argument.tensor->type, count);
      for (int64_t at = 0; at < count; ++at)
        tensor::storeNumber(argument.packed->values(), argument.tensor->type, at, garbage(argument.tensor->type));
      setting.pointers[k + 1] = argument.packed->cStruct();
    } else if (argument.isResult() && !argument.isSparse()) {
      argument.reset();
    }
  }
  const int64_t before = liveArrays;
  const int32_t status = code_->invoke()(setting.pointers.front(), setting.pointers.data() + 1);
  std::string problem;
  const bool isRefused = status == SPC_ERROR_SHAPE || status == SPC_ERROR_INDEX_RANGE;
  if (expected.isOutside)
    problem = isRefused ? "" : "an index outside of its tensor is not refused";
  else if (status != SPC_OK)
    problem = std::string("status ") + spc_status_string(static_cast<spc_status>(status));
  for (const auto &argument : setting.arguments) {
    if (argument->isResult() && problem.empty() && !expected.isOutside)
      problem = check(*argument, expected.results.at(argument->tensor->name));
    if (argument->tensor->isAssembled())
      argument->freeArrays();
  }
  if (problem.empty() && liveArrays != before)
    problem = std::to_string(liveArrays - before) + " arrays are not freed";
  return problem;
}

std::string Unit::check(Argument &argument, const DenseTensor &expected) const {
  if (argument.isSparse())
    return checkEntries(argument, expected);
  const auto size = static_cast<int64_t>(expected.values.size());
  for (int64_t at = 0; at < size; ++at) {
    const tensor::Number number = tensor::loadNumber(argument.values(), argument.tensor->type, at);
    const std::string problem = compareElement({number.real, number.imaginary}, expected, static_cast<size_t>(at));
    if (!problem.empty())
      return argument.tensor->name + "[" + std::to_string(at) + "]" + problem;
  }
  return {};
}

std::string Unit::checkEntries(Argument &argument, const DenseTensor &expected) const {
  std::vector<int64_t> positions;
  const tensor::Coordinates slots = argument.packed->slots(positions);
  std::vector<std::complex<double>> values(expected.values.size());
  std::vector<uint8_t> stored(values.size());
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    const auto at = static_cast<size_t>(offsetOf(slots.coordinates.data() + 2 * slot, argument.shape));
    values[at] += std::complex<double>(slots.value(slot).real, slots.value(slot).imaginary);
    stored[at] = 1;
  }
  const bool mayPad = hasSlots(argument.tensor->format) ||
                      std::any_of(operandFormats_.begin(), operandFormats_.end(),
                                  [](const format::Format &format) { return hasSlots(format) || format.isSum(); });
  for (size_t at = 0; at < values.size(); ++at) {
    const std::string element = argument.tensor->name + "[" + std::to_string(at) + "]";
    if (!stored[at])
      values[at] = expected.assembled ? expected.fill : argument.tensor->fill;
    if (std::string problem = compareElement(values[at], expected, at); !problem.empty())
      return element + (stored[at] ? "" : ", which is not stored,") + problem;
    if (!argument.tensor->isAssembled())
      continue;
    if (expected.stored[at] && !stored[at])
      return element + " is missing";
    if (!expected.stored[at] && stored[at] && !(mayPad && values[at] == 0.0))
      return element + " is stored, though it should not be";
  }
  return {};
}

} // namespace spc::testing
