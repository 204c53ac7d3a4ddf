// Whether a domain has a place, as far as it is known where code is emitted. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

/// An i1 that may be known beforehand.
struct Truth {
  mlir::Value value; ///< null where it is known
  bool isTrue = false;

  static Truth yes() { return {{}, true}; }
  static Truth no() { return {{}, false}; }
  static Truth of(mlir::Value value) { return {value, false}; }
  bool isYes() const { return !value && isTrue; }
  bool isNo() const { return !value && !isTrue; }
};

Truth negation(const Truth &truth, mlir::OpBuilder &builder, mlir::Location location);

/// Whether a domain has a place where `ofOperand` says whether an operand stores an entry (`isMissing` false) or has
/// none. Operations are made at the builder's place, none for what is known.
Truth truthOf(const sema::Domain &domain, llvm::function_ref<Truth(sema::OperandId, bool isMissing)> ofOperand,
              mlir::OpBuilder &builder, mlir::Location location);

} // namespace spc::mlirgen
