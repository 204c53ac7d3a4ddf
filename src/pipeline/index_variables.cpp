#include "pipeline/index_variables.h"

#include "dialect/index_marks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"

namespace spc::pipeline {
namespace {

void declareIndicesOf(mlir::LLVM::LLVMFuncOp function, mlir::LLVM::DISubprogramAttr subprogram) {
  mlir::MLIRContext *context = function.getContext();
  const auto type =
      mlir::LLVM::DIBasicTypeAttr::get(context, llvm::dwarf::DW_TAG_base_type, "long", 64, llvm::dwarf::DW_ATE_signed);
  llvm::SmallVector<mlir::Operation *> marked;
  llvm::DenseMap<mlir::StringAttr, int> stores; ///< by variable
  function.walk([&](mlir::Operation *op) {
    if (op->hasAttr(dialect::kIndex))
      marked.push_back(op);
  });
  for (mlir::Operation *op : marked) {
    const auto name = mlir::cast<mlir::StringAttr>(op->removeAttr(dialect::kIndex));
    mlir::OpBuilder builder(context);
    builder.setInsertionPointAfter(op);
    if (auto slot = mlir::dyn_cast<mlir::LLVM::AllocaOp>(op)) {
      const auto variable =
          mlir::LLVM::DILocalVariableAttr::get(subprogram, name, subprogram.getFile(), subprogram.getLine(), /*arg=*/0,
                                               /*alignInBits=*/0, type, mlir::LLVM::DIFlags::Zero);
      mlir::LLVM::DbgDeclareOp::create(builder, op->getLoc(), slot, variable,
                                       mlir::LLVM::DIExpressionAttr::get(context));
      continue;
    }
    const int number = ++stores[name];
    const std::string text = "at_" + name.str() + (number > 1 ? "_" + std::to_string(number) : "");
    const auto label = mlir::LLVM::DILabelAttr::get(subprogram, text, subprogram.getFile(), subprogram.getLine());
    mlir::LLVM::DbgLabelOp::create(builder, op->getLoc(), label);
  }
}

} // namespace

void declareIndices(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (auto location = mlir::dyn_cast<mlir::FusedLocWith<mlir::LLVM::DISubprogramAttr>>(function.getLoc()))
      declareIndicesOf(function, location.getMetadata());
}

} // namespace spc::pipeline
