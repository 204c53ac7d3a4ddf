#include "driver/partition/parts.h"

#include "format/format.h"
#include "sema/tree.h"

#include <algorithm>
#include <numeric>

namespace spc::driver {
namespace {

/// The entries that a parameter is given; null without any.
const tensor::Coordinates *entriesOf(const sema::Kernel &kernel, const host::Inputs &inputs, sema::TensorId tensor) {
  for (size_t k = 0; k < kernel.parameters.size(); ++k)
    if (kernel.parameters[k] == tensor && inputs.parameters[k].entries)
      return &*inputs.parameters[k].entries;
  return nullptr;
}

const ArgumentPart &partOf(const sema::IndexDivision &division, sema::TensorId tensor) {
  return *std::find_if(division.arguments.begin(), division.arguments.end(),
                       [&](const ArgumentPart &part) { return part.tensor == tensor; });
}

int64_t coordinate(const tensor::Coordinates &entries, size_t entry, int dim) {
  return entries.coordinates[entry * entries.shape.size() + static_cast<size_t>(dim)];
}

/// What is exchanged of one halo.
class HaloExchange {
public:
  HaloExchange(const sema::Kernel &kernel, const sema::IndexDivision &division, const host::Inputs &inputs,
               const sema::Halo &halo, const Owners &owners, int64_t parts)
      : kernel_(kernel), division_(division), inputs_(inputs), halo_(halo), owners_(owners),
        size_(inputs.extents[halo.extent]), own_(ownersAlong(division, inputs, halo.extent, owners, parts)) {}

