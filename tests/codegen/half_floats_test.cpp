// Conversions of 16-bit floats: their values, and that objects need no library for them.
#include "codegen/half_floats.h"
#include "codegen/jit.h"
#include "codegen/object.h"
#include "harness/probe.h"

#include "runtime/values.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace spc::codegen::test {
namespace {

using entry::test::Compiled;
using entry::test::compileProbe;
using entry::test::formatOf;
using entry::test::Probe;

/// A 16-bit format: fraction bits and the least exponent.
struct Narrow {
  const char *name;
  int fraction;
  int least;
  int largest;
};
constexpr Narrow kHalf{"half", 10, -14, 15};
constexpr Narrow kBrain{"bfloat", 7, -126, 127};

/// The value of 16 bits, from the definition.
double valueOf(const Narrow &type, uint16_t bits) {
  const int exponentBits = 15 - type.fraction;
  const int exponent = bits >> type.fraction & ((1 << exponentBits) - 1);
  const int fraction = bits & ((1 << type.fraction) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(fraction, type.least - type.fraction);
  return sign * std::ldexp(fraction + (1 << type.fraction), exponent - 1 + type.least - type.fraction);
}

/// The nearest value of the type, ties to even; exact arithmetic on doubles.
double rounded(const Narrow &type, double value) {
  if (!std::isfinite(value) || value == 0)
    return value;
  const int exponent = std::max(std::ilogb(value), type.least);
  const double result =
      std::ldexp(std::nearbyint(std::ldexp(value, type.fraction - exponent)), exponent - type.fraction);
  return std::fabs(result) >= std::ldexp(1, type.largest + 1)
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : result;
}

/// `int32_t f_argv(ctx, void **)` that converts arguments[0], arguments[1] elements of `from`, into arguments[2].
std::string convertingText(const std::string &from, const std::string &to, const std::string &op) {
  return "define i32 @f_argv(ptr %ctx, ptr %args) {\n"
         "entry:\n"
         "  %a1 = getelementptr ptr, ptr %args, i64 0\n"
         "  %a2 = getelementptr ptr, ptr %args, i64 1\n"
         "  %a3 = getelementptr ptr, ptr %args, i64 2\n"
         "  %in = load ptr, ptr %a1\n"
         "  %np = load ptr, ptr %a2\n"
         "  %out = load ptr, ptr %a3\n"
         "  %n = load i64, ptr %np\n"
         "  br label %loop\n"
         "loop:\n"
         "  %i = phi i64 [0, %entry], [%next, %loop]\n"
         "  %x = getelementptr " +
         from +
         ", ptr %in, i64 %i\n"
         "  %y = getelementptr " +
         to +
         ", ptr %out, i64 %i\n"
         "  %value = load " +
         from +
         ", ptr %x\n"
         "  %result = " +
         op + " " + from + " %value to " + to +
         "\n"
         "  store " +
         to +
         " %result, ptr %y\n"
         "  %next = add i64 %i, 1\n"
         "  %more = icmp slt i64 %next, %n\n"
         "  br i1 %more, label %loop, label %done\n"
         "done:\n"
         "  ret i32 0\n"
         "}\n";
}

struct Converted {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

Converted compileText(const std::string &text, const TargetOptions &target) {
  Converted result;
  Diagnostics diagnostics;
  llvm::SMDiagnostic problem;
  result.machine = createTargetMachine(target, diagnostics);
  result.module = llvm::parseAssemblyString(text, problem, *result.context);
  INFO(problem.getMessage().str());
  REQUIRE(result.machine);
  REQUIRE(result.module);
  optimize(*result.module, *result.machine, target.optLevel);
  return result;
}

template <typename To, typename From>
std::vector<To> convert(const std::vector<From> &values, const std::string &text, const TargetOptions &target) {
  Converted compiled = compileText(text, target);
  std::string error;
  const auto jit =
      loadJit(std::move(compiled.module), std::move(compiled.context), "f", llvm::CodeGenOptLevel::Default, error);
  INFO(error);
  REQUIRE(jit);
  std::vector<To> results(values.size());
  auto count = static_cast<int64_t>(values.size());
  void *arguments[] = {const_cast<From *>(values.data()), &count, results.data()};
  jit->invoke()(nullptr, arguments);
  return results;
}

std::vector<uint16_t> allPatterns() {
  std::vector<uint16_t> bits(65536);
  for (size_t b = 0; b < bits.size(); ++b)
    bits[b] = static_cast<uint16_t>(b);
  return bits;
}

template <typename Wide> bool same(double expected, Wide value) {
  return std::isnan(expected) ? std::isnan(value) : expected == value && std::signbit(expected) == std::signbit(value);
}

/// Every value of the type, what lies halfway between neighbours and next to that, and random bits.
template <typename Wide> std::vector<Wide> interesting(const Narrow &type) {
  std::vector<Wide> values;
  const Wide infinity = std::numeric_limits<Wide>::infinity();
  for (int bits = 0; bits < 65536; ++bits) {
    const double value = valueOf(type, static_cast<uint16_t>(bits));
    values.push_back(static_cast<Wide>(value));
    const double next = valueOf(type, static_cast<uint16_t>(bits + 1));
    const double last = std::ldexp(1 - std::ldexp(1, -type.fraction - 2), type.largest + 1); // halfway to infinity
    const auto middle = static_cast<Wide>(std::isfinite(next) ? (value + next) / 2 : std::copysign(last, value));
    for (const Wide near : {middle, std::nextafter(middle, infinity), std::nextafter(middle, -infinity)})
      values.push_back(near);
  }
  std::mt19937_64 random(1);
  for (int r = 0; r < 100000; ++r)
    values.push_back(
        std::bit_cast<Wide>(static_cast<std::conditional_t<sizeof(Wide) == 4, uint32_t, uint64_t>>(random())));
  return values;
}

template <typename Wide> void checkRounding(const Narrow &type, const TargetOptions &target) {
  const std::vector<Wide> values = interesting<Wide>(type);
  const char *wide = sizeof(Wide) == 4 ? "float" : "double";
  const auto results = convert<uint16_t>(values, convertingText(wide, type.name, "fptrunc"), target);
  size_t wrong = 0;
  for (size_t v = 0; v < values.size(); ++v)
    if (!same(rounded(type, static_cast<double>(values[v])), valueOf(type, results[v])) && ++wrong < 5)
      FAIL_CHECK(type.name << " of " << values[v] << " is not " << valueOf(type, results[v]));
  CHECK(wrong == 0);
}

std::set<std::string> undefinedSymbols(const std::string &bytes) {
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "f.o")));
  std::set<std::string> names;
  for (const llvm::object::SymbolRef &symbol : file->symbols())
    if ((llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined) != 0)
      if (const std::string name = llvm::cantFail(symbol.getName()).str();
          !name.empty() && name != "__linear_memory" && name != "__stack_pointer" && name != "_GLOBAL_OFFSET_TABLE_" &&
          name != ".TOC.")
        names.insert(name);
  return names;
}

} // namespace

