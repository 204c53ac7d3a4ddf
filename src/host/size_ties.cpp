#include "host/size_ties.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace spc::host {

namespace {

struct Place {
  Dimension dimension;
  Span where;
};

/// Dimensions of one size: those that are declared with a name, or that an index variable runs over.
struct Group {
  std::string name;
  bool isDeclared = false;
  std::vector<Place> places;
};

class GroupFinder {
public:
  std::vector<Group> run(const syntax::Kernel &kernel) {
    std::map<std::string, size_t> names;
    for (const syntax::TensorDecl &declaration : kernel.declarations)
      for (size_t dim = 0; dim < declaration.extents.size(); ++dim)
        if (const auto *name = std::get_if<std::string>(&declaration.extents[dim].value))
          add(names, *name, true, {{declaration.name.text, dim}, declaration.extents[dim].where});
    for (const syntax::Statement &statement : kernel.statements) {
      windows_.clear();
      findWindows(*statement.value);
      std::map<std::string, size_t> variables;
      addAccess(statement.target, variables);
      visit(*statement.value, variables);
    }
    return std::move(groups_);
  }

private:
  using Names = std::map<std::string, size_t>; ///< to groups

  void add(Names &names, const std::string &name, bool isDeclared, Place place) {
    const auto [entry, isNew] = names.try_emplace(name, groups_.size());
    if (isNew)
      groups_.push_back({name, isDeclared, {}});
    groups_[entry->second].places.push_back(std::move(place));
  }

  /// Where one access has a window of a dimension, the others do not run over the whole of it either.
  void findWindows(const syntax::Expr &expr) {
    if (const auto *access = std::get_if<syntax::Access>(&expr.node))
      for (size_t dim = 0; dim < access->indices.size(); ++dim)
        if (!access->indices[dim].isPlain())
          windows_.insert({access->tensor.text, dim});
    for (const syntax::Expr *child : syntax::children(expr))
      findWindows(*child);
  }

  void addAccess(const syntax::Access &access, Names &variables) {
    for (size_t dim = 0; dim < access.indices.size(); ++dim) {
      const syntax::Index &index = access.indices[dim];
      const Dimension dimension{access.tensor.text, dim};
      if (index.isPlain() && !windows_.contains(dimension))
        add(variables, index.terms.front().variable.text, false, {dimension, index.where});
    }
  }

  void visit(const syntax::Expr &expr, Names &variables) {
    if (const auto *access = std::get_if<syntax::Access>(&expr.node))
      addAccess(*access, variables);
    const auto *reduction = std::get_if<syntax::Reduce>(&expr.node);
    Names inside = reduction ? variables : Names();
    if (reduction)
      for (const syntax::Name &bound : reduction->variables)
        inside.erase(bound.text);
    for (const syntax::Expr *child : syntax::children(expr))
      visit(*child, reduction ? inside : variables);
  }

  std::vector<Group> groups_;
  std::set<Dimension> windows_;
};

struct Step {
  const Group *group;
  const Place *from;
  const Place *to;
};

Tie tieOf(const Step &step) {
  return {step.to->where, "'" + step.group->name + (step.group->isDeclared ? "' is the size of " : "' runs over ") +
                              spelled(step.from->dimension) + (step.group->isDeclared ? " and of " : " and ") +
                              spelled(step.to->dimension)};
}

} // namespace

std::string spelled(const Dimension &dimension) {
  return "dimension " + std::to_string(dimension.dim) + " of '" + dimension.tensor + "'";
}

std::vector<Tie> tiesBetween(const syntax::Kernel &kernel, const Dimension &from, const Dimension &to) {
  const std::vector<Group> groups = GroupFinder().run(kernel);
  std::map<Dimension, Step> reachedBy;
  std::deque<Dimension> open = {from};
  while (!open.empty() && !reachedBy.contains(to)) {
    const Dimension here = open.front();
    open.pop_front();
    for (const Group &group : groups)
      for (const Place &start : group.places)
        for (const Place &place : group.places)
          if (start.dimension == here && place.dimension != from &&
              reachedBy.try_emplace(place.dimension, Step{&group, &start, &place}).second)
            open.push_back(place.dimension);
  }
  std::vector<Tie> ties;
  for (Dimension at = to; at != from && reachedBy.contains(at); at = reachedBy.at(at).from->dimension)
    ties.insert(ties.begin(), tieOf(reachedBy.at(at)));
  return ties;
}

} // namespace spc::host
