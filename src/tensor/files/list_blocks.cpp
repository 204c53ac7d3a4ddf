// Entries in memory in blocks, and what lists of entries take.
#include "tensor/files/block_readers.h"

#include <algorithm>
#include <numeric>

namespace spc::tensor {

namespace {

class ListBlocks : public BlockReader {
public:
  ListBlocks(Coordinates entries, int dim, const PackTarget &target)
      : entries_(std::move(entries)), dim_(static_cast<size_t>(dim)), target_(target), order_(entries_.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return coordinate(a) < coordinate(b); });
  }

  const std::vector<int64_t> &shape() const override { return entries_.shape; }

  double heldBytes() const override {
    return static_cast<double>(
        (entries_.coordinates.size() + entries_.values.size() + entries_.imaginary.size() + order_.size()) *
            sizeof(double) +
        entries_.rests.size() * sizeof(int16_t));
  }

  double bytesFor(int64_t begin, int64_t end) const override {
    return listBytes(target_, blockShape(begin, end), static_cast<double>(firstFrom(end) - firstFrom(begin)));
  }

  std::optional<FileTensor> read(int64_t begin, int64_t end, FileProblem &) override {
    FileTensor result;
    result.entries.shape = blockShape(begin, end);
    std::vector<int64_t> at(entries_.shape.size());
    for (ptrdiff_t k = firstFrom(begin), last = firstFrom(end); k < last; ++k) {
      const size_t entry = order_[static_cast<size_t>(k)];
      std::copy_n(entries_.coordinates.data() + entry * at.size(), at.size(), at.data());
      at[dim_] -= begin;
      result.entries.append(at.data(), entries_.value(entry));
    }
    return result;
  }

private:
  int64_t coordinate(size_t entry) const { return entries_.coordinates[entry * entries_.shape.size() + dim_]; }

  ptrdiff_t firstFrom(int64_t wanted) const {
    return std::lower_bound(order_.begin(), order_.end(), wanted,
                            [&](size_t entry, int64_t at) { return coordinate(entry) < at; }) -
           order_.begin();
  }

  std::vector<int64_t> blockShape(int64_t begin, int64_t end) const {
    std::vector<int64_t> shape = entries_.shape;
    shape[dim_] = end - begin;
    return shape;
  }

  Coordinates entries_;
  size_t dim_;
  PackTarget target_;
  std::vector<size_t> order_; ///< of entries by their coordinate
};

} // namespace

double listBytes(const PackTarget &target, const std::vector<int64_t> &shape, double entries) {
  constexpr double kLists = 3; // sorting and packing a list take as much again, twice
  const int numbers = target.format.order() + (sema::isComplex(target.type) ? 2 : 1);
  const format::Format &format = target.format.isSum() ? target.format.parts.back() : target.format;
  return kLists * numbers * static_cast<double>(sizeof(double)) * entries +
         format::leastFootprint(format, shape, sema::bytesOf(target.type), entries).bytes;
}

std::unique_ptr<BlockReader> blocksOf(Coordinates entries, int dim, const PackTarget &target) {
  return std::make_unique<ListBlocks>(std::move(entries), dim, target);
}

} // namespace spc::tensor
