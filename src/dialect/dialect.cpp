#include "dialect/dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialect/SpcDialect.cpp.inc"
#include "dialect/SpcTypeEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/SpcTypes.cpp.inc"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // in what mlir-tblgen writes of operations with attributes
#define GET_OP_CLASSES
#include "dialect/SpcOps.cpp.inc"
#pragma GCC diagnostic pop

namespace spc::dialect {

void SpcDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/SpcTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/SpcOps.cpp.inc"
      >();
}

} // namespace spc::dialect
