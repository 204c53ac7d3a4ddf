#include "support/open_file.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace spc {
namespace {

constexpr std::chrono::milliseconds kPause(20);

void setBlocking(int file) {
  ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
}

/// Asks until `ask` says yes; false where time is up.
template <typename Ask> bool waitUntil(Ask ask) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kPipeSeconds);
  while (!ask()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

} // namespace

std::string systemMessage(int error) {
  return error == EISDIR ? "it is a folder" : std::generic_category().message(error);
}

InputFile::InputFile(const std::string &path)
    : file_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status{};
  if (file_ < 0 || ::fstat(file_, &status) != 0) {
    openError_ = errno;
    why_ = systemMessage(openError_);
    return;
  }
  size_ = S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
  isDevice_ = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
  if (file_ == STDIN_FILENO)
    return;
  if (S_ISFIFO(status.st_mode))
    waitForWriter();
  setBlocking(file_);
}

InputFile::~InputFile() {
  if (file_ > STDIN_FILENO)
    ::close(file_);
}

/// A pipe is at its end while nobody writes to it; with a writer it has data, or asks to come back later.
void InputFile::waitForWriter() {
  const bool found = waitUntil([&] {
    char byte = 0;
    const ssize_t got = ::read(file_, &byte, 1);
    if (got > 0)
      first_ = byte;
    pollfd state{file_, POLLIN, 0};
    return got != 0 || ::poll(&state, 1, 0) > 0; // the latter: a writer has come and gone
  });
  if (!found)
    why_ = "nothing writes to this pipe";
}

std::optional<size_t> InputFile::read(char *bytes, size_t count) {
  if (!why_.empty())
    return std::nullopt;
  if (first_ && count > 0) {
    *bytes = *first_;
    first_.reset();
    return 1;
  }
  while (true) {
    const ssize_t got = ::read(file_, bytes, count);
    if (got >= 0)
      return static_cast<size_t>(got);
    if (errno == EINTR)
      continue;
    why_ = systemMessage(errno);
    return std::nullopt;
  }
}

int openInPlace(const std::string &path) {
  int file = -1;
  waitUntil([&] {
    file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    return file >= 0 || errno != ENXIO;
  });
  if (file < 0)
    return -errno;
  setBlocking(file);
  return file;
}

} // namespace spc
