#include "driver/shell/output_checks.h"

#include <filesystem>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kOutputPath{"output-path", Severity::Error};

} // namespace

bool sameFile(const std::string &first, const std::string &second) {
  std::error_code error;
  if (std::filesystem::equivalent(first, second, error) && !error)
    return true;
  namespace fs = std::filesystem;
  return fs::absolute(first, error).lexically_normal() == fs::absolute(second, error).lexically_normal();
}

bool checkNotInputs(Session &session, const std::vector<std::string> &outputs, const std::vector<std::string> &inputs) {
  for (const std::string &output : outputs)
    for (const std::string &input : inputs)
      if (!output.empty() && output != "-" && sameFile(output, input)) {
        const Span place = session.findValue("-o", output);
        session
            .usage(kOutputPath, place ? place : session.find(output),
                   "the output '" + output + "' would overwrite an input")
            .advise("write it to another file");
        return false;
      }
  return true;
}

} // namespace spc::driver
