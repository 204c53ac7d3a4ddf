#include "support/kernel_arguments.h"

#include "support/padded_dense.h"
#include "tensor/numbers.h"
#include "tensor/parts.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

namespace spc::testing {

struct KernelArguments::Argument {
  const abi::Parameter *parameter;
  const sema::Tensor *tensor;
  std::vector<int64_t> shape;
  std::optional<tensor::PackedTensor> packed;
  std::optional<PaddedDense> padded;
  alignas(16) char scalar[16] = {};
  tensor::Coordinates before; ///< in storage order

  bool isScalar() const { return shape.empty(); }
  bool isSparse() const { return !isScalar() && !tensor->format.isDense(); }

  tensor::Coordinates content() const {
    if (!isScalar())
      return packed->unpack();
    tensor::Coordinates one;
    one.append(nullptr, tensor::loadNumber(scalar, tensor->type, 0));
    return one;
  }

  /// As the source text has it.
  const std::string &sourceName() const { return tensor->partOf.empty() ? tensor->name : tensor->partOf; }

  void *pointer() {
    if (isScalar())
      return scalar;
    if (parameter->kind == abi::ParameterKind::Values)
      return packed->values();
    return padded ? padded->cStruct() : packed->cStruct();
  }

  /// Puts `value` where blocks and diagonals reach over the edge of the tensor.
  void spoilOutside(tensor::Number value) {
    if (!isSparse())
      return;
    std::vector<int64_t> inside;
    packed->slots(inside);
    const std::set<int64_t> positions(inside.begin(), inside.end());
    for (int64_t slot = 0; slot < packed->valueCount(); ++slot)
      if (!positions.contains(slot))
        tensor::storeNumber(packed->values(), tensor->type, slot, value);
  }

  /// Values of its own in the slots that hold `entries`, zeros in the others, such as padding.
  void fillSlots(const tensor::Coordinates &entries, Random &random) {
    const auto order = static_cast<ptrdiff_t>(shape.size());
    const auto placeOf = [&](const tensor::Coordinates &all, size_t entry) {
      const auto begin = all.coordinates.begin() + static_cast<ptrdiff_t>(entry) * order;
      return std::vector<int64_t>(begin, begin + order);
    };
    std::set<std::vector<int64_t>> unfilled;
    for (size_t entry = 0; entry < entries.size(); ++entry)
      unfilled.insert(placeOf(entries, entry));
    for (int64_t slot = 0; slot < packed->valueCount(); ++slot)
      tensor::storeNumber(packed->values(), tensor->type, slot, {});
    std::vector<int64_t> positions;
    const tensor::Coordinates slots = packed->slots(positions);
    for (size_t slot = 0; slot < slots.size(); ++slot)
      if (unfilled.erase(placeOf(slots, slot)) > 0)
        tensor::storeNumber(packed->values(), tensor->type, positions[slot], random.value(tensor->type));
  }
};

namespace {

/// Same entries, bit for bit.
bool isSame(const tensor::Coordinates &a, const tensor::Coordinates &b) {
  const auto isSame = [](const std::vector<double> &x, const std::vector<double> &y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), 8 * x.size()) == 0);
  };
  return a.coordinates == b.coordinates && isSame(a.values, b.values) && isSame(a.imaginary, b.imaginary);
}

std::string element(const std::string &name, const int64_t *coordinates, size_t order) {
  std::ostringstream text;
  text << name;
  for (size_t dim = 0; dim < order; ++dim)
    text << (dim == 0 ? "(" : ",") << coordinates[dim] << (dim + 1 == order ? ")" : "");
  return text.str();
}

/// What outputs hold beforehand that a kernel must overwrite: not a number, or a number that no kernel here computes.
tensor::Number garbage(sema::ValueType type) {
  const bool hasNan = sema::isFloat(type) || sema::isComplex(type);
  return {hasNan ? std::numeric_limits<double>::quiet_NaN() : type == sema::ValueType::Bool ? 1 : 111};
}

std::string compareValues(const std::string &name, const tensor::Coordinates &actual, const DenseTensor &expected) {
  const size_t order = expected.shape.size();
  for (size_t entry = 0; entry < actual.size(); ++entry) {
    const int64_t *coordinates = actual.coordinates.data() + entry * order;
    const auto at = static_cast<size_t>(offsetOf(coordinates, expected.shape));
    const std::complex<double> value(actual.value(entry).real, actual.value(entry).imaginary);
    if (matches(value, expected.values[at], expected.errors[at]))
      continue;
    std::ostringstream text;
    text.precision(17);
    text << element(name, coordinates, order) << " is " << value << ", expected " << expected.values[at] << " up to "
         << expected.errors[at];
    return text.str();
  }
  return {};
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

} // namespace

KernelArguments::KernelArguments(const sema::Kernel &kernel, const ExtentClasses &classes, const Trial &trial)
    : kernel_(kernel), classes_(classes), trial_(trial), random_(trial.seed), signature_(abi::makeSignature(kernel)) {}

