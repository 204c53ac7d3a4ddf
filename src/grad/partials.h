// The partial derivatives of a statement's value by each element that it reads. Private to this folder.
#pragma once

#include "grad/program.h"

#include <memory>

namespace spc::grad {

/// A factor of a partial derivative.
struct Factor {
  std::shared_ptr<const Node> value;
  bool isDivisor = false;
  bool isCondition = false;   ///< the derivative is 0 where it does not hold, whatever the factors behind it are
  bool isConditional = false; ///< stands behind a condition
};

Factor factor(NodePtr value);

/// One use of a tensor: how the value of a statement changes with the element that is read there. Or a sum below
/// factors, several of whose addends change: the factors, and how the sum changes with each of its uses.
struct Partial {
  std::optional<AccessId> use; ///< nullopt of a sum
  std::vector<Partial> parts;  ///< of a sum, in the order of the text
  bool isNegative = false;
  std::vector<Factor> factors;
  Variables summed; ///< variables over which changes of several elements add up
  Variables around; ///< of a sum's part: other variables that have a value there
};

/// The partial derivatives by every use of the tensors `by`, in the order of the text. `keepsSums`: sums below factors
/// or reductions are kept, so that differences are not multiplied out.
std::vector<Partial> partialsOf(Program &program, const Statement &statement, const std::set<TensorId> &by,
                                bool keepsSums);

/// The derivative of a function of floats by argument number `argument`, as factors. Requires: the function's arguments
/// are differentiable. `value` is what the call has been computed to, where a tensor holds it, else null.
std::vector<Factor> derivativeOf(const Node &call, size_t argument, const Program &program, const Node *value);

/// How many values some of the variables have, as the language says it: `sum(j, 1 + 0*pattern(A(i,j)))`. They index
/// something in `around`; variables that are in `scope` have a value where this stands. Removes from `variables` those
/// that are counted, the first one among them.
NodePtr countOf(Variables &variables, Variables scope, const Node &around, Program &program);

/// A factor that is true, in which the variable indexes something as it does in `around`:
/// `(pattern(A(i,j)) or true)`.
NodePtr presenceOf(VariableId variable, const Variables &scope, const Node &around, Program &program);

} // namespace spc::grad
