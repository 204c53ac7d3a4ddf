#include "support/output_file.h"

#include "support/open_file.h"
#include "support/temporary_files.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace spc {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kCannotWrite{"cannot-write", Severity::Error};

constexpr int kTemporaryNameTries = 100;
constexpr int kMostLinks = 40; // as Linux follows

// Standard output that nobody reads any more and a file above the size that `ulimit -f` allows are failures to report,
// not signals that kill us among temporaries.
class IgnoreWriteSignals {
public:
  IgnoreWriteSignals() : oldPipe_(std::signal(SIGPIPE, SIG_IGN)), oldSize_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~IgnoreWriteSignals() {
    std::signal(SIGPIPE, oldPipe_);
    std::signal(SIGXFSZ, oldSize_);
  }
  IgnoreWriteSignals(const IgnoreWriteSignals &) = delete;
  IgnoreWriteSignals &operator=(const IgnoreWriteSignals &) = delete;

private:
  void (*oldPipe_)(int);
  void (*oldSize_)(int);
};

// 0 or the error number.
int writeAll(int file, std::string_view bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t wrote = ::write(file, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno != EINTR)
      return errno;
    done += static_cast<size_t>(std::max<ssize_t>(wrote, 0));
  }
  return 0;
}

// 0 or the error number of the first piece that could not be written.
int writeAll(int file, const ByteSource &bytes) {
  int error = 0;
  bytes([&](std::string_view piece) {
    if (error == 0)
      error = writeAll(file, piece);
  });
  return error;
}

int writeAndClose(int file, const ByteSource &bytes) {
  int error = writeAll(file, bytes);
  if (::close(file) != 0 && error == 0)
    error = errno;
  return error;
}

// What a symbolic link that leads to nothing yet names; any other path as it is. Links that go in circles have been
// refused before.
fs::path linkTarget(fs::path path) {
  std::error_code error;
  for (int step = 0; step < kMostLinks; ++step) {
    const fs::path target = fs::read_symlink(path, error);
    if (error)
      break;
    path = path.parent_path() / target; // which is the target, where that is absolute
  }
  return path;
}

// One output on its way: where it ends up, and the temporary file that waits to be renamed.
class PendingFile {
public:
  explicit PendingFile(std::string path) : path_(std::move(path)) {}
  PendingFile(PendingFile &&other) noexcept = default;
  PendingFile &operator=(PendingFile &&) = delete;
  ~PendingFile() {
    if (!temporary_.empty())
      ::unlink(temporary_.c_str());
    keepOnSignal(temporary_);
  }

  // What can be known before writing; the reason that speaks against it, or an empty text.
  std::string prepare() {
    if (path_ == "-") {
      direct_ = true;
      return {};
    }
    struct stat status{};
    if (::stat(path_.c_str(), &status) != 0) {
      if (errno != ENOENT)
        return systemMessage(errno);
    } else if (S_ISDIR(status.st_mode)) {
      return systemMessage(EISDIR);
    } else {
      direct_ = !S_ISREG(status.st_mode);
      if (::access(path_.c_str(), W_OK) != 0)
        return systemMessage(errno);
    }
    std::error_code error;
    fs::path real = fs::weakly_canonical(linkTarget(path_), error);
    final_ = error || direct_ ? path_ : real.string();
    if (fs::path(path_).filename().empty())
      return path_.empty() ? "the name is empty" : "the name is a folder's";
    return {};
  }

  // What the folder says, after prepare().
  std::string whyNotInFolder() const {
    const fs::path folder = fs::path(final_).parent_path();
    const bool isFine = direct_ || ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
    return isFine ? std::string() : inFolder(errno);
  }

  std::string writeTemporary(const ByteSource &bytes) {
    int file = -1;
    const std::string why = openTemporary(file);
    if (!why.empty())
      return why;
    const int error = writeAndClose(file, bytes);
    return error == 0 ? std::string() : systemMessage(error);
  }

  // The reason why there is none, or an empty text.
  std::string openTemporary(int &file) {
    fs::path folder = fs::path(final_).parent_path();
    std::random_device random;
    for (int attempt = 0; attempt < kTemporaryNameTries; ++attempt) {
      std::string name = (folder / (".spc-" + std::to_string(random()) + ".tmp")).string();
      file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file < 0 && errno == EEXIST)
        continue;
      if (file < 0)
        return inFolder(errno);
      temporary_ = name;
      removeOnSignal(name);
      return {};
    }
    return systemMessage(EEXIST);
  }

  std::string writeDirectly(const ByteSource &bytes) const {
    if (path_ == "-") {
      int error = writeAll(STDOUT_FILENO, bytes);
      return error == 0 ? std::string() : systemMessage(error);
    }
    int file = openInPlace(path_);
    if (file == -ENXIO)
      return "nothing reads this pipe";
    int error = file < 0 ? -file : writeAndClose(file, bytes);
    return error == 0 ? std::string() : systemMessage(error);
  }

  std::string moveIntoPlace() {
    if (::rename(temporary_.c_str(), final_.c_str()) != 0)
      return systemMessage(errno);
    keepOnSignal(temporary_);
    temporary_.clear();
    return {};
  }

  void remove() const { ::unlink(final_.c_str()); }
  bool direct() const { return direct_; }
  const std::string &path() const { return path_; }
  bool clashesWith(const PendingFile &other) const { return !direct_ && !other.direct_ && final_ == other.final_; }

