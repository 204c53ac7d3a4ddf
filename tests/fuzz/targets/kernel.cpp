// A line of --format arguments, then a kernel: parsed, printed, checked and planned.
#include "abi/signature.h"
#include "format/format_file.h"
#include "sema/analyze.h"
#include "support/render.h"
#include "syntax/parser.h"

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  using namespace spc;
  const std::string input(reinterpret_cast<const char *>(bytes), size);
  const size_t lineEnd = std::min(input.find('\n'), input.size());
  SourceManager sources;
  Diagnostics diagnostics;
  format::FormatLoader loader({}, sources, diagnostics);
  std::vector<format::Binding> bindings;
  std::istringstream arguments(input.substr(0, lineEnd));
  for (std::string argument; arguments >> argument;)
    if (argument.find('/') == std::string::npos && argument.find(".json") == std::string::npos)
      for (format::Binding &binding : loader.load(argument))
        bindings.push_back(std::move(binding));
  const SourceFile &file = sources.add("kernel.tex", input.substr(std::min(lineEnd + 1, input.size())));
  const syntax::Kernel tree = syntax::parse(file, diagnostics);
  for (const syntax::Statement &statement : tree.statements)
    if (statement.value)
      syntax::toSource(statement);
  if (!diagnostics.hasErrors()) {
    if (const auto kernel = sema::analyze(tree, bindings, {.function = "kernel"}, diagnostics)) {
      sema::describe(*kernel);
      abi::makeSignature(*kernel);
    } else if (!diagnostics.hasErrors()) {
      std::abort(); // refused without a reason
    }
  }
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    renderText(diagnostic, true);
    renderJson(diagnostic);
    if (diagnostic.severity == Severity::Internal)
      std::abort();
  }
  return 0;
}
