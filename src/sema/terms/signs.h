// Which sign an expression's values have, whatever its operands hold. Private to this folder.
#pragma once

#include "sema/tree.h"

namespace spc::sema {

enum class Sign { NotNegative, NotPositive, Unknown };

/// The sign of what is computed in a type of floats, NaN aside; sum() nodes are seen through. A missing entry is 0.
Sign signOf(const Node &node, const Scope &scope, const Kernel &kernel);

} // namespace spc::sema
