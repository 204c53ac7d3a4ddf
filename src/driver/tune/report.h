// The report and the files of `spc tune`.
#pragma once

#include "driver/tune/search.h"
#include "format/bindings_writer.h"
#include "support/output_file.h"

#include <string>

namespace spc::driver {

/// The table of all that was tried, the fastest first, and a line on what is kept.
std::string tuneTable(const TuneSearch &search, const std::vector<std::unique_ptr<TuneData>> &data);

/// The files beside a format file that have names of orders that addTuneFiles() may write.
std::vector<std::string> orderFilesBeside(const std::string &path);

/// Those of them that a search has written, but not this one, which writes `paths`.
std::vector<std::string> staleOrders(const std::string &path, const std::vector<std::string> &paths);

/// The files of the trial that was chosen: how tensors are `stored`, with the schedule, at `path`, and for each order a
/// file beside it, with code that applies it. Gives the paths.
std::vector<std::string> addTuneFiles(OutputSet &outputs, const std::string &path, const TuneSearch &search,
                                      const std::vector<format::StoredTensor> &stored,
                                      const std::vector<std::unique_ptr<TuneData>> &data);

} // namespace spc::driver
