// Which formats an output can be assembled in.
#include "format/levels.h"
#include "sema/terms/logical_plan.h"

namespace spc::sema {

std::optional<std::string> whyNotAssembled(const format::Format &format) {
  using format::LevelKind;
  using format::Part;
  if (format.symmetry != format::Symmetry::None)
    return "one triangle stands for both";
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[static_cast<size_t>(k)];
    if (level.part == Part::Difference)
      return "its diagonals are stored whole";
    if (level.hasLengths())
      return "its fibers are given by their lengths";
    switch (format::kindOf(format, k)) {
    case LevelKind::FixedWidth:
      if (level.part != Part::Whole && !level.hasWidthOne())
        return "its blocks or groups have room for a fixed number of entries";
      break;
    case LevelKind::RaggedDense:
    case LevelKind::ClosedDense:
    case LevelKind::ClosedCompressed:
      return "its shape is given beforehand";
    case LevelKind::Dense:
    case LevelKind::Compressed:
    case LevelKind::Singleton:
      break;
    }
  }
  return std::nullopt;
}

} // namespace spc::sema
