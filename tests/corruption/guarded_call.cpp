#include "corruption/guarded_call.h"

#include "corruption/array_lengths.h"
#include "harness/comparison.h"
#include "harness/data.h"
#include "tensor/numbers.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace spc::testing {

using abi::FieldRole;
using abi::FieldType;

static bool repeats(tensor::Coordinates entries) {
  const size_t count = entries.size();
  tensor::sortAndSum(entries);
  return entries.size() < count;
}

int64_t GuardedCall::Argument::bytesOf(size_t field) const {
  const format::Format &format = parameter->type.format;
  switch (parameter->type.fields[field].type) {
  case FieldType::Int64:
    break;
  case FieldType::Pointers:
    return format::bits(format.pointers) / 8;
  case FieldType::Indices:
    return format::bits(format.indices) / 8;
  case FieldType::Values:
    return sema::bytesOf(parameter->value);
  }
  return 8;
}

GuardedCall::GuardedCall(const KernelUnderTest &kernel, void **packed)
    : kernel_(kernel), signature_(abi::makeSignature(kernel.kernel())) {
  for (const abi::Parameter &parameter : signature_.parameters) {
    Argument argument{&parameter, &kernel.kernel().tensors[parameter.tensor]};
    const sema::TensorId owner = sema::structureOwner(kernel.kernel(), parameter.tensor);
    for (size_t p = 0; p < signature_.parameters.size() && owner != parameter.tensor; ++p)
      if (signature_.parameters[p].tensor == owner)
        argument.owner = static_cast<int>(p);
    argument.hasPattern = parameter.isAssembled && argument.tensor->isRead;
    arguments_.push_back(std::move(argument));
  }
  for (const bool isOwner : {true, false})
    for (size_t p = 0; p < arguments_.size(); ++p)
      if (isOwner == (arguments_[p].owner < 0))
        copy(arguments_[p], packed[p + 1]);
}

void GuardedCall::copy(Argument &argument, const void *packed) {
  const abi::Parameter &parameter = *argument.parameter;
  if (parameter.kind == abi::ParameterKind::ScalarValue || parameter.kind == abi::ParameterKind::ScalarPointer) {
    argument.scalar.resize(static_cast<size_t>(sema::bytesOf(parameter.value)));
    std::memcpy(argument.scalar.data(), packed, argument.scalar.size());
    return;
  }
  const std::vector<abi::Field> &fields = parameter.type.fields;
  argument.fields.resize(fields.size());
  argument.arrays.resize(fields.size());
  argument.isNull.resize(fields.size(), true);
  const auto values = static_cast<size_t>(parameter.type.find(FieldRole::Values));
  if (parameter.kind == abi::ParameterKind::Values)
    argument.fields[values] = reinterpret_cast<uintptr_t>(packed);
  else
    std::memcpy(argument.fields.data(), packed, 8 * fields.size());
  if (parameter.isAssembled && !argument.hasPattern)
    return;
  std::vector<int64_t> lengths(fields.size());
  if (argument.owner >= 0) {
    const Argument &owner = arguments_[static_cast<size_t>(argument.owner)];
    lengths[values] = static_cast<int64_t>(owner.arrays.back().size()) / owner.bytesOf(owner.fields.size() - 1);
    for (size_t f = 0; f + 1 < fields.size(); ++f)
      argument.sharesPointers |= fields[f].type != FieldType::Int64 && argument.fields[f] != 0;
  } else {
    lengths = arrayLengths(parameter.type, argument.fields).value();
  }
  for (size_t f = 0; f < fields.size(); ++f) {
    const bool isOwn = fields[f].type != FieldType::Int64 && argument.fields[f] != 0 && lengths[f] > 0;
    argument.isNull[f] = !isOwn;
    if (isOwn) {
      const auto *first = reinterpret_cast<const char *>(argument.fields[f]);
      argument.arrays[f].assign(first, first + lengths[f] * argument.bytesOf(f));
    }
  }
}

bool GuardedCall::addPatterns() {
  if (run("_symbolic", Chunks::Serial, true) != SPC_OK)
    return false;
  for (Argument &argument : arguments_)
    if (argument.parameter->isAssembled) {
      argument.hasPattern = true;
      const std::vector<uint64_t> fields(static_cast<uint64_t *>(argument.placed),
                                         static_cast<uint64_t *>(argument.placed) + argument.fields.size());
      copy(argument, fields.data());
    }
  return true;
}

