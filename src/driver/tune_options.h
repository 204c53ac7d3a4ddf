// The options of `spc tune`.
#pragma once

#include "driver/run_options.h"
#include "driver/tune_search.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// What the command line of `spc tune` says.
struct TuneCommandOptions {
  RunCommandOptions run; ///< kernel, inputs, sizes
  std::string output;
  std::string budget = "60s";
  std::string permute = "once";
  std::string order = "auto";
  std::string set; ///< files with blanks between them
  int threads = 1;
  double calls = 0;
};

/// Declares the options of `spc tune` beyond the shared ones.
void addTuneOptions(CLI::App &app, TuneCommandOptions &options);

/// "60", "60s", "2m" or "500ms" in seconds, above 0; nullopt for anything else.
std::optional<double> readDuration(std::string_view text);

/// The settings that options say; nullopt with usage errors reported. Threads are those of the pool of spc/pool.h.
std::optional<TuneSettings> readTuneSettings(Session &session, const TuneCommandOptions &options);

/// --format arguments for the inputs that are sparse, where the command line has none: csr for sparse matrices, csf for
/// sparse tensors of a higher order. A file is sparse if it lists coordinates, a generator if it has a density.
std::vector<std::string> defaultFormats(Session &session, const RunCommandOptions &options);

} // namespace spc::driver
