// The dialect `spc`, its operations and attributes (SpcDialect.td, SpcOps.td, SpcAttributes.td).
#pragma once

#include "dialect/attributes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialect/SpcDialect.h.inc"

#define GET_OP_CLASSES
#include "dialect/SpcOps.h.inc"
