#include "pipeline/constants.h"

#include "entry/constants.h"
#include "format/levels.h"
#include "runtime/levels/walk.h"
#include "tensor/pack/constants.h"
#include "tensor/pack/packed_arrays.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <cstring>

namespace spc::pipeline {
namespace {

constexpr DiagnosticKind kConstantFormat{"constant-format", Severity::Error};

constexpr int kLine = 64; ///< arrays begin at cache lines, as those of `spc run` do: no vector lies in two

int elementBytes(const abi::StructType &type, const abi::Field &field) {
  if (field.type == abi::FieldType::Values)
    return sema::bytesOf(sema::partOf(type.value));
  const bool isPointers = field.type == abi::FieldType::Pointers;
  return format::bits(isPointers ? type.format.pointers : type.format.indices) / 8;
}

/// A number without dimensions: the one array has it.
entry::StoredConstant storeNumber(const sema::Tensor &tensor) {
  const language::ConstantEntries &entries = *tensor.as<sema::Constant>()->entries;
  const language::ConstantNumber number = entries.size() > 0 ? entries.value(0) : language::ConstantNumber();
  std::string bytes(static_cast<size_t>(sema::bytesOf(tensor.type)), '\0');
  tensor::storeNumber(bytes.data(), tensor.type, 0, {number.real, number.imaginary, number.rest});
  entry::StoredConstant stored;
  stored.type.format = tensor.format;
  stored.arrays.push_back({std::move(bytes), sema::bytesOf(sema::partOf(tensor.type))});
  return stored;
}

/// Adds what the lengths of each level that has such add up to.
void addUp(entry::StoredConstant &stored) {
  const format::Format &format = stored.type.format;
  const int width = format::bits(format.pointers) / 8;
  for (int k = 0; k < format.levelCount(); ++k) {
    const int field = stored.type.find(abi::FieldRole::Lengths, k);
    if (field < 0)
      continue;
    const std::string lengths = stored.arrays[static_cast<size_t>(field)].bytes;
    std::string ends(lengths.size() + static_cast<size_t>(width), '\0');
    int64_t sum = 0;
    for (size_t at = 0; at < lengths.size(); at += static_cast<size_t>(width)) {
      sum += runtime::load(lengths.data() + at, width, 0);
      std::memcpy(ends.data() + at + width, &sum, static_cast<size_t>(width)); // of a machine with the low byte first
    }
    stored.addedUp[k] = stored.arrays.size();
    stored.arrays.push_back({std::move(ends), width});
  }
}

entry::StoredConstant storeArrays(const tensor::PackedTensor &packed, const sema::Tensor &tensor) {
  entry::StoredConstant stored;
  stored.type = abi::structFor(tensor.format, tensor.type);
  stored.stored = packed.valueCount();
  for (const abi::Field &field : stored.type.fields) {
    const bool isNumber = field.type == abi::FieldType::Int64;
    stored.numbers.push_back(isNumber ? packed.arrays().number(field.role, field.index) : 0);
    stored.arrays.push_back({isNumber ? std::string() : std::string(packed.arrays().bytes(field.role, field.index)),
                             isNumber ? 1 : elementBytes(stored.type, field)});
  }
  addUp(stored);
  return stored;
}

/// Turns the bytes of each number around.
std::string swapped(std::string bytes, int elementBytes) {
  for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(elementBytes))
    std::reverse(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at) + elementBytes);
  return bytes;
}

} // namespace

std::optional<entry::StoredConstants> storeConstants(const sema::Kernel &kernel, Diagnostics &diagnostics) {
  entry::StoredConstants constants;
  tensor::ConstantPacker packer(kernel);
  for (sema::TensorId id : kernel.tensors.ids()) {
    const sema::Tensor &tensor = kernel.tensors[id];
    if (!sema::isConstant(kernel, id))
      continue;
    if (tensor.order() == 0) {
      constants.emplace(id, storeNumber(tensor));
      continue;
    }
    std::string error;
    const tensor::PackedTensor *packed = packer.packed(id, error);
    if (!packed) {
      const std::string &name = tensor.partOf.empty() ? tensor.name : tensor.partOf;
      diagnostics.report(kConstantFormat, tensor.where, "'" + name + "' cannot be stored: " + error);
      return std::nullopt;
    }
    constants.emplace(id, storeArrays(*packed, tensor));
  }
  return constants;
}

void defineConstants(const sema::Kernel &kernel, const entry::StoredConstants &constants, llvm::Module &module) {
  for (const auto &[id, constant] : constants)
    for (size_t k = 0; k < constant.arrays.size(); ++k) {
      llvm::GlobalVariable *global = module.getNamedGlobal(entry::constantSymbol(kernel, id, k));
      if (!global)
        continue;
      const entry::StoredConstant::Array &array = constant.arrays[k];
      const std::string &bytes = array.bytes;
      const std::string turned =
          module.getDataLayout().isBigEndian() ? swapped(bytes, array.elementBytes) : std::string();
      global->setInitializer(
          llvm::ConstantDataArray::getString(module.getContext(), turned.empty() ? bytes : turned, /*AddNull=*/false));
      global->setLinkage(llvm::GlobalValue::PrivateLinkage);
      global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
      global->setAlignment(llvm::Align(kLine));
    }
}

} // namespace spc::pipeline
