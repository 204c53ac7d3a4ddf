// The places at which an addend of a right side has to be evaluated. Private to this folder.
#pragma once

#include "reference/nodes.h"

#include <functional>
#include <unordered_map>

namespace spc::reference {

/// The points of an addend: products are joined over the entries of their sparse factors, what else there is runs over
/// all values of its variables.
class Join {
public:
  /// `joins`: else the addend is evaluated everywhere. `free`: the variables that no reduction binds, the outermost
  /// first. The node, which must outlive this, reads the entries that its factors are joined at.
  Join(Node &expr, const std::vector<VariableId> &free, bool joins, Variables &variables);

  /// Whether what a statement has computed says where that is.
  bool dependsOnResults() const;

  /// How many points there are, those of reductions included, or some number beyond kMostPoints.
  double points();

  /// Calls `visit` at each of them, with the variables there.
  void forEach(const std::function<void()> &visit);

private:
  /// A sparse factor: its entries by the coordinates of the variables that factors before it bind.
  struct Factor {
    Node *access;
    std::vector<size_t> boundDims, freeDims;
    std::unordered_map<int64_t, std::vector<int64_t>> entries; ///< places by the place of the bound dimensions
  };

  void prepare();
  const std::vector<int64_t> *entriesHere(const Factor &factor) const;
  void move(const Factor &factor, int64_t place);
  double tuples(size_t depth);
  void join(size_t depth, const std::function<void()> &visit);
  void loop(size_t depth, const std::function<void()> &visit);

  const Node &expr_;
  Variables &variables_;
  bool isPrepared_ = false;
  std::vector<Factor> factors_;
  std::vector<VariableId> loops_;
};

} // namespace spc::reference
