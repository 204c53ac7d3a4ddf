// Places beside the least and the greatest elements. Private to this folder.
#pragma once

#include "ingress/raiser.h"
#include "ingress/reduction.h"

namespace spc::ingress {

/// `place = select(element > extreme, loop, place)`, beside `extreme`, which is the greatest element, or the least.
struct Raiser::Placement {
  Reduction extreme;
  mlir::Value element;
  unsigned beside = 0; ///< the result that is the extreme
  unsigned loop = 0;
  bool isLast = false;  ///< of equal elements
  bool hasNaN = false;  ///< elements may be none
  bool isFloat = false; ///< elements are
};

} // namespace spc::ingress
