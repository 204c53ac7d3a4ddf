// In which order the sums of a product are taken: all in one nest of loops, or some before others, each such part in a
// temporary. A sum moves past the factors that lack its index, by the distributive law, which holds of 0 or more
// addends whatever the factors hold that are numbers. Private to this folder.
//
// The order is found by dynamic programming over the sets of variables that are summed over, as query optimisers and
// variable elimination do (Dechter, "Bucket elimination", 1999); nests join any number of factors, as worst-case
// optimal joins do, so that a sampled product stays one nest.
#pragma once

#include "sema/terms/places.h"
#include "sema/tree.h"

#include <map>
#include <optional>
#include <vector>

namespace spc::sema {

/// Sums of a product at most whose order is chosen: the sets of more are too many to try.
inline constexpr size_t kMostSums = 10;

/// A factor, by what its costs depend on.
struct ContractionFactor {
  std::vector<VariableId> variables;
  double entries = 1;    ///< at how many places it may differ from 0; the product of the extents of a dense one
  bool isSparse = false; ///< has places where it is 0 for want of entries
  bool isTie = false;    ///< it has one place under each coordinate of the others, so that none repeats
  bool isMask = false;   ///< says by entries of its own where something with the same variables is wanted
  int label = 0;         ///< the same for factors that differ by variables alone
  std::vector<VariableId> strided = {}; ///< along these its elements do not lie next to each other
  std::vector<VariableId> levels = {};  ///< of a sparse operand: the variables of its levels, outermost first
  std::vector<Stored> stored = {};      ///< all sparse operands in it
  bool mayBeFilled = false;             ///< it may be put in an array first, if it has one variable
  int calls = 0; ///< of functions that take long, in what is dense and may be put in an array first
  std::vector<std::vector<VariableId>> reads = {}; ///< of a factor with calls: the variables of each operand in it
};

/// A product and what it is for.
struct ContractionSpace {
  std::vector<ContractionFactor> factors;
  std::vector<VariableId> sums;    ///< variables that are summed over, each once
  std::vector<VariableId> targets; ///< the others
  std::map<VariableId, double> extents;
  bool mayFill = true; ///< a part may have values where it has no entries, as where nothing is summed over; else it
                       ///< lists its entries
  bool listsPlaces =
      false;        ///< the target lists its entries, those places alone at which vectors that are parts have some
  bool asks = true; ///< it is computed apart where parts have entries
  bool isCompact = false; ///< lists have as many entries as their dimensions are long, or nearly: there is memory for
                          ///< arrays along these
  std::optional<VariableId> row = {}; ///< of a target that lists its entries: that of its outermost level, over which
                                      ///< vectors are listed that say where it has any
};

/// A nest of loops that joins factors and parts, and adds up what it computes.
struct Contraction {
  std::vector<size_t> factors; ///< into ContractionSpace::factors
  std::vector<Contraction> parts;
  std::vector<VariableId> sums;      ///< that it adds up over, parts' own aside
  std::vector<VariableId> variables; ///< of what it gives: of the whole, the targets, of a part, as it is best read
  std::optional<size_t> mask;        ///< the factor, of a nest outside, in whose entries it is wanted
  bool isListed = false;             ///< it is stored as the entries that it has
  double entries = 0;                ///< by estimates, if it is listed
  std::optional<VariableId> along;   ///< of a number without which, for want of entries, what it multiplies has no
                                     ///< places: the variable along which these are asked for
};

/// The cheapest way to take the sums, by estimates; nullopt where one nest costs hardly more. A part that is an array
/// has no more elements than the largest operand or the target, and no more dimensions than one of the dense ones, or
/// two.
std::optional<Contraction> cheapestContraction(const ContractionSpace &space);

} // namespace spc::sema
