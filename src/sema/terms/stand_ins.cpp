// Outputs whose structure stays. Where the entries of a right side go shows when the call runs: it is computed as a
// tensor of its own, whose entries are then put at their places.
#include "format/levels.h"
#include "sema/analysis.h"
#include "sema/terms/canonical_copies.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kKeptStructure{"kept-structure", Severity::Error};

bool writes(const ResolvedStatement &statement, TensorId tensor) {
  return statement.target.tensor == tensor && !statement.isFused;
}

/// Why the structure of a tensor cannot stay while it is written; empty where it can.
std::string whyNotKept(const Analysis &analysis, TensorId id) {
  const Tensor &tensor = analysis.kernel.tensors[id];
  if (analysis.symbols[id].firstWrite < 0)
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
  for (const ResolvedStatement &statement : analysis.statements)
    if (writes(statement, id) && statement.source->op != language::AssignOp::Assign &&
        statement.source->op != language::AssignOp::Add)
      return "'" + std::string(language::spellingOf(statement.source->op)) + "' takes values into dense targets alone";
  return "";
}

/// The tensor in the place of `output` in the n-th statement that writes it, with the entries alone.
TensorId addStandIn(Analysis &analysis, TensorId output, int n) {
  const Tensor &whole = analysis.kernel.tensors[output];
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
  analysis.symbols.resize(analysis.kernel.tensors.size());
  Symbol symbol = analysis.symbols[output];
  symbol.isOperand = false;
  symbol.boundBy = symbol.boundBy.value_or(Span());
  analysis.symbols.push_back(symbol);
  return analysis.kernel.tensors.add(std::move(standIn));
}

} // namespace

bool hasPlaces(const format::Format &format) {
  return format.levels.front().isDense() || format.levels.front().ordered;
}

void keepStructures(Analysis &analysis) {
  for (TensorId id : analysis.symbols.ids()) {
    const Tensor &tensor = analysis.kernel.tensors[id];
    if (!tensor.keepsStructure)
      continue;
    const std::string why = whyNotKept(analysis, id);
    if (why.empty())
      analysis.copies.askForPlaces(id);
    else
      analysis.diagnostics
          .report(kKeptStructure, *analysis.symbols[id].boundBy,
                  "the structure of " + inQuotes(tensor.name) + " cannot be kept: " + why)
          .advise("leave out \"structure\": \"kept\"");
  }
}

void computeStandIns(Analysis &analysis) {
  for (TensorId output : analysis.copies.placed()) {
    int count = 0;
    for (size_t k = 0; k < analysis.statements.size(); ++k) {
      ResolvedStatement &statement = analysis.statements[k];
      if (!writes(statement, output))
        continue;
      const TensorId standIn = addStandIn(analysis, output, count++);
      analysis.symbols[standIn].firstWrite = static_cast<int>(k);
      analysis.standIns.emplace(standIn, statement.source->op != language::AssignOp::Assign);
      statement.target.tensor = standIn;
    }
  }
}

} // namespace spc::sema
