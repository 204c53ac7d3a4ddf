#include "driver/shell/divisions.h"

#include "sema/tree.h"

#include <algorithm>
#include <vector>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kUnknownIndex{"unknown-index", Severity::Error};

} // namespace

const sema::IndexDivision *findDivision(Session &session, const sema::Kernel &kernel, const std::string &by) {
  const std::vector<sema::IndexDivision> &all = kernel.divisions;
  const auto isNamed = [&](const sema::IndexDivision &one) { return sema::has(one.names, by); };
  const auto isOver = [&](const sema::IndexDivision &one) { return kernel.extents[one.extent].name == by; };
  auto found = std::find_if(all.begin(), all.end(), isNamed);
  if (found == all.end())
    found = std::find_if(all.begin(), all.end(), isOver);
  if (found != all.end())
    return &*found;
  std::vector<std::string> known;
  for (const sema::IndexDivision &one : all)
    known.insert(known.end(), one.names.begin(), one.names.end());
  const Span where = session.findValue("--by", by);
  Diagnostic &unknown =
      session.diagnostics().report(kUnknownIndex, where, "the kernel has no index variable '" + by + "'");
  if (std::optional<std::string> meant = didYouMean(by, known)) {
    unknown.message += " (did you mean '" + *meant + "'?)";
    unknown.fix(where, *meant);
  }
  return nullptr;
}

} // namespace spc::driver
