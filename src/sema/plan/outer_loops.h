// What the outermost loops of a term's nest run over. Private to this folder.
#pragma once

#include "sema/division.h"

namespace spc::sema {

struct OuterLoops {
  enum class Kind {
    Once,      ///< there is no loop
    Dense,     ///< all coordinates
    Root,      ///< the coordinates that one operand's outermost level lists
    Roots,     ///< those that several list, walked together
    Diagonals, ///< the diagonals that an operand lists, and then the rows of each
    Mixed,     ///< anything else, several loops one after the other among them
  };
  Kind kind = Kind::Once;
  LoopId rows;                  ///< the loop whose coordinates are the items
  std::optional<Items> items;   ///< absent where they are in no order, or no coordinates of a variable
  std::vector<OperandId> roots; ///< the operands that list them
  bool isDense = false;         ///< no loop of the nest depends on what is stored
};

OuterLoops outerLoops(const Kernel &kernel, const Term &term);

/// Whether a term comes to each element of its target once, in loops that depend on nothing that is stored.
bool isElementwise(const Term &term, const OuterLoops &outer);

/// The sparse operands of a term that list the coordinates of a loop: two or more are walked together.
std::vector<OperandId> listsOf(const Kernel &kernel, const Term &term, LoopId loop);

/// Whether a term is computed at places at which none of these operands stores an entry.
bool exceeds(const Kernel &kernel, const Term &term, const std::vector<OperandId> &lists);

} // namespace spc::sema
