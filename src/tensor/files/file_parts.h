// Files of which parts are read as they are needed. Private to this folder.
#pragma once

#include "tensor/files/zip_directory.h"

#include <cstdint>
#include <memory>
#include <string>
#include <sys/stat.h>

namespace spc::tensor {

/// A regular file that is read at places of it.
class FileParts {
public:
  /// Opens `path`. isOpen() says whether it is a regular file that can be read.
  explicit FileParts(const std::string &path);
  FileParts(const FileParts &) = delete;
  FileParts &operator=(const FileParts &) = delete;
  ~FileParts();

  bool isOpen() const { return file_ >= 0; }
  uint64_t size() const { return static_cast<uint64_t>(status_.st_size); }

  /// Reads from a place on: fewer bytes than asked for at the end, and where the file cannot be read.
  size_t read(uint64_t at, char *to, size_t count) const;

  /// Has the system begin to read what will be asked for.
  void prefetch(uint64_t at, uint64_t count) const;

  /// Whether the file has become another one, as far as its size and its time say, since it was opened.
  bool hasChanged() const;

private:
  int file_ = -1;
  struct stat status_{};
};

/// A member of an archive from its beginning to its end, inflated where it is deflated, and compared with its checksum.
class MemberStream {
public:
  /// The file outlives this.
  MemberStream(const FileParts &file, const ZipEntry &entry);
  MemberStream(MemberStream &&) noexcept;
  ~MemberStream();

  /// The next bytes: fewer than asked for at its end, and where it is damaged. Throws std::bad_alloc.
  size_t read(char *to, size_t count);

  /// How many bytes are left to read.
  uint64_t left() const { return entry_.bytes - given_; }

  /// Reads what is left. False where it is damaged.
  bool finish();

  const std::string &name() const { return entry_.name; }

private:
  struct Inflater;
  void prefetchFrom(uint64_t taken);
  size_t inflateTo(char *to, size_t count);

  const FileParts &file_;
  ZipEntry entry_;
  uint64_t taken_ = 0; ///< bytes of the file
  uint64_t given_ = 0;
  uint64_t prefetched_ = 0; ///< bytes of the file
  uint32_t checksum_ = 0;
  std::unique_ptr<Inflater> inflater_; ///< null of members that are stored
};

} // namespace spc::tensor
