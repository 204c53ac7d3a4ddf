// Target machines and what objects for them hold.
#include "codegen/object.h"
#include "harness/probe.h"
#include "runtime/bitcode.h"
#include "runtime/contract.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <set>

namespace spc::codegen::test {
namespace {

using entry::test::Compiled;
using entry::test::compileProbe;
using entry::test::formatOf;
using entry::test::Probe;

using Names = std::set<std::string>;

/// A kernel that needs no memory, one that copies a vector whose elements lie apart, and one that has a temporary and a
/// copy.
Probe plainProbe() {
  Probe probe;
  const auto m = probe.extent("m");
  sema::Tensor &out = probe.kernel.tensors[probe.kernel.parameters.front()];
  out.format = formatOf("dd");
  out.extents.push_back(m);
  probe.operand("x", formatOf("dd"), {m, m});
  probe.operand("beta", formatOf(""), {}, sema::ValueType::F32);
  probe.ask(R"(values, "x")");
  probe.ask(R"(scalar, "beta")");
  return probe;
}

Probe vectorProbe() {
  Probe probe;
  probe.operand("x", formatOf("d"), {probe.extent("m")});
  probe.ask(R"(values, "x")");
  return probe;
}

Probe copyingProbe() {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  const auto a = probe.operand("A", formatOf("dc"), {m, n});
  probe.temporary("t", formatOf("d"), {n});
  probe.converted("copy", formatOf("dc", {1, 0}), a);
  probe.ask(R"(values, "copy")");
  return probe;
}

std::string objectFor(const Probe &probe, const TargetOptions &target) {
  Compiled compiled = compileProbe(probe, target);
  return emit(*compiled.module, *compiled.machine, OutputKind::Object);
}

struct Symbols {
  Names undefined;
  Names exported;
  llvm::Triple::ArchType architecture = llvm::Triple::UnknownArch;
};

Symbols symbolsOf(const std::string &bytes) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel.o"));
  if (!file)
    throw std::runtime_error(llvm::toString(file.takeError()));
  Symbols result;
  result.architecture = (*file)->getArch();
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    const uint32_t flags = llvm::cantFail(symbol.getFlags());
    const std::string name = llvm::cantFail(symbol.getName()).str();
    // Places that linkers provide are no functions of anyone's.
    const bool isPlace = name.empty() || name == "_GLOBAL_OFFSET_TABLE_" || name == ".TOC." || name.starts_with("__");
    if ((flags & llvm::object::SymbolRef::SF_Undefined) != 0 && !isPlace)
      result.undefined.insert(name);
    else if ((flags & llvm::object::SymbolRef::SF_Global) != 0 && !isPlace)
      result.exported.insert(name);
  }
  return result;
}

std::string failure(const TargetOptions &options, std::string *help = nullptr) {
  Diagnostics diagnostics;
  if (createTargetMachine(options, diagnostics))
    return "";
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.hasErrors());
  if (help)
    *help = diagnostics.all().front().help;
  return std::string(diagnostics.all().front().kind.id);
}

/// LLVM may call libc's memset and memcpy where the runtime clears or copies.
Names withoutMemoryCalls(Names names) {
  names.erase("memset");
  names.erase("memcpy");
  return names;
}

/// The typed function, the untyped one and the signature.
Names exportsOf(const Probe &probe) {
  const abi::Signature signature = probe.signature();
  return {signature.symbol(), signature.argvSymbol(), signature.dataSymbol()};
}

} // namespace

TEST_CASE("objects export the entry alone and need malloc only where they allocate") {
  const std::vector<std::pair<std::string, llvm::Triple::ArchType>> targets{
      {"", llvm::Triple(LLVM_HOST_TRIPLE).getArch()},   {"x86_64-linux-gnu", llvm::Triple::x86_64},
      {"aarch64-linux-gnu", llvm::Triple::aarch64},     {"riscv64-linux-gnu", llvm::Triple::riscv64},
      {"wasm32-unknown-unknown", llvm::Triple::wasm32},
  };
  for (const auto &[triple, architecture] : targets) {
    for (int level = 0; level <= 3; ++level) {
      INFO(triple << " -O" << level);
      const Symbols plain = symbolsOf(objectFor(plainProbe(), {triple, "", level}));
      CHECK(plain.architecture == architecture);
      CHECK(plain.exported == exportsOf(plainProbe()));
      CHECK(plain.undefined == Names{});
      const bool hasHugePages = triple.find("linux") != std::string::npos || triple.empty();
      for (const Probe &probe : {vectorProbe(), copyingProbe()}) {
        const Symbols copying = symbolsOf(objectFor(probe, {triple, "", level}));
        CHECK(copying.exported == exportsOf(probe));
        CHECK(withoutMemoryCalls(copying.undefined) ==
              (hasHugePages ? Names{"aligned_alloc", "free", "madvise", "malloc"} : Names{"free", "malloc"}));
      }
    }
  }
}

