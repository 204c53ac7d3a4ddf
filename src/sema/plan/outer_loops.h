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

/// How many of a term's sparse operands list the coordinates of a loop: two or more are walked together.
int countLists(const Kernel &kernel, const Term &term, LoopId loop);

} // namespace spc::sema
