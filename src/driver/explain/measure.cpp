#include "driver/explain/measure.h"

#include "driver/shell/version.h"
#include "host/kernel_call.h"
#include "host/measure.h"
#include "host/thread_pool.h"

#include "machine/processors.h"
#include "pipeline/compiler.h"
#include "tune/choice.h"

namespace spc::driver {

namespace {

/// As a shell takes it.
std::string quoted(const std::string &word) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+%@";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
    return word;
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

} // namespace

std::optional<explain::MeasuredTime> measureCall(Session &session, const sema::Kernel &kernel,
                                                 const host::Inputs &given, int optLevel, host::Pages pages) {
  host::Inputs inputs; // which packing uses up
  inputs.extents = given.extents;
  for (const host::Input &input : given.parameters)
    inputs.parameters.push_back({input.entries, std::nullopt, input.scalar});
  const abi::Signature signature = abi::makeSignature(kernel);
  std::optional<std::vector<host::CallArgument>> arguments = host::packArguments(session, kernel, signature, inputs);
  if (!arguments)
    return std::nullopt;
  const std::unique_ptr<codegen::JitKernel> code = pipeline::compileToMemory(kernel, optLevel, session.diagnostics());
  if (!code)
    return std::nullopt;
  const int threads = host::usualThreads();
  host::KernelCall call{*code, kernel, inputs, signature, *arguments, host::threadContext(threads)};
  const host::SavedArguments saved(call);
  {
    const Progress::Phase phase(session.progress(), "calling the kernel", WorkUnit::None);
    if (!host::callKernel(session, call))
      return std::nullopt;
  }
  const std::optional<host::Measurement> measured = host::measureCalls(session, call, saved, pages, 0);
  if (!measured)
    return std::nullopt;
  return explain::MeasuredTime{tune::median(measured->seconds), threads, host::memoryText(measured->memory)};
}

explain::Provenance provenanceOf(const Session &session) {
  const int processors = machine::processorCount();
  std::string command = "spc explain";
  for (const std::string &argument : session.arguments())
    command += " " + quoted(argument);
  return {versionText(),
          machine::processorName() + ", " + std::to_string(processors) +
              (processors == 1 ? " processor" : " processors"),
          command};
}

} // namespace spc::driver
