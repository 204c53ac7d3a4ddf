// Reductions that are made of others and of functions. Private to this folder.
#pragma once

#include "sema/tree.h"

namespace spc::sema {

/// `mean(j, e)`: `sum`, a ReduceNode over e, divided by the number of values that it runs over. 0 where there is none.
NodePtr meanOf(NodePtr sum);

/// `count(j, A(i, j))`: how many entries are stored, an i64. `access` is an AccessNode.
NodePtr countOf(std::vector<VariableId> variables, NodePtr access, Span where);

/// `argmin(i, j, e)` or `argmax(i, j, e)`, an i64: the first place at which `values`, a ReduceNode over e, has its
/// extreme, that is e is NaN or none before it is as small or as large; the largest i64 where there is no place. The
/// place of several variables is linear, `i * n + j` for n values of j. `extreme` is the reduction to it by `min` or
/// `max`, over variables of its own.
NodePtr placeOf(NodePtr values, NodePtr extreme);

} // namespace spc::sema
