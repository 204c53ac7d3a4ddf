// Temporaries in the place of what reads them. Private to this folder.
#pragma once

#include "sema/terms/planning.h"

#include <vector>

namespace spc::sema {

/// One place that reads a temporary.
struct Reader {
  size_t statement;
  AccessId access;
  /// The nodes from the statement's value down to the access, both included.
  std::vector<const Node *> path;
};

/// Whether a tree has a reduction that is no sum.
bool hasOtherReduction(const Node &node);

/// Whether what a reader is multiplied with in its statement has an index.
bool isIndexedBeside(VariableId variable, const ResolvedStatement &use, const Reader &reader);

/// Whether a temporary of two or more indices is a sum of products, or larger than each of its factors, and its reader
/// a factor of a product: in which order the sums of both are taken, and whether there is a part like the temporary,
/// is then chosen for all factors together.
bool isProductWithin(const Planning &planning, const ResolvedStatement &made, const Reader &reader);

/// Whether indices that tensors hold say where a temporary of two or more has what it is made of: it is next to empty,
/// and what reads it may take that itself, as often as it is read.
bool isScattered(const Planning &planning, const ResolvedStatement &made);

/// Puts the value of the temporary that `made` writes in place of a node of `use` that is the access to it. Variables
/// that it is summed over become those of a sum there, with names of their own.
void putInPlace(const ResolvedStatement &made, ResolvedStatement &use, AccessId access, Node &place);

} // namespace spc::sema
