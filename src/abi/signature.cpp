#include "abi/signature.h"
#include "sema/two_phases.h"

#include "abi/names.h"
#include "spc/spc.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace spc::abi {
namespace {

/// Gives each parameter its tensor's name, with underscores appended until it clashes with nothing.
class ParameterNames {
public:
  explicit ParameterNames(const sema::Kernel &kernel) : function_(kernel.function) {
    for (sema::TensorId id : kernel.parameters)
      wanted_.insert(kernel.tensors[id].name);
  }

  std::string take(const std::string &tensor) {
    std::string name = tensor;
    if (isReservedName(name) || isLibraryName(name))
      name += '_';
    while (isFunction(name) || (name != tensor && wanted_.contains(name)) || taken_.contains(name))
      name += '_';
    taken_.insert(name);
    return name;
  }

private:
  /// Whether a header may define a function of this name.
  bool isFunction(std::string name) const {
    for (const std::string_view suffix : {"_ctx", "_argv", "_arguments"})
      if (name.ends_with(suffix)) {
        name.resize(name.size() - suffix.size());
        break;
      }
    return name == function_ || name == function_ + "_symbolic" || name == function_ + "_numeric" ||
           name == function_ + "_free";
  }

  std::string function_;
  std::set<std::string> wanted_;
  std::set<std::string> taken_;
};

Parameter makeParameter(const sema::Kernel &kernel, sema::TensorId id) {
  const sema::Tensor &tensor = kernel.tensors[id];
  Parameter parameter{};
  parameter.tensor = id;
  parameter.value = tensor.type;
  parameter.isWritten = tensor.isWritten;
  if (tensor.order() == 0) {
    const bool byPointer = tensor.isWritten || sema::isComplex(tensor.type);
    parameter.kind = byPointer ? ParameterKind::ScalarPointer : ParameterKind::ScalarValue;
    return parameter;
  }
  parameter.kind = tensor.hasDeclaredOwner() ? ParameterKind::Values : ParameterKind::Tensor;
  parameter.type = structFor(tensor.format, tensor.type);
  parameter.isAssembled = tensor.isAssembled();
  parameter.fillsStructure = tensor.shared() && !tensor.shared()->declared;
  return parameter;
}

/// The number of the parameter that a tensor is passed as; that of parameters where it is none.
size_t placeOf(const Signature &signature, sema::TensorId tensor) {
  const auto found = std::find_if(signature.parameters.begin(), signature.parameters.end(),
                                  [&](const Parameter &parameter) { return parameter.tensor == tensor; });
  return static_cast<size_t>(found - signature.parameters.begin());
}

std::string fingerprintOf(const Signature &signature, const sema::Kernel &kernel) {
  std::string text = std::to_string(SPC_ABI_VERSION);
  for (const Parameter &parameter : signature.parameters) {
    const sema::Tensor &tensor = kernel.tensors[parameter.tensor];
    text += "\n" + std::string(spelling(parameter.kind)) + " " + roleOf(tensor) + " " +
            sema::spelling(parameter.value) + " " + parameter.type.name;
    if (parameter.isAssembled)
      text += " assembled";
    if (tensor.hasFill())
      text += " fill " + sema::textOf(tensor.type, tensor.fill);
    if (parameter.kind == ParameterKind::Values || parameter.fillsStructure)
      text += " structure of " + std::to_string(placeOf(signature, tensor.shared()->owner));
  }
  return hashOf(text);
}

} // namespace

const char *spelling(FieldRole role) {
  switch (role) {
  case FieldRole::Size:
    return "size";
  case FieldRole::Stride:
    return "stride";
  case FieldRole::Count:
    return "count";
  case FieldRole::Stored:
    return "stored";
  case FieldRole::Width:
    return "width";
  case FieldRole::Pointers:
    return "pointers";
  case FieldRole::Lengths:
    return "lengths";
  case FieldRole::Indices:
    return "indices";
  case FieldRole::Entries:
    return "entries";
  case FieldRole::Values:
    return "values";
  }
  return "";
}

const char *spelling(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Tensor:
    return "struct";
  case ParameterKind::Values:
    return "values";
  case ParameterKind::ScalarValue:
    return "number";
  case ParameterKind::ScalarPointer:
    return "pointer";
  }
  return "";
}

const char *roleOf(const sema::Tensor &tensor) {
  return !tensor.isWritten ? "in" : tensor.isRead ? "inout" : "out";
}

std::string parameterOf(const Signature &signature, const sema::Kernel &kernel, sema::TensorId tensor) {
  for (const Parameter &parameter : signature.parameters)
    if (parameter.tensor == tensor)
      return parameter.name;
  return kernel.tensors[tensor].name;
}

bool Signature::assembles() const {
  return std::any_of(parameters.begin(), parameters.end(), [](const Parameter &p) { return p.isAssembled; });
}

std::string hashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4)
    digits += "0123456789abcdef"[hash >> shift & 15];
  return digits;
}

std::string ExportedNames::symbol(std::string_view phase) const {
  return function + std::string(phase) + "_spc" + std::to_string(SPC_ABI_VERSION) + "_" + hash();
}

std::string ExportedNames::argvSymbol(std::string_view phase) const {
  return function + std::string(phase) + "_argv" + (isHidden() ? "_" + contents : "");
}

std::string ExportedNames::dataSymbol() const {
  return "spc_signature_" + function + (isHidden() ? "_" + contents : "");
}

Signature makeSignature(const sema::Kernel &kernel, const std::string &contents) {
  Signature signature;
  signature.contents = contents;
  signature.function = kernel.function;
  signature.hasPhases = sema::hasPhases(kernel);
  ParameterNames names(kernel);
  for (sema::TensorId id : kernel.parameters) {
    signature.parameters.push_back(makeParameter(kernel, id));
    signature.parameters.back().name = names.take(kernel.tensors[id].name);
  }
  signature.fingerprint = fingerprintOf(signature, kernel);
  return signature;
}

} // namespace spc::abi
