// Sparse factors that say where what they are multiplied by is wanted. Private to this folder.
#pragma once

#include "sema/terms/fuse.h"
#include "sema/terms/planning.h"

#include <optional>
#include <vector>

namespace spc::sema {

/// The first sparse operand without which a product, computed in a type, is 0: a factor, or what makes a function 0. No
/// statement writes it, its missing entries are 0, and it has some of the variables, each once, and no others. A
/// temporary that takes an operand's pattern stands for that. nullopt where there is none.
std::optional<Access> maskIn(const Node &product, ValueType type, const std::vector<VariableId> &variables,
                             const Scope &scope, const Planning &planning);

/// Whether a mask is made of indices that a statement computes: it is there where these are first read, and not before.
bool isMadeOfComputed(const Access &mask, const Planning &planning);

/// What says where a reader is wanted: a mask of a product around it, or of the condition by which it is chosen, with
/// some of its indices and no others, the most that one has, by the reader's variables; nullopt where there is none.
std::optional<Access> wantedWhere(const Reader &reader, const Planning &planning);

} // namespace spc::sema
