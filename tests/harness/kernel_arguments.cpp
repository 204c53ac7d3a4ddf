#include "format/levels.h"
#include "harness/constant_tensors.h"
#include "harness/kernel_argument.h"
#include "harness/number_types.h"

#include "tensor/numbers.h"
#include "tensor/pack/parts.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

namespace spc::testing {

namespace {

/// What outputs hold beforehand that a kernel must overwrite: not a number, or a number that no kernel here computes.
tensor::Number garbage(sema::ValueType type) {
  const bool hasNan = sema::isFloat(type) || sema::isComplex(type);
  return {hasNan ? std::numeric_limits<double>::quiet_NaN() : type == sema::ValueType::Bool ? 1 : 111};
}

/// The coordinates of `entries` (of a tensor in `from`) moved to the dimensions that `to` stores at the same levels.
std::vector<int64_t> relabel(const tensor::Coordinates &entries, const format::Format &from, const format::Format &to) {
  const std::vector<int> dims = format::correspondingDims(from, to);
  std::vector<int64_t> result(entries.coordinates.size());
  for (size_t first = 0; first < result.size(); first += dims.size())
    for (size_t dim = 0; dim < dims.size(); ++dim)
      result[first + static_cast<size_t>(dims[dim])] = entries.coordinates[first + dim];
  return result;
}

/// Whether a call leaves the entries of what it writes where they are.
bool keepsPlaces(const sema::Tensor &tensor) {
  return tensor.isWritten && !tensor.isAssembled();
}

/// What is stored in a format, without the zeros where it has padding: among that they are no entries.
tensor::Coordinates entriesOf(const tensor::Coordinates &given, const format::Format &format) {
  if (!format::hasPadding(format))
    return given;
  tensor::Coordinates entries;
  entries.shape = given.shape;
  for (size_t entry = 0; entry < given.size(); ++entry)
    if (const tensor::Number value = given.value(entry); value.real != 0 || value.imaginary != 0)
      entries.append(given.coordinates.data() + entry * given.shape.size(), value);
  return entries;
}

} // namespace

KernelArguments::KernelArguments(const sema::Kernel &kernel, const ExtentClasses &classes, const Trial &trial,
                                 TestContext &context, const TensorMap *given)
    : kernel_(kernel), classes_(classes), trial_(trial), context_(context), given_(given), random_(trial.seed),
      signature_(abi::makeSignature(kernel)) {
  if (trial.near)
    random_.stayNear(*trial.near);
}

KernelArguments::~KernelArguments() = default;

std::string KernelArguments::pack() {
  for (const abi::Parameter &parameter : signature_.parameters) {
    auto argument = std::make_unique<Argument>();
    argument->parameter = &parameter;
    argument->tensor = &kernel_.tensors[parameter.tensor];
    for (int dimension : classes_.ofTensor.at(argument->sourceName()))
      argument->shape.push_back(trial_.extents[static_cast<size_t>(dimension)]);
    arguments_.push_back(std::move(argument));
  }
  for (const bool sharesStructure : {false, true}) {
    for (const auto &argument : arguments_) {
      const sema::TensorId owner = ownerOf(argument->parameter->tensor);
      if (sharesStructure != (owner != argument->parameter->tensor))
        continue;
      const std::string problem = sharesStructure ? packSharing(*argument, argumentFor(owner)) : packOwn(*argument);
      if (!problem.empty())
        return argument->tensor->name + ": " + problem;
    }
  }
  const bool hasAssembled =
      std::any_of(arguments_.begin(), arguments_.end(), [](const auto &argument) { return argument->isAssembled(); });
  pointers_.assign(1, hasAssembled || trial_.seed % 2 == 0 ? context_.get() : nullptr);
  for (const auto &argument : arguments_)
    pointers_.push_back(argument->pointer());
  return {};
}

sema::TensorId KernelArguments::ownerOf(sema::TensorId id) const {
  return sema::structureOwner(kernel_, id);
}

KernelArguments::Argument &KernelArguments::argumentFor(sema::TensorId id) const {
  for (const auto &candidate : arguments_)
    if (candidate->parameter->tensor == id)
      return *candidate;
  throw std::logic_error("the owner of a structure is no parameter");
}

/// The parts of one tensor are parts of the same entries.
Fill KernelArguments::fillFor(const Argument &argument) const {
  size_t sparseBefore = 0;
  for (const auto &other : arguments_) {
    if (other->sourceName() == argument.sourceName())
      break;
    sparseBefore += other->isSparse() ? 1 : 0;
  }
  return sparseBefore % 2 == 1 ? trial_.otherFill.value_or(trial_.fill) : trial_.fill;
}

/// The entries of a tensor, or of a part its share of those.
tensor::Coordinates KernelArguments::entriesFor(const Argument &argument) {
  const sema::Tensor &tensor = *argument.tensor;
  if (!argument.isSparse())
    return drawn(argument);
  if (tensor.partOf.empty())
    return entriesOf(drawn(argument), tensor.format);
  std::vector<tensor::Coordinates> &parts = parts_[tensor.partOf];
  if (parts.empty()) {
    format::Format whole;
    for (const auto &other : arguments_)
      if (other->tensor->partOf == tensor.partOf)
        whole.parts.push_back(other->tensor->format);
    parts = tensor::splitIntoParts(entriesOf(drawn(argument), whole), whole.parts);
  }
  return parts[static_cast<size_t>(tensor.part)];
}

/// Whether a call gets the extent from what it is passed to read, or to write densely.
bool KernelArguments::isOperandsExtent(sema::ExtentId extent) const {
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const auto &other) {
    const sema::Tensor &tensor = *other->tensor;
    return (!tensor.isAssembled() || tensor.isRead) &&
           std::find(tensor.extents.begin(), tensor.extents.end(), extent) != tensor.extents.end();
  });
}

