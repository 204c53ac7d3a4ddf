#include "sema/alternatives.h"

#include <algorithm>
#include <map>
#include <set>

namespace spc::sema {

namespace {

CostProduct volumeOf(const std::vector<ExtentId> &extents) {
  CostProduct volume;
  for (ExtentId extent : extents)
    volume.push_back({{}, extent});
  return volume;
}

/// The loops of a term outside of the first one that runs over what a sparse operand lists: they come to rows without
/// entries, too. Empty where there is no such operand.
CostProduct walkOf(const Kernel &kernel, const Term &term) {
  std::set<LoopId> listed;
  for (const Operand &operand : term.operands) {
    const format::Format &format = kernel.tensors[operand.tensor].format;
    if (format.isDense())
      continue;
    for (size_t k = 0; k < std::min(operand.indices.size(), format.levels.size()); ++k)
      for (const IndexTerm &index : operand.indices[k].terms)
        if (!format.levels[k].isDense())
          listed.insert(index.loop);
  }
  CostProduct walk;
  for (LoopId loop : term.loops.ids()) {
    if (listed.contains(loop))
      return walk;
    walk.push_back({{}, term.loops[loop].extent, term.loops[loop].part, term.loops[loop].block});
  }
  return {};
}

/// How many functions that take long an expression calls, and the loops on which they depend.
int callsIn(const Term &term, const Expr &expr, bool isCalled, std::set<LoopId> &loops) {
  const auto within = [&](const ExprPtr &part, bool isWithin) { return callsIn(term, *part, isWithin, loops); };
  if (const auto *use = std::get_if<Use>(&expr.node)) {
    for (const Index &index : term.operands[use->operand].indices)
      for (const IndexTerm &part : index.terms)
        if (isCalled)
          loops.insert(part.loop);
    return 0;
  }
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    return within(negate->operand, isCalled);
  if (const auto *binary = std::get_if<Binary>(&expr.node))
    return within(binary->left, isCalled) + within(binary->right, isCalled);
  const auto *call = std::get_if<Call>(&expr.node);
  if (!call)
    return 0;
  const bool isLong = language::isTranscendental(call->function);
  int calls = isLong;
  for (const ExprPtr &argument : call->arguments)
    calls += within(argument, isCalled || isLong);
  return calls;
}

/// Adds the functions that a term calls, `steps` being its own: dense loops within which nothing of them changes do not
/// call them again.
void addCalls(const Kernel &kernel, const Term &term, const std::vector<CostProduct> &steps, StatementCost &cost) {
  std::set<LoopId> changing;
  const int calls = callsIn(term, *term.expr, false, changing);
  if (calls == 0)
    return;
  for (const Operand &operand : term.operands)
    if (!kernel.tensors[operand.tensor].format.isDense())
      for (const Index &index : operand.indices)
        for (const IndexTerm &part : index.terms)
          changing.insert(part.loop);
  CostProduct repeats;
  for (size_t k = term.loops.size(); k-- > 0 && !changing.contains(LoopId(k));)
    repeats.push_back(
        {{}, term.loops[LoopId(k)].extent, term.loops[LoopId(k)].part, term.loops[LoopId(k)].block, true});
  for (CostProduct product : steps) {
    product.insert(product.end(), repeats.begin(), repeats.end());
    cost.called.insert(cost.called.end(), static_cast<size_t>(calls), product);
  }
}

/// How often loops come to the entries of a product's second operand, of its third one and so on, where they may find
/// none.
std::vector<CostProduct> searchesIn(const CostProduct &product) {
  std::vector<CostProduct> searches;
  for (auto factor = product.begin(); factor != product.end(); ++factor)
    if (factor != product.begin() && factor->entriesOf)
      searches.emplace_back(product.begin(), factor);
  return searches;
}

/// Copies that the steps of an alternative read, which other alternatives do without.
std::set<TensorId> copiesFor(const Kernel &kernel, const Alternative &alternative) {
  std::set<TensorId> copies;
  const auto add = [&](TensorId id) {
    for (std::optional<TensorId> owner = structureOwner(kernel, id); owner; owner = sourceOf(kernel.tensors[*owner])) {
      const Tensor &tensor = kernel.tensors[*owner];
      if (tensor.is<Converted>() && !isConstant(kernel, *owner) && (kernel.alternatives.empty() || tensor.alternative))
        copies.insert(*owner);
    }
  };
  for (size_t k = alternative.begin; k < alternative.end; ++k)
    if (const auto *statement = std::get_if<Statement>(&kernel.steps[k])) {
      add(statement->target);
      for (const Term &term : statement->terms)
        for (const Operand &operand : term.operands)
          add(operand.tensor);
    }
  return copies;
}

bool isWithin(const std::vector<Index> &indices, const std::vector<Index> &others) {
  const auto hasLoop = [](const std::vector<Index> &list, LoopId loop) {
    return std::ranges::any_of(list, [&](const Index &index) {
      return std::ranges::any_of(index.terms, [&](const IndexTerm &one) { return one.loop == loop; });
    });
  };
  return std::ranges::all_of(indices, [&](const Index &index) {
    return std::ranges::all_of(index.terms, [&](const IndexTerm &one) { return hasLoop(others, one.loop); });
  });
}

/// Entries of operands with just the target's indices, as many as a term has places in it at most; nullopt where none
/// tells.
std::optional<std::vector<CostProduct>> boundOf(const Kernel &kernel, const Term &term, const Domain &domain) {
  if (domain.kind == DomainKind::Stored) {
    const Operand &operand = term.operands[domain.operand];
    if (kernel.tensors[operand.tensor].format.isDense() || !isWithin(term.target, operand.indices) ||
        !isWithin(operand.indices, term.target))
      return std::nullopt;
    return std::vector<CostProduct>{{{entriesOwner(kernel, operand.tensor)}}};
  }
  const bool isAny = domain.kind == DomainKind::Any;
  std::optional<std::vector<CostProduct>> all;
  for (const Domain &part : domain.parts) {
    const auto own = boundOf(kernel, term, part);
    if (own && !isAny)
      return own;
    if (!own && isAny)
      return std::nullopt;
    if (own && !all)
      all.emplace();
    if (own)
      all->insert(all->end(), own->begin(), own->end());
  }
  return all;
}

/// Whether loops come to a result's entries in another order than that of its levels, each of a whole dimension.
bool isReordered(const Statement &statement, const format::Format &format) {
  return std::ranges::none_of(format.levels, [](const auto &level) { return level.part != format::Part::Whole; }) &&
         !std::ranges::equal(statement.collecting->dims, format.levels, {}, {}, &format::Level::dim);
}

/// Adds what it costs to put a result in order that loops come to in another one. A sum over one sparse operand may
/// have far fewer entries than steps, and counts for nothing.
void addSorting(const Kernel &kernel, const Statement &statement, StatementCost &cost) {
  for (const Term &term : statement.terms) {
    const auto *binary = std::get_if<Binary>(&term.expr->node);
    const bool addsUp = binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub);
    Domain all{addsUp ? DomainKind::Any : DomainKind::All};
    for (OperandId id : term.operands.ids())
      if (!kernel.tensors[term.operands[id].tensor].format.isDense())
        all.parts.push_back({DomainKind::Stored, id, {}});
    const auto bound = boundOf(kernel, term, term.domain.value_or(all));
    if (bound)
      cost.copied.insert(cost.copied.end(), bound->begin(), bound->end());
    cost.isSorted |= !bound && all.parts.size() > 1;
  }
}

/// Of a copy: its entries, and the rows that it has whether these have entries or not.
StatementCost costOfCopy(const Kernel &kernel, TensorId id) {
  const Tensor &tensor = kernel.tensors[id];
  CostFactor entries{entriesOwner(kernel, id)};
  const std::vector<TensorId> parts = partsOf(kernel, *entries.entriesOf);
  entries.otherParts.assign(parts.begin() + 1, parts.end());
  StatementCost cost;
  cost.copied.push_back({entries});
  const format::Level &root = tensor.format.levels.front();
  if (root.isDense() && !root.isFound)
    cost.beside.push_back(volumeOf({tensor.extents[static_cast<size_t>(root.dim)]}));
  return cost;
}

} // namespace

