#include "sema/taken_in.h"

namespace spc::sema {

std::optional<language::Reduction> takenInBy(language::AssignOp op) {
  switch (op) {
  case language::AssignOp::Min:
    return language::Reduction::Min;
  case language::AssignOp::Max:
    return language::Reduction::Max;
  case language::AssignOp::Or:
    return language::Reduction::Any;
  default:
    return std::nullopt;
  }
}

} // namespace spc::sema