TEST_CASE("every supported architecture gets an object") {
  for (const char *triple :
       {"aarch64_be-linux-gnu", "arm-linux-gnueabihf", "armv7-linux-gnueabihf", "i686-linux-gnu",
        "loongarch64-linux-gnu", "mips64el-linux-gnuabi64", "powerpc64le-linux-gnu", "powerpc-linux-gnu",
        "riscv32-linux-gnu", "s390x-linux-gnu", "sparcv9-linux-gnu", "wasm64-unknown-unknown", "x86_64-w64-windows-gnu",
        "arm64-apple-macosx", "x86_64-linux-gnux32"}) {
    INFO(triple);
    const Symbols symbols = symbolsOf(objectFor(plainProbe(), {triple, "", 3}));
    CHECK(symbols.exported.size() == 3);
    CHECK(symbols.undefined == Names{});
  }
}

TEST_CASE("RISC-V objects have the float ABI of C compilers") {
  const std::string bytes = objectFor(plainProbe(), {"riscv64-linux-gnu", "", 2});
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel.o"));
  REQUIRE(static_cast<bool>(file));
  const auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->get());
  REQUIRE(elf);
  CHECK((elf->getPlatformFlags() & llvm::ELF::EF_RISCV_FLOAT_ABI) == llvm::ELF::EF_RISCV_FLOAT_ABI_DOUBLE);
  CHECK((elf->getPlatformFlags() & llvm::ELF::EF_RISCV_RVC) != 0);
}

TEST_CASE("two runs give the same bytes and no folder names") {
  for (const auto kind : {OutputKind::LlvmIr, OutputKind::Assembly, OutputKind::Object}) {
    std::string outputs[2];
    for (std::string &output : outputs) {
      Compiled compiled = compileProbe(copyingProbe(), {"x86_64-linux-gnu", "x86-64-v3", 3});
      output = emit(*compiled.module, *compiled.machine, kind);
    }
    CHECK_FALSE(outputs[0].empty());
    CHECK(outputs[0] == outputs[1]);
    CHECK(outputs[0].find("probe.tex") != std::string::npos);
    CHECK(outputs[0].find("folder") == std::string::npos);
    CHECK(outputs[0].find(SPC_SOURCE_DIR) == std::string::npos);
  }
}

TEST_CASE("text IR can be read back") {
  for (const char *triple : {"x86_64-linux-gnu", "riscv64-linux-gnu"}) {
    Compiled compiled = compileProbe(copyingProbe(), {triple, "", 2});
    const std::string text = emit(*compiled.module, *compiled.machine, OutputKind::LlvmIr);
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    INFO(problem.getMessage().str());
    CHECK(llvm::parseAssemblyString(text, problem, context));
    CHECK_FALSE(emit(*compiled.module, *compiled.machine, OutputKind::Object).empty());
  }
}

TEST_CASE("the runtime is internal and takes the kernel's processor") {
  Compiled compiled = compileProbe(copyingProbe(), {"x86_64-linux-gnu", "x86-64-v3", 0});
  const auto runtimeFunctions = [](const llvm::Module &module) {
    return llvm::count_if(module, [](const llvm::Function &f) { return f.getName().starts_with("spc.rt."); });
  };
  CHECK(runtimeFunctions(*compiled.module) > 0);
  const Names memory{"aligned_alloc", "free", "madvise", "malloc"};
  for (const llvm::Function &function : *compiled.module) {
    CHECK((function.hasInternalLinkage() || !function.getName().starts_with("spc.rt.")));
    CHECK_FALSE(function.hasFnAttribute("target-cpu"));
    CHECK_FALSE(function.hasFnAttribute("target-features"));
    CHECK((!function.isDeclaration() || function.isIntrinsic() || memory.count(function.getName().str()) > 0));
  }
  CHECK(runtimeFunctions(*compileProbe(plainProbe(), {"x86_64-linux-gnu", "", 0}).module) == 0);
}

TEST_CASE("copies and sums of lengths are refused where there is no runtime") {
  for (const char *triple : {"powerpc64le-linux-gnu", "x86_64-linux-gnux32", "aarch64_be-linux-gnu"})
    CHECK_THROWS_WITH(compileProbe(copyingProbe(), {triple, "", 2}),
                      Catch::Contains("calls the runtime, which is not available"));
  Probe lengths;
  lengths.operand("A", formatOf("dl"), {lengths.extent("m"), lengths.extent("n")});
  CHECK_THROWS_WITH(compileProbe(lengths, {"powerpc64le-linux-gnu", "", 2}),
                    Catch::Contains("calls the runtime, which is not available"));
}

