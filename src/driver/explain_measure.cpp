#include "driver/explain_measure.h"

#include "driver/run_bench.h"
#include "driver/thread_pool.h"
#include "driver/version.h"

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

std::optional<explain::MeasuredTime> measureCall(Session &session, const sema::Kernel &kernel, const RunInputs &given,
                                                 int optLevel, Pages pages) {
  RunInputs inputs; // which packing uses up
  inputs.extents = given.extents;
  for (const RunInput &input : given.parameters)
    inputs.parameters.push_back({input.entries, std::nullopt, input.scalar});
  const abi::Signature signature = abi::makeSignature(kernel);
  std::optional<std::vector<CallArgument>> arguments = packArguments(session, kernel, signature, inputs);
  if (!arguments)
    return std::nullopt;
  const std::unique_ptr<codegen::JitKernel> code = pipeline::compileToMemory(kernel, optLevel, session.diagnostics());
  if (!code)
    return std::nullopt;
  const int threads = usualThreads();
  KernelCall call{*code, kernel, inputs, signature, *arguments, threadContext(threads)};
  const SavedArguments saved(call);
  {
    const Progress::Phase phase(session.progress(), "calling the kernel", WorkUnit::None);
    if (!callKernel(session, call))
      return std::nullopt;
  }
  const std::optional<Measurement> measured = measureCalls(session, call, saved, pages, 0);
  if (!measured)
    return std::nullopt;
  return explain::MeasuredTime{tune::median(measured->seconds), threads, memoryText(measured->memory)};
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
