// Output files that appear whole or not at all.
#pragma once

#include "support/diagnostic.h"

#include <string>
#include <vector>

namespace spc {

/// The outputs of one run. Nothing is written before commit(), so a run that fails earlier leaves no trace.
class OutputSet {
public:
  /// Plans one output. "-" is standard output.
  void add(std::string path, std::string bytes);

  /// Writes all: each file under a temporary name in its own folder first, then standard output and devices, and only
  /// when all of that has worked the renames. Permissions are those of a new file under the umask; a symbolic link is
  /// followed. On failure reports the path that failed, removes what this set wrote and gives false: an older file
  /// stays unless the renames had begun. The set is empty afterwards.
  bool commit(Diagnostics &diagnostics);

private:
  struct Output {
    std::string path;
    std::string bytes;
  };
  std::vector<Output> outputs_;
};

} // namespace spc
