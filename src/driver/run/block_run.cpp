#include "driver/run/block_run.h"

#include "driver/run/block_choice.h"
#include "driver/run/block_results.h"
#include "host/block_feed.h"
#include "host/thread_pool.h"
#include "pipeline/compiler.h"
#include "support/memory.h"

#include <utility>

namespace spc::driver {

namespace {

/// Gives operands that are whole to a call, and takes them back, so that they are packed once.
class WholeOperands {
public:
  WholeOperands(const sema::Kernel &kernel, host::Inputs &inputs) : inputs_(inputs) {
    for (size_t k = 0; k < kernel.parameters.size(); ++k) {
      const host::Input &input = inputs.parameters[k];
      if (input.packed || input.entries)
        (sema::structureOwner(kernel, kernel.parameters[k]) == kernel.parameters[k] ? own_ : sharing_).push_back(k);
    }
  }

  void give(host::Inputs &block) {
    for (const size_t k : own_) {
      block.parameters[k].packed = std::exchange(inputs_.parameters[k].packed, std::nullopt);
      block.parameters[k].entries = std::exchange(inputs_.parameters[k].entries, std::nullopt);
    }
    for (const size_t k : sharing_) // which are packed into the structures of others
      block.parameters[k].entries = inputs_.parameters[k].entries;
  }

  void takeBack(std::vector<host::CallArgument> &arguments) {
    for (const size_t k : own_)
      inputs_.parameters[k].packed = std::move(arguments[k].tensor);
  }

private:
  host::Inputs &inputs_;
  std::vector<size_t> own_, sharing_;
};

bool callOne(Session &session, host::KernelCall call, const host::OperandBlock &block) {
  Progress::Phase phase(session.progress(),
                        "running on " + std::to_string(block.begin) + " to " + std::to_string(block.end),
                        WorkUnit::Tasks);
  const host::CountingContext counting(call.context, phase.count());
  call.context = counting.context();
  return host::callKernel(session, call);
}

/// Calls the kernel with one block after the other. False with an error reported.
bool callAll(Session &session, host::BlockFeed &feed, host::Inputs &inputs, BlockResults &results,
             const codegen::JitKernel &code, const sema::Kernel &kernel, const abi::Signature &signature,
             const void *context) {
  WholeOperands whole(kernel, inputs);
  do {
    std::optional<host::OperandBlock> block = feed.next(results.held());
    if (!block)
      return false;
    whole.give(block->inputs);
    std::optional<std::vector<host::CallArgument>> arguments =
        host::packArguments(session, kernel, signature, block->inputs);
    if (!arguments)
      return false;
    host::KernelCall call{code, kernel, block->inputs, signature, *arguments, context};
    if (!callOne(session, call, *block) || !results.take(*block, call))
      return false;
    whole.takeBack(*arguments);
  } while (!feed.ended());
  return true;
}

} // namespace

void runInBlocks(Session &session, const RunCommandOptions &options, const sema::Kernel &kernel,
                 const syntax::Kernel &tree, const OutputFiles &files, const BlockCounts &counts, PhaseTimer &timer) {
  const std::optional<BlockChoice> choice = chooseBlocks(session, kernel, options);
  if (!choice)
    return;
  host::InputOptions wanted = options.inputs;
  wanted.blocks = choice->blocks;
  std::optional<host::Inputs> inputs = host::readInputs(session, kernel, tree, wanted);
  timer.phase("read the inputs");
  if (!inputs)
    return;
  const abi::Signature signature = abi::makeSignature(kernel);
  host::BlockFeed feed(session, kernel, *choice->division, choice->blocks, *inputs);
  BlockResults results(session, kernel, signature, *choice->division, *inputs, files, choice->blocks.memory);
  if (!feed.fits(results.held()) || !results.begin())
    return;
  session.flush();
  releaseFreedMemory();
  const std::unique_ptr<codegen::JitKernel> code = pipeline::compileToMemory(
      kernel, options.shared.optLevel, session.diagnostics(), /*codeHash=*/nullptr, options.shared.verify);
  timer.phase("compile into memory");
  if (!code)
    return;
  releaseFreedMemory();
  const void *const context = host::threadContext(counts.threads);
  if (!callAll(session, feed, *inputs, results, *code, kernel, signature, context))
    return;
  timer.phase("read and compute in blocks");
  results.deliver(*code, context, counts.digits);
  timer.phase("write the outputs");
}

} // namespace spc::driver
