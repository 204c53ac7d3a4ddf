#include "dialect/dialect.h"

#include "dialect/SpcDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/SpcOps.cpp.inc"

namespace spc::dialect {

void SpcDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialect/SpcOps.cpp.inc"
      >();
}

} // namespace spc::dialect
