// Outputs whose structure stays. Where the entries of a right side go shows when the call runs: it is computed as a
// tensor of its own, whose entries are then put at their places.
#include "format/levels.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/planning.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kKeptStructure{"kept-structure", Severity::Error};

bool writes(const ResolvedStatement &statement, TensorId tensor) {
  return statement.target.tensor == tensor && !statement.isFused;
}

/// Why the structure of a tensor cannot stay while it is written; empty where it can.
std::string whyNotKept(const Planning &planning, TensorId id) {
  const Tensor &tensor = planning.kernel.tensors[id];
  if (planning.symbols[id].firstWrite < 0)
    return "no statement writes it";
  if (tensor.is<Temporary>())
    return "it is no output";
  if (tensor.format.isDense())
    return "it is dense";
  if (tensor.format.isSum())
    return "it is stored as a sum of parts";
  if (!hasPlaces(tensor.format))
    return "its entries are stored in no order, in which none can be looked up";
  if (tensor.fill != 0)
    return "its missing entries are " + textOf(tensor.type, tensor.fill);
  return "";
}

/// The tensor in the place of `output` in the n-th statement that writes it, with the entries alone.
TensorId addStandIn(Planning &planning, TensorId output, int n) {
  const Tensor &whole = planning.kernel.tensors[output];
  Tensor standIn = whole;
  standIn.name += "$new" + (n > 0 ? std::to_string(n) : std::string());
  standIn.role = Temporary{.standsFor = output};
  standIn.structure = Own{};
  standIn.isRead = standIn.keepsStructure = false;
  const std::vector<format::Level> &levels = standIn.format.levels;
  const bool isPlain = std::all_of(levels.begin(), levels.end(), [](const format::Level &level) {
    return level.part == format::Part::Whole && !level.hasLengths();
  });
  if (!isPlain || format::hasPadding(standIn.format) || !format::isCanonical(standIn.format)) {
    const format::Symmetry symmetry = standIn.format.symmetry;
    standIn.format = plainFormat(standIn.format, !hasDenseLevel(standIn.format));
    standIn.format.symmetry = symmetry;
  }
  planning.symbols.resize(planning.kernel.tensors.size());
  Symbol symbol = planning.symbols[output];
  symbol.isOperand = false;
  symbol.boundBy = symbol.boundBy.value_or(Span());
  planning.symbols.push_back(symbol);
  return planning.kernel.tensors.add(std::move(standIn));
}

} // namespace

void keepStructures(Planning &planning) {
  for (TensorId id : planning.symbols.ids()) {
    const Tensor &tensor = planning.kernel.tensors[id];
    if (!tensor.keepsStructure)
      continue;
    const std::string why = whyNotKept(planning, id);
    if (why.empty())
      planning.copies.askForPlaces(id);
    else
      planning.diagnostics
          .report(kKeptStructure, *planning.symbols[id].boundBy,
                  "the structure of " + inQuotes(tensor.name) + " cannot be kept: " + why)
          .advise("leave out \"structure\": \"kept\"");
  }
}

void computeStandIns(Planning &planning) {
  for (TensorId output : planning.copies.placed()) {
    int count = 0;
    for (size_t k = 0; k < planning.statements.size(); ++k) {
      ResolvedStatement &statement = planning.statements[k];
      if (!writes(statement, output))
        continue;
      const TensorId standIn = addStandIn(planning, output, count++);
      planning.symbols[standIn].firstWrite = static_cast<int>(k);
      planning.standIns.emplace(standIn, statement.op != language::AssignOp::Assign);
      statement.target.tensor = standIn;
    }
  }
}

} // namespace spc::sema