private:
  // Names the folder, where it is what does not exist.
  std::string inFolder(int error) const {
    const fs::path given = fs::path(path_).parent_path(), last = fs::path(final_).parent_path();
    std::error_code failed;
    const fs::path &folder = given.empty() || fs::exists(given, failed) ? last : given;
    return error == ENOENT ? "there is no folder '" + folder.string() + "'" : systemMessage(error);
  }

  std::string path_;
  std::string final_;
  std::string temporary_;
  bool direct_ = false;
};

bool refuse(const PendingFile &file, const std::string &why, Diagnostics &diagnostics) {
  if (why.empty())
    return false;
  diagnostics.report(kCannotWrite, {}, "cannot write the file: " + why)
      .at(file.path() == "-" ? "<stdout>" : file.path());
  return true;
}

bool prepareAll(std::vector<PendingFile> &files, Diagnostics &diagnostics) {
  bool fine = true;
  for (size_t i = 0; i < files.size(); ++i) {
    std::string why = files[i].prepare();
    for (size_t j = 0; j < i && why.empty(); ++j)
      if (files[i].clashesWith(files[j]))
        why = "it is named for two outputs";
    fine &= !refuse(files[i], why, diagnostics);
  }
  return fine;
}

bool renameAll(std::vector<PendingFile> &files, Diagnostics &diagnostics) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].direct() || !refuse(files[i], files[i].moveIntoPlace(), diagnostics))
      continue;
    for (size_t j = 0; j < i; ++j)
      if (!files[j].direct())
        files[j].remove();
    return false;
  }
  return true;
}

} // namespace

bool canBeWritten(const std::vector<std::string> &paths, Diagnostics &diagnostics) {
  bool fine = true;
  for (const std::string &path : paths) {
    if (path.empty() || path == "-")
      continue;
    PendingFile file(path);
    std::string why = file.prepare();
    if (why.empty())
      why = file.whyNotInFolder();
    fine &= !refuse(file, why, diagnostics);
  }
  return fine;
}

struct GrowingFile::State {
  IgnoreWriteSignals guard;
  PendingFile pending;
  int file = -1;

  explicit State(const std::string &path) : pending(path) {}
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() { close(); }

  // 0 or the error number.
  int close() {
    const int open = std::exchange(file, -1);
    return open < 0 || ::close(open) == 0 ? 0 : errno;
  }
};

GrowingFile::GrowingFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
GrowingFile::~GrowingFile() = default;

bool GrowingFile::mayBe(const std::string &path) {
  PendingFile file(path);
  return file.prepare().empty() && !file.direct();
}

std::unique_ptr<GrowingFile> GrowingFile::begin(const std::string &path, Diagnostics &diagnostics) {
  auto state = std::make_unique<State>(path);
  std::string why = state->pending.prepare();
  if (why.empty())
    why = state->pending.openTemporary(state->file);
  if (refuse(state->pending, why, diagnostics))
    return nullptr;
  return std::unique_ptr<GrowingFile>(new GrowingFile(std::move(state)));
}

bool GrowingFile::write(std::string_view bytes, Diagnostics &diagnostics) {
  const int error = writeAll(state_->file, bytes);
  return !refuse(state_->pending, error == 0 ? std::string() : systemMessage(error), diagnostics);
}

void OutputSet::add(std::unique_ptr<GrowingFile> file) {
  grown_.push_back(std::move(file));
}

void OutputSet::add(std::string path, std::string bytes) {
  add(std::move(path), [bytes = std::move(bytes)](const ByteSink &sink) { sink(bytes); });
}

void OutputSet::add(std::string path, ByteSource bytes) {
  outputs_.push_back({std::move(path), std::move(bytes)});
}

bool OutputSet::commit(Diagnostics &diagnostics) {
  std::vector<Output> outputs = std::move(outputs_);
  outputs_.clear();
  const std::vector<std::unique_ptr<GrowingFile>> grown = std::move(grown_);
  grown_.clear();
  const IgnoreWriteSignals guard;
  std::vector<PendingFile> files;
  files.reserve(outputs.size() + grown.size());
  for (const Output &output : outputs)
    files.emplace_back(output.path);
  for (const std::unique_ptr<GrowingFile> &file : grown) {
    const int error = file->state_->close();
    if (refuse(file->state_->pending, error == 0 ? std::string() : systemMessage(error), diagnostics))
      return false;
    files.push_back(std::move(file->state_->pending));
  }
  if (!prepareAll(files, diagnostics))
    return false;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!files[i].direct() && refuse(files[i], files[i].writeTemporary(outputs[i].bytes), diagnostics))
      return false;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (files[i].direct() && refuse(files[i], files[i].writeDirectly(outputs[i].bytes), diagnostics))
      return false;
  return renameAll(files, diagnostics);
}

} // namespace spc
