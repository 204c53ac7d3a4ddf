// What coordinates of ties and views are, in words of --emit=plan. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include <string>

namespace spc::sema {

/// "d1 = 2*d0 + 3", in terms of a tie's own dimensions.
std::string equationOf(const Tie &tie, const Tensor &tensor, const KernelHead &kernel);

/// "(d0 + 2,3)", in terms of the view's own dimensions.
std::string windowsOf(const View &view);

} // namespace spc::sema
