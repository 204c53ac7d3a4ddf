// How the work of a statement may be divided among workers that run at the same time. That is decided here, before
// there are loops; whatever divides one asks: chunks of threads do (spc-chunk-rows).
#pragma once

#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::sema {

/// What is dealt out: the values of an index variable, or its blocks of so many.
struct Items {
  ExtentId extent;
  int64_t block = 1;
  bool operator==(const Items &) const = default;
};

/// The part of a tensor that one worker reads or writes.
enum class Share {
  Whole,  ///< all of it
  Slice,  ///< in one dimension the coordinates that are the worker's items
  Listed, ///< in one dimension the coordinates that another operand's slice lists: the halo
  Copy,   ///< a copy of its own, which is added up with the others afterwards
};

struct TensorShare {
  TensorId tensor;
  Share share = Share::Whole;
  int dim = -1;                                   ///< of Slice and Listed: the tensor's dimension
  std::optional<TensorId> listing = std::nullopt; ///< of Listed: the operand whose entries say which
};

struct Division {
  enum class Kind {
    None,   ///< one worker does everything
    Owners, ///< owner-computes rule: each item belongs to one worker, who alone accesses the target's elements there
    Copies, ///< each worker adds to a copy of the target
  };
  Kind kind = Kind::None;
  std::optional<Items> items;      ///< absent of Copies by the positions of a root
  std::optional<TensorId> root;    ///< the operand whose outermost level lists the items that there are
  std::vector<TensorShare> shares; ///< by tensor that the statement accesses, the target first; scalars aside
  std::string reason;              ///< of None, as a clause
};

/// The division of a statement's work. Loops that cannot carry sums along leave a statement with Copies to one worker
/// all the same (transforms/parallel/accumulations.h).
Division divisionOf(const Kernel &kernel, const Statement &statement);

/// "divided by rows of m: slices of y, A; what A lists of x", or "not divided: …"; for people.
std::string describe(const Division &division, const Kernel &kernel);

/// "together, piece by piece of rows of m, in memory for a piece of E"; for people.
std::string describe(const Sweep &sweep, const Kernel &kernel);

} // namespace spc::sema
