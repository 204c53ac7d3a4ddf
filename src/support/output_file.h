// Output files that appear whole or not at all.
#pragma once

#include "support/diagnostic.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spc {

/// Takes bytes piece by piece, in order.
using ByteSink = std::function<void(std::string_view bytes)>;

/// Gives all of its bytes to a sink.
using ByteSource = std::function<void(const ByteSink &sink)>;

/// A file that is written piece by piece as a run goes on. It appears under its name when the OutputSet that it is
/// added to commits, or else not at all.
class GrowingFile {
public:
  /// Whether a file of this name may grow: "-", devices and pipes do not.
  static bool mayBe(const std::string &path);

  /// Begins one under a temporary name in its folder. Null with an error reported where that cannot be.
  static std::unique_ptr<GrowingFile> begin(const std::string &path, Diagnostics &diagnostics);

  ~GrowingFile();

  /// Adds bytes; false with an error reported where they cannot be written.
  bool write(std::string_view bytes, Diagnostics &diagnostics);

private:
  friend class OutputSet;
  struct State;
  explicit GrowingFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The outputs of one run. Nothing is written before commit(), so a run that fails earlier leaves no trace.
class OutputSet {
public:
  /// Plans one output. "-" is standard output.
  void add(std::string path, std::string bytes);

  /// Plans one whose bytes need not be in memory together: commit() asks for them once, while it writes them.
  void add(std::string path, ByteSource bytes);

  /// Plans one that has been written.
  void add(std::unique_ptr<GrowingFile> file);

  /// Writes all: each file under a temporary name in its own folder first, then standard output and devices, and only
  /// when all of that has worked the renames. Permissions are those of a new file under the umask; a symbolic link is
  /// followed. On failure reports the path that failed, removes what this set wrote and gives false: an older file
  /// stays unless the renames had begun. The set is empty afterwards.
  bool commit(Diagnostics &diagnostics);

private:
  struct Output {
    std::string path;
    ByteSource bytes;
  };
  std::vector<Output> outputs_;
  std::vector<std::unique_ptr<GrowingFile>> grown_;
};

/// Whether files could be written as things are, to be asked before long work; "-" and an empty path can. Reports those
/// that cannot. A failure that only writing shows, as a full disk, is not known yet.
bool canBeWritten(const std::vector<std::string> &paths, Diagnostics &diagnostics);

} // namespace spc
