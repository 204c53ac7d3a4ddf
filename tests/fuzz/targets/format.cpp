// A format file: read, described, and made into structs for each order that it has.
#include "abi/signature.h"
#include "format/format_file.h"
#include "fuzz/targets/files.h"
#include "support/render.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  using namespace spc;
  SourceManager sources;
  Diagnostics diagnostics;
  format::FormatLoader loader({}, sources, diagnostics);
  const std::vector<format::Binding> bindings = loader.load(testing::fileWith(bytes, size, ".json"));
  for (const format::Binding &binding : bindings)
    for (int order = 1; binding.family && order <= 9; ++order)
      if (const auto format = binding.family->instantiate(order)) {
        if (format->order() != order)
          std::abort();
        format::describe(*format);
        for (const format::Format &part : format->parts)
          abi::structFor(part, sema::ValueType::F64);
        if (!format->isSum())
          abi::structFor(*format, sema::ValueType::F32);
      }
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    renderText(diagnostic, false);
    renderJson(diagnostic);
    if (diagnostic.severity == Severity::Internal)
      std::abort();
  }
  return 0;
}
