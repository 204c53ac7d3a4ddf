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

/// Whether multiplying out would take a tree apart: a sum that is no function's argument.
bool hasSum(const Node &node);

/// Whether a statement has no sums but those that its value says.
bool isElementwise(const ResolvedStatement &made);

/// Whether what a temporary is made of is 0 where a factor is that all of it, or each addend, is multiplied by: what
/// the statement sums has no sum within.
bool mayBeRestricted(const ResolvedStatement &made);

/// Whether an access is the tie of some of the variables alone, by numbers: an equation that may be computed.
bool isEquation(const Access &access, const std::vector<VariableId> &variables, const Kernel &kernel);

/// Multiplies such a temporary's value by the pattern of a mask, in the temporary's variables. Equations are computed
/// there.
void multiplyByPattern(ResolvedStatement &made, const Access &mask, const Kernel &kernel);

/// Whether what a reader is multiplied with in its statement has an index.
bool isIndexedBeside(VariableId variable, const ResolvedStatement &use, const Reader &reader);

/// Whether a reader is a factor of one of its statement's addends, and of no sum within that: the temporary's own
/// sum then spans what it spans as a temporary.
bool isAddendsFactor(const Reader &reader);

/// Whether a statement adds up over an index of what it reads: the order of its sums and a temporary's matters.
bool sumsOver(const ResolvedStatement &use, AccessId read);

/// Whether a temporary of two or more indices is a sum of products, or larger than each of its factors, and its reader
/// a factor of a product: in which order the sums of both are taken, and whether there is a part like the temporary,
/// is then chosen for all factors together. What is divided is added up first, if nothing adds it up at last.
bool isProductWithin(const Planning &planning, const ResolvedStatement &made, const Reader &reader);

/// Whether a temporary is a product, or a sum of one, and its reader a factor of an addend, which other addends may
/// share factors with once it stands there.
bool isProductInAddend(const Planning &planning, const ResolvedStatement &made, const Reader &reader);

/// Whether a temporary adds something that has elements everywhere to a sparse operand with all its indices, which is
/// the only one: it is larger than all that it is made of, and products of its addends that are added up take no more
/// than these have.
bool isSparseBesideWhole(const Planning &planning, const ResolvedStatement &made);

/// Whether each reader of a temporary is a product of its own that adds it up, once it stands there, in fewer steps
/// than the temporary has elements: it is a sum of products, larger than its operands, that each reader adds to a
/// sparse operand, or adds one to a sparse operand itself.
bool isBesideSparseInEach(const Planning &planning, size_t producer, const std::vector<Reader> &readers);

/// Whether indices that tensors hold say where a temporary of two or more has what it is made of: it is next to empty,
/// and what reads it may take that itself, as often as it is read.
bool isScattered(const Planning &planning, const ResolvedStatement &made);

/// Puts the value of the temporary that `made` writes in place of a node of `use` that is the access to it. Variables
/// that it is summed over become those of a sum there, with names of their own.
void putInPlace(const ResolvedStatement &made, ResolvedStatement &use, AccessId access, Node &place);

} // namespace spc::sema
