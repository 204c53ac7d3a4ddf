#include "codegen/cpu/assemble.h"

#include "codegen/cpu/cpu_levels.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <utility>

namespace spc::codegen {
namespace {

/// What instructions a function for the level may have, and how its code is padded.
const llvm::MCSubtargetInfo &subtarget(const llvm::TargetMachine &machine, std::optional<CpuLevel> level) {
  llvm::LLVMContext context;
  llvm::Module module("", context);
  module.setTargetTriple(machine.getTargetTriple());
  auto *function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                          llvm::Function::ExternalLinkage, "", module);
  if (level)
    setLevel(*function, *level);
  return *machine.getSubtargetImpl(*function);
}

} // namespace

struct Assembler::State {
  explicit State(const llvm::TargetMachine &machine)
      : machine(machine), context(machine.getTargetTriple(), machine.getMCAsmInfo(), machine.getMCRegisterInfo(),
                                  machine.getMCSubtargetInfo(), nullptr, &machine.Options.MCOptions) {}

  const llvm::TargetMachine &machine;
  llvm::MCContext context;
  std::unique_ptr<llvm::MCObjectFileInfo> sections;
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  std::unique_ptr<llvm::MCStreamer> streamer;
  bool isEmpty = true;
};

Assembler::Assembler(const llvm::TargetMachine &machine) : state_(std::make_unique<State>(machine)) {
  const llvm::Target &target = machine.getTarget();
  const llvm::MCSubtargetInfo &processor = *machine.getMCSubtargetInfo();
  llvm::MCContext &context = state_->context;
  state_->sections.reset(target.createMCObjectFileInfo(context, machine.isPositionIndependent()));
  context.setObjectFileInfo(state_->sections.get());
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target.createMCAsmBackend(processor, *machine.getMCRegisterInfo(), machine.Options.MCOptions));
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  if (!backend || !emitter)
    return;
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(state_->stream);
  state_->streamer.reset(target.createMCObjectStreamer(machine.getTargetTriple(), context, std::move(backend),
                                                       std::move(writer), std::move(emitter), processor));
}

Assembler::~Assembler() = default;

bool Assembler::add(const AssemblyText &text) {
  const llvm::TargetMachine &machine = state_->machine;
  if (!state_->streamer)
    return false;
  llvm::SourceMgr sources;
  sources.setDiagHandler([](const llvm::SMDiagnostic &, void *) {});
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text.text, "", true), llvm::SMLoc());
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, state_->context, *state_->streamer, *machine.getMCAsmInfo()));
  const std::unique_ptr<llvm::MCTargetAsmParser> instructions(machine.getTarget().createMCAsmParser(
      subtarget(machine, text.level), *parser, *machine.getMCInstrInfo(), machine.Options.MCOptions));
  if (!instructions)
    return false;
  parser->setTargetParser(*instructions);
  const bool isFirst = std::exchange(state_->isEmpty, false);
  return !parser->Run(/*NoInitialTextSection=*/!isFirst, /*NoFinalize=*/true);
}

std::string Assembler::finish() {
  state_->streamer->finish();
  return state_->context.hadError() ? std::string() : state_->bytes.str().str();
}

} // namespace spc::codegen
