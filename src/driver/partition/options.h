// The command line of `spc partition`.
#pragma once

#include "driver/shell/input_options.h"
#include "driver/shell/options.h"
#include "driver/shell/session.h"

#include "sema/kernel.h"

#include <string>

namespace spc::driver {

struct PartitionOptions {
  SharedOptions shared;
  host::InputOptions inputs;
  std::string by;
  std::string with = "rows"; ///< or "entries", or a file
  int parts = 2;
  bool json = false;
  bool cuts = false;
  std::string output;     ///< a folder for pieces, or for files of parts; empty where none are written
  std::string as = "npz"; ///< what sparse tensors of parts are written as, or "h5"
  std::string picture;    ///< a file, or empty
  std::string rate;       ///< entries a second, or empty
  std::string network;    ///< a message's latency, bytes a second; or empty
};

/// Cuts the kernel into pieces that can be divided, says what they are, and writes them where a folder is given.
int cutKernel(Session &session, const PartitionOptions &options);

} // namespace spc::driver
