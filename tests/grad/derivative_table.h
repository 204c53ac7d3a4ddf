// Programs for every pair of constructs of the language, one around the other, and every kind of operand within: the
// lists of constructs.txt.
#pragma once

#include "grad/gradient_check.h"

#include <optional>

namespace spc::testing {

/// An operand, an expression around it, or a program around that.
struct Construct {
  std::string name; ///< an operand's own; else its first template
  std::string group;
  std::vector<std::string> templates; ///< ways to say it: where one has no slope, the next one may
  std::vector<std::string> ends;      ///< what is differentiated of a program, or by of an operand
  std::map<std::string, std::string> formats;
  std::string before;     ///< statements before the program
  bool isUpdated = false; ///< a program reads what it is differentiated of, too
};

/// What the lists hold. A cell of the table is a program around an expression.
struct ConstructLists {
  struct Tensor {
    std::string name, declaration, format;
    bool isFloat = false;
  };
  std::vector<Tensor> tensors;
  std::vector<Construct> operands, expressions;
  std::vector<Construct> programs; ///< each expression around another one among them
};

ConstructLists readConstructs(const std::string &file);

/// What became of a program around an expression around an operand.
struct CellOutcome {
  enum class Kind {
    Compared, ///< finite differences agree with both modes, and are not 0
    Flat,     ///< the same, and all of them are 0
    Modes,    ///< both modes agree, where differences tell nothing
    Refused,
    Nowhere, ///< no value is finite
    Wrong
  };
  Kind kind = Kind::Nowhere;
  std::string what; ///< the id of the error, or what is wrong
  std::string text; ///< of the kernel
};

/// Differentiates by what is named of the operand, or by all tensors of floats that the program reads.
CellOutcome examineCell(const ConstructLists &lists, const Construct &program, const Construct &expression,
                        const Construct &operand, bool isByAll);

} // namespace spc::testing
