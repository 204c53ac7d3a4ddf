// Factors that addends share, once. Private to sema's rooms.
#pragma once

#include "sema/terms/planning.h"

namespace spc::sema {

/// Whether two addends of a sum in a program's statements may read one tensor, which is a cheap thing to ask: there may
/// be factors to share.
bool mayShareFactors(const Program &program);

/// Puts `A(i,j) * x(j) + A(i,j) * z(j)` as `A(i,j) * (x(j) + z(j))` in statements that are not fused. The products are
/// the same up to the names of what they are summed over, but for one factor or none in each. It rounds no more than
/// the text does. What an explicit sum is multiplied by stays outside of it. Notes in the round's contractions whether
/// there were any.
void shareFactors(Planning &planning);

} // namespace spc::sema
