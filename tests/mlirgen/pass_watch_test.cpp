// Passes that make loops forget which ones of the plan they are.
#include "dialect/attributes.h"
#include "mlirgen/mlirgen.h"
#include "pipeline/context.h"
#include "pipeline/pass_watch.h"
#include "pipeline/passes.h"
#include "sema/check.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <functional>

namespace spc::pipeline {
namespace {

using ForEachLoop = std::function<void(mlir::scf::ForOp)>;

/// A pass that does something to each loop, the inner ones first.
class Changed : public mlir::PassWrapper<Changed, mlir::OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Changed)
  explicit Changed(ForEachLoop change) : change_(std::move(change)) {}
  llvm::StringRef getArgument() const override { return "change-loops"; }
  void runOnOperation() override { getOperation()->walk(change_); }

private:
  ForEachLoop change_;
};

/// What is found in a pass over the loops of y(i) = A(i,j)*x(j), A in CSR.
PassFaults faultsOf(ForEachLoop change, bool keepsPlaces = true) {
  sema::test::Checked checked = sema::test::check("y(i) = A(i,j)*x(j)", {"A=csr"});
  REQUIRE(checked.kernel);
  const auto context = createContext();
  auto module = mlirgen::generate(*checked.kernel, *context);
  PassFaults faults;
  mlir::PassManager passes(context.get());
  passes.addInstrumentation(watchPasses(faults, keepsPlaces));
  addSparsification(passes);
  passes.addPass(std::make_unique<Changed>(std::move(change)));
  REQUIRE(mlir::succeeded(passes.run(*module)));
  CHECK(faults.failed.empty());
  return faults;
}

void forget(mlir::scf::ForOp loop) {
  loop->removeAttr("spc.place");
}

void forgetInner(mlir::scf::ForOp loop) {
  if (loop->getParentOfType<mlir::scf::ForOp>())
    forget(loop);
}

} // namespace

TEST_CASE("a pass that takes the place from a loop is named") {
  CHECK(faultsOf(forgetInner).lost ==
        "change-loops: no loop of 'kernel' has the place <0, 1> any more, and more have none");
  CHECK_THAT(faultsOf(forget).lost, Catch::Contains("change-loops"));
  CHECK(faultsOf(forget, /*keepsPlaces=*/false).lost.empty());
}

TEST_CASE("a pass may leave loops alone, take them away, and make others") {
  CHECK(faultsOf([](mlir::scf::ForOp) {}).lost.empty());
  const auto eraseInner = [](mlir::scf::ForOp loop) {
    if (!loop->getParentOfType<mlir::scf::ForOp>())
      return;
    for (auto [result, init] : llvm::zip_equal(loop.getResults(), loop.getInitArgs()))
      result.replaceAllUsesWith(init);
    loop.erase();
  };
  CHECK(faultsOf(eraseInner).lost.empty());
  const auto addLoop = [](mlir::scf::ForOp loop) {
    mlir::OpBuilder builder(loop);
    mlir::scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  };
  CHECK(faultsOf(addLoop).lost.empty());
}

} // namespace spc::pipeline
