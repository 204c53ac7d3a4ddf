// Entries in any order, sorted into buckets of neighbouring coordinates: chunks of entries in one temporary file.
#include "support/open_file.h"
#include "tensor/files/block_readers.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace spc::tensor {

namespace {

constexpr size_t kFewestBuckets = 16, kMostBuckets = 1024;
constexpr double kUsualChunk = 32, kMostChunk = 8192; ///< entries

/// A file without a name.
class Scratch {
public:
  Scratch() {
    const char *given = std::getenv("TMPDIR");
    const std::string folder = given && *given ? given : "/tmp";
    file_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file_ < 0) {
      std::string name = folder + "/spc-XXXXXX";
      file_ = ::mkostemp(name.data(), O_CLOEXEC);
      if (file_ >= 0)
        ::unlink(name.c_str());
    }
    if (file_ < 0)
      fail(folder);
    folder_ = folder;
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() {
    if (file_ >= 0)
      ::close(file_);
  }

  template <typename T> bool write(const std::vector<T> &numbers) {
    const char *from = reinterpret_cast<const char *>(numbers.data());
    for (size_t left = numbers.size() * sizeof(T); left > 0 && why_.empty();) {
      const ssize_t wrote = ::pwrite(file_, from, left, static_cast<off_t>(size_));
      if (wrote < 0 && errno != EINTR)
        fail(folder_);
      const auto done = static_cast<size_t>(std::max<ssize_t>(wrote, 0));
      from += done;
      size_ += done;
      left -= done;
    }
    return why_.empty();
  }

  /// Appends numbers from a place on.
  template <typename T> bool read(uint64_t &at, size_t count, std::vector<T> &to) const {
    const size_t before = to.size();
    to.resize(before + count);
    char *into = reinterpret_cast<char *>(to.data() + before);
    for (size_t left = count * sizeof(T); left > 0;) {
      const ssize_t got = ::pread(file_, into, left, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return false;
      into += got;
      at += static_cast<uint64_t>(got);
      left -= static_cast<size_t>(got);
    }
    return true;
  }

  const std::string &why() const { return why_; }
  uint64_t size() const { return size_; }

private:
  void fail(const std::string &folder) {
    why_ = "cannot write a temporary file in '" + folder + "': " + systemMessage(errno);
  }

  int file_ = -1;
  uint64_t size_ = 0;
  std::string why_, folder_;
};

/// So many entries of a bucket in the file: their coordinates, their values, and where there are such their imaginary
/// parts and their rests.
struct Chunk {
  uint64_t begin;
  uint32_t entries;
  bool hasImaginary, hasRests;
};

struct Bucket {
  Coordinates waiting; ///< not yet in the file
  std::vector<Chunk> chunks;
  uint64_t entries = 0;
};

using BucketList = std::vector<Bucket>;

class BucketBlocks : public BlockReader {
public:
  BucketBlocks(std::unique_ptr<Scratch> file, BucketList buckets, int64_t width, int dim, std::vector<int64_t> shape,
               const PackTarget &target)
      : file_(std::move(file)), buckets_(std::move(buckets)), width_(width), dim_(static_cast<size_t>(dim)),
        shape_(std::move(shape)), target_(target) {}

  const std::vector<int64_t> &shape() const override { return shape_; }
  int64_t step() const override { return width_; }
  uint64_t sortedBytes() const override { return file_->size(); }

  double heldBytes() const override {
    size_t bytes = 0;
    for (const Bucket &bucket : buckets_)
      bytes += bucket.chunks.size() * sizeof(Chunk);
    return static_cast<double>(bytes);
  }

  double bytesFor(int64_t begin, int64_t end) const override {
    uint64_t entries = 0;
    eachBucket(begin, end, [&](const Bucket &bucket) { entries += bucket.entries; });
    return listBytes(target_, blockShape(begin, end), static_cast<double>(entries));
  }

  std::optional<FileTensor> read(int64_t begin, int64_t end, FileProblem &problem) override {
    FileTensor result;
    Coordinates &entries = result.entries;
    entries.shape = blockShape(begin, end);
    bool isRead = true;
    eachBucket(begin, end, [&](const Bucket &bucket) {
      for (const Chunk &chunk : bucket.chunks)
        isRead = isRead && readChunk(chunk, entries);
    });
    if (!isRead) {
      problem = {FileProblem::Kind::Malformed, "its entries in the temporary file cannot be read back"};
      return std::nullopt;
    }
    const size_t order = shape_.size();
    for (size_t e = 0; e < entries.size(); ++e)
      entries.coordinates[e * order + dim_] -= begin;
    return result;
  }

private:
  std::vector<int64_t> blockShape(int64_t begin, int64_t end) const {
    std::vector<int64_t> shape = shape_;
    shape[dim_] = end - begin;
    return shape;
  }

