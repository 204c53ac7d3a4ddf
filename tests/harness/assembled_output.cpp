#include "harness/assembled_output.h"

#include "harness/comparison.h"
#include "harness/data.h"
#include "harness/structure_check.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace spc::testing {
namespace {

constexpr uint64_t kGarbage = 0x5bad5bad5bad5bad;

bool isArray(const abi::Field &field) {
  return field.type != abi::FieldType::Int64;
}

std::vector<uint64_t> slotsOf(tensor::PackedTensor &tensor, const abi::StructType &type) {
  std::vector<uint64_t> slots(type.fields.size());
  std::memcpy(slots.data(), tensor.cStruct(), 8 * slots.size());
  return slots;
}

} // namespace

tensor::PackedTensor readerOf(const format::Format &format, sema::ValueType type, const std::vector<uint64_t> &fields,
                              const std::vector<int64_t> &shape) {
  std::string problem;
  std::optional<tensor::PackedTensor> reader = tensor::PackedTensor::output(shape, format, type, 0, problem);
  if (!reader)
    throw std::runtime_error(problem);
  std::memcpy(reader->cStruct(), fields.data(), 8 * fields.size());
  return std::move(*reader);
}

std::optional<tensor::PackedTensor> packMask(const std::vector<uint8_t> &stored, const std::vector<int64_t> &shape,
                                             const format::Format &format, sema::ValueType type) {
  tensor::Coordinates entries;
  entries.shape = shape;
  std::vector<int64_t> at(shape.size(), 0);
  if (hasElements(shape)) {
    do {
      if (stored[static_cast<size_t>(offsetOf(at.data(), shape))] != 0)
        entries.append(at.data(), {});
    } while (advance(at, shape));
  }
  std::string problem;
  return tensor::PackedTensor::pack(entries, format, type, problem);
}

std::vector<uint8_t> placesOf(const tensor::PackedTensor &tensor, const std::vector<int64_t> &shape) {
  std::vector<int64_t> positions;
  const tensor::Coordinates slots = tensor.slots(positions);
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  std::vector<uint8_t> mask(static_cast<size_t>(elements));
  for (size_t slot = 0; slot < slots.size(); ++slot)
    mask[static_cast<size_t>(offsetOf(slots.coordinates.data() + slot * shape.size(), shape))] = 1;
  return mask;
}

AssembledOutput::AssembledOutput(const abi::StructType &type, std::vector<int64_t> shape, TestContext &context,
                                 bool isSpoilt)
    : type_(type), shape_(std::move(shape)), context_(context), slots_(type.fields.size(), isSpoilt ? kGarbage : 0),
      before_(slots_) {}

void AssembledOutput::setSize(int dimension, int64_t size) {
  slots_[static_cast<size_t>(type_.find(abi::FieldRole::Size, dimension))] = static_cast<uint64_t>(size);
  before_ = slots_;
}

std::string AssembledOutput::fill(const tensor::Coordinates &entries) {
  std::string problem;
  std::optional<tensor::PackedTensor> packed = tensor::PackedTensor::pack(entries, type_.format, type_.value, problem);
  if (!packed)
    return problem;
  slots_ = slotsOf(*packed, type_);
  for (size_t f = 0; f < slots_.size(); ++f) {
    const abi::Field &field = type_.fields[f];
    if (!isArray(field) || slots_[f] == 0)
      continue;
    const auto elements = static_cast<int64_t>(packed->elements(field.role, field.index).size());
    const int64_t bytesEach = field.type == abi::FieldType::Values     ? sema::bytesOf(type_.value)
                              : field.type == abi::FieldType::Pointers ? format::bits(type_.format.pointers) / 8
                                                                       : format::bits(type_.format.indices) / 8;
    void *copy = context_.allocate(elements * bytesEach);
    std::memcpy(copy, reinterpret_cast<const void *>(static_cast<uintptr_t>(slots_[f])),
                static_cast<size_t>(elements * bytesEach));
    slots_[f] = reinterpret_cast<uintptr_t>(copy);
  }
  before_ = slots_;
  return {};
}

tensor::Coordinates AssembledOutput::content() const {
  return readerOf(type_.format, type_.value, slots_, shape_).unpack();
}

