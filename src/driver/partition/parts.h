// How data are dealt out to parts, and what parts then need of each other.
#pragma once

#include "host/inputs.h"
#include "sema/divisions.h"
#include "sema/kernel.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spc::driver {

using sema::ArgumentPart;

/// The part that has each coordinate of an extent.
using Owners = std::vector<int32_t>;

/// Neighbouring coordinates for each part, as many, or of as much weight, for all; with as many weights as coordinates.
Owners equalRows(int64_t size, int64_t parts);
Owners equalWeights(const std::vector<int64_t> &weights, int64_t parts);

/// The part that has each coordinate of an extent: of the divided one, and of others of the same size, `owners`; else
/// as many neighbouring ones for each.
Owners ownersAlong(const sema::IndexDivision &division, const host::Inputs &inputs, sema::ExtentId extent,
                   const Owners &owners, int64_t parts);

/// The dimension of a halo's coordinates in an argument whose rows parts exchange; -1 of slices, which stay where they
/// are, and of others.
int exchangedDim(const sema::Kernel &kernel, const ArgumentPart &part, const sema::Halo &halo);

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

/// A network, and how fast one process goes through the entries of its slices.
struct Machine {
  double rate = 0;      ///< entries a second
  double latency = 0;   ///< seconds a message
  double bandwidth = 0; ///< bytes a second, each way
};

/// What a step is expected to take, in seconds.
struct StepTime {
  double alone = 0;    ///< one process on all
  double compute = 0;  ///< of the part with most entries
  double exchange = 0; ///< of the part that exchanges longest
  double reduce = 0;   ///< of shares, by all
  double step = 0;     ///< of the part that takes longest, computing while it exchanges; and what all reduce
};

/// A part computes for as long as its entries take, and sends and gets rows meanwhile: a message to each other part
/// that it exchanges with, one after the other, and the bytes both ways at once. Shares are reduced by halving
/// (R. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004).
StepTime expectedTime(const Partition &partition, const Machine &machine);

/// In words, and as JSON.
std::string textOf(const Partition &partition, const sema::IndexDivision &division,
                   const std::optional<Machine> &machine);
std::string jsonOf(const Partition &partition, const sema::IndexDivision &division,
                   const std::optional<Machine> &machine);

/// Bytes by pair of parts as an SVG picture: what part, a row, gets from which, a column.
std::string pictureOf(const Partition &partition, const sema::IndexDivision &division);

/// "A, B"
std::string listOf(const std::vector<std::string> &names);

/// The largest of counts over their mean; 1 of nothing.
double balanceOf(const std::vector<int64_t> &counts);

/// By part, what it gets from all others.
std::vector<Exchange> received(const Partition &partition);

} // namespace spc::driver
