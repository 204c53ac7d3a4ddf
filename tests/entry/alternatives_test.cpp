// The entry chooses among a kernel's plans as sema does: the costs that both work out are the same.
#include "entry/alternatives.h"

#include "codegen/jit.h"
#include "codegen/object.h"
#include "dialect/dialect.h"
#include "entry/entry.h"
#include "harness/kernel_spec.h"
#include "sema/alternatives.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace spc::entry::test {
namespace {

/// A function of numbers, the extents and then the entries of each tensor, that replaces the first one by the number of
/// the plan which the entry chooses.
class EntryChoice {
public:
  explicit EntryChoice(const sema::Kernel &kernel) {
    namespace LLVM = mlir::LLVM;
    Diagnostics diagnostics;
    const auto machine = codegen::createTargetMachine({}, diagnostics);
    mlir::DialectRegistry registry;
    registry.insert<LLVM::LLVMDialect, dialect::SpcDialect>();
    mlir::registerLLVMDialectTranslation(registry);
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    mlir::ImplicitLocOpBuilder ops(mlir::UnknownLoc::get(&context), &context);
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(ops.getLoc());
    setTarget(*module, *machine);
    ops.setInsertionPointToEnd(module->getBody());
    const mlir::Type pointer = LLVM::LLVMPointerType::get(&context);
    auto function =
        LLVM::LLVMFuncOp::create(ops, "choice_argv", LLVM::LLVMFunctionType::get(ops.getI32Type(), {pointer, pointer}));
    EntryBuilder build(function, ops.getLoc());
    const abi::Signature signature = abi::makeSignature(kernel);
    Entry entry{kernel, signature, build, function.getArgument(0)};
    const mlir::Value numbers = build.load(pointer, function.getArgument(1));
    int64_t next = 0;
    const auto number = [&] {
      return build.load(build.int64Type(), build.element(build.int64Type(), numbers, next++));
    };
    for (size_t e = 0; e < kernel.extents.size(); ++e)
      entry.extents.push_back(number());
    for (size_t t = 0; t < kernel.tensors.size(); ++t) {
      entry.tensors.push_back({});
      entry.tensors.back().stored = number();
    }
    chooseAlternative(entry);
    build.store(entry.alternative, numbers);
    build.succeed();
    auto llvmContext = std::make_unique<llvm::LLVMContext>();
    auto translated = mlir::translateModuleToLLVMIR(*module, *llvmContext, "choice");
    REQUIRE(translated);
    std::string error;
    jit_ =
        codegen::loadJit(std::move(translated), std::move(llvmContext), "choice", llvm::CodeGenOptLevel::None, error);
    INFO(error);
    REQUIRE(jit_);
  }

  size_t operator()(std::vector<int64_t> numbers) const {
    void *argument = numbers.data();
    REQUIRE(jit_->invoke()(nullptr, &argument) == 0);
    return static_cast<size_t>(numbers.front());
  }

private:
  std::unique_ptr<codegen::JitKernel> jit_;
};

size_t choiceOfSema(const sema::Kernel &kernel, const std::vector<int64_t> &numbers) {
  const auto at = [&](size_t place) { return static_cast<double>(numbers[place]); };
  return sema::alternativeFor(
      kernel, {[&](sema::ExtentId id) { return at(id.index()); },
               [&](sema::TensorId id) { return std::optional(at(kernel.extents.size() + id.index())); }});
}

/// Compares the choices at sizes of all orders of magnitude, and close to where sema's changes as one of them does.
class ChoiceCheck {
public:
  explicit ChoiceCheck(const testing::KernelSpec &spec) {
    SourceManager sources;
    Diagnostics diagnostics;
    testing::AnalyzedKernel analyzed = testing::analyze(spec, sources, diagnostics);
    REQUIRE(analyzed.kernel);
    kernel_ = std::move(analyzed.kernel);
    REQUIRE(kernel_->alternatives.size() > 1);
    choice_.emplace(*kernel_);
  }

  void run() {
    for (int trial = 0; trial < 400; ++trial) {
      std::vector<int64_t> numbers(kernel_->extents.size() + kernel_->tensors.size());
      for (int64_t &number : numbers)
        number = random_() % 20 == 0 ? 0 : static_cast<int64_t>(std::exp2(static_cast<double>(random_() % 2400) / 100));
      compare(numbers);
      approach(numbers, random_() % numbers.size());
    }
    CHECK(changes_ >= 20);
  }

private:
  void compare(const std::vector<int64_t> &numbers) const {
    INFO(::Catch::Detail::stringify(numbers));
    REQUIRE((*choice_)(numbers) == choiceOfSema(*kernel_, numbers));
  }

  /// Lets one of the numbers grow until sema chooses otherwise.
  void approach(std::vector<int64_t> numbers, size_t place) {
    int64_t low = 1, high = int64_t{1} << 40;
    const auto choiceWith = [&](int64_t number) {
      numbers[place] = number;
      return choiceOfSema(*kernel_, numbers);
    };
    const size_t before = choiceWith(low);
    if (choiceWith(high) == before)
      return;
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (choiceWith(middle) == before ? low : high) = middle;
    }
    ++changes_;
    // Sums are rounded in other orders, so that at the very place they may differ.
    const int64_t margin = std::max<int64_t>(1, low / 1'000'000);
    for (const int64_t number : {std::max<int64_t>(0, low - margin), high + margin}) {
      numbers[place] = number;
      compare(numbers);
    }
  }

  std::optional<sema::Kernel> kernel_;
  std::optional<EntryChoice> choice_;
  std::mt19937_64 random_{41};
  int changes_ = 0;
};

} // namespace

TEST_CASE("entries choose the plan that sema says") {
  const std::map<std::string, std::string> none, csr = {{"A", "csr"}, {"B", "csr"}},
                                                 dcsr = {{"A", "dcsr"}, {"B", "dcsr"}}, blocks = {{"A", "bsr2x3"}},
                                                 listed = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}};
  const char *chain = "D(i,l) = A(i,j)*B(j,k)*C(k,l)", *vector = "y(i) = A(i,j)*B(j,k)*x(k)",
             *layer = "C(i,l) = A(i,j)*X(j,k)*W(k,l)";
  for (const auto &[text, formats] :
       {std::pair(chain, none), std::pair(vector, csr), std::pair(vector, dcsr), std::pair(layer, blocks),
        std::pair(chain, listed), std::pair("Y(i,b) = W(i,j)*X(j,b) + P(i,r)*Q(r,j)*X(j,b)", none)}) {
    testing::KernelSpec spec;
    spec.statements = text;
    spec.formats = formats;
    INFO(text);
    ChoiceCheck(spec).run();
  }
}

} // namespace spc::entry::test
