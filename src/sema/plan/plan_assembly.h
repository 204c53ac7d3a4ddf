// Statements whose target is assembled. Private to this folder.
#pragma once

#include "sema/plan/operand_copies.h"
#include "sema/terms/logical_plan.h"

#include <optional>

namespace spc::sema {

/// The step that assembles the statement's target: a conversion where the right side is one sparse operand, else a
/// statement. Chooses one collecting order for all terms; joins terms that can be merged in one loop nest. Warns where
/// the result is sorted anew after it was collected. nullopt, with a diagnostic, where no order of loops serves.
std::optional<Step> planAssembly(Planning &planning, OperandCopies &copies, const LogicalStatement &logical);

/// A format's dimensions as its levels store them, a block's where its quotient stands.
std::vector<int> storedOrder(const format::Format &format);

} // namespace spc::sema
