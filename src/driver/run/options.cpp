#include "driver/run/options.h"

#include "driver/shell/input_options.h"

#include <CLI/CLI.hpp>

namespace spc::driver {

void addRunOptions(CLI::App &app, RunCommandOptions &options) {
  addInputOptions(app, options.inputs);
  addRepeatable(app, "-o,--output", options.outputs,
                "TENSOR=FILE (.mtx, .tns, .npy, .npz or .h5, also .gz or .zst; - for standard output): write an "
                "output; repeatable",
                "[TENSOR=]FILE");
  app.add_option("--precision", options.precision,
                 "Write and print values in N digits, 1 to 17 (default: as many as read back as the same number in "
                 "files, 6 on standard output)")
      ->type_name("N");
  app.add_option("--threads", options.threads,
                 "How many threads the kernel computes on (default: as many processors as spc may use)")
      ->type_name("N");
  CLI::Option *bench =
      app.add_flag("--bench", options.bench,
                   "Print how long a call takes, and operations and bytes a second with their shares of what this "
                   "machine can do, in place of the outputs");
  app.add_flag("--json", options.json, "Print what --bench measures as one line of JSON")->needs(bench);
  CLI::Option *check = app.add_flag(
      "--check", options.check,
      "Compare the outputs with what a slow evaluation of the kernel's text gives; a wrong one is exit code 70");
  app.add_flag("--yes", options.yes, "Begin runs that take long or much memory without asking");
  addPagesOption(app, options.pages);
  CLI::Option *repeat =
      app.add_option("--repeat", options.repeat,
                     "Measure in N rounds and print how long a call takes, in place of the outputs (--bench: 3 to 15)")
          ->type_name("N");
  CLI::Option *memory =
      app.add_option(
             "--memory", options.memory,
             "How much memory tensors may take, in bytes, or with K, M, G, T: read files in blocks of an index, "
             "call the kernel with each, and put its results together")
          ->type_name("SIZE")
          ->excludes(bench)
          ->excludes(check)
          ->excludes(repeat);
  app.add_option("--by", options.by,
                 "The index that --memory divides (default: one by which the largest files are read in blocks)")
      ->type_name("INDEX")
      ->needs(memory);
}

} // namespace spc::driver
