// In which order parts of a product have their dimensions. Private to this folder.
#pragma once

#include "sema/terms/contraction.h"
#include "sema/terms/planning.h"

namespace spc::sema {

/// Puts the variables of each part in the order in which loops of a dense product come to them where it is read: what
/// is added up within the result's last dimension. Where all of the reader is dense, the part's own loop over its last
/// dimension counts as much: that is one along which its operands lie in order.
void orderForReaders(Contraction &plan, const ContractionSpace &space);

/// Puts the variables of each part that lists its entries in the order that asks for the fewest copies. Gives how many
/// entries more are copied for that than if lists could be in the order of whatever loops.
double orderLists(Contraction &plan, const ContractionSpace &space);

/// Puts the variables of the sum in `sum` in the order in which loops over its operands come to them, whatever the
/// order of its factors: rows of sparse matrices first, what dense ones store side by side last, others as `targets`
/// has them.
void orderForOperands(std::vector<VariableId> &variables, const Node &sum, const std::vector<VariableId> &targets,
                      const Scope &scope, const Kernel &kernel);

/// Stores the array that a statement makes of sums in that order, where it is a temporary whose storage is not given
/// and no target that is made of it has another order. What reads it is to be planned after that.
void storeInLoopOrder(Planning &planning, size_t statement);

} // namespace spc::sema
