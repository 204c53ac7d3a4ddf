#include "mlirgen/merged_domain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::mlirgen {

namespace arith = mlir::arith;
using sema::DomainKind;

Truth negation(const Truth &truth, mlir::OpBuilder &builder, mlir::Location location) {
  if (!truth.value)
    return truth.isTrue ? Truth::no() : Truth::yes();
  const mlir::Value yes = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
  return Truth::of(arith::XOrIOp::create(builder, location, truth.value, yes));
}

/// Of all parts, or of any.
static Truth joined(const sema::Domain &domain, llvm::function_ref<Truth(sema::OperandId, bool)> ofOperand,
                    mlir::OpBuilder &builder, mlir::Location location) {
  const bool isAll = domain.kind == DomainKind::All;
  llvm::SmallVector<mlir::Value> open;
  for (const sema::Domain &part : domain.parts) {
    const Truth truth = truthOf(part, ofOperand, builder, location);
    if (truth.value)
      open.push_back(truth.value);
    else if (truth.isTrue != isAll) // one part decides
      return truth;
  }
  if (open.empty())
    return {{}, isAll};
  mlir::Value result = open.front();
  for (mlir::Value next : llvm::drop_begin(open))
    result = isAll ? arith::AndIOp::create(builder, location, result, next).getResult()
                   : arith::OrIOp::create(builder, location, result, next).getResult();
  return Truth::of(result);
}

Truth truthOf(const sema::Domain &domain, llvm::function_ref<Truth(sema::OperandId, bool)> ofOperand,
              mlir::OpBuilder &builder, mlir::Location location) {
  switch (domain.kind) {
  case DomainKind::Everywhere:
    return Truth::yes();
  case DomainKind::Stored:
    return ofOperand(domain.operand, false);
  case DomainKind::Missing:
    return ofOperand(domain.operand, true);
  case DomainKind::All:
  case DomainKind::Any:
    break;
  }
  return joined(domain, ofOperand, builder, location);
}

} // namespace spc::mlirgen