tensor::Coordinates AssembledOutput::slots() const {
  std::vector<int64_t> positions;
  return readerOf(type_.format, type_.value, slots_, shape_).slots(positions);
}

std::string AssembledOutput::nameOf(int64_t element) const {
  std::vector<int64_t> at(shape_.size());
  for (size_t dim = shape_.size(); dim-- > 0; element /= shape_[dim])
    at[dim] = element % shape_[dim];
  return elementText("", at.data(), at.size());
}

std::string AssembledOutput::checkStructure() const {
  return testing::checkStructure({type_, slots_}, shape_, context_);
}

std::string AssembledOutput::check(const ExpectedOutput &expected) const {
  if (std::string problem = checkStructure(); !problem.empty())
    return problem;
  const tensor::PackedTensor reader = readerOf(type_.format, type_.value, slots_, shape_);
  std::vector<int64_t> positions;
  const tensor::Coordinates slots = reader.slots(positions);
  std::vector<uint8_t> stored(expected.values.values.size());
  std::vector<std::complex<double>> values(stored.size());
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    const auto at = static_cast<size_t>(offsetOf(slots.coordinates.data() + slot * shape_.size(), shape_));
    stored[at] = 1;
    values[at] += std::complex<double>(slots.value(slot).real, slots.value(slot).imaginary);
  }
  if (std::string problem = checkPattern(expected, stored, values); !problem.empty())
    return problem;
  for (size_t at = 0; at < values.size(); ++at)
    values[at] = stored[at] ? values[at] : expected.values.fill;
  for (size_t at = 0; at < values.size(); ++at)
    if (std::string difference = compareElement(values[at], expected.values, at); !difference.empty())
      return nameOf(static_cast<int64_t>(at)) + difference;
  return {};
}

std::string AssembledOutput::checkPattern(const ExpectedOutput &expected, const std::vector<uint8_t> &stored,
                                          const std::vector<std::complex<double>> &values) const {
  std::optional<tensor::PackedTensor> least = packed(expected.least), most = packed(expected.most);
  if (!least)
    return "was assembled, though it cannot be stored";
  const auto elements = static_cast<int64_t>(stored.size());
  const std::vector<uint8_t> needed = placesOf(*least, shape_);
  const bool isPadded = hasFixedWidth(type_.format);
  const std::vector<uint8_t> allowed = most ? placesOf(*most, shape_) : std::vector<uint8_t>(stored.size(), 1);
  for (int64_t element = 0; element < elements; ++element) {
    const auto at = static_cast<size_t>(element);
    if (expected.mayLackZeros && expected.values.values[at] == 0.0)
      continue;
    if (expected.least.isStored(element) && !stored[at])
      return nameOf(element) + " is missing";
    if (!isPadded && needed[at] && !stored[at])
      return nameOf(element) + ", which belongs to a stored block, is missing";
    if (stored[at] && !allowed[at] && !(isPadded && values[at] == 0.0))
      return nameOf(element) + " is stored, though it should not be";
  }
  if (expected.mayLackZeros || expected.least.stored != expected.most.stored)
    return {};
  const std::vector<uint64_t> wanted = slotsOf(*least, type_);
  for (size_t f = 0; f < wanted.size(); ++f)
    if (!isArray(type_.fields[f]) && slots_[f] != wanted[f])
      return type_.fields[f].name + " is " + std::to_string(slots_[f]) + ", expected " + std::to_string(wanted[f]);
  return {};
}

int64_t AssembledOutput::arrays() const {
  int64_t count = 0;
  for (size_t f = 0; f < slots_.size(); ++f)
    count += isArray(type_.fields[f]) && slots_[f] != 0 && slots_[f] != kGarbage ? 1 : 0;
  return count;
}

void AssembledOutput::release() {
  for (size_t f = 0; f < slots_.size(); ++f) {
    if (!isArray(type_.fields[f]) || slots_[f] == kGarbage)
      continue;
    context_.release(reinterpret_cast<void *>(static_cast<uintptr_t>(slots_[f])));
    slots_[f] = 0;
  }
}

} // namespace spc::testing