KernelArguments::~KernelArguments() = default;

std::string KernelArguments::pack() {
  for (const abi::Parameter &parameter : signature_.parameters) {
    auto argument = std::make_unique<Argument>();
    argument->parameter = &parameter;
    argument->tensor = &kernel_.tensors[static_cast<size_t>(parameter.tensor)];
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
  pointers_.assign(1, nullptr);
  for (const auto &argument : arguments_)
    pointers_.push_back(argument->pointer());
  return {};
}

sema::TensorId KernelArguments::ownerOf(sema::TensorId id) const {
  for (size_t step = 0; step < kernel_.tensors.size(); ++step) {
    const sema::Tensor &tensor = kernel_.tensors[static_cast<size_t>(id)];
    id = tensor.structureOf ? *tensor.structureOf : tensor.patternOf.value_or(id);
  }
  return id;
}

KernelArguments::Argument &KernelArguments::argumentFor(sema::TensorId id) const {
  for (const auto &candidate : arguments_)
    if (candidate->parameter->tensor == id)
      return *candidate;
  throw std::logic_error("the owner of a structure is no parameter");
}

/// The entries of a tensor, or of a part its share of those.
tensor::Coordinates KernelArguments::entriesFor(const Argument &argument) {
  const sema::Tensor &tensor = *argument.tensor;
  if (!argument.isSparse())
    return denseEntries(argument.shape, trial_.nonFinite, tensor.type, random_);
  if (tensor.partOf.empty())
    return sparseEntries(argument.shape, trial_.fill, tensor.type, random_);
  std::vector<tensor::Coordinates> &parts = parts_[tensor.partOf];
  if (parts.empty()) {
    std::vector<format::Format> formats;
    for (const auto &other : arguments_)
      if (other->tensor->partOf == tensor.partOf)
        formats.push_back(other->tensor->format);
    parts = tensor::splitIntoParts(sparseEntries(argument.shape, trial_.fill, tensor.type, random_), formats);
  }
  return parts[static_cast<size_t>(tensor.part)];
}

std::string KernelArguments::packOwn(Argument &argument) {
  const sema::Tensor &tensor = *argument.tensor;
  tensor::Coordinates entries = entriesFor(argument);
  if (argument.isSparse())
    keepStorable(entries, tensor.format);
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
    argument.fillSlots(owner.before, random_);
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
  const auto initial = [&] {
    return !tensor.isRead ? garbage(tensor.type) : isKnown ? random_.value(tensor.type) : tensor::Number{};
  };
  argument.before.shape = argument.shape;
  const std::vector<int64_t> coordinates = relabel(owner.before, owner.tensor->format, tensor.format);
  for (size_t entry = 0; entry < owner.before.size(); ++entry)
    argument.before.append(coordinates.data() + entry * argument.shape.size(), initial());
  for (int64_t slot = 0; slot < owner.packed->valueCount(); ++slot)
    tensor::storeNumber(argument.packed->values(), tensor.type, slot,
                        isKnown ? argument.before.value(static_cast<size_t>(slot)) : initial());
}

TensorMap KernelArguments::denseTensors() const {
  TensorMap tensors;
  for (const auto &argument : arguments_) {
    DenseTensor &dense = tensors[argument->sourceName()];
    dense.shape = argument->shape;
    dense.sparse = argument->isSparse();
    dense.type = argument->tensor->type;
    dense.values.resize(static_cast<size_t>(dense.size()));
    dense.stored.resize(dense.values.size());
    const tensor::Coordinates &entries = argument->before;
    for (size_t entry = 0; entry < entries.size(); ++entry) {
      const int64_t *coordinates = entries.coordinates.data() + entry * dense.shape.size();
      const auto at = static_cast<size_t>(offsetOf(coordinates, dense.shape));
      dense.values[at] = {entries.value(entry).real, entries.value(entry).imaginary};
      dense.stored[at] = 1;
    }
  }
  return tensors;
}

std::string KernelArguments::compare(const TensorMap &expected) {
  for (const auto &argument : arguments_) {
    const std::string &name = argument->tensor->name;
    if (argument->padded && !argument->padded->copyBack())
      return "the kernel wrote between the rows of " + name;
    const tensor::Coordinates after = argument->content();
    if (!argument->tensor->isWritten) {
      if (!isSame(after, argument->before))
        return "the kernel changed its operand " + name;
      continue;
    }
    if (!hasSlots(argument->tensor->format) && after.coordinates != argument->before.coordinates)
      return "the stored positions of " + name + " are not its operand's";
    DenseTensor result = expected.at(name);
    if (trial_.exact)
      result.errors.assign(result.errors.size(), 0);
    if (std::string problem = compareValues(name, after, result); !problem.empty())
      return problem;
  }
  return {};
}

} // namespace spc::testing
