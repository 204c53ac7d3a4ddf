#include "driver/build/derivative_check.h"

#include "host/constants.h"
#include "sema/analyze.h"
#include "syntax/parser.h"

#include <algorithm>
#include <stdexcept>

namespace spc::driver {
namespace {

constexpr DiagnosticKind kGradUnwritable{"grad-unwritable", Severity::Error};

std::vector<format::Binding> bindingsOf(const std::vector<format::StoredTensor> &stored) {
  std::vector<format::Binding> bindings;
  for (const format::StoredTensor &one : stored) {
    if (one.structureOf.empty())
      bindings.push_back(format::bindingOf(one.tensor, one.format));
    else
      bindings.push_back({.tensor = one.tensor, .family = nullptr, .where = {}, .structureOf = one.structureOf});
  }
  return bindings;
}

/// The types that are given for what the derivative has, too.
std::vector<format::GivenType> typesOf(const syntax::Kernel &tree, const std::vector<format::GivenType> &types) {
  std::vector<format::GivenType> kept;
  for (const format::GivenType &given : types) {
    const auto isNamed = [&](const auto &declaration) { return given.name && declaration.name.text == *given.name; };
    if (std::any_of(tree.types.begin(), tree.types.end(), isNamed))
      kept.push_back(given);
  }
  return kept;
}

} // namespace

format::Format formatOf(const sema::Kernel &kernel, const std::string &tensor) {
  format::Format sum;
  for (const sema::Tensor &one : kernel.tensors)
    if (one.name == tensor)
      return one.format;
    else if (one.partOf == tensor)
      sum.parts.push_back(one.format);
  if (sum.isSum())
    return sum;
  throw std::logic_error("the derivative is stored like '" + tensor + "', which the kernel does not have");
}

bool checkDerivative(Session &session, const std::string &path, const std::string &text,
                     const std::vector<format::StoredTensor> &stored, const std::vector<format::GivenType> &types,
                     bool verifies) {
  Diagnostics found;
  const syntax::Kernel tree = syntax::parse(session.sources().add(path, text), found);
  if (!found.hasErrors()) {
    sema::Options options;
    options.function = "derivative";
    options.types = typesOf(tree, types);
    options.verify |= verifies;
    options.readConstant = host::constantReader(host::constantFolder(path));
    sema::analyze(tree, bindingsOf(stored), options, found);
  }
  session.diagnostics().appendInternal(found);
  for (const Diagnostic &one : found.all())
    if (one.severity == Severity::Error) {
      session.diagnostics()
          .report(kGradUnwritable, {}, "spc could not compile the derivative: " + one.message)
          .note(one.where, "in what would be written")
          .advise("split the kernel into statements with temporaries, or take fewer operands");
      return false;
    }
  return !session.failed();
}

} // namespace spc::driver