bool GuardedCall::fitArrays(size_t owner) {
  Argument &argument = arguments_[owner];
  const auto lengths = arrayLengths(argument.parameter->type, argument.fields);
  if (!lengths)
    return false;
  for (size_t f = 0; f < argument.fields.size(); ++f)
    if (argument.parameter->type.fields[f].type != FieldType::Int64)
      fitArray(argument, f, (*lengths)[f]);
  for (Argument &sharing : arguments_)
    if (sharing.owner == static_cast<int>(owner))
      fitArray(sharing, sharing.fields.size() - 1, lengths->back());
  return true;
}

void GuardedCall::fitArray(Argument &argument, size_t field, int64_t length) {
  std::vector<char> &array = argument.arrays[field];
  const auto each = static_cast<size_t>(argument.bytesOf(field)), had = array.size();
  array.resize(static_cast<size_t>(length) * each);
  for (size_t at = had; at < array.size(); ++at)
    array[at] = at >= each ? array[at - each] : 0;
  if (had == 0 && !array.empty())
    argument.isNull[field] = false;
}

void GuardedCall::place(Argument &argument) {
  const auto put = [&](const std::vector<char> &bytes, size_t alignment) {
    void *memory = memory_->allocate(bytes.size(), alignment);
    if (!memory)
      throw std::runtime_error("the test ran out of memory");
    if (!bytes.empty())
      std::memcpy(memory, bytes.data(), bytes.size());
    return memory;
  };
  if (argument.fields.empty()) {
    argument.placed = put(argument.scalar, argument.scalar.size());
    return;
  }
  const std::vector<abi::Field> &fields = argument.parameter->type.fields;
  for (size_t f = 0; f < fields.size(); ++f) {
    const bool isBorrowed = argument.sharesPointers && f + 1 < fields.size();
    if (isBorrowed)
      argument.fields[f] = fields[f].role == FieldRole::Size
                               ? argument.fields[f]
                               : arguments_[static_cast<size_t>(argument.owner)].fields[f];
    else if (fields[f].type != FieldType::Int64 && !(argument.parameter->isAssembled && !argument.hasPattern))
      // Pointers to what the kernel is to release are those of its allocator.
      argument.fields[f] =
          argument.isNull[f] ? 0 : reinterpret_cast<uintptr_t>(put(argument.arrays[f], argument.bytesOf(f)));
  }
  std::vector<char> bytes(8 * fields.size());
  std::memcpy(bytes.data(), argument.fields.data(), bytes.size());
  argument.placed = argument.parameter->kind == abi::ParameterKind::Values
                        ? reinterpret_cast<void *>(static_cast<uintptr_t>(argument.fields.back()))
                        : put(bytes, 8);
}

int32_t GuardedCall::run(const std::string &phase, Chunks chunks, bool atEnd) {
  memory_ = std::make_unique<GuardedMemory>(chunks, atEnd);
  std::vector<void *> pointers{memory_->context()};
  for (const bool isOwner : {true, false})
    for (Argument &argument : arguments_)
      if (isOwner == (argument.owner < 0))
        place(argument);
  for (const Argument &argument : arguments_)
    pointers.push_back(argument.placed);
  pointers.push_back(nullptr); // a phase's plan
  const codegen::Invoke invoke = phase.empty() ? kernel_.code().invoke() : kernel_.code().phase(phase);
  return invoke(pointers.front(), pointers.data() + 1);
}

/// What the arrays of an argument say, as they are now or as they were before the call.
tensor::Coordinates GuardedCall::contentOf(const Argument &argument, bool isBefore) const {
  tensor::Coordinates one;
  if (argument.fields.empty()) {
    one.append(nullptr,
               tensor::loadNumber(isBefore ? argument.scalar.data() : argument.placed, argument.parameter->value, 0));
    return one;
  }
  // A shared structure is completed by the call, an updated one replaced.
  std::vector<uint64_t> fields(argument.isStruct() ? argument.fields : arguments_[size_t(argument.owner)].fields);
  const bool isCopied = isBefore && argument.isStruct() && argument.owner < 0;
  if (argument.isStruct() && !isCopied)
    std::memcpy(fields.data(), argument.placed, 8 * fields.size());
  for (size_t f = 0; f < fields.size() && isCopied; ++f)
    if (argument.parameter->type.fields[f].type != FieldType::Int64)
      fields[f] = reinterpret_cast<uintptr_t>(argument.arrays[f].empty() ? nullptr : argument.arrays[f].data());
  if (!argument.isStruct() || isBefore)
    fields.back() = isBefore && !argument.arrays.back().empty()
                        ? reinterpret_cast<uintptr_t>(argument.arrays.back().data())
                        : argument.fields.back();
  std::vector<int64_t> shape;
  for (int d = 0; d < argument.parameter->type.format.order(); ++d)
    shape.push_back(
        static_cast<int64_t>(fields[static_cast<size_t>(argument.parameter->type.find(FieldRole::Size, d))]));
  std::string problem;
  auto reader =
      tensor::PackedTensor::output(shape, argument.parameter->type.format, argument.parameter->value, 0, problem);
  if (!reader)
    throw std::runtime_error(problem);
  std::memcpy(reader->cStruct(), fields.data(), 8 * fields.size());
  return reader->unpack();
}

