// Which formats an output can be assembled in.
#include "sema/terms/logical_plan.h"

#include <algorithm>

namespace spc::sema {

std::optional<std::string> whyNotAssembled(const format::Format &format) {
  using format::Extent;
  using format::Part;
  if (format.symmetry != format::Symmetry::None)
    return "one triangle stands for both";
  for (const format::Level &level : format.levels) {
    if (level.part == Part::Difference)
      return "its diagonals are stored whole";
    if (level.isFixedWidth() && level.part != Part::Whole)
      return "its blocks or groups have room for a fixed number of entries";
    if (level.extent == Extent::Lengths)
      return "its fibers are given by their lengths";
    if (level.extent == Extent::Closed || level.isRaggedDense())
      return "its shape is given beforehand";
  }
  return std::nullopt;
}

} // namespace spc::sema
