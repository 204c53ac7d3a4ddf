// The matrix of what the language says of missing entries: constructs, storages and where infinities are.
#pragma once

#include "evaluators/agreement.h"

#include <string>
#include <vector>

namespace spc::testing {

/// One way in which an entry of the matrix A, or of a vector S, may be missing: by its name, and a kernel with it.
struct Construct {
  std::string name;
  std::string statements;
  std::map<std::string, std::string> fills = {};
  std::map<std::string, sema::ValueType> types = {};
};

extern const std::vector<Construct> kConstructs;

/// Storages of A and C; `B` and `S` are lists.
extern const std::vector<std::string> kStorages;

/// What operands hold.
struct Placement {
  std::string name;
  Fill fill;
  bool isEmpty = false; ///< an extent is 0
  Place place;          ///< what is done to the operands
};

extern const std::vector<Placement> kPlacements;

/// A construct's kernel with A in a storage.
KernelSpec specFor(const Construct &construct, const std::string &storage);

/// The data of a placement: of the extents, the one that is 0 where it is to be empty is chosen by the seed.
Trial trialFor(const Placement &placement, int extentClasses, uint64_t seed);

} // namespace spc::testing