DenseTensor GuardedCall::denseOf(const Argument &argument) const {
  DenseTensor dense;
  const bool isSparse = !argument.fields.empty() && !argument.parameter->type.format.isDense();
  const bool isResult = argument.parameter->isAssembled && !argument.tensor->isRead;
  const tensor::Coordinates entries = contentOf(argument, !isResult);
  dense.shape = entries.shape;
  dense.sparse = isSparse;
  dense.type = argument.parameter->value;
  dense.assembled = argument.parameter->isAssembled;
  dense.fill = argument.tensor->fill;
  dense.values.resize(static_cast<size_t>(dense.size()), isSparse ? dense.fill : 0);
  dense.stored.resize(dense.values.size());
  for (size_t entry = 0; entry < entries.size() && !isResult; ++entry) {
    const auto at = static_cast<size_t>(offsetOf(entries.coordinates.data() + entry * dense.shape.size(), dense.shape));
    const std::complex<double> value{entries.value(entry).real, entries.value(entry).imaginary};
    dense.values[at] = dense.stored[at] ? dense.values[at] + value : value;
    dense.stored[at] = 1;
  }
  // Which slots of a shared pattern are padding, its values do not tell.
  if (argument.owner >= 0 && argument.tensor->isWritten)
    std::fill(dense.stored.begin(), dense.stored.end(), uint8_t(1));
  return dense;
}

/// The tensor of the kernel's text that an argument is, or is a part of.
const std::string &GuardedCall::wholeOf(const Argument &argument) {
  return argument.tensor->partOf.empty() ? argument.tensor->name : argument.tensor->partOf;
}

/// Whether the evaluator can say what a kernel makes of an argument: it has no room for extents that only sparse
/// storage holds, and adds entries up that a call multiplies one by one.
bool GuardedCall::isComparable(const Argument &argument) const {
  constexpr int64_t kMost = 1 << 20;
  int64_t elements = 1;
  for (int d = 0; !argument.fields.empty() && d < argument.parameter->type.format.order(); ++d) {
    const auto size =
        static_cast<int64_t>(argument.fields[static_cast<size_t>(argument.parameter->type.find(FieldRole::Size, d))]);
    const bool isGiven = argument.isStruct() && argument.isGiven();
    if (isGiven && (size > kMost || __builtin_mul_overflow(elements, size, &elements)))
      return false;
  }
  if (elements > kMost)
    return false;
  return argument.parameter->kind != abi::ParameterKind::Values || argument.tensor->isWritten ||
         !repeats(contentOf(arguments_[static_cast<size_t>(argument.owner)], true));
}

/// Slots of one place count together, those of all parts of a sum, and their sum is not rounded as the evaluator
/// thinks.
std::string GuardedCall::compare(const std::string &name, DenseTensor expected) const {
  constexpr double kSlack = 1e-9;
  tensor::Coordinates result;
  for (const Argument &argument : arguments_) {
    if (wholeOf(argument) != name)
      continue;
    const tensor::Coordinates part = contentOf(argument, false);
    if (result.shape.empty())
      result.shape = part.shape;
    for (size_t entry = 0; entry < part.size(); ++entry)
      result.append(part.coordinates.data() + entry * part.shape.size(), part.value(entry));
  }
  tensor::sortAndSum(result);
  expected.errors.resize(expected.values.size());
  for (double &error : expected.errors)
    error += kSlack;
  return compareValues(name, result, expected);
}

std::string GuardedCall::check() const {
  if (!memory_->problem().empty())
    return memory_->problem();
  for (const Argument &argument : arguments_)
    if (!isComparable(argument))
      return {};
  TensorMap tensors;
  for (const Argument &argument : arguments_) {
    const DenseTensor dense = denseOf(argument);
    const auto [whole, isNew] = tensors.emplace(wholeOf(argument), dense);
    for (size_t at = 0; !isNew && at < dense.values.size(); ++at) {
      whole->second.values[at] += dense.values[at];
      whole->second.stored[at] |= dense.stored[at];
    }
  }
  if (const std::string problem = evaluate(kernel_.tree(), tensors); !problem.empty())
    return problem;
  for (const Argument &argument : arguments_)
    if (argument.tensor->isWritten)
      if (std::string problem = compare(wholeOf(argument), tensors.at(wholeOf(argument))); !problem.empty())
        return problem;
  return {};
}
} // namespace spc::testing
