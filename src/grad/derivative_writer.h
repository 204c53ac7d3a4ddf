// What the modes share: names of derivatives, and statements that add up. Private to this folder.
#pragma once

#include "grad/addends.h"
#include "grad/derivative.h"

namespace spc::grad {

/// Addends of a derivative with the index variables of its left side.
struct Contribution {
  std::vector<std::string> indices;
  Addend addend;
};

/// Adds one to a list: to what is written the same way, where there is such; what cancels is dropped.
void contribute(std::vector<Contribution> &list, Contribution one);

class DerivativeWriter {
public:
  DerivativeWriter(Program &program, const std::set<std::string> &between, std::string prefix)
      : program_(program), between_(between), prefix_(std::move(prefix)), addends_(program, patterns_, seeds_) {}

  /// A new name for the derivative that belongs to a tensor.
  std::string nameFor(const std::string &tensor);

  /// Makes a seed one that is stored like the tensor to which it belongs.
  void noteSeed(const std::string &seed, const std::string &tensor);

  /// Where alone the derivative by an element of a tensor, or its tangent, is kept; nothing of dense ones.
  Mask maskOf(const std::string &tensor, const std::vector<std::string> &indices) const;

  /// Writes `name`, the derivative that belongs to `tensor`, as the sum of contributions, which may have several lists
  /// of index variables: one statement for each.
  void writeSum(const std::string &name, const std::string &tensor, std::vector<Contribution> contributions,
                bool isTemporary);

  /// Writes a derivative that is 0.
  void writeZero(const std::string &name, const std::string &tensor, const std::string &sizedBy);

  Derivative derivative;

private:
  /// What an index variable runs over in an expression, as declarations say it; empty where nothing there says it.
  std::string extentOf(const std::string &variable, const Expr &around) const;

  /// Gives variables of one name that run over different extents different names: in a statement a name is one
  /// variable.
  void separateVariables(std::vector<Addend> &addends, const std::vector<std::string> &indices) const;

  /// Whether the forward kernel reads a tensor through windows in a dimension.
  bool isWindowed(const std::string &tensor, size_t dim) const;

  /// A tensor that the forward kernel reads through windows, too, may be larger than what its plain indices run over.
  /// Where a statement for `tensor` has none of the windows left, its plain reads `x(i)` would say how far i runs: they
  /// become `sum(j, select(j == i, x(j), 0))`.
  void separateExtents(Expr &value, const std::string &tensor, const std::vector<std::string> &indices) const;

  bool readsOthers(const std::vector<Contribution> &contributions, const std::string &owner) const;

protected:
  Program &program_;
  const std::set<std::string> &between_;
  std::string prefix_;
  std::map<std::string, std::string> patterns_; ///< the derivatives that are sparse, with the owners of the patterns
  std::map<std::string, std::string> likes_;    ///< derivatives, with the tensors to which they belong
  std::set<std::string> seeds_;                 ///< among these, what the caller stores
  AddendWriter addends_;
};

} // namespace spc::grad
