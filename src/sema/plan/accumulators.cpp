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
/// the inner ones, and one sparse operand is walked: loops over dense operands alone add to memory. Addends of a wider
/// type are converted to what they are added up in.
static bool carriesSums(const Term &term, ValueType computeType, const Kernel &kernel) {
  const auto isSummed = [](const Loop &loop) { return loop.isReduction; };
  const auto first = std::find_if(term.loops.begin(), term.loops.end(), isSummed);
  if (first == term.loops.end())
    return true;
  if (computeType != ValueType::F32)
    return false;
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
  // Anywhere else operands are merged, or looked for.
  const bool isOperands = !term.domain || term.domain->kind == DomainKind::Stored;
  return walked == 1 && isOperands && isWhole && !isRounded && !term.isMerged &&
         std::all_of(first, term.loops.end(), isSummed);
}

bool roundsInBetween(const LogicalStatement &logical, const Statement &statement, const Kernel &kernel) {
  const bool isSum = statement.reduction == Reduction::Sum || statement.reduction == Reduction::Product;
  if (!isSum || !isHalf(kernel.tensors[statement.target].type) || statement.terms.empty())
    return false;
  const Term &first = statement.terms.front();
  const bool isAdded = logical.accumulates && std::none_of(first.loops.begin(), first.loops.end(),
                                                           [](const Loop &loop) { return loop.isReduction; });
  return statement.terms.size() > 1 || isAdded || !carriesSums(first, logical.computeType, kernel);
}

AccumulatedApart accumulateApart(Planning &planning, const LogicalStatement &logical) {
  Kernel &kernel = planning.kernel;
  Scope &scope = planning.statements[logical.statement].scope;
  const AccessId wide = addTemporary(kernel, scope, logical.targetVariables, ValueType::F32, logical.where);
  const Tensor &target = kernel.tensors[logical.target];
  Tensor &temporary = kernel.tensors[scope.accesses[wide].tensor];
  temporary.format = target.format;
  if (!target.format.isDense())
    temporary.structure = SharedWith{structureOwner(kernel, logical.target)};
  const auto valueOf = [&](AccessId access) {
    LogicalTerm term{makeNode(AccessNode{access}, logical.where), {}, false, logical.where};
    term.overwrites = target.format.isDense();
    return term;
  };

  const auto withoutTerms = [&](TensorId tensor) {
    LogicalStatement statement;
    statement.statement = logical.statement;
    statement.target = tensor;
    statement.targetVariables = logical.targetVariables;
    statement.zeroFirst = logical.zeroFirst || (logical.accumulates && !target.format.isDense());
    statement.reduction = logical.reduction;
    statement.targetDefault = logical.targetDefault;
    statement.computeType = logical.computeType;
    statement.where = logical.where;
    return statement;
  };
  AccumulatedApart apart{withoutTerms(scope.accesses[wide].tensor), withoutTerms(logical.target)};
  if (logical.accumulates)
    apart.sums.terms.push_back(valueOf(scope.intern({logical.target, logical.targetVariables, {}, logical.where})));
  for (const LogicalTerm &term : logical.terms)
    apart.sums.terms.push_back(copyOf(term));
  apart.rounding.reduction = Reduction::Sum;
  apart.rounding.computeType = ValueType::F32;
  apart.rounding.zeroFirst = !target.format.isDense();
  apart.rounding.terms.push_back(valueOf(wide));
  return apart;
}

} // namespace spc::sema
