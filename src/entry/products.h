// How many products an assembling statement adds up, as far as its operands say.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// At most so many times a statement's loops come to an entry or to a product: the least product of numbers of entries
/// of operands that cover all loops. INT64_MAX where nothing is known.
mlir::Value mostProducts(Entry &entry, const sema::Statement &statement);

/// Sets runtime::Assembly::factors of `object`, of `type`.
void storeFactors(Entry &entry, const Struct &type, mlir::Value object, const sema::Statement &statement);

/// The time that accumulating takes, in nanoseconds: for each multiplication of a product of matrices, each of the
/// `expected` entries of anything else, no more than mostProducts() of either. Null where entries are appended.
mlir::Value accumulationTime(Entry &entry, const sema::Statement &statement, mlir::Value expected,
                             mlir::Value mostProducts);

} // namespace spc::entry
