// What a nest of loops costs that joins factors of a product and parts of it. Private to this folder.
#pragma once

#include "sema/terms/walking.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace spc::sema {

using VariableSet = uint64_t; ///< by the numbers of variables

/// What a nest reads: a factor, or a part.
struct Input {
  VariableSet variables = 0;
  double entries = 1;
  bool isSparse = false;
  std::vector<VariableSet> levels = {}; ///< of a sparse operand: each one's variable, outermost first
  std::vector<Walked> lists = {};       ///< the sparse operands in it, by variable
  int calls = 0;                        ///< of functions that take long
};

/// All that a nest reads, which is to live as long: thousands of nests are looked at that read the same.
using Inputs = std::vector<const Input *>;

/// Costs by the extents of variables, in the order of their numbers.
class NestCosts {
public:
  explicit NestCosts(std::vector<double> extents) : extents_(std::move(extents)) {}

  double volume(VariableSet set) const;

  /// The places that a nest comes to: each coordinate that is looked for has a fiber of its own; the operand that adds
  /// the fewest places comes next.
  double places(const Inputs &inputs, VariableSet variables) const;

  /// Of a step of a nest that adds up over `sums`, next to that of a product of matrices, which is tiled.
  static double ofStep(const Inputs &inputs, VariableSet sums);

  /// What calls cost that a nest makes: it computes each input again where others that share a variable with it have
  /// another place.
  double ofCalls(const Inputs &inputs) const;

  /// What a nest with so many places costs for the order in which lists are stored: copies of operands, and merges of
  /// lists that are longer than what they have in common by an order. Lists are to live as long as this does.
  double ofWalking(const Inputs &inputs, double places) const;

  const std::vector<double> &extents() const { return extents_; }

private:
  std::vector<double> extents_;
  /// By what is walked together, and places: many nests read the same lists.
  mutable std::map<std::pair<std::vector<const Walked *>, double>, Walking> walkings_;
};

} // namespace spc::sema
