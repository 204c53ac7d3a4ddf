// The dialect `spc`: what the stages from mlirgen to the entry tell each other beyond what MLIR's own dialects can say.
#ifndef SPC_DIALECT
#define SPC_DIALECT

include "mlir/IR/DialectBase.td"

def SpcDialect : Dialect {
  let name = "spc";
  let cppNamespace = "::spc::dialect";
  let summary = "what spc's stages agree on";
  let description = [{
    Attributes of a kernel's bodies, their arguments and their loops, and operations that exist between two stages only
    and are gone before LLVM.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"]; // whose pointers are operands
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{ void registerAttributes(); }];
}

#endif
