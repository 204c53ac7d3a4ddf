// What it takes loops to come to the places that a product's sparse operands have in common: lists are walked in the
// order in which they are stored. Private to this folder.
#pragma once

#include "sema/terms/places.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace spc::sema {

/// A sparse operand, by the loops over its levels, outermost first. Loops are numbered from 0.
struct Walked {
  struct Level {
    size_t loop = 0;
    bool isDense = false;
  };
  std::vector<Level> levels;
  double entries = 1;
  double copying = 1;      ///< entries that are copied, if it is
  bool mayBeCopied = true; ///< to another order of its levels; vectors are not
  bool isFree = false;     ///< its levels are put in the order of the loops as it is made
};

/// An operand that loops over these variables walk, which have these extents. It has so many entries, or as many as are
/// estimated.
Walked walkedAs(const Stored &stored, const std::vector<VariableId> &loops, const std::vector<double> &extents,
                std::optional<double> entries = std::nullopt);

/// The order of loops that walks operands in the fewest steps, and the copies for that.
struct Walking {
  double steps = 0;  ///< of all loops over lists, those that are merged one after the other
  double copied = 0; ///< of the operands that are copied to another order
};

/// Operands and loops at most for which orders are tried.
inline constexpr size_t kMostWalked = 5;

/// Chooses as the planner of loops does: as few copies as there may be, unless more of them save an order of cost.
/// Steps within an order of cost of `places` need not be the fewest. Nothing where there are more operands or loops
/// than are tried, or no order at all. `extents`: by loop. `places`: how often loops come to a place that all operands
/// have in common.
Walking cheapestWalking(const std::vector<const Walked *> &operands, const std::vector<double> &extents, double places);

/// Whether loops walk operands without copies, and without merging lists that are longer by an order than what they
/// have in common.
bool walkTogether(const std::vector<Stored> &operands, const Scope &scope, const Kernel &kernel);

} // namespace spc::sema