TEST_CASE("wasm32 passes malloc a size of its own width") {
  const auto parameterBits = [](const char *triple) {
    Compiled compiled = compileProbe(copyingProbe(), {triple, "", 0});
    return compiled.module->getFunction("malloc")->getFunctionType()->getParamType(0)->getIntegerBitWidth();
  };
  CHECK(parameterBits("wasm32-unknown-unknown") == 32);
  CHECK(parameterBits("x86_64-linux-gnu") == 64);
}

TEST_CASE("the body is kept apart, and the entry returns a status as C does") {
  Compiled compiled = compileProbe(plainProbe(), {"riscv64-linux-gnu", "", 3});
  const llvm::Function *body = compiled.module->getFunction("probe.body");
  REQUIRE(body);
  CHECK(body->hasInternalLinkage());
  CHECK(body->getArg(0)->hasNoAliasAttr());
  const llvm::Function *entry = compiled.module->getFunction(plainProbe().signature().symbol());
  REQUIRE(entry);
  CHECK(entry->doesNotThrow());
  CHECK(entry->getReturnType()->isIntegerTy(32));
  CHECK(entry->hasRetAttribute(llvm::Attribute::SExt));
  CHECK(entry->getArg(3)->getType()->isFloatTy());
}

TEST_CASE("kernels may be named like a C function") {
  for (const char *name : {"malloc", "free", "exp", "main"}) {
    Probe probe = copyingProbe();
    probe.kernel.function = name;
    const Symbols symbols = symbolsOf(objectFor(probe, {"x86_64-linux-gnu", "", 3}));
    CHECK(symbols.exported == exportsOf(probe));
    CHECK(withoutMemoryCalls(symbols.undefined) == Names{"aligned_alloc", "free", "madvise", "malloc"});
  }
}

TEST_CASE("wrong targets and processors are diagnosed") {
  std::string help;
  CHECK(failure({"aarc64-linux-gnu"}, &help) == "unknown-target");
  CHECK(help.find("aarch64-") != std::string::npos);
  CHECK(failure({"nonsense"}, &help) == "unknown-target");
  CHECK(help.find("x86_64") != std::string::npos);
  CHECK(failure({"\x01\xff-\n"}) == "unknown-target");
  CHECK(failure({"-"}) == "unknown-target");
  for (const char *triple : {"nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa", "bpf", "spirv64", "avr"})
    CHECK(failure({triple}) == "unsupported-target");
  CHECK(failure({"x86_64-linux-gnu", "skylak"}, &help) == "unknown-cpu");
  CHECK(help.find("skylake") != std::string::npos);
  CHECK(failure({"aarch64-linux-gnu", "skylake"}) == "unknown-cpu");
  CHECK(failure({"aarch64-linux-gnu", "native"}) ==
        (llvm::Triple(LLVM_HOST_TRIPLE).isAArch64() ? "" : "foreign-native-cpu"));
  CHECK(failure({"", "native"}).empty());
  CHECK(failure({"aarch64-linux-gnu", "neoverse-n1"}).empty());
}

TEST_CASE("this machine's processor has what a list of all its features says") {
  Diagnostics diagnostics;
  const auto machine = createTargetMachine({"", "native"}, diagnostics);
  REQUIRE(machine);
  std::string added, removed;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    (feature.getValue() ? added : removed) += (feature.getValue() ? ",+" : ",-") + feature.getKey().str();
  const llvm::Triple &triple = machine->getTargetTriple();
  const std::unique_ptr<llvm::MCSubtargetInfo> listed(
      machine->getTarget().createMCSubtargetInfo(triple, machine->getTargetCPU(), tuningOf(triple) + added + removed));
  CHECK(machine->getMCSubtargetInfo()->getFeatureBits() == listed->getFeatureBits());
}

TEST_CASE("the contract lists what of the runtime becomes part of its callers") {
  llvm::LLVMContext context;
  const std::string_view bitcode = runtime::bitcodeFor("x86_64");
  auto whole = llvm::parseBitcodeFile(llvm::MemoryBufferRef({bitcode.data(), bitcode.size()}, "runtime"), context);
  REQUIRE(static_cast<bool>(whole));
  Names marked, listed;
  for (const llvm::Function &function : **whole)
    if (function.hasFnAttribute(llvm::Attribute::AlwaysInline) && function.getName().starts_with(runtime::kCPrefix))
      marked.insert(runtime::kSymbolPrefix + function.getName().drop_front(std::strlen(runtime::kCPrefix)).str());
  for (const runtime::Function &function : runtime::kShortFunctions)
    listed.insert(function.symbol);
  CHECK(marked == listed);
}

} // namespace spc::codegen::test
