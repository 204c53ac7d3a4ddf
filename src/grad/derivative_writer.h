// What the modes share: names of derivatives, and statements that add up. Private to this folder.
#pragma once

#include "grad/addends.h"
#include "grad/derivative.h"

namespace spc::grad {

/// Addends of a derivative with the index variables of its left side.
struct Contribution {
  Variables indices;
  Addend addend;
};

class DerivativeWriter {
public:
  DerivativeWriter(Program &program, const std::set<TensorId> &between, std::string prefix)
      : program_(program), between_(between), prefix_(std::move(prefix)), addends_(program) {}

  /// A new tensor, the derivative that belongs to `tensor`; its name is `name` behind the mode's prefix.
  TensorId derivativeFor(TensorId tensor, const std::string &name);

  /// The same of one that the caller chooses, with the entries of `tensor`.
  TensorId seedFor(TensorId tensor, const std::string &name);

  /// Where alone the derivative by an element of a tensor, or its tangent, is kept; nothing of dense ones.
  Mask maskOf(TensorId tensor, const Variables &indices) const;

  /// Adds one to a list: to what is written the same way, where there is such; what cancels is dropped.
  void add(std::vector<Contribution> &list, Contribution one) const;

  /// Writes a derivative as the sum of contributions, which may have several lists of index variables: one statement
  /// for each.
  void writeSum(TensorId derivative, std::vector<Contribution> contributions, bool isTemporary);

  /// Writes a derivative that is 0.
  void writeZero(TensorId derivative, std::optional<TensorId> sizedBy);

  Derivative derivative;

private:
  /// What an index variable runs over in a tree, as declarations say it; empty where nothing there says it.
  std::string extentOf(VariableId variable, const Node &around) const;

  /// Gives variables of one name that run over different extents different names: in a statement a name is one
  /// variable.
  void separateVariables(std::vector<Addend> &addends, const Variables &indices) const;

  /// Whether the forward kernel reads a tensor through windows in a dimension.
  bool isWindowed(TensorId tensor, size_t dim) const;

  /// A tensor that the forward kernel reads through windows, too, may be larger than what its plain indices run over.
  /// Where a statement for `tensor` has none of the windows left, its plain reads `x(i)` would say how far i runs: they
  /// become `sum(j, select(j == i, x(j), 0))`.
  void separateExtents(Node &value, TensorId tensor, const Variables &indices) const;

  bool readsOthers(const std::vector<Contribution> &contributions, TensorId owner) const;

  /// Whether each index indexes a dimension alone somewhere in a value.
  bool isSized(const Node &value, const Variables &indices) const;

protected:
  Program &program_;
  const std::set<TensorId> &between_;
  std::string prefix_;
  AddendWriter addends_;
};

} // namespace spc::grad
