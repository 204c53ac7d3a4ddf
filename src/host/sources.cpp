#include "host/sources.h"

#include <algorithm>
#include <filesystem>

namespace spc::host {

namespace {

constexpr DiagnosticKind kNotANumber{"not-a-number", Severity::Error};
constexpr DiagnosticKind kMalformedGenerator{"malformed-generator", Severity::Error};

const std::vector<std::string> kGenerators = {"ones", "zeros", "random"};

} // namespace

std::vector<std::string> dataFiles(const InputOptions &options) {
  std::vector<std::string> files;
  for (const std::string &input : options.given) {
    const std::string source = input.substr(input.find('=') + 1);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(source, ignored))
      files.push_back(source);
  }
  return files;
}

bool isMeantAsGenerator(const std::string &source) {
  const std::string word = source.substr(0, source.find(':'));
  return tensor::isGenerator(source) ||
         (source.find_first_of("./") == std::string::npos && didYouMean(word, kGenerators).has_value());
}

std::optional<tensor::Generator> readGenerator(Session &session, const Assignment &assignment) {
  const std::string &source = assignment.value;
  const std::string word = source.substr(0, source.find(':'));
  std::optional<tensor::Generator> generator;
  if (tensor::isGenerator(source))
    generator = tensor::readGenerator(source, assignment.where, session.diagnostics());
  else if (const std::optional<std::string> near = didYouMean(word, kGenerators))
    session.usage(kMalformedGenerator, assignment.where, "cannot read '" + word + "' in '" + source + "'")
        .advise("did you mean '" + *near + source.substr(word.size()) + "'? A file of that name is written ./" +
                source);
  if (!generator)
    session.blameCommandLine();
  return generator;
}

tensor::Number readScalar(Session &session, const Assignment &assignment, const sema::Tensor &scalar) {
  const std::optional<tensor::Number> number = readNumber(assignment.value, sema::isComplex(scalar.type));
  alignas(16) unsigned char stored[16];
  if (!number)
    session.diagnostics()
        .report(kNotANumber, assignment.where, "'" + assignment.value + "' is no number")
        .note(scalar.where, "'" + assignment.name + "' is a scalar");
  else if (!tensor::storeNumber(stored, scalar.type, 0, *number))
    session.diagnostics()
        .report(kNotANumber, assignment.where, "'" + assignment.value + "' " + tensor::whyNotStored(scalar.type))
        .note(scalar.where, "'" + assignment.name + "' is of that type");
  return number.value_or(tensor::Number());
}

void addMissingInputs(const sema::Kernel &kernel, InputOptions &options) {
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    const std::string start = (tensor.partOf.empty() ? tensor.name : tensor.partOf) + "=";
    const auto isIt = [&](const std::string &input) { return input.starts_with(start); };
    if (tensor.isRead && tensor.part == 0 && std::none_of(options.given.begin(), options.given.end(), isIt))
      options.given.push_back(start + (tensor.order() == 0 ? "1" : "random"));
  }
}

} // namespace spc::host
