#include "sema/plan/accumulators.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::sema {

/// Whether loops over a format count positions: those over lists of coordinates look for the next one that differs.
static bool isCounted(const format::Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (format::kindOf(format, k) == format::LevelKind::Singleton || !format.levels[static_cast<size_t>(k)].unique)
      return false;
  return true;
}

/// Whether a term's sums are carried by its loops from the first addend to the last: the loops that are summed over are
/// the inner ones, and one sparse operand is walked: loops over dense operands alone add to memory.
static bool carriesSums(const Term &term, const Kernel &kernel) {
  const auto isSummed = [](const Loop &loop) { return loop.isReduction; };
  const auto first = std::find_if(term.loops.begin(), term.loops.end(), isSummed);
  if (first == term.loops.end())
    return true;
  int walked = 0;
  for (const Operand &operand : term.operands)
    if (const format::Format &format = kernel.tensors[operand.tensor].format; !format.isDense() && !operand.follows)
      walked += isCounted(format) ? 1 : 2;
  // What the text rounds before it is added up has to stay rounded.
  const Expr *value = term.expr.get();
  while (const auto *negate = std::get_if<Negate>(&value->node))
    value = negate->operand.get();
  const auto *call = std::get_if<Call>(&value->node);
  const bool isRounded = call && call->function == Function::Cast && isHalf(call->arguments.front()->type);
  const bool isWhole = std::all_of(term.loops.begin(), term.loops.end(),
                                   [](const Loop &loop) { return loop.part == format::Part::Whole; });
  return walked == 1 && isWhole && !isRounded && !term.isMerged && std::all_of(first, term.loops.end(), isSummed);
}

bool roundsInBetween(const Statement &statement, const Kernel &kernel) {
  const bool isSum = statement.reduction == Reduction::Sum || statement.reduction == Reduction::Product;
  return isSum && isHalf(kernel.tensors[statement.target].type) &&
         (statement.terms.size() > 1 || !std::all_of(statement.terms.begin(), statement.terms.end(),
                                                     [&](const Term &term) { return carriesSums(term, kernel); }));
}

LogicalStatement accumulateApart(Analysis &analysis, const LogicalStatement &logical, Statement &statement) {
  Kernel &kernel = analysis.kernel;
  Scope &scope = analysis.statements[logical.statement].scope;
  const AccessId sums = addTemporary(kernel, scope, logical.targetVariables, ValueType::F32, logical.where);
  const TensorId wide = scope.accesses[sums].tensor;
  const Tensor &target = kernel.tensors[logical.target];
  kernel.tensors[wide].format = target.format;
  if (!target.format.isDense())
    kernel.tensors[wide].structure = SharedWith{structureOwner(kernel, logical.target)};
  statement.target = wide;
  statement.zeroFirst = statement.zeroFirst || logical.accumulates;

  LogicalStatement rounding;
  rounding.statement = logical.statement;
  rounding.target = logical.target;
  rounding.targetVariables = logical.targetVariables;
  rounding.accumulates = logical.accumulates;
  rounding.computeType = ValueType::F32;
  rounding.where = logical.where;
  rounding.terms.push_back({makeNode(AccessNode{sums}, logical.where), {}, false, logical.where});
  rounding.terms.front().overwrites = target.format.isDense() && !logical.accumulates;
  rounding.zeroFirst = !target.format.isDense() && !logical.accumulates;
  return rounding;
}

} // namespace spc::sema
