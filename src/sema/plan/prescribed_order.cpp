#include "sema/plan/prescribed_order.h"

#include "sema/plan/loop_order.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kScheduleVariable{"schedule-variable", Severity::Error};
constexpr DiagnosticKind kSlowOrder{"slow-order", Severity::Warning};

/// Costs are sums: their leading terms may differ by a fiber's length where the sums differ by somewhat less.
constexpr double kSlower = kFiberLength / 2;

using Names = std::vector<std::string>;

bool isMember(const Names &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names lacking(const Names &some, const Names &others) {
  Names missing;
  std::copy_if(some.begin(), some.end(), std::back_inserter(missing),
               [&](const std::string &name) { return !isMember(others, name); });
  return missing;
}

Names prescribedNames(const Planning &planning) {
  Names names;
  for (const format::Given<std::string> &name : planning.given.order->value)
    names.push_back(name.value);
  return names;
}

struct NamedTerm {
  const LogicalTerm *term = nullptr;
  Names names;
};

std::vector<NamedTerm> termsOf(const Planning &planning, const std::vector<Expansion> &expansions) {
  std::vector<NamedTerm> terms;
  const auto add = [&](const LogicalStatement &logical) {
    const Scope &scope = planning.statements[logical.statement].scope;
    for (const LogicalTerm &term : logical.terms) {
      std::vector<VariableId> variables = logical.targetVariables;
      variables.insert(variables.end(), term.reductions.begin(), term.reductions.end());
      terms.push_back({&term, namesOf(variables, scope)});
    }
  };
  for (const Expansion &expansion : expansions) {
    for (const LogicalStatement &temporary : expansion.temporaries)
      add(temporary);
    add(expansion.main);
  }
  return terms;
}

std::string inWords(const Names &names) {
  std::string text;
  for (size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 < names.size() ? ", " : " and ") + inQuotes(names[k]);
  return text;
}

} // namespace

std::optional<std::vector<VariableId>> inPrescribedOrder(const Planning &planning,
                                                         const std::vector<VariableId> &variables, const Scope &scope) {
  if (!planning.given.order)
    return std::nullopt;
  const Names wanted = prescribedNames(planning), names = namesOf(variables, scope);
  if (!std::is_permutation(wanted.begin(), wanted.end(), names.begin(), names.end()))
    return std::nullopt;
  std::vector<VariableId> ordered;
  for (const std::string &name : wanted)
    ordered.push_back(variables[std::find(names.begin(), names.end(), name) - names.begin()]);
  return ordered;
}

void checkPrescribedOrder(const Planning &planning, const std::vector<Expansion> &expansions) {
  if (!planning.given.order)
    return;
  const Names wanted = prescribedNames(planning);
  const std::vector<NamedTerm> terms = termsOf(planning, expansions);
  const NamedTerm *nearest = nullptr;
  size_t least = 0;
  for (const NamedTerm &term : terms) {
    if (std::is_permutation(wanted.begin(), wanted.end(), term.names.begin(), term.names.end()))
      return;
    const size_t differences = lacking(wanted, term.names).size() + lacking(term.names, wanted).size();
    if (nearest && differences >= least)
      continue;
    nearest = &term;
    least = differences;
  }
  const Names missing = lacking(nearest->names, wanted), spare = lacking(wanted, nearest->names);
  std::string problem = "this is the order of no term's loops";
  if (!missing.empty())
    problem += ": it lacks " + inWords(missing);
  if (!spare.empty())
    problem += (missing.empty() ? ": no term with the others has " : ", and has ") + inWords(spare);
  const auto &order = planning.given.order->value;
  const auto firstSpare = std::find_if(
      order.begin(), order.end(), [&](const auto &name) { return missing.empty() && isMember(spare, name.value); });
  const Span where = firstSpare == order.end() ? planning.given.order->where : firstSpare->where;
  planning.diagnostics.report(kScheduleVariable, where, problem)
      .note(nearest->term->where, nearest->names.empty()
                                      ? "the nearest term has no loops"
                                      : "the nearest term has loops over " + inWords(nearest->names));
}

void warnIfSlow(const Planning &planning, const LogicalTerm &term, double cost, double cheapest,
                const std::string &cheapestOrder) {
  if (cost < kSlower * cheapest)
    return;
  planning.diagnostics
      .report(kSlowOrder, planning.given.order->where,
              "loops in this order do more work by orders of magnitude than in the order " + cheapestOrder)
      .note(term.where, "the term is here");
}

std::string listOfNames(const std::vector<VariableId> &variables, const Scope &scope) {
  std::string list = "[";
  for (const std::string &name : namesOf(variables, scope))
    list += (list.size() > 1 ? ", \"" : "\"") + name + "\"";
  return list + "]";
}

} // namespace spc::sema
