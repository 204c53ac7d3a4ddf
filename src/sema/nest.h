// What is known of the loops of a term before there are any. Whoever meets such a loop is told: mlirgen writes it down
// (spc.nests), and passes carry with each loop which one it is.
#pragma once

#include "sema/division.h"

#include <optional>
#include <vector>

namespace spc::sema {

/// One loop of a nest. Its variable, part, extent and whether it is of a reduction are the term's to say.
struct NestLoop {
  LoopId loop;
  std::vector<OperandId> lists; ///< the operands of which a level lists its coordinates; none: it is over all of them
  bool isBeyond = false;        ///< it comes to coordinates, too, that none of these lists
  bool isRow = false;           ///< it is over a dimension of the row of an assembled target
  bool isDivided = false;       ///< workers may divide it
};

/// The loops of a term that some tensor is indexed by: there are no others.
std::vector<LoopId> usedLoops(const Term &term);

/// The loops of a statement's term, outermost first, where its work is divided like that.
std::vector<NestLoop> nestOf(const Kernel &kernel, const Statement &statement, const Term &term,
                             const Division &division);

/// Of two lists that a loop needs an entry of both of, the one that stays as it is while a loop further out goes
/// through others: its entries are looked up by their coordinates rather than merged
/// (transforms/storage/look_up_merges.cpp), wherever there is memory for that. nullopt where there is none.
std::optional<OperandId> lookedUpIn(const Kernel &kernel, const Term &term, LoopId loop);

/// The loops of a term of which passes add each fiber up, as a row, before further loops multiply it out
/// (transforms/vector/factor_fibers.cpp).
struct FiberSums {
  OperandId walked; ///< has three levels or more, which are the outermost loops in that order
  LoopId entries;   ///< of its last level: of a fiber
  LoopId columns;   ///< the innermost one, of the row; those in between multiply it out
};
std::optional<FiberSums> fiberSumsIn(const Statement &statement, const Term &term, const Kernel &kernel);

/// How many runs collect what an assembling statement's terms make: a single one, row by row, where each term is a nest
/// within a loop over all rows; else one a term, and runs are merged.
int runCount(const Kernel &kernel, const Statement &statement);

} // namespace spc::sema
