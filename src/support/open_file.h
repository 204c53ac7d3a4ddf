// Opening files without waiting forever for the other end of a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace spc {

/// How long a named pipe's other end may take to be opened.
constexpr int kPipeSeconds = 5;

/// The system's sentence about an error number.
std::string systemMessage(int error);

/// A file that is read once, from its beginning to its end.
class InputFile {
public:
  /// Opens `path`; "-" is standard input. A named pipe that nobody writes to is given up after kPipeSeconds.
  explicit InputFile(const std::string &path);
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  ~InputFile();

  /// Why it cannot be opened, or be read any further; empty where it can.
  const std::string &why() const { return why_; }
  /// The error number of opening it, or 0.
  int openError() const { return openError_; }
  /// Bytes that a regular file has; 0 of anything else.
  uint64_t size() const { return size_; }
  bool isDevice() const { return isDevice_; }

  /// Reads up to `count` bytes, 0 only at the end. nullopt where it cannot be read, which why() then explains.
  std::optional<size_t> read(char *bytes, size_t count);

private:
  void waitForWriter();

  int file_ = -1;
  std::string why_;
  int openError_ = 0;
  uint64_t size_ = 0;
  bool isDevice_ = false;
  std::optional<char> first_; ///< read while waiting for a pipe's writer
};

/// Opens an existing file that is written in place, such as a device: a file descriptor, or minus the error number. A
/// named pipe that nobody reads is given up after kPipeSeconds, with ENXIO.
int openInPlace(const std::string &path);

} // namespace spc