std::vector<StatementCost> costOf(const Kernel &kernel, const Alternative &alternative) {
  std::vector<StatementCost> costs;
  for (TensorId copy : copiesFor(kernel, alternative))
    costs.push_back(costOfCopy(kernel, copy));
  for (size_t k = alternative.begin; k < alternative.end; ++k) {
    const auto *statement = std::get_if<Statement>(&kernel.steps[k]);
    if (!statement)
      continue;
    StatementCost cost;
    if (statement->terms.size() == 1)
      cost.byFibers = costByFibers(*statement, statement->terms.front(), kernel).value_or(std::vector<CostProduct>());
    for (const Term &term : statement->terms) {
      const std::vector<CostProduct> own = costOf(*statement, term, kernel);
      cost.steps.insert(cost.steps.end(), own.begin(), own.end());
      addCalls(kernel, term, own, cost);
      if (CostProduct walk = walkOf(kernel, term); !walk.empty())
        cost.beside.push_back(std::move(walk));
    }
    for (const CostProduct &product : cost.steps)
      for (CostProduct &searches : searchesIn(product))
        cost.beside.push_back(std::move(searches));
    const Tensor &target = kernel.tensors[statement->target];
    if (statement->zeroFirst && target.format.isDense())
      cost.beside.push_back(volumeOf(target.extents));
    if (statement->collecting) {
      cost.listed = statement->target;
      cost.places = volumeOf(target.extents);
      if (isReordered(*statement, target.format))
        addSorting(kernel, *statement, cost);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

std::optional<double> evaluate(const std::vector<StatementCost> &costs, const CostSizes &sizes) {
  std::map<TensorId, double> listed;
  const CostSizes known{sizes.extent, [&](TensorId id) {
                          const auto own = listed.find(id);
                          return own == listed.end() ? sizes.entries(id) : std::optional(own->second);
                        }};
  double total = 0;
  for (const StatementCost &cost : costs) {
    std::optional<double> steps = evaluate(cost.steps, known);
    const std::optional<double> beside = evaluate(cost.beside, known), copied = evaluate(cost.copied, known);
    const std::optional<double> called = evaluate(cost.called, known);
    if (!steps || !beside || !copied || !called)
      return std::nullopt;
    if (!cost.byFibers.empty())
      steps = std::min(*steps, *evaluate(cost.byFibers, known));
    total += *steps + *beside + *copied * kCopyingCost + *called * kCallingCost;
    if (cost.listed) {
      const double entries = listed[*cost.listed] = std::min(*steps, *evaluate({cost.places}, known));
      total += cost.isSorted ? entries * (1 + kCopyingCost) : entries;
    }
  }
  return total;
}

size_t alternativeFor(const Kernel &kernel, const CostSizes &sizes) {
  size_t taken = 0;
  double least = 0;
  for (size_t k = 0; k < kernel.alternatives.size(); ++k) {
    const std::optional<double> steps = evaluate(costOf(kernel, kernel.alternatives[k]), sizes);
    if (!steps)
      return 0;
    const double weighed = k == 0 ? *steps : *steps * kFirstMayCost;
    if (k > 0 && weighed >= least)
      continue;
    taken = k;
    least = weighed;
  }
  return taken;
}

std::optional<size_t> alternativeOf(const Kernel &kernel, size_t step) {
  const bool isAgain = isRecomputed(kernel, step);
  const std::vector<Alternative> &all = isAgain ? kernel.recomputation->alternatives : kernel.alternatives;
  const auto own =
      std::find_if(all.begin(), all.end(), [&](const Alternative &one) { return step >= one.begin && step < one.end; });
  return own == all.end() ? std::nullopt : std::optional(static_cast<size_t>(own - all.begin()));
}

bool isRecomputed(const Kernel &kernel, size_t step) {
  const std::optional<Recomputation> &again = kernel.recomputation;
  return again && step >= again->begin && step < again->end;
}

} // namespace spc::sema
