// The options of `spc tune`.
#pragma once

#include "driver/shell/options.h"
#include "driver/shell/session.h"
#include "driver/tune/search.h"
#include "format/format_file.h"
#include "host/inputs.h"
#include "syntax/ast.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// The command line of `spc tune`.
struct TuneCommandOptions {
  SharedOptions shared;
  host::InputOptions inputs;
  std::string pages = "ordinary"; ///< of what is measured, or "huge"
  std::string output;
  std::string budget = "60s";
  std::string permute = "once";
  std::string order = "auto";
  std::string set;     ///< files with blanks between them
  std::string threads; ///< a number, or empty
  std::string calls;   ///< a number, or empty
};

/// Declares the options of `spc tune` beyond the shared ones.
void addTuneOptions(CLI::App &app, TuneCommandOptions &options);

/// "60", "60s", "2m", "1h" or "500ms" in seconds, above 0; nullopt for anything else.
std::optional<double> readDuration(std::string_view text);

/// The settings that options say; nullopt with usage errors reported. Threads are those of the pool of spc/pool.h.
std::optional<TuneSettings> readTuneSettings(Session &session, const TuneCommandOptions &options);

/// Whether inputs can be read for each data set of --for; false with usage errors reported.
bool checkReadAgain(Session &session, const TuneCommandOptions &options);

/// Formats for the inputs that are sparse, where the command line has none: csr for matrices of the kernel, csf for
/// tensors of a higher order. A file is sparse if it lists coordinates, a generator if it has a density. Reports inputs
/// that cannot be looked into, as they can be read only once.
std::vector<format::Binding> defaultFormats(Session &session, const host::InputOptions &options,
                                            const syntax::Kernel &tree, format::FormatLoader &loader);

} // namespace spc::driver
