// What sema knows of the loops of a body's terms, as the body's attributes say it.
#pragma once

#include "dialect/attributes.h"
#include "sema/kernel.h"

namespace spc::mlirgen {

/// The nests of a statement's terms, in their order.
llvm::SmallVector<dialect::NestAttr> nestAttributes(const sema::Kernel &kernel, const sema::Statement &statement,
                                                    mlir::MLIRContext &context);

/// The place of loop number `loop` of a term's iteration space.
dialect::PlaceAttr placeAttribute(const sema::Statement &statement, const sema::Term &term, int loop,
                                  mlir::MLIRContext *context);

} // namespace spc::mlirgen
