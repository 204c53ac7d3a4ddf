// Which index variables of a kernel may be divided among processes that run it, as it is, each on its part of the data,
// and what each argument is to such a part. How threads divide a statement's loops, which see all of the data, is in
// division.h.
#pragma once

#include "sema/expression.h"
#include "sema/roles.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spc::sema {

struct Kernel;
struct Program;

/// What an argument is to one part of the data.
struct ArgumentPart {
  enum class Role {
    Whole,   ///< all of it, and of a result: each part has all of it
    Slice,   ///< the coordinates of a dimension that are the part's, numbered from 0
    Reduced, ///< a result that a reduction of all parts' makes; what it held before the call is whole
  };
  TensorId tensor; ///< a parameter
  Role role = Role::Whole;
  std::vector<int> dims = {}; ///< of Slice: one, or several of which a diagonal is read
  int64_t block = 1;          ///< of Slice: cuts at multiples of it leave the blocks that are stored as they are
  Reduction reduction = Reduction::Sum; ///< of Reduced: sum, product, minimum, maximum, any or all
  std::vector<int> listed = {};         ///< dimensions that have the coordinates of a halo alone, numbered anew

  bool operator==(const ArgumentPart &) const = default;
};

/// The coordinates of an extent that a part needs: those that entries of its slices have. More of them change nothing.
struct Halo {
  ExtentId extent;
  std::vector<std::pair<TensorId, int>> listedBy; ///< parameters, and the dimension in which their entries have them
  bool needsOne = false; ///< where the extent has any, a part has one at least, for the padding of fixed widths
};

/// An extent that index variables run over, and how it may be divided.
struct IndexDivision {
  std::string index;              ///< one of the variables that names it
  std::vector<std::string> names; ///< all variables of the text that run over it
  ExtentId extent;
  std::string reason = {};                  ///< why it may not be divided, as a clause; empty where it may
  std::vector<ArgumentPart> arguments = {}; ///< by parameter; empty where it may not be
  std::vector<Halo> halos = {};
};

/// One for each index variable of the text and extent that it runs over, in the order of the text. Each part gives the
/// call what `arguments` says, and what the calls of all parts give makes the result of the whole, up to rounding.
std::vector<IndexDivision> divisionsOf(const Program &program, const Kernel &kernel);

/// The name of a role of results in signatures: "whole", "slice", "sum", "prod", "min", "max", "or" or "and".
const char *spelling(const ArgumentPart &part);

/// "by i: slices of A, y; of x what A lists", or "not by k: …"; for people.
std::string describe(const IndexDivision &division, const Kernel &kernel);

} // namespace spc::sema