  void run(Partition &partition) {
    std::vector<int64_t> bytes(static_cast<size_t>(size_));
    ExchangedRows rows{kernel_.extents[halo_.extent].name, {}, {}};
    for (const ArgumentPart &part : division_.arguments)
      if (const int dim = exchangedDim(kernel_, part, halo_); dim >= 0) {
        (part.role == ArgumentPart::Role::Reduced ? rows.sentBack : rows.read)
            .push_back(kernel_.tensors[part.tensor].name);
        addBytes(part, dim, bytes, partition);
      }
    if (rows.read.empty() && rows.sentBack.empty())
      return;
    for (const auto &[part, row] : needed()) {
      if (own_[static_cast<size_t>(row)] == part)
        continue;
      Exchange &exchange = partition.exchanges[{part, own_[static_cast<size_t>(row)]}];
      ++exchange.rows;
      exchange.bytes += bytes[static_cast<size_t>(row)];
    }
    partition.halos.push_back(std::move(rows));
  }

private:
  /// The rows that each part needs, each once.
  std::vector<std::pair<int32_t, int64_t>> needed() const {
    std::vector<std::pair<int32_t, int64_t>> all;
    for (const auto &[tensor, dim] : halo_.listedBy) {
      const tensor::Coordinates *entries = entriesOf(kernel_, inputs_, tensor);
      const int along = partOf(division_, tensor).dims.front();
      for (size_t entry = 0; entries && entry < entries->size(); ++entry)
        all.emplace_back(owners_[static_cast<size_t>(coordinate(*entries, entry, along))],
                         coordinate(*entries, entry, dim));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// Adds the bytes of each row of an argument: of a sparse one those of its entries' values and other coordinates.
  void addBytes(const ArgumentPart &part, int along, std::vector<int64_t> &bytes, Partition &partition) const {
    const sema::Tensor &tensor = kernel_.tensors[part.tensor];
    const int64_t value = sema::bytesOf(tensor.type);
    if (tensor.format.isDense()) {
      int64_t row = value;
      for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
        if (static_cast<int>(dim) != along)
          row *= inputs_.extents[tensor.extents[dim]];
      for (int64_t &one : bytes)
        one += row;
      return;
    }
    const tensor::Coordinates *entries = entriesOf(kernel_, inputs_, part.tensor);
    if (!entries && !sema::has(partition.unknown, tensor.name))
      partition.unknown.push_back(tensor.name);
    const int64_t others = (tensor.order() - 1) * format::bits(tensor.format.indices) / 8;
    for (size_t entry = 0; entries && entry < entries->size(); ++entry)
      bytes[static_cast<size_t>(coordinate(*entries, entry, along))] += value + others;
  }

  const sema::Kernel &kernel_;
  const sema::IndexDivision &division_;
  const host::Inputs &inputs_;
  const sema::Halo &halo_;
  const Owners &owners_;
  const int64_t size_;
  const Owners own_;
};

} // namespace

Owners ownersAlong(const sema::IndexDivision &division, const host::Inputs &inputs, sema::ExtentId extent,
                   const Owners &owners, int64_t parts) {
  const int64_t size = inputs.extents[extent];
  const bool isAlike = extent == division.extent || size == static_cast<int64_t>(owners.size());
  return isAlike ? owners : equalRows(size, parts);
}

int exchangedDim(const sema::Kernel &kernel, const ArgumentPart &part, const sema::Halo &halo) {
  if (part.role != ArgumentPart::Role::Slice)
    for (int dim : part.listed)
      if (kernel.tensors[part.tensor].extents[static_cast<size_t>(dim)] == halo.extent)
        return dim;
  return -1;
}

Owners equalRows(int64_t size, int64_t parts) {
  return equalWeights(std::vector<int64_t>(static_cast<size_t>(size), 1), parts);
}

Owners equalWeights(const std::vector<int64_t> &weights, int64_t parts) {
  const int64_t all = std::accumulate(weights.begin(), weights.end(), int64_t(0));
  if (all == 0 && !weights.empty())
    return equalRows(static_cast<int64_t>(weights.size()), parts);
  Owners owners;
  int64_t before = 0, part = 0;
  for (int64_t weight : weights) {
    // A coordinate belongs to the part in which its middle is.
    while (part + 1 < parts && (2 * before + weight) * parts >= 2 * all * (part + 1))
      ++part;
    owners.push_back(static_cast<int32_t>(part));
    before += weight;
  }
  return owners;
}

std::vector<int64_t> entriesAlong(const sema::Kernel &kernel, const sema::IndexDivision &division,
                                  const host::Inputs &inputs) {
  std::vector<int64_t> counts(static_cast<size_t>(inputs.extents[division.extent]));
  for (const ArgumentPart &part : division.arguments)
    if (part.role == ArgumentPart::Role::Slice && !kernel.tensors[part.tensor].format.isDense())
      if (const tensor::Coordinates *entries = entriesOf(kernel, inputs, part.tensor))
        for (size_t entry = 0; entry < entries->size(); ++entry)
          ++counts[static_cast<size_t>(coordinate(*entries, entry, part.dims.front()))];
  return counts;
}

Partition partitionOf(const sema::Kernel &kernel, const sema::IndexDivision &division, const host::Inputs &inputs,
                      const Owners &owners, int64_t parts) {
  Partition partition;
  partition.rows.resize(static_cast<size_t>(parts));
  partition.entries.resize(static_cast<size_t>(parts));
  const std::vector<int64_t> entries = entriesAlong(kernel, division, inputs);
  for (size_t row = 0; row < owners.size(); ++row) {
    ++partition.rows[static_cast<size_t>(owners[row])];
    partition.entries[static_cast<size_t>(owners[row])] += entries[row];
  }
  for (const sema::Halo &halo : division.halos)
    HaloExchange(kernel, division, inputs, halo, owners, parts).run(partition);
  for (const ArgumentPart &part : division.arguments) {
    const sema::Tensor &tensor = kernel.tensors[part.tensor];
    if (part.role != ArgumentPart::Role::Reduced || !part.listed.empty())
      continue;
    Share share{tensor.name, spelling(part), tensor.format.isDense() ? sema::bytesOf(tensor.type) : 0};
    for (sema::ExtentId extent : tensor.extents)
      share.bytes *= inputs.extents[extent];
    partition.shares.push_back(std::move(share));
  }
  return partition;
}

} // namespace spc::driver
