#include "tensor/pack/parts.h"

#include "runtime/pack/pack.h"
#include "tensor/pack/runtime_tensor.h"

#include <cstdlib>
#include <new>

namespace spc::tensor {

namespace {

/// By entry, which are sorted by dimension: 0 where the format has no room for it.
std::vector<uint8_t> findFitting(const Coordinates &entries, const format::Format &format) {
  const size_t order = entries.shape.size();
  std::vector<std::vector<int64_t>> columns(order, std::vector<int64_t>(entries.size()));
  runtime::EntryList list = {};
  list.order = entries.order();
  list.count = static_cast<int64_t>(entries.size());
  for (size_t dim = 0; dim < order; ++dim) {
    for (size_t e = 0; e < entries.size(); ++e)
      columns[dim][e] = entries.coordinates[e * order + dim];
    list.at[dim] = {columns[dim].data(), sizeof(int64_t)};
  }
  std::vector<uint8_t> fits(entries.size(), 1);
  RuntimeTensor target(format, sema::ValueType::F64, entries.shape);
  target.tensor().indexBytes = sizeof(int64_t); // whether a smaller type holds the coordinates shows when it is packed
  const runtime::Allocator memory{nullptr,
                                  [](void *, int64_t bytes) { return std::malloc(static_cast<size_t>(bytes)); },
                                  [](void *, void *array) { std::free(array); }};
  if (runtime::findFitting(memory, list, target.tensor(), fits.data()) != runtime::Status::Ok)
    throw std::bad_alloc();
  return fits;
}

} // namespace

std::vector<Coordinates> splitIntoParts(Coordinates entries, const std::vector<format::Format> &formats,
                                        sema::ValueType type) {
  sortAndSum(entries, type);
  std::vector<Coordinates> parts;
  const auto order = static_cast<size_t>(entries.order());
  for (size_t part = 0; part + 1 < formats.size(); ++part) {
    Coordinates own, rest;
    own.shape = rest.shape = entries.shape;
    const std::vector<uint8_t> fits = findFitting(entries, formats[part]);
    for (size_t e = 0; e < entries.size(); ++e)
      (fits[e] != 0 ? own : rest).append(entries.coordinates.data() + e * order, entries.value(e));
    parts.push_back(std::move(own));
    entries = std::move(rest);
  }
  parts.push_back(std::move(entries));
  return parts;
}

} // namespace spc::tensor