  template <typename Use> void eachBucket(int64_t begin, int64_t end, const Use &use) const {
    for (int64_t at = begin / width_; at * width_ < end && at < static_cast<int64_t>(buckets_.size()); ++at)
      use(buckets_[static_cast<size_t>(at)]);
  }

  bool readChunk(const Chunk &chunk, Coordinates &to) const {
    uint64_t at = chunk.begin;
    const size_t before = to.values.size(), after = before + chunk.entries;
    if (!file_->read(at, chunk.entries * shape_.size(), to.coordinates) || !file_->read(at, chunk.entries, to.values))
      return false;
    if (chunk.hasImaginary)
      to.imaginary.resize(before);
    if (chunk.hasRests)
      to.rests.resize(before);
    if ((chunk.hasImaginary && !file_->read(at, chunk.entries, to.imaginary)) ||
        (chunk.hasRests && !file_->read(at, chunk.entries, to.rests)))
      return false;
    if (!to.imaginary.empty())
      to.imaginary.resize(after);
    if (!to.rests.empty())
      to.rests.resize(after);
    return true;
  }

  std::unique_ptr<Scratch> file_;
  BucketList buckets_;
  int64_t width_;
  size_t dim_;
  std::vector<int64_t> shape_;
  PackTarget target_;
};

} // namespace

struct Buckets::State {
  size_t dim, order, chunk;
  std::unique_ptr<Scratch> file = std::make_unique<Scratch>();
  BucketList buckets;
  int64_t width = 1; ///< coordinates of each, a power of two

  bool write(Bucket &bucket) {
    Coordinates &waiting = bucket.waiting;
    if (waiting.values.empty())
      return true;
    bucket.chunks.push_back({file->size(), static_cast<uint32_t>(waiting.values.size()), !waiting.imaginary.empty(),
                             !waiting.rests.empty()});
    bucket.entries += waiting.values.size();
    const bool isWritten = file->write(waiting.coordinates) && file->write(waiting.values) &&
                           file->write(waiting.imaginary) && file->write(waiting.rests);
    waiting.coordinates.clear();
    waiting.values.clear();
    waiting.imaginary.clear();
    waiting.rests.clear();
    return isWritten;
  }

  /// Makes each bucket twice as wide.
  bool widen() {
    for (Bucket &bucket : buckets)
      if (!write(bucket))
        return false;
    for (size_t at = 0; at < buckets.size(); ++at) {
      Bucket joined;
      for (size_t from = 2 * at; from < std::min(2 * at + 2, buckets.size()); ++from) {
        Bucket &old = buckets[from];
        joined.chunks.insert(joined.chunks.end(), old.chunks.begin(), old.chunks.end());
        joined.entries += old.entries;
        old = Bucket();
      }
      buckets[at] = std::move(joined);
    }
    width *= 2;
    return true;
  }
};

Buckets::Buckets(int dim, int order, double memory) : state_(std::make_unique<State>()) {
  state_->dim = static_cast<size_t>(dim);
  state_->order = static_cast<size_t>(order);
  const double room = memory / (static_cast<double>(sizeof(double)) * (order + 2));
  size_t count = kFewestBuckets;
  while (count < kMostBuckets && static_cast<double>(2 * count) * kUsualChunk <= room)
    count *= 2;
  state_->buckets.resize(count);
  state_->chunk = static_cast<size_t>(std::clamp(room / static_cast<double>(count), 1.0, kMostChunk));
}

Buckets::~Buckets() = default;

const std::string &Buckets::why() const {
  return state_->file->why();
}

bool Buckets::add(const Coordinates &piece) {
  State &state = *state_;
  for (size_t e = 0; e < piece.size(); ++e) {
    const int64_t *at = piece.coordinates.data() + e * state.order;
    const int64_t coordinate = at[state.dim];
    while (coordinate / state.width >= static_cast<int64_t>(state.buckets.size()))
      if (!state.widen())
        return false;
    Bucket &bucket = state.buckets[static_cast<size_t>(coordinate / state.width)];
    bucket.waiting.shape.resize(state.order); // says how many coordinates an entry has
    bucket.waiting.append(at, piece.value(e));
    if (bucket.waiting.size() >= state.chunk && !state.write(bucket))
      return false;
  }
  return state.file->why().empty();
}

std::unique_ptr<BlockReader> Buckets::reader(const std::vector<int64_t> &shape, const PackTarget &target) {
  for (Bucket &bucket : state_->buckets) {
    if (!state_->write(bucket))
      return nullptr;
    bucket.waiting = Coordinates();
  }
  return std::make_unique<BucketBlocks>(std::move(state_->file), std::move(state_->buckets), state_->width,
                                        static_cast<int>(state_->dim), shape, target);
}

} // namespace spc::tensor
