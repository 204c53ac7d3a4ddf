// Which right sides are symmetric by their form. Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// Reports a statement whose target stores one triangle of a symmetric matrix, and whose right side is not for certain
/// the same with the target's two indices exchanged. That is decided on the expression, up to the order of addends and
/// of factors and to the names of variables that are summed over. Operands are symmetric where their format is, or all
/// statements that write them. Whether it has reported that.
bool refuseAsymmetry(Planning &planning, const LogicalStatement &logical);

} // namespace spc::sema
