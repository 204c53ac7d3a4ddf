#include "driver/shell/written_kernel.h"
#include "driver/shell/front_end.h"
#include "format/rule.h"

#include "host/constants.h"
#include "syntax/parser.h"

#include <algorithm>
#include <stdexcept>

namespace spc::driver {
namespace {

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
  throw std::logic_error("a written kernel's tensor is stored like '" + tensor + "', which the kernel does not have");
}

/// The format, or where no file may say it, as that of a temporary with a list of coordinates and more dimensions
/// behind these, one whose rows have lists of their own.
static format::Format writable(format::Format format) {
  if (!format::checkLevels(format.levels))
    return format;
  for (format::Level &level : format.levels) {
    level.unique = true;
    if (level.hasWidthOne())
      level.extent = format::Extent::Ragged;
  }
  return format;
}

format::StoredTensor storedLike(format::FormatLoader &loader, const sema::Kernel &kernel, const std::string &name,
                                const std::string &like, bool sharesStructure) {
  format::StoredTensor stored{name, writable(formatOf(kernel, like)), "", ""};
  if (sharesStructure)
    stored.structureOf = like;
  else
    stored.knownName = knownNameOf(loader, stored.format);
  return stored;
}

std::optional<sema::Kernel> planWritten(Session &session, const std::string &path, const std::string &text,
                                        const std::vector<format::StoredTensor> &stored, sema::Options options,
                                        Diagnostics &found) {
  const syntax::Kernel tree = syntax::parse(session.sources().add(path, text), found);
  if (found.hasErrors())
    return std::nullopt;
  options.types = typesOf(tree, options.types);
  options.readConstant = host::constantReader(host::constantFolder(path));
  return sema::analyze(tree, bindingsOf(stored), options, found);
}

} // namespace spc::driver
