#include "sema/plan/dense_view.h"

#include <algorithm>

namespace spc::sema {

DenseView::DenseView(const Access &access, const Scope &scope, const Kernel &kernel)
    : access_(access), scope_(scope), source_(kernel.tensors[access.tensor]) {
  for (const format::Level &level : source_.format.levels)
    for (const Variable::Multiple &term : termsOf(level.dim))
      if (!has(variables_, term.variable))
        variables_.push_back(term.variable);
  const auto unit =
      std::find_if(variables_.rbegin(), variables_.rend(), [&](VariableId id) { return hasUnitStride(id); });
  hasUnitStride_ = unit != variables_.rend();
  if (hasUnitStride_)
    std::rotate(unit.base() - 1, unit.base(), variables_.end());
}

std::vector<Variable::Multiple> DenseView::termsOf(int dim) const {
  const VariableId id = access_.variables[dim];
  const Variable &variable = scope_.variables[id];
  return variable.kind == Variable::Kind::Derived ? variable.terms : std::vector<Variable::Multiple>{{id, 1}};
}

/// Whether a step of the variable is one of a single element.
bool DenseView::hasUnitStride(VariableId variable) const {
  const int innermost = source_.format.levels.back().dim;
  for (int dim = 0; dim < source_.order(); ++dim)
    for (const Variable::Multiple &term : termsOf(dim))
      if (term.variable == variable && (dim != innermost || term.scale != 1))
        return false;
  return true;
}

std::vector<Window> DenseView::windows() const {
  std::vector<Window> windows;
  for (int dim = 0; dim < source_.order(); ++dim) {
    Window window{{}, scope_.variables[access_.variables[dim]].constant};
    for (const Variable::Multiple &term : termsOf(dim))
      window.terms.push_back({static_cast<int>(placeOf(term.variable, variables_)), term.scale});
    windows.push_back(std::move(window));
  }
  return windows;
}

TensorId DenseView::addTo(Kernel &kernel) const {
  View own{access_.tensor, windows(), hasUnitStride_};
  Tensor view;
  view.type = source_.type;
  view.format = format::denseFormat(static_cast<int>(variables_.size()));
  for (VariableId variable : variables_)
    view.extents.push_back(scope_.variables[variable].extent);
  view.isRead = true;
  view.where = access_.where;
  for (TensorId id : kernel.tensors.ids()) {
    const Tensor &other = kernel.tensors[id];
    const auto *known = other.as<View>();
    if (known && known->source == own.source && known->windows == own.windows && other.extents == view.extents)
      return id;
  }
  view.role = std::move(own);
  view.name = source_.name + "@" + std::to_string(kernel.tensors.size());
  return kernel.tensors.add(std::move(view));
}

} // namespace spc::sema