/// Memory of the context where the kernel reads the tensor, else nothing: garbage, or at even seeds zeros and NULLs.
std::string KernelArguments::packAssembled(Argument &argument) {
  argument.before.shape = argument.shape;
  argument.assembled = std::make_unique<AssembledOutput>(argument.parameter->type, argument.shape, context_,
                                                         trial_.seed % 2 != 0 && !argument.tensor->isRead);
  for (size_t d = 0; d < argument.shape.size(); ++d)
    if (!isOperandsExtent(argument.tensor->extents[d]))
      argument.assembled->setSize(static_cast<int>(d), argument.shape[d]);
  if (!argument.tensor->isRead)
    return {};
  tensor::Coordinates entries = entriesFor(argument);
  keepStorable(entries, argument.tensor->format);
  std::string problem = argument.assembled->fill(entries);
  if (problem.empty())
    argument.before = argument.content();
  return problem;
}

std::string KernelArguments::packOwn(Argument &argument) {
  if (argument.isAssembled())
    return packAssembled(argument);
  const sema::Tensor &tensor = *argument.tensor;
  tensor::Coordinates entries = entriesFor(argument);
  const size_t count = entries.size();
  if (argument.isSparse())
    keepStorable(entries, tensor.format);
  if (given_ && entries.size() < count)
    return "the format has no room for what is given";
  if (!tensor.isRead) {
    entries.values.assign(entries.size(), garbage(tensor.type).real);
    entries.imaginary.clear();
  }
  if (argument.isScalar()) {
    tensor::storeNumber(argument.scalar, tensor.type, 0, entries.value(0));
    argument.before = argument.content();
    return {};
  }
  std::string problem;
  argument.packed = tensor::PackedTensor::pack(entries, tensor.format, tensor.type, problem);
  if (!argument.packed)
    return problem;
  argument.spoilOutside(garbage(tensor.type));
  if (trial_.padded && !argument.isSparse() && hasElements(argument.shape))
    argument.padded.emplace(argument.parameter->type, argument.packed->cStruct());
  argument.before = argument.content();
  return {};
}

/// Structure pointers, where the struct has any, NULL or, at even seeds, the owner's.
std::string KernelArguments::packSharing(Argument &argument, Argument &owner) {
  const sema::Tensor &tensor = *argument.tensor;
  std::string problem;
  argument.packed =
      tensor::PackedTensor::output(argument.shape, tensor.format, tensor.type, owner.packed->valueCount(), problem);
  if (!argument.packed)
    return problem;
  const bool isOperand = !tensor.isWritten;
  if (argument.parameter->kind == abi::ParameterKind::Values)
    argument.packed->borrowStructure(*owner.packed);
  if (isOperand)
    argument.fillSlots(owner.before, [&](const int64_t *at) { return drawnAt(argument, at); });
  else
    fillOutput(argument, owner);
  if (isOperand)
    argument.before = argument.content();
  const auto &fields = argument.parameter->type.fields;
  const bool passesPointers = argument.parameter->kind == abi::ParameterKind::Tensor && trial_.seed % 2 == 0;
  for (size_t field = 0; passesPointers && field < fields.size(); ++field)
    if (fields[field].role != abi::FieldRole::Values && fields[field].role != abi::FieldRole::Size)
      std::memcpy(static_cast<char *>(argument.packed->cStruct()) + 8 * field,
                  static_cast<char *>(owner.packed->cStruct()) + 8 * field, 8);
  return {};
}

