// NumPy's arrays in blocks of any dimension.
#include "tensor/files/block_readers.h"

#include <numeric>

namespace spc::tensor {

namespace {

/// The elements of a block in the order of the file: runs of neighbours, as far from each other as the dimension is
/// long.
class RunReader {
public:
  RunReader(const FileParts &file, uint64_t begin, uint64_t runBytes, uint64_t stride, uint64_t runs)
      : file_(file), begin_(begin), runBytes_(runBytes), stride_(stride), bytes_(runBytes * runs) {}

  size_t operator()(char *to, size_t count) {
    count = std::min<uint64_t>(count, bytes_ - at_);
    size_t got = 0;
    while (got < count) {
      const uint64_t run = at_ / runBytes_, offset = at_ % runBytes_;
      const size_t wanted = std::min<uint64_t>(count - got, stride_ == runBytes_ ? count - got : runBytes_ - offset);
      const size_t have = file_.read(begin_ + run * stride_ + offset, to + got, wanted);
      got += have;
      at_ += have;
      if (have < wanted)
        break;
    }
    return got;
  }

private:
  const FileParts &file_;
  uint64_t begin_, runBytes_, stride_, bytes_, at_ = 0;
};

class ArrayBlocks : public BlockReader {
public:
  ArrayBlocks(std::unique_ptr<FileParts> file, uint64_t begin, const NumpyArray &array, int dim,
              const PackTarget &target)
      : file_(std::move(file)), begin_(begin), array_(array), dim_(static_cast<size_t>(dim)), target_(target) {
    const auto product = [&](size_t from, size_t to) {
      return std::accumulate(array_.shape.begin() + static_cast<ptrdiff_t>(from),
                             array_.shape.begin() + static_cast<ptrdiff_t>(to), uint64_t{1}, std::multiplies<>());
    };
    inner_ = product(dim_ + 1, array_.shape.size());
    outer_ = product(0, dim_);
    if (array_.isFortran)
      std::swap(inner_, outer_);
  }

  const std::vector<int64_t> &shape() const override { return array_.shape; }
  double heldBytes() const override { return 0; }

  double bytesFor(int64_t begin, int64_t end) const override {
    const double elements =
        static_cast<double>(end - begin) * static_cast<double>(inner_) * static_cast<double>(outer_);
    if (target_.isPacked && isArrayOf(array_, target_))
      return elements * sema::bytesOf(target_.type);
    return listBytes(target_, blockShape(begin, end), elements);
  }

  std::optional<FileTensor> read(int64_t begin, int64_t end, FileProblem &problem) override {
    NumpyArray block = array_;
    block.shape = blockShape(begin, end);
    block.count = (end - begin) * static_cast<int64_t>(inner_ * outer_);
    const uint64_t coordinate = inner_ * array_.elementBytes;
    const ByteReader bytes = block.count == 0
                                 ? ByteReader([](char *, size_t) { return size_t{0}; })
                                 : RunReader(*file_, begin_ + static_cast<uint64_t>(begin) * coordinate,
                                             static_cast<uint64_t>(end - begin) * coordinate,
                                             static_cast<uint64_t>(array_.shape[dim_]) * coordinate, outer_);
    FileTensor result;
    bool isRead = true;
    if (target_.isPacked && isArrayOf(array_, target_)) {
      result.packed = packElements(block, bytes, target_, problem, result.unstorable);
      isRead = result.packed || !result.unstorable.empty();
    } else if (std::optional<Coordinates> entries = listElements(block, bytes, target_.format.isDense(), problem)) {
      result.entries = std::move(*entries);
    } else {
      isRead = false;
    }
    if (!isRead || file_->hasChanged()) {
      problem = changed();
      return std::nullopt;
    }
    return result;
  }

private:
  std::vector<int64_t> blockShape(int64_t begin, int64_t end) const {
    std::vector<int64_t> shape = array_.shape;
    shape[dim_] = end - begin;
    return shape;
  }

  std::unique_ptr<FileParts> file_;
  uint64_t begin_;
  NumpyArray array_;
  size_t dim_;
  PackTarget target_;
  uint64_t inner_ = 1, outer_ = 1; ///< elements beside each other of one coordinate, and how often there are such
};

} // namespace

std::unique_ptr<BlockReader> arrayBlocks(std::unique_ptr<FileParts> file, uint64_t begin, const NumpyArray &array,
                                         int dim, const PackTarget &target) {
  return std::make_unique<ArrayBlocks>(std::move(file), begin, array, dim, target);
}

} // namespace spc::tensor
