// Kernels in several pieces, between which parts of the data exchange what they have made.
#pragma once

#include "sema/program.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace spc::cut {

/// How a tensor of a piece is to be stored.
struct StoredLike {
  std::string name;
  std::string like;             ///< the tensor of the whole kernel whose format it has
  bool sharesStructure = false; ///< it has the arrays of `like`, an argument of the piece too, as the user says
};

/// Statements in a row, as a kernel.
struct Piece {
  size_t begin = 0, end = 0; ///< statements, as they are numbered once reductions are taken out
  std::string function;
  std::string text;
  std::vector<StoredLike> stored;
  std::string index; ///< the variable of the piece that is divided; empty where no part has another part of the work
  /// Operands that the text reads at the part's coordinates and at others, each once more: its name here, and there.
  std::vector<std::pair<std::string, std::string>> copies;
  std::vector<std::string> made; ///< temporaries of the text that later pieces read
};

/// What is to be cut.
struct Request {
  std::string index;    ///< a variable of the text
  std::string function; ///< pieces are called so, with numbers
};

/// Why a piece may not be divided along its index; empty where it may.
using Refusal = std::function<std::string(const Piece &)>;

/// The pieces; or none where a statement may not be divided even alone.
struct Cut {
  std::vector<Piece> pieces;
  Span refused; ///< a statement, and why
  std::string reason;
};

/// Cuts a program into as few pieces as can be found, each of which `refusal` lets be divided along the index. Where a
/// statement is not, reductions within it become temporaries. The plan, without fused temporaries, tells how tensors
/// are stored.
Cut cutProgram(const sema::Program &program, const sema::Kernel &plan, const Request &request, const Refusal &refusal);

} // namespace spc::cut