/// Values where they are read, garbage where nobody may read them. What is in the slots of a read output is known only
/// where there is one slot an entry.
void KernelArguments::fillOutput(Argument &argument, const Argument &owner) {
  const sema::Tensor &tensor = *argument.tensor;
  const bool isKnown = !hasSlots(tensor.format) && tensor.format.symmetry == format::Symmetry::None;
  const auto initial = [&](const int64_t *at) {
    return !tensor.isRead ? garbage(tensor.type) : isKnown ? drawnAt(argument, at) : tensor::Number{};
  };
  argument.before.shape = argument.shape;
  const std::vector<int64_t> coordinates = relabel(owner.before, owner.tensor->format, tensor.format);
  for (size_t entry = 0; entry < owner.before.size(); ++entry) {
    const int64_t *at = coordinates.data() + entry * argument.shape.size();
    argument.before.append(at, initial(at));
  }
  for (int64_t slot = 0; slot < owner.packed->valueCount(); ++slot)
    tensor::storeNumber(argument.packed->values(), tensor.type, slot,
                        isKnown ? argument.before.value(static_cast<size_t>(slot)) : initial(nullptr));
}

std::vector<int64_t> KernelArguments::shapeOf(const std::string &tensor) const {
  std::vector<int64_t> shape;
  for (int dimension : classes_.ofTensor.at(tensor))
    shape.push_back(trial_.extents[static_cast<size_t>(dimension)]);
  return shape;
}

/// The size that a scalar stands for; 0 of one that is passed, by which no pattern is kept here.
int64_t KernelArguments::sizeOf(sema::TensorId scalar) const {
  const auto *size = kernel_.tensors[scalar].as<sema::Size>();
  for (const sema::Tensor &tensor : kernel_.tensors)
    if (size && tensor.is<sema::Parameter>())
      for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
        if (tensor.extents[dim] == size->extent)
          return shapeOf(tensor.name)[dim];
  return 0;
}

/// Where a temporary that shares a pattern stores entries.
std::vector<uint8_t> KernelArguments::sharedMask(const sema::Tensor &tensor, const MaskOf &maskOf) const {
  if (!tensor.shared())
    return {};
  const sema::Tensor &owner = kernel_.tensors[tensor.shared()->owner];
  const sema::Tensor &last = kernel_.tensors[sema::structureOwner(kernel_, tensor.shared()->owner)];
  if (const auto *tie = last.as<sema::Tie>()) {
    std::vector<int64_t> shape(last.extents.size());
    const std::vector<int64_t> own = shapeOf(tensor.name);
    for (size_t level = 0; level < shape.size(); ++level)
      shape[static_cast<size_t>(last.format.levels[level].dim)] =
          own[static_cast<size_t>(tensor.format.levels[level].dim)];
    return maskInOrderOf(tensor.format, own, last.format, shape,
                         maskOfTie(*tie, shape, [&](sema::TensorId scalar) { return sizeOf(scalar); }));
  }
  // A copy has the entries of what it is a copy of.
  const std::optional<sema::TensorId> source = sema::sourceOf(owner);
  const sema::Tensor &whole = source ? kernel_.tensors[*source] : owner;
  const std::string &name = whole.partOf.empty() ? whole.name : whole.partOf;
  return maskInOrderOf(tensor.format, shapeOf(tensor.name), owner.format, shapeOf(name), maskOf(name));
}

/// An infinity of an integer type is its greatest or its least number.
static double fillOf(const sema::Tensor &tensor) {
  return sema::isInteger(tensor.type) ? converted(tensor.fill, tensor.type).real() : tensor.fill;
}

/// Temporaries that the source text names, and no parameter stands for: what is computed in place of a sum of parts has
/// its name.
bool KernelArguments::isNamedApart(const sema::Tensor &tensor) const {
  return isNamedTemporary(tensor) && std::none_of(arguments_.begin(), arguments_.end(), [&](const auto &argument) {
           return argument->tensor->partOf == tensor.name;
         });
}

