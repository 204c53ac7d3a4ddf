// Dense loops that go outside of the walk over a sparse operand. Private to this folder.
#pragma once

#include "sema/plan/loop_order.h"
#include "sema/plan/sparse_operands.h"

#include <vector>

namespace spc::sema {

/// A dense loop that would be strided innermost goes outermost where it repeats nothing but the walk over one sparse
/// operand (as much work in all): dense times CSR then runs along rows of all three matrices. A contiguous loop that
/// stays inside of that walk does so anyway, and gains by it only if it adds up what the walk's last loop comes to.
/// `scores` says by loop how badly dense operands are strided where it is the innermost one; negative: most are
/// contiguous.
void liftStridedLoops(const LoopProblem &problem, const std::vector<int> &scores, std::vector<int> &order);

/// Whether a term is a product of floats, added up in an array, whose lists have fibers: LoopProblem::mayFactor, where
/// sums may be reassociated.
bool mayFactorFibers(const LogicalStatement &logical, const LogicalTerm &term, const TermOperands &operands,
                     const Scope &scope, const Kernel &kernel);

} // namespace spc::sema
