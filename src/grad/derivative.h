// The derivative's statements and arguments, before they are written out. Private to this folder.
#pragma once

#include "grad/program.h"

namespace spc::grad {

/// An argument of the derivative.
struct Argument {
  enum class Kind {
    Operand, ///< of the forward kernel
    Result,  ///< what the forward kernel has computed
    Seed,    ///< given: the derivative by an output, or the tangent of an operand
    Derivative,
  };
  Kind kind;
  TensorId tensor;
  TensorId value; ///< the tensor of the forward kernel that it is, or whose derivative
};

/// A statement of the derivative.
struct Assignment {
  TensorId target;
  Variables indices;
  language::AssignOp op;
  NodePtr value;
  bool isTemporary; ///< `let`
};

struct Derivative {
  std::vector<TensorId> constants;    ///< of the forward kernel, that are read
  std::vector<Assignment> recomputed; ///< values of the forward kernel
  std::vector<Assignment> statements;
  std::vector<Argument> arguments; ///< what is read, then what is written
  /// Sparse derivatives whose entries are put together from those of several tensors.
  std::vector<TensorId> assembled;
  /// Derivatives by dense tensors that would be sparse if nothing bound them.
  std::vector<TensorId> dense;
  /// Temporaries that need a declaration, since nothing on their right sides tells how large they are.
  std::vector<TensorId> sized;
};

/// What is differentiated, as tensors of the program.
struct Ends {
  std::vector<TensorId> of, wrt;
};

/// The reverse mode: statements from the last to the first. `between` are the tensors that lie between the ends.
Derivative reverseMode(Program &program, const Ends &ends, const std::set<TensorId> &between, Diagnostics &diagnostics);

/// The forward mode: each statement's change, in their order.
Derivative forwardMode(Program &program, const Ends &ends, const std::set<TensorId> &between);

/// Adds what the statements read of the forward kernel: operands and results to the arguments, and what is computed
/// anew. Results are computed anew where that takes no reduction.
void addForwardValues(const Program &program, Derivative &derivative);

} // namespace spc::grad
