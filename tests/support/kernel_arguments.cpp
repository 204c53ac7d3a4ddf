#include "support/kernel_arguments.h"

#include "support/padded_dense.h"
#include "tensor/numbers.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
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

  void *pointer() { return isScalar() ? scalar : padded ? padded->cStruct() : packed->cStruct(); }


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

/// A number worked out exactly, as the type holds it: integers wrap around, true is 1.
std::complex<double> converted(std::complex<double> value, sema::ValueType type) {
  if (type == sema::ValueType::Bool)
    return value != 0.0 ? 1 : 0;
  if (!sema::isInteger(type))
    return value;
  const double modulus = std::ldexp(1, 8 * sema::bytesOf(type));
  const double least = sema::isUnsigned(type) ? 0 : -modulus / 2;
  return value.real() - modulus * std::floor((value.real() - least) / modulus);
}

/// Relative rounding error of one operation; complex ones are made of several.
double epsilonOf(sema::ValueType type) {
  switch (type) {
  case sema::ValueType::F16:
    return 0x1p-10;
  case sema::ValueType::BF16:
    return 0x1p-7;
  case sema::ValueType::F32:
    return 0x1p-23;
  case sema::ValueType::CF32:
    return 0x1p-21;
  case sema::ValueType::CF64:
    return 0x1p-50;
  default:
    return 0x1p-52;
  }
}

std::string compareValues(const std::string &name, sema::ValueType type, const tensor::Coordinates &actual,
                          const DenseTensor &expected) {
  const size_t order = expected.shape.size();
  for (size_t entry = 0; entry < actual.size(); ++entry) {
    const int64_t *coordinates = actual.coordinates.data() + entry * order;
    const auto at = static_cast<size_t>(offsetOf(coordinates, expected.shape));
    const std::complex<double> value(actual.value(entry).real, actual.value(entry).imaginary);
    if (matches(value, converted(expected.values[at], type), expected.errors[at]))
      continue;
    std::ostringstream text;
    text.precision(17);
    text << element(name, coordinates, order) << " is " << value << ", expected " << converted(expected.values[at], type)
         << " up to " << expected.errors[at];
    return text.str();
  }
  return {};
}

/// The coordinates of `entries` (of a tensor in `from`) moved to the dimensions that `to` stores at the same levels.
std::vector<int64_t> relabel(const tensor::Coordinates &entries, const format::Format &from, const format::Format &to) {
  const auto order = static_cast<size_t>(entries.order());
  std::vector<int64_t> result(entries.coordinates.size());
  if (hasSlots(from) || from.symmetry != format::Symmetry::None)
    return entries.coordinates;
  for (size_t first = 0; first < result.size(); first += order)
    for (size_t level = 0; level < order; ++level)
      result[first + static_cast<size_t>(to.levels[level].dim)] =
          entries.coordinates[first + static_cast<size_t>(from.levels[level].dim)];
  return result;
}

} // namespace

KernelArguments::KernelArguments(const sema::Kernel &kernel, const ExtentClasses &classes, const Trial &trial)
    : kernel_(kernel), classes_(classes), trial_(trial), random_(trial.seed), signature_(abi::makeSignature(kernel)) {}

KernelArguments::~KernelArguments() = default;

std::string KernelArguments::pack() {
  pointers_.assign(1, nullptr);
  for (const abi::Parameter &parameter : signature_.parameters) {
    auto argument = std::make_unique<Argument>();
    argument->parameter = &parameter;
    argument->tensor = &kernel_.tensors[static_cast<size_t>(parameter.tensor)];
    for (int dimension : classes_.ofTensor.at(argument->tensor->name))
      argument->shape.push_back(trial_.extents[static_cast<size_t>(dimension)]);
    if (std::string problem = pack(*argument); !problem.empty())
      return argument->tensor->name + ": " + problem;
    pointers_.push_back(argument->pointer());
    arguments_.push_back(std::move(argument));
  }
  return {};
}

std::string KernelArguments::pack(Argument &argument) {
  const sema::Tensor &tensor = *argument.tensor;
  if (tensor.patternOf && *tensor.patternOf != argument.parameter->tensor)
    return packPatternOutput(argument);
  tensor::Coordinates entries = argument.isSparse()
                                    ? sparseEntries(argument.shape, trial_.fill, tensor.type, random_)
                                    : denseEntries(argument.shape, trial_.nonFinite, tensor.type, random_);
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
  if (trial_.padded && !argument.isSparse() && hasElements(argument.shape))
    argument.padded.emplace(argument.parameter->type, argument.packed->cStruct());
  argument.before = argument.content();
  return {};
}

KernelArguments::Argument &KernelArguments::patternSource(const Argument &argument) {
  sema::TensorId id = argument.parameter->tensor;
  for (size_t step = 0; step < kernel_.tensors.size(); ++step)
    id = kernel_.tensors[static_cast<size_t>(id)].patternOf.value_or(id);
  for (const auto &candidate : arguments_)
    if (candidate->parameter->tensor == id)
      return *candidate;
  throw std::logic_error("a pattern's source comes after its user");
}

/// Structure pointers NULL or, at even seeds, the operand's; values not a number where nobody may read them.
std::string KernelArguments::packPatternOutput(Argument &argument) {
  const sema::Tensor &tensor = *argument.tensor;
  Argument &source = patternSource(argument);
  // What is in the slots of a read output is known only where there is one slot an entry.
  const bool isKnown = !hasSlots(tensor.format);
  const auto initial = [&] {
    return !tensor.isRead ? garbage(tensor.type) : isKnown ? random_.value(tensor.type) : tensor::Number{};
  };
  argument.before.shape = argument.shape;
  const std::vector<int64_t> coordinates = relabel(source.before, source.tensor->format, tensor.format);
  for (size_t entry = 0; entry < source.before.size(); ++entry)
    argument.before.append(coordinates.data() + entry * argument.shape.size(), initial());
  std::string problem;
  argument.packed =
      tensor::PackedTensor::output(argument.shape, tensor.format, tensor.type, source.packed->valueCount(), problem);
  if (!argument.packed)
    return problem;
  for (int64_t slot = 0; slot < source.packed->valueCount(); ++slot)
    tensor::storeNumber(argument.packed->values(), tensor.type, slot,
                        isKnown ? argument.before.value(static_cast<size_t>(slot)) : initial());
  const auto &fields = argument.parameter->type.fields;
  for (size_t field = 0; trial_.seed % 2 == 0 && field < fields.size(); ++field)
    if (fields[field].role != abi::FieldRole::Values && fields[field].role != abi::FieldRole::Size)
      std::memcpy(static_cast<char *>(argument.packed->cStruct()) + 8 * field,
                  static_cast<char *>(source.packed->cStruct()) + 8 * field, 8);
  return {};
}

TensorMap KernelArguments::denseTensors() const {
  TensorMap tensors;
  for (const auto &argument : arguments_) {
    DenseTensor &dense = tensors[argument->tensor->name];
    dense.shape = argument->shape;
    dense.sparse = argument->isSparse();
    dense.epsilon = epsilonOf(argument->tensor->type);
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
    if (std::string problem = compareValues(name, argument->tensor->type, after, result); !problem.empty())
      return problem;
  }
  return {};
}

} // namespace spc::testing
