// The options of `spc run`.
#pragma once

#include "driver/shell/options.h"
#include "host/inputs.h"

#include <string>
#include <vector>

namespace spc::driver {

/// What the command line of `spc run` says, its arguments still text.
struct RunCommandOptions {
  SharedOptions shared;
  host::InputOptions inputs;
  std::vector<std::string> outputs; ///< TENSOR=FILE, or FILE
  std::string threads;              ///< a number, or empty
  std::string repeat;               ///< a number, or empty
  std::string precision;            ///< a number, or empty
  std::string pages = "ordinary";   ///< of what is measured, or "huge"
  std::string memory;               ///< a number of bytes, or empty: operands are read whole
  std::string by;                   ///< the index that is divided then, or empty
  bool bench = false;
  bool json = false; ///< what `bench` says
  bool check = false;
  bool yes = false;
};

/// Declares the options of `spc run` beyond the shared ones.
void addRunOptions(CLI::App &app, RunCommandOptions &options);

} // namespace spc::driver
