#include "codegen/cpu/cpu_levels.h"
#include "codegen/cpu/target.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <catch2/catch.hpp>

namespace spc::codegen::test {
namespace {

using Levels = std::vector<CpuLevel>;

std::optional<Target> targetFor(const std::string &triple, const std::string &cpu, bool chooses = true) {
  Diagnostics diagnostics;
  std::optional<Target> target = createTarget({triple, cpu, 3}, chooses, diagnostics);
  CHECK(target.has_value() != diagnostics.hasErrors());
  return target;
}

Levels levelsFor(const std::string &triple, const std::string &cpu, bool chooses = true) {
  const std::optional<Target> target = targetFor(triple, cpu, chooses);
  REQUIRE(target);
  return target->levels;
}

TEST_CASE("objects choose a processor by default on x86-64 alone") {
  for (const char *triple : {"x86_64-linux-gnu", "x86_64-linux-musl", "x86_64-w64-windows-gnu", "x86_64-apple-macosx"})
    CHECK(levelsFor(triple, "") == Levels{1, 3, 4, 5});
  CHECK(levelsFor("x86_64-linux-gnu", "", false).empty());
  for (const char *triple : {"aarch64-linux-gnu", "i686-linux-gnu", "x86_64-linux-gnux32", "riscv64-linux-gnu"})
    CHECK(levelsFor(triple, "").empty());
}

TEST_CASE("a processor that is named is the only one, a list is sorted") {
  for (const char *cpu : {"x86-64", "x86-64-v3", "znver4"})
    CHECK(levelsFor("x86_64-linux-gnu", cpu).empty());
  CHECK(levelsFor("x86_64-linux-gnu", "x86-64-v3,x86-64-v2", false) == Levels{2, 3});
  CHECK(targetFor("x86_64-linux-gnu", "x86-64-v3,x86-64-v2")->machine->getTargetCPU() == "x86-64-v2");
  CHECK(targetFor("x86_64-linux-gnu", "x86-64-v4,x86-64")->machine->getTargetCPU() == "x86-64");
}

TEST_CASE("levels are known by their processors") {
  for (CpuLevel level = 1; level <= kFastGathers; ++level)
    CHECK(levelNamed(processorOf(level)) == level);
  for (const char *processor : {"", "znver4", "x86-64-v1", "x86-64-v5", "x86-64-v3,x86-64-v4"})
    CHECK_FALSE(levelNamed(processor));
}

TEST_CASE("what an object cannot tell apart stands in no list") {
  for (const char *list : {"x86-64,znver4", "native,x86-64", "x86-64,", ",", "x86-64,x86-64", "x86-64, x86-64-v3"}) {
    INFO(list);
    CHECK_FALSE(targetFor("x86_64-linux-gnu", list));
  }
  for (const char *triple : {"aarch64-linux-gnu", "x86_64-linux-gnux32", "i686-linux-gnu"})
    CHECK_FALSE(targetFor(triple, "x86-64,x86-64-v3"));
}

TEST_CASE("vectors fill the registers of a level, in a function of its own or alone") {
  const std::optional<Target> target = targetFor("x86_64-linux-gnu", "");
  REQUIRE(target);
  CHECK(vectorUnit(*target->machine).bytes == 16);
  const int64_t bytes[] = {16, 16, 32, 64};
  for (CpuLevel level = 1; level <= kAvx512; ++level) {
    CHECK(vectorUnit(*target->machine, level).bytes == bytes[level - 1]);
    CHECK(vectorUnit(*targetFor("x86_64-linux-gnu", processorOf(level))->machine).bytes == bytes[level - 1]);
  }
  CHECK(vectorUnit(*target->machine, kFastGathers).bytes == 64);
  for (const char *cpu : {"skylake-avx512", "rocketlake", "sapphirerapids", "graniterapids", "znver5"}) {
    INFO(cpu);
    CHECK(vectorUnit(*targetFor("x86_64-linux-gnu", cpu)->machine).bytes == 64);
  }
}

TEST_CASE("gathers are fast on level 5, and on what LLVM says so of that has AVX512-FP16") {
  const std::optional<Target> target = targetFor("x86_64-linux-gnu", "");
  REQUIRE(target);
  for (CpuLevel level = 1; level <= kFastGathers; ++level)
    CHECK(vectorUnit(*target->machine, level).gathersUnderMasks == (level == kFastGathers));
  for (const char *cpu : {"sapphirerapids", "graniterapids"})
    CHECK(vectorUnit(*targetFor("x86_64-linux-gnu", cpu)->machine).gathersUnderMasks);
  for (const char *cpu : {"x86-64", "x86-64-v4", "haswell", "skylake-avx512", "icelake-server", "znver4", "znver5"}) {
    INFO(cpu);
    CHECK_FALSE(vectorUnit(*targetFor("x86_64-linux-gnu", cpu)->machine).gathersUnderMasks);
  }
  CHECK_FALSE(vectorUnit(*targetFor("aarch64-linux-gnu", "")->machine).gathersUnderMasks);
}

/// A module whose `outer` calls `body`, of which there is another one for level 3.
std::unique_ptr<llvm::Module> moduleWithChoice(const llvm::TargetMachine &machine, llvm::LLVMContext &context) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(R"(
    define internal i64 @body(ptr %p, double %x, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f) { ret i64 %f }
    define internal i64 @body.v3(ptr %p, double %x, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f) { ret i64 %a }
    define i64 @outer(ptr %p, double %x) {
      %r = call i64 @body(ptr %p, double %x, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6)
      ret i64 %r
    })",
                                          problem, context);
  REQUIRE(module);
  setTarget(*module, machine);
  addChoice({1, 3}, {module->getFunction("body"), module->getFunction("body.v3")}, "body.v1");
  return module;
}

TEST_CASE("callers come to the body of the processor's level, on every system") {
  for (const char *triple : {"x86_64-linux-gnu", "x86_64-w64-windows-gnu", "x86_64-apple-macosx"}) {
    INFO(triple);
    const std::optional<Target> target = targetFor(triple, "");
    REQUIRE(target);
    llvm::LLVMContext context;
    auto module = moduleWithChoice(*target->machine, context);
    CHECK_FALSE(llvm::verifyModule(*module));
    CHECK(module->getFunction("body.v1"));
    const llvm::GlobalVariable *level = module->getNamedGlobal("spc_x86_64_level");
    REQUIRE(level);
    CHECK(level->hasLinkOnceODRLinkage());
    CHECK(level->hasHiddenVisibility());
    const std::string text = emit(*module, *target->machine, OutputKind::Assembly);
    CHECK(text.find("body.v3") != std::string::npos);
    CHECK(text.find("jmpq\t*") != std::string::npos); // the arguments stay where they are
    CHECK_FALSE(emit(*module, *target->machine, OutputKind::Object).empty());
  }
}

} // namespace
} // namespace spc::codegen::test
