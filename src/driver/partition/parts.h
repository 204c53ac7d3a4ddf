// How data are dealt out to parts, and what parts then need of each other.
#pragma once

#include "host/inputs.h"
#include "sema/divisions.h"
#include "sema/kernel.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace spc::driver {

/// The part that has each coordinate of an extent.
using Owners = std::vector<int32_t>;

/// Neighbouring coordinates for each part, as many, or of as much weight, for all; with as many weights as coordinates.
Owners equalRows(int64_t size, int64_t parts);
Owners equalWeights(const std::vector<int64_t> &weights, int64_t parts);

/// Of each coordinate of the divided extent how many entries sparse slices have there.
std::vector<int64_t> entriesAlong(const sema::Kernel &kernel, const sema::IndexDivision &division,
                                  const host::Inputs &inputs);

/// What one part gets of another one.
struct Exchange {
  int64_t rows = 0;
  int64_t bytes = 0;
};

/// Of an extent, the operands whose rows parts get from those that have them, and the results whose shares they send
/// back to these.
struct ExchangedRows {
  std::string extent;
  std::vector<std::string> read, sentBack;
};

/// A result of which each part has a share.
struct Share {
  std::string name, reduction;
  int64_t bytes = 0; ///< of a whole one
};

struct Partition {
  std::vector<int64_t> rows, entries;                        ///< by part
  std::map<std::pair<int32_t, int32_t>, Exchange> exchanges; ///< by the part that gets and the one that has
  std::vector<ExchangedRows> halos;
  std::vector<Share> shares;
  std::vector<std::string> unknown; ///< sparse operands whose bytes the inputs do not say
};

/// What is exchanged where the divided extent has these owners. Another extent of the same size has them, too; others
/// are cut into equal rows.
Partition partitionOf(const sema::Kernel &kernel, const sema::IndexDivision &division, const host::Inputs &inputs,
                      const Owners &owners, int64_t parts);

/// In words, and as JSON.
std::string textOf(const Partition &partition, const sema::IndexDivision &division);
std::string jsonOf(const Partition &partition, const sema::IndexDivision &division);

} // namespace spc::driver
