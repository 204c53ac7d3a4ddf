// Assembly to objects.
#pragma once

#include "codegen/cpu/cpu_levels.h"

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace spc::codegen {

/// A part of a text in assembly, and the level of x86-64 that it is for; none: the machine's processor.
struct AssemblyText {
  std::string text;
  std::optional<CpuLevel> level;
};

/// Makes an object of texts, one after the other: the bytes that emit() makes of the functions and variables in this
/// order.
class Assembler {
public:
  explicit Assembler(const llvm::TargetMachine &machine);
  ~Assembler();

  /// False where it is no assembly for the level; nothing may be added then.
  bool add(const AssemblyText &text);

  /// The object's bytes, once all texts are there. Empty where what they say together is no object.
  std::string finish();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace spc::codegen
