// Derivatives of kernels, as kernels.
#pragma once

#include "sema/program.h"
#include "support/diagnostic.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spc::grad {

enum class Mode {
  Reverse, ///< vector-Jacobian products: of the derivative of a number by each output, that by each operand
  Forward, ///< Jacobian-vector products: of the operands' tangents, those of the outputs
};

/// What is to be differentiated.
struct Request {
  std::vector<language::Name> of;  ///< outputs, with the places on the command line
  std::vector<language::Name> wrt; ///< operands
  Mode mode = Mode::Reverse;
  std::string function; ///< the name of the function that the derivative is
  /// The name that a constant's file has where the derivative will be; without it the same.
  std::function<std::string(const std::string &)> fileFrom = {};
};

/// How a tensor of the derivative is to be stored.
struct StoredLike {
  std::string name;
  std::string like;     ///< the tensor of the forward kernel whose format it has
  bool sharesStructure; ///< the arrays of `like`, which is an argument too, are its own
};

/// A kernel file, and the bindings that it is meant for: of sparse arguments, and of what would be stored otherwise if
/// nothing bound it.
struct Gradient {
  std::string text;
  std::vector<StoredLike> stored;
};

/// The derivative of `kernel`, whose plan, without fused temporaries, tells how its tensors are stored. nullopt with
/// errors reported: where a tensor is not what is differentiated, or the language cannot say the derivative
/// (docs/grad.md).
std::optional<Gradient> differentiate(const sema::Program &kernel, const sema::Kernel &plan, const Request &request,
                                      Diagnostics &diagnostics);

} // namespace spc::grad
