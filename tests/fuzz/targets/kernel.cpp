// A line of arguments of --format, then a kernel: parsed, printed, checked and planned; what is written of the program
// has the same plan. Arguments that begin with
// `type:` and `index:` are those of --type and --index.
#include "fuzz/targets/check_text.h"

#include "abi/signature.h"
#include "format/format_file.h"
#include "sema/given_types.h"

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

using namespace spc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const std::string input(reinterpret_cast<const char *>(bytes), size);
  const size_t lineEnd = std::min(input.find('\n'), input.size());
  SourceManager sources;
  Diagnostics diagnostics;
  format::FormatLoader loader({}, sources, diagnostics);
  std::vector<format::Binding> bindings;
  std::istringstream arguments(input.substr(0, lineEnd));
  sema::Options options{.function = "kernel", .verify = true};
  for (std::string argument; arguments >> argument;) {
    const size_t colon = argument.find(':');
    const std::string option = argument.substr(0, colon),
                      value = argument.substr(std::min(colon, argument.size() - 1) + 1);
    if (option == "type") {
      if (auto given = sema::readGivenType(value, sources, diagnostics))
        options.types.push_back(std::move(*given));
    } else if (option == "index") {
      if (auto given = sema::readGivenIndexType(value, sources, diagnostics))
        options.indexTypes.push_back(std::move(*given));
    } else if (argument.find('/') == std::string::npos && argument.find(".json") == std::string::npos)
      for (format::Binding &binding : loader.load(argument))
        bindings.push_back(std::move(binding));
  }
  const SourceFile &file = sources.add("kernel.tex", input.substr(std::min(lineEnd + 1, input.size())));
  const syntax::Kernel tree = syntax::parse(file, diagnostics);
  for (const syntax::Statement &statement : tree.statements)
    if (statement.value)
      syntax::toSource(statement);
  if (!diagnostics.hasErrors()) {
    const auto program = sema::check(tree, bindings, options, diagnostics);
    if (const auto kernel = program ? sema::plan(*program, options, diagnostics) : std::nullopt) {
      testing::checkText(*program, *kernel, bindings, options, sources);
      abi::makeSignature(*kernel);
    } else if (!diagnostics.hasErrors()) {
      std::abort(); // refused without a reason
    }
  }
  testing::checkMessages(diagnostics);
  return 0;
}
