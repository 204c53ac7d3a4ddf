// Trees that are the same but for the names of variables that are summed over. Private to this folder.
#pragma once

#include "sema/renaming.h"

#include <vector>

namespace spc::sema {

/// Compares trees of two addends of a statement, each with the variables that it is summed over.
class Unifier {
public:
  Unifier(const Scope &scope, const std::vector<VariableId> &own, const std::vector<VariableId> &others)
      : scope_(scope), own_(own), others_(others) {}

  /// Whether a tree of the other addend is one of the first one's once variables of its sums are renamed, each to a
  /// different one: those that have no name yet are noted if so. Sums and products of two are the same in both orders.
  bool unify(const Node &own, const Node &other, Renamed &renamed) const;

private:
  bool names(VariableId own, VariableId other, Renamed &renamed) const;
  bool unifyAll(const std::vector<const Node *> &own, const std::vector<const Node *> &others, Renamed &renamed) const;
  bool unifyBinary(const BinaryNode &own, const BinaryNode &other, Renamed &renamed) const;
  bool unifyReduction(const ReduceNode &own, const ReduceNode &other, Renamed &renamed) const;

  const Scope &scope_;
  const std::vector<VariableId> &own_, &others_;
};

} // namespace spc::sema
