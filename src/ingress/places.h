// Where a module's operations stand in its text.
#pragma once

#include "support/diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/SMLoc.h"

#include <string>

namespace mlir {
class AsmParserState;
}

namespace spc::ingress {

/// Makes places of MLIR's locations. The module's own ones, loc("model.py":3:1), become notes.
class Places {
public:
  explicit Places(const SourceFile &file) : file_(file) {}

  /// Gives each operation its place in the text beside the location that it has.
  void mark(mlir::Operation *module, const mlir::AsmParserState &state) const;

  /// Where an operation's name stands; no place of what has none.
  Span of(mlir::Location location) const;
  Span of(mlir::Operation *operation) const { return of(operation->getLoc()); }

  /// The place that the module itself gives, "model.py:3:1"; empty where it gives none.
  std::string origin(mlir::Location location) const;

  /// The name of a value, without its %, at its place in a text; empty where it is a number.
  static std::string nameAt(llvm::SMRange range);

private:
  Span at(const mlir::FileLineColLoc &location) const;

  const SourceFile &file_;
};

} // namespace spc::ingress
