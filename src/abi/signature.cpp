#include "abi/signature.h"

#include "abi/names.h"

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
    if (name.ends_with("_ctx"))
      name.resize(name.size() - 4);
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

} // namespace

Signature makeSignature(const sema::Kernel &kernel) {
  Signature signature;
  signature.function = kernel.function;
  signature.hasPhases = sema::hasPhases(kernel);
  ParameterNames names(kernel);
  for (sema::TensorId id : kernel.parameters) {
    signature.parameters.push_back(makeParameter(kernel, id));
    signature.parameters.back().name = names.take(kernel.tensors[id].name);
  }
  return signature;
}

} // namespace spc::abi
