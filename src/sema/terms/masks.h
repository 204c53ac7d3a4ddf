// Sparse factors that say where what they are multiplied by is wanted. Private to this folder.
#pragma once

#include "sema/terms/planning.h"

#include <optional>
#include <vector>

namespace spc::sema {

/// The first sparse factor of a product, or pattern of one, that no statement writes, whose missing entries are 0, and
/// that has some of the variables, each once, and no others; nullopt where there is none.
std::optional<AccessId> maskIn(const Node &product, const std::vector<VariableId> &variables, const Scope &scope,
                               const Planning &planning);

/// Whether a mask is made of indices that a statement computes: it is there where these are first read, and not before.
bool isMadeOfComputed(const Access &mask, const Planning &planning);

} // namespace spc::sema