TensorMap KernelArguments::denseTensors() const {
  TensorMap tensors;
  for (const auto &argument : arguments_) {
    DenseTensor &dense = tensors[argument->sourceName()];
    dense.shape = argument->shape;
    dense.sparse = argument->isSparse();
    dense.type = argument->tensor->type;
    dense.assembled = argument->isAssembled();
    dense.fill = fillOf(*argument->tensor);
    dense.values.resize(static_cast<size_t>(dense.size()));
    dense.stored.resize(dense.values.size());
    const tensor::Coordinates entries =
        keepsPlaces(*argument->tensor) ? argument->before : entriesOf(argument->before, argument->tensor->format);
    for (size_t entry = 0; entry < entries.size(); ++entry) {
      const int64_t *coordinates = entries.coordinates.data() + entry * dense.shape.size();
      const auto at = static_cast<size_t>(offsetOf(coordinates, dense.shape));
      dense.values[at] = {entries.value(entry).real, entries.value(entry).imaginary};
      dense.stored[at] = 1;
    }
  }
  tensors.merge(constantTensors(kernel_, classes_));
  for (const sema::Tensor &tensor : kernel_.tensors) {
    if (!isNamedApart(tensor))
      continue;
    DenseTensor &dense = tensors[tensor.name];
    dense.shape = shapeOf(tensor.name);
    dense.sparse = !isWholeArray(tensor);
    dense.type = tensor.type;
    dense.assembled = tensor.isAssembled() || hasOwnEntries(tensor);
    dense.fill = fillOf(tensor);
    dense.values.resize(static_cast<size_t>(dense.size()));
    dense.stored = sharedMask(tensor, [&](const std::string &owner) { return tensors.at(owner).stored; });
    dense.stored.resize(dense.values.size());
  }
  return tensors;
}

/// What later statements may find stored in a result, besides what was assigned to it. Which coordinates pad a fixed
/// width is the kernel's choice.
static std::function<void(std::vector<uint8_t> &)> paddingOf(const sema::Tensor &tensor, std::vector<int64_t> shape) {
  if (!hasSlots(tensor.format))
    return {};
  return [&tensor, shape = std::move(shape)](std::vector<uint8_t> &stored) {
    const std::optional<tensor::PackedTensor> packed =
        hasFixedWidth(tensor.format) ? std::nullopt : packMask(stored, shape, tensor.format, tensor.type);
    if (packed)
      stored = placesOf(*packed, shape);
    else
      std::fill(stored.begin(), stored.end(), uint8_t(1));
  };
}

/// Marks where a tensor's entries are.
static void mark(const tensor::Coordinates &entries, const std::vector<int64_t> &shape, std::vector<uint8_t> &mask) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  mask.resize(static_cast<size_t>(elements));
  for (size_t entry = 0; entry < entries.size(); ++entry)
    mask[static_cast<size_t>(offsetOf(entries.coordinates.data() + entry * shape.size(), shape))] = 1;
}

PatternMap KernelArguments::patterns(bool withPadding) const {
  PatternMap patterns;
  for (const auto &argument : arguments_) {
    Pattern &pattern = patterns[argument->sourceName()];
    pattern.shape = argument->shape;
    pattern.type = argument->tensor->type;
    if (!argument->isSparse())
      continue;
    pattern.fill = fillOf(*argument->tensor);
    pattern.kind = argument->isAssembled() ? Pattern::Kind::Assembled : Pattern::Kind::Kept;
    const tensor::Coordinates entries = entriesOf(argument->before, argument->tensor->format);
    if (withPadding && argument->tensor->partOf.empty())
      pattern.pad = paddingOf(*argument->tensor, argument->shape);
    if (withPadding)
      mark(entries, pattern.shape, pattern.entries);
    mark(keepsPlaces(*argument->tensor) ? argument->before : entries, pattern.shape, pattern.stored);
  }
  for (const auto &[name, dense] : constantTensors(kernel_, classes_))
    patterns[name] = {.shape = dense.shape,
                      .kind = dense.sparse ? Pattern::Kind::Kept : Pattern::Kind::Dense,
                      .stored = dense.stored,
                      .fill = dense.fill,
                      .type = dense.type};
  for (const sema::Tensor &tensor : kernel_.tensors) {
    if (!isNamedApart(tensor))
      continue;
    Pattern &pattern = patterns[tensor.name];
    pattern.shape = shapeOf(tensor.name);
    pattern.type = tensor.type;
    if (isWholeArray(tensor))
      continue;
    pattern.fill = fillOf(tensor);
    if (withPadding)
      pattern.pad = paddingOf(tensor, pattern.shape);
    pattern.kind = tensor.isAssembled() || hasOwnEntries(tensor) ? Pattern::Kind::Assembled : Pattern::Kind::Kept;
    int64_t elements = 1;
    for (int64_t extent : pattern.shape)
      elements *= extent;
    pattern.stored = sharedMask(tensor, [&](const std::string &owner) { return patterns.at(owner).stored; });
    pattern.stored.resize(static_cast<size_t>(elements));
  }
  return patterns;
}

} // namespace spc::testing
