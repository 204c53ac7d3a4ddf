// Formats that combine repeated entries in a way that their type has not.
#include "sema/check/checking.h"

namespace spc::sema {
namespace {

constexpr DiagnosticKind kBadDuplicates{"bad-duplicates", Severity::Error};

} // namespace

void checkDuplicates(Checking &checking) {
  for (TensorId id : checking.program.symbols.ids()) {
    const Tensor &tensor = checking.program.tensors[id];
    const format::Duplicates duplicates = tensor.format.duplicates;
    const bool isOrdered = duplicates == format::Duplicates::Min || duplicates == format::Duplicates::Max;
    const std::optional<Span> where = checking.program.symbols[id].boundBy;
    if (isOrdered && isComplex(tensor.type) && where)
      checking.diagnostics
          .report(kBadDuplicates, *where,
                  inQuotes(tensor.name) + " holds " + spelling(tensor.type) +
                      ", which has no order: entries that repeat "
                      "have no " +
                      (duplicates == format::Duplicates::Min ? "least" : "greatest"))
          .advise("\"duplicates\" may be \"sum\", \"last\" or \"error\" there");
  }
}

} // namespace spc::sema
