#include "harness/kernel_text.h"

#include "sema/given_types.h"

#include <sstream>

namespace spc::testing {

constexpr std::string_view kParameter = "Type";

sema::ValueType typeOf(const KernelSpec &spec, const std::string &tensor) {
  auto own = spec.types.find(tensor);
  return own == spec.types.end() ? spec.type : own->second;
}

std::string literalStatements(const KernelSpec &spec) {
  std::string text = spec.statements;
  for (size_t at = text.find(kParameter); at != std::string::npos; at = text.find(kParameter, at))
    text.replace(at, kParameter.size(), sema::spelling(spec.type));
  return text;
}

std::vector<format::GivenType> givenTypes(const KernelSpec &spec, const ExtentClasses &classes, SourceManager &sources,
                                          Diagnostics &diagnostics) {
  std::vector<format::GivenType> given;
  const auto give = [&](const std::string &name, sema::ValueType type) {
    given.push_back(*sema::readGivenType(name + "=" + sema::spelling(type), sources, diagnostics));
  };
  if (!spec.typesAreGiven)
    return given;
  give(std::string(kParameter), spec.type);
  for (const std::string &tensor : classes.tensors)
    if (const auto own = spec.types.find(tensor); own != spec.types.end())
      give(tensor, own->second);
  return given;
}

/// How a tensor's type is declared: not at all where it is given by the tensor's name.
static std::string typeText(const KernelSpec &spec, const std::string &tensor) {
  if (!spec.typesAreGiven)
    return ": " + std::string(sema::spelling(typeOf(spec, tensor)));
  return spec.types.contains(tensor) ? "" : ": " + std::string(kParameter);
}

std::string kernelText(const KernelSpec &spec, const ExtentClasses &classes) {
  std::ostringstream text;
  if (spec.typesAreGiven)
    text << "type " << kParameter << " = " << (spec.type == sema::ValueType::F16 ? "f64" : "f16") << "\n";
  for (const std::string &tensor : classes.tensors) {
    if (!spec.declares)
      break;
    if (classes.constants.contains(tensor))
      continue;
    text << "tensor " << tensor;
    const char *separator = "(";
    for (int dimension : classes.ofTensor.at(tensor)) {
      text << separator << "n" << dimension;
      separator = ", ";
    }
    text << (*separator == ',' ? ")" : "") << typeText(spec, tensor);
    if (const auto fill = spec.fills.find(tensor); fill != spec.fills.end())
      text << ", fill " << fill->second;
    text << "\n";
  }
  text << (spec.typesAreGiven ? spec.statements : literalStatements(spec)) << "\n";
  return text.str();
}

} // namespace spc::testing
