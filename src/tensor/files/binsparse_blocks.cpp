// CSR, CSC and dense tensors of Binsparse in blocks of the dimension that comes first.
#include "tensor/files/binsparse.h"
#include "tensor/files/block_readers.h"
#include "tensor/files/packed_segments.h"

#include <algorithm>

namespace spc::tensor {

namespace {

constexpr size_t kPointers = 0, kIndices = 2, kValues = 3; // of kBinsparseArrays

class BinsparseBlocks : public BlockReader {
public:
  BinsparseBlocks(std::unique_ptr<FileParts> file, std::string path, BinsparseLayout layout, const PackTarget &target)
      : file_(std::move(file)), path_(std::move(path)), layout_(std::move(layout)), target_(target) {}

  bool readPointers(FileProblem &problem) {
    if (!layout_.hasPointers)
      return true;
    Hdf5Slabs slabs;
    const uint64_t count = static_cast<uint64_t>(layout_.shape[layout_.major]) + 1;
    slabs[kPointers] = Hdf5Slab{0, count};
    const std::optional<Hdf5Contents> contents = readHdf5(path_, slabs, problem);
    if (!contents)
      return false;
    const auto pointers = contents->arrays.find(kBinsparseArrays[kPointers]);
    const auto indices = contents->arrays.find(kBinsparseArrays[kIndices]);
    if (pointers == contents->arrays.end() || indices == contents->arrays.end() ||
        pointers->second.bytes.size() != count * sizeof(int64_t))
      return failWith(problem, changed().message);
    pointers_.resize(count);
    pointers->second.copyIntegers(0, static_cast<int64_t>(count), pointers_.data());
    if (pointers_.front() != 0 || pointers_.back() != indices->second.count)
      return failWith(problem, "its dataset 'pointers_to_1' does not go from 0 to the number of entries");
    return std::is_sorted(pointers_.begin(), pointers_.end()) ||
           failWith(problem, "its dataset 'pointers_to_1' does not ascend");
  }

  const std::vector<int64_t> &shape() const override { return layout_.shape; }
  double heldBytes() const override { return static_cast<double>(pointers_.size() * sizeof(int64_t)); }

  /// All numbers of HDF5 are read in 8 bytes, and then packed.
  double bytesFor(int64_t begin, int64_t end) const override {
    const auto entries = static_cast<double>(entriesIn(begin, end));
    const double arrays = entries * static_cast<double>(sizeof(double)) *
                          static_cast<double>(layout_.parts + (layout_.hasPointers ? 1 : 0));
    std::vector<int64_t> shape = layout_.shape;
    shape[layout_.major] = end - begin;
    const bool packs =
        target_.isPacked && layout_.parts == 1 && !layout_.isIso && !hasLists_ &&
        (layout_.hasPointers ? segmentsMajor(target_.format) == layout_.major : target_.format.isDense());
    if (!packs)
      return arrays + listBytes(target_, shape, entries);
    return arrays + format::leastFootprint(target_.format, shape, sema::bytesOf(target_.type), entries).bytes;
  }

  std::optional<FileTensor> read(int64_t begin, int64_t end, FileProblem &problem) override {
    const int64_t entries = entriesIn(begin, end), first = firstOf(begin);
    const auto slab = [](int64_t from, int64_t count) {
      return Hdf5Slab{static_cast<uint64_t>(from), static_cast<uint64_t>(count)};
    };
    Hdf5Slabs slabs;
    if (layout_.hasPointers)
      slabs[kIndices] = slab(first, entries);
    slabs[kValues] = layout_.isIso ? slab(0, layout_.parts) : slab(first * layout_.parts, entries * layout_.parts);
    std::optional<Hdf5Contents> contents = readHdf5(path_, slabs, problem);
    if (!contents)
      return std::nullopt;
    if (!holds(*contents, slabs) || file_->hasChanged()) {
      problem = changed();
      return std::nullopt;
    }
    std::vector<int64_t> pointers;
    if (layout_.hasPointers) {
      for (int64_t at = begin; at <= end; ++at)
        pointers.push_back(pointers_[static_cast<size_t>(at)] - first);
      NumpyArray &array = contents->arrays.at(kBinsparseArrays[kPointers]);
      array.kind = 'i';
      array.count = static_cast<int64_t>(pointers.size());
      array.bytes = {reinterpret_cast<const char *>(pointers.data()), pointers.size() * sizeof(int64_t)};
    }
    const std::optional<std::vector<int64_t>> shape;
    std::optional<FileTensor> result = readBinsparse(*contents, {shape, &target_}, problem, end - begin);
    hasLists_ = hasLists_ || (result && !result->packed);
    return result;
  }

private:
  int64_t firstOf(int64_t at) const {
    if (layout_.hasPointers)
      return pointers_[static_cast<size_t>(at)];
    for (size_t dim = 0; dim < layout_.shape.size(); ++dim)
      if (dim != layout_.major)
        at *= layout_.shape[dim];
    return at;
  }
  int64_t entriesIn(int64_t begin, int64_t end) const { return firstOf(end) - firstOf(begin); }

  /// Whether all that was asked for is there; the arrays are what was read, from here on.
  static bool holds(Hdf5Contents &contents, const Hdf5Slabs &slabs) {
    for (size_t k = 0; k < slabs.size(); ++k) {
      const auto found = contents.arrays.find(kBinsparseArrays[k]);
      if (!slabs[k])
        continue;
      if (found == contents.arrays.end() || found->second.bytes.size() != slabs[k]->count * sizeof(int64_t))
        return false;
      found->second.count = static_cast<int64_t>(slabs[k]->count);
      found->second.shape = {found->second.count};
    }
    return true;
  }

  std::unique_ptr<FileParts> file_;
  std::string path_;
  BinsparseLayout layout_;
  PackTarget target_;
  bool hasLists_ = false; ///< a block was in another order than the target's
  std::vector<int64_t> pointers_;
};

} // namespace

std::optional<BinsparseLayout> binsparseLayoutOf(const std::string &path, FileProblem &problem) {
  const std::optional<Hdf5Contents> contents = readHdf5(path, {}, problem);
  return contents ? binsparseLayout(*contents, problem) : std::nullopt;
}

std::unique_ptr<BlockReader> binsparseBlocks(std::unique_ptr<FileParts> file, const std::string &path,
                                             const PackTarget &target, FileProblem &problem) {
  std::optional<BinsparseLayout> layout = binsparseLayoutOf(path, problem);
  if (!layout)
    return nullptr;
  auto blocks = std::make_unique<BinsparseBlocks>(std::move(file), path, std::move(*layout), target);
  return blocks->readPointers(problem) ? std::move(blocks) : nullptr;
}

} // namespace spc::tensor
