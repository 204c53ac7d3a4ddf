// What a body makes of a result and of an element that it takes in.
#pragma once

#include "language/function.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir::sparse_tensor {
class ReduceOp;
}

namespace spc::ingress {

/// `result = result + part`, for each part.
struct Reduction {
  struct Part {
    mlir::Value value;
    mlir::Value factor; ///< of a fused multiplication and addition; else null
    bool isNegated = false;
  };
  language::Reduction how = language::Reduction::Sum;
  llvm::SmallVector<Part> parts;
  bool skipsNaN = false;   ///< of the least or the greatest
  bool isUnsigned = false; ///< numbers without a sign are compared
  mlir::Value identity;    ///< of sparse_tensor.reduce, which takes in stored elements alone; else null
};

/// How `yielded` depends on `result`, an argument of the body; nullopt where that is no reduction of the language.
std::optional<Reduction> reductionOf(mlir::Value yielded, mlir::Value result);

/// What a reduction begins with: 0, 1, infinities, truths.
double neutralOf(language::Reduction how);

/// Whether a tree is the number of a type that a reduction begins with, as a module writes it: of the least and the
/// greatest one that no element is beyond, with a sign or without.
bool isNeutral(const syntax::Expr &number, language::Reduction how, bool isUnsigned, mlir::Type type);

} // namespace spc::ingress
