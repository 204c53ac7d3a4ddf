#include "tensor/files/file_parts.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <unistd.h>
#include <utility>
#include <vector>

namespace spc::tensor {

FileParts::FileParts(const std::string &path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) // a pipe's writer would take it for its reader
    return;
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0 || (::fstat(file_, &status_) == 0 && S_ISREG(status_.st_mode)))
    return;
  ::close(std::exchange(file_, -1));
}

FileParts::~FileParts() {
  if (file_ >= 0)
    ::close(file_);
}

size_t FileParts::read(uint64_t at, char *to, size_t count) const {
  size_t got = 0;
  while (got < count) {
    const ssize_t more = ::pread(file_, to + got, count - got, static_cast<off_t>(at + got));
    if (more < 0 && errno == EINTR)
      continue;
    if (more <= 0)
      break;
    got += static_cast<size_t>(more);
  }
  return got;
}

void FileParts::prefetch(uint64_t at, uint64_t count) const {
  ::posix_fadvise(file_, static_cast<off_t>(at), static_cast<off_t>(count), POSIX_FADV_WILLNEED);
}

bool FileParts::hasChanged() const {
  struct stat now{};
  return ::fstat(file_, &now) != 0 || now.st_size != status_.st_size || now.st_mtim.tv_sec != status_.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != status_.st_mtim.tv_nsec;
}

struct MemberStream::Inflater {
  static constexpr size_t kInput = size_t{256} << 10;
  z_stream stream{};
  std::vector<char> input = std::vector<char>(kInput);

  Inflater() {
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      throw std::bad_alloc();
  }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

MemberStream::MemberStream(const FileParts &file, const ZipEntry &entry)
    : file_(file), entry_(entry), inflater_(entry.isDeflated ? std::make_unique<Inflater>() : nullptr) {}

MemberStream::MemberStream(MemberStream &&) noexcept = default;
MemberStream::~MemberStream() = default;

/// Members are read in turn, each far from the other: the system does not find out by itself what comes next.
void MemberStream::prefetchFrom(uint64_t taken) {
  constexpr uint64_t kAhead = uint64_t{8} << 20;
  while (prefetched_ < entry_.packed && prefetched_ < taken + kAhead) {
    const uint64_t count = std::min(kAhead, entry_.packed - prefetched_);
    file_.prefetch(entry_.begin + prefetched_, count);
    prefetched_ += count;
  }
}

size_t MemberStream::inflateTo(char *to, size_t count) {
  constexpr size_t kAtOnce = size_t{1} << 30; // zlib counts in 32 bits
  z_stream &stream = inflater_->stream;
  size_t got = 0;
  int status = Z_OK;
  while (got < count && status == Z_OK) {
    if (stream.avail_in == 0 && taken_ < entry_.packed) {
      const size_t wanted = std::min<uint64_t>(Inflater::kInput, entry_.packed - taken_);
      prefetchFrom(taken_);
      const size_t have = file_.read(entry_.begin + taken_, inflater_->input.data(), wanted);
      taken_ += have;
      stream.next_in = reinterpret_cast<Bytef *>(inflater_->input.data());
      stream.avail_in = static_cast<uInt>(have);
    }
    const size_t room = std::min(kAtOnce, count - got);
    stream.next_out = reinterpret_cast<Bytef *>(to + got);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH); // Z_BUF_ERROR where there is nothing to read
    got += room - stream.avail_out;
  }
  return got;
}

size_t MemberStream::read(char *to, size_t count) {
  count = std::min<uint64_t>(count, left());
  if (!inflater_)
    prefetchFrom(given_);
  const size_t got = inflater_ ? inflateTo(to, count) : file_.read(entry_.begin + given_, to, count);
  given_ += got;
  checksum_ = static_cast<uint32_t>(crc32_z(checksum_, reinterpret_cast<const Bytef *>(to), got));
  return got;
}

bool MemberStream::finish() {
  std::array<char, 4096> rest{};
  while (left() > 0)
    if (read(rest.data(), rest.size()) == 0)
      return false;
  if (inflater_) { // which is to have come to its end with it
    char more = 0;
    if (inflateTo(&more, 1) != 0)
      return false;
  }
  return checksum_ == entry_.checksum;
}

} // namespace spc::tensor
