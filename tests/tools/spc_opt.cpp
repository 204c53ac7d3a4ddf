// mlir-opt with our passes: runs one pass, or a few, on MLIR text, for the tests under tests/lit.
#include "dialect/dialect.h"
#include "pipeline/context.h"
#include "pipeline/passes.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::bufferization::BufferizationDialect,
                  mlir::complex::ComplexDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                  mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::sparse_tensor::SparseTensorDialect, spc::dialect::SpcDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  spc::transforms::registerSpcPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::PassPipelineRegistration<>("spc-sparsification", "MLIR's sparsifier, as spc runs it",
                                   spc::pipeline::addSparsification);
  mlir::PassPipelineRegistration<>(
      "spc-loops", "all of spc's passes on loops, in the order of the pipeline",
      [](mlir::OpPassManager &passes) { spc::pipeline::addLoopLowering(passes, {.strictFp = true}); });
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "spc pass driver\n", registry));
}
