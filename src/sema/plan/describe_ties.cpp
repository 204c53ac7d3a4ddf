#include "sema/plan/describe_ties.h"

#include "sema/amounts.h"
#include "sema/plan/describe_steps.h"

#include <vector>

namespace spc::sema {
namespace {

std::string multipleOf(const Amount &scale, int dim, const KernelHead &kernel) {
  const std::string text = textOf(scale, kernel);
  const bool isSum = scale.products.size() + (scale.number != 0) > 1;
  const std::string factor = text == "1" ? "" : text == "-1" ? "-" : isSum ? "(" + text + ")*" : text + "*";
  return factor + format::coordinateText({.dim = dim});
}

} // namespace

std::string equationOf(const Tie &tie, const Tensor &tensor, const KernelHead &kernel) {
  std::string sum;
  const auto append = [&](const std::string &addend) {
    const bool isNegative = addend.front() == '-';
    sum += sum.empty() ? addend : isNegative ? " - " + addend.substr(1) : " + " + addend;
  };
  const int rows = tensor.order() - 1;
  std::vector<std::string> coordinates;
  for (int dim = 0; dim < rows; ++dim) {
    coordinates.push_back(format::coordinateText({.dim = dim}));
    if (!tie.source)
      append(multipleOf(tie.rowScales[static_cast<size_t>(dim)], dim, kernel));
  }
  if (sum.empty() || !tie.constant.isZero())
    append(textOf(tie.constant, kernel));
  return multipleOf({.number = tie.columnScale}, rows, kernel) + " = " +
         (tie.source ? kernel.tensors[*tie.source].name + listOf(coordinates) : sum);
}

std::string windowsOf(const View &view) {
  std::vector<std::string> indices;
  for (const Window &window : view.windows) {
    std::string index;
    for (const Window::Multiple &term : window.terms)
      index += (index.empty() ? "" : " + ") + (term.scale == 1 ? "" : std::to_string(term.scale) + "*") +
               format::coordinateText({.dim = term.dim});
    if (index.empty() || window.constant != 0)
      index += (index.empty() ? "" : " + ") + std::to_string(window.constant);
    indices.push_back(index);
  }
  return listOf(indices);
}

} // namespace spc::sema
