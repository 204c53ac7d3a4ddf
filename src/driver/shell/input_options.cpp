#include "driver/shell/input_options.h"

#include "driver/shell/options.h"

#include <CLI/CLI.hpp>

namespace spc::driver {

void addInputOptions(CLI::App &app, host::InputOptions &options) {
  app.add_option("inputs", options.given,
                 "TENSOR=FILE (.mtx, .tns, .npy, .npz or .h5, also .gz or .zst), TENSOR=ones, TENSOR=zeros, "
                 "TENSOR=random, with [:NxM], [:density=D], [:seed=N]; SCALAR=NUMBER")
      ->type_name("");
  addSizeOptions(app, options);
  app.add_option("--input-limit", options.limit,
                 "How much text a data file may hold, decompressed: bytes, or with K, M, G, T (default: 16G, of a "
                 "compressed file 200 times its size)")
      ->type_name("SIZE");
}

void addSizeOptions(CLI::App &app, host::InputOptions &options) {
  addRepeatable(app, "--size", options.sizes, "EXTENT=N: a size that no input fixes; repeatable", "EXTENT=N");
  addRepeatable(app, "--shape", options.shapes, "TENSOR=NxM: the shape of an input; repeatable", "TENSOR=NxM");
}

void addPagesOption(CLI::App &app, std::string &pages) {
  app.add_option("--pages", pages,
                 "Memory of the arrays that are measured: 'ordinary' (default), as malloc gives it to programs, or "
                 "'huge': large pages where the system grants them")
      ->type_name("ordinary|huge");
}

std::optional<host::Pages> readPages(Session &session, const std::string &value) {
  const std::optional<size_t> pages = readChoice(session, "--pages", value, {"ordinary", "huge"});
  return pages ? std::optional(static_cast<host::Pages>(*pages)) : std::nullopt;
}

} // namespace spc::driver