TEST_CASE("16-bit floats are extended exactly and rounded once") {
  const auto type = GENERATE(kHalf, kBrain);
  const std::string cpu = GENERATE("", "native");
  const int level = GENERATE(0, 3);
  INFO(type.name << " on '" << cpu << "' -O" << level);
  const TargetOptions target{"", cpu, level};
  const auto bits = allPatterns();
  const auto floats = convert<float>(bits, convertingText(type.name, "float", "fpext"), target);
  const auto doubles = convert<double>(bits, convertingText(type.name, "double", "fpext"), target);
  size_t wrong = 0;
  for (size_t b = 0; b < bits.size(); ++b)
    wrong += same(valueOf(type, bits[b]), floats[b]) && same(valueOf(type, bits[b]), doubles[b]) ? 0 : 1;
  CHECK(wrong == 0);
  checkRounding<float>(type, target);
  checkRounding<double>(type, target);
}

TEST_CASE("the runtime converts 16-bit floats as kernels do") {
  using namespace runtime;
  size_t wrong = 0;
  for (const uint16_t bits : allPatterns())
    wrong += same(valueOf(kHalf, bits), halfToFloat(bits)) && same(valueOf(kBrain, bits), brainToFloat(bits)) ? 0 : 1;
  for (const float value : interesting<float>(kHalf))
    wrong += same(rounded(kHalf, value), valueOf(kHalf, floatToHalf(value))) ? 0 : 1;
  for (const float value : interesting<float>(kBrain))
    wrong += same(rounded(kBrain, value), valueOf(kBrain, floatToBrain(value))) ? 0 : 1;
  CHECK(wrong == 0);
}

