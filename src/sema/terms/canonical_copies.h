// Canonical copies of operands: each entry once and in order, in both triangles, parts added up, without padding.
// Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// Adds a copy of `role.source` in another format, named after it and the order of its levels.
TensorId addConverted(Kernel &kernel, Converted role, format::Format format, Span where);

/// The width of the indices of a copy, which may not be as narrow as those of a block or a group.
format::IndexType indexTypeOfCopy(const format::Format &source);

/// Whether some level of a format, or of a part of it, stores all of its coordinates or a run of them.
bool hasDenseLevel(const format::Format &format);

/// Whether an operand, or a vector that is written, has an element for each coordinate of an extent.
bool isStoredWhole(const Kernel &kernel, ExtentId extent);

/// Gives `format`, of an assembled temporary, pointers of 64 bits and the widest indices of the sparse operands that
/// its statement reads.
void takeIndexTypes(const LogicalStatement &logical, const Scope &scope, const Kernel &kernel, format::Format &format);

/// The format (dense, compressed, …), or where the root lists its coordinates too (compressed, compressed, …), in the
/// order in which the levels of `source` come to the dimensions. A vector has one compressed level.
format::Format plainFormat(const format::Format &source, bool isListed);

/// The name under which such a format is shipped; none where it is not.
std::string plainName(const format::Format &format);

/// Makes the copies that are asked for, and makes the statements read these. Warns of each.
void makeCanonicalCopies(Planning &planning);

/// Asks for copies of the operands that statements cannot read as they are stored, since they compute with whole
/// entries.
void requestCanonicalCopies(Planning &planning, const std::vector<Expansion> &expansions);

} // namespace spc::sema
