// What is written of a program reads as the same program, and every message can be rendered.
#pragma once

#include "sema/analyze.h"
#include "sema/program.h"
#include "support/render.h"
#include "syntax/parser.h"

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace spc::testing {

/// Aborts unless a program's text reads as the same program, with the same plan. A semiring's sums may be nested deeper
/// than text may be.
inline void checkText(const sema::Program &program, const sema::Kernel &kernel,
                      const std::vector<format::Binding> &bindings, const sema::Options &options,
                      SourceManager &sources) {
  Diagnostics diagnostics;
  const std::string text = sema::toText(program);
  const syntax::Kernel tree = syntax::parse(sources.add("kernel.tex", text), diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.kind.id == std::string_view("nesting-too-deep"))
      return;
  const auto again = sema::check(tree, bindings, options, diagnostics);
  const auto planned = again ? sema::plan(*again, options, diagnostics) : std::nullopt;
  if (!planned || sema::toText(*again) != text || sema::describe(*planned) != sema::describe(kernel)) {
    std::cerr << text;
    std::abort();
  }
}

/// Renders each message, and aborts on a bug of ours.
inline void checkMessages(const Diagnostics &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    renderText(diagnostic, true);
    renderJson(diagnostic);
    if (diagnostic.severity == Severity::Internal)
      std::abort();
  }
}

} // namespace spc::testing
