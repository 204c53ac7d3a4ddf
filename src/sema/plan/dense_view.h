// Dense operands at indices that are no plain variables: A(i, i), A(3, j), x(2*i + k). Private to this folder.
#pragma once

#include "sema/tree.h"

namespace spc::sema {

/// The elements of a dense tensor that an access comes to, as a tensor with one dimension for each variable: every sum
/// of multiples of variables is a matter of strides, and constants one of where the first element is.
class DenseView {
public:
  /// Requires: the access has a derived index, and its tensor is dense. The arguments must outlive the view.
  DenseView(const Access &access, const Scope &scope, const Kernel &kernel);

  /// The variable of each of the view's dimensions. The last one's neighbours are nearest in memory.
  const std::vector<VariableId> &variables() const { return variables_; }

  /// The view as a tensor of the kernel, which may have it already.
  TensorId addTo(Kernel &kernel) const;

private:
  std::vector<Variable::Multiple> termsOf(int dim) const;
  bool hasUnitStride(VariableId variable) const;
  std::vector<Window> windows() const;

  const Access &access_;
  const Scope &scope_;
  const Tensor &source_;
  std::vector<VariableId> variables_;
  bool hasUnitStride_ = false;
};

} // namespace spc::sema
