// mlir-opt with spc's passes and pipelines: runs them on MLIR text, for the tests under tests/lit and for debugging.
#include "pipeline/context.h"
#include "pipeline/passes.h"
#include "transforms/passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  spc::pipeline::registerDialects(registry);
  spc::transforms::registerSpcPasses();
  spc::pipeline::registerPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "spc pass driver\n", registry));
}