TEST_CASE("objects need no library for 16-bit floats") {
  for (const char *triple : {"x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "wasm32-unknown-unknown",
                             "i686-linux-gnu", "powerpc64le-linux-gnu", "s390x-linux-gnu"}) {
    for (const int level : {0, 2, 3}) {
      for (const char *narrow : {"half", "bfloat"}) {
        for (const char *wide : {"float", "double"}) {
          INFO(triple << " -O" << level << " " << narrow << " " << wide);
          for (const std::string &text :
               {convertingText(narrow, wide, "fpext"), convertingText(wide, narrow, "fptrunc")}) {
            Converted compiled = compileText(text, {triple, "", level});
            const std::string object = emit(*compiled.module, *compiled.machine, OutputKind::Object);
            CHECK(undefinedSymbols(object) == std::set<std::string>{});
          }
        }
      }
      Probe probe;
      const auto m = probe.extent("m");
      probe.operand("x", formatOf("d"), {m});
      for (const sema::ValueType type : {sema::ValueType::F16, sema::ValueType::BF16}) {
        probe.operand(sema::spelling(type), formatOf(""), {}, type);
        probe.ask("scalar, \"" + std::string(sema::spelling(type)) + "\"");
      }
      INFO(triple << " -O" << level << " scalars");
      Compiled compiled = compileProbe(probe, {triple, "", level});
      std::set<std::string> undefined = undefinedSymbols(emit(*compiled.module, *compiled.machine, OutputKind::Object));
      undefined.erase("__indirect_function_table"); // of WebAssembly, by which hooks are called: the linker makes it
      for (const char *memory : {"malloc", "free", "aligned_alloc", "madvise"}) // for vectors whose elements lie apart
        undefined.erase(memory);
      CHECK(undefined == std::set<std::string>{});
    }
  }
}

TEST_CASE("values that stay 16-bit floats from block to block need no library") {
  // A phi, a select, constants and a use that is no conversion.
  const std::string text = "define void @f(ptr %x, ptr %y, i1 %c, i1 %d) {\n"
                           "entry:\n  %a = load T, ptr %x\n  br i1 %c, label %next, label %last\n"
                           "next:\n  %b = phi T [%a, %entry], [%s, %next]\n"
                           "  %w = fpext T %b to float\n  %t = fadd float %w, 1.0\n  %n = fptrunc float %t to T\n"
                           "  %s = select i1 %d, T %n, T 0.0\n  store T %s, ptr %y\n"
                           "  br i1 %d, label %next, label %last\n"
                           "last:\n  %r = phi T [%a, %entry], [%s, %next]\n  %z = phi T [1.0, %entry], [%b, %next]\n"
                           "  store T %r, ptr %y\n  store T %z, ptr %x\n  %o = insertvalue {T} undef, T %r, 0\n"
                           "  store {T} %o, ptr %y\n  ret void\n}\n";
  for (const std::string narrow : {"half", "bfloat"}) {
    std::string typed = text;
    for (size_t at = 0; (at = typed.find('T', at)) != std::string::npos; at += narrow.size())
      typed.replace(at, 1, narrow);
    for (const char *triple : {"x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"}) {
      for (const int level : {0, 3}) {
        INFO(narrow << " for " << triple << " -O" << level);
        Converted compiled = compileText(typed, {triple, "", level});
        CHECK_FALSE(llvm::verifyModule(*compiled.module));
        const std::string object = emit(*compiled.module, *compiled.machine, OutputKind::Object);
        CHECK(undefinedSymbols(object) == std::set<std::string>{});
      }
    }
  }
}

TEST_CASE("loops that convert 16-bit floats vectorise") {
  for (const char *narrow : {"half", "bfloat"}) {
    for (const std::string &text :
         {convertingText(narrow, "float", "fpext"), convertingText("float", narrow, "fptrunc")}) {
      Converted compiled = compileText(text, {"x86_64-linux-gnu", "", 3});
      CHECK(emit(*compiled.module, *compiled.machine, OutputKind::LlvmIr).find("store <4 x") != std::string::npos);
    }
  }
}

} // namespace spc::codegen::test
