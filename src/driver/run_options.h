// The options of `spc run`.
#pragma once

#include "driver/options.h"
#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// What the command line of `spc run` says, its arguments still text.
struct RunCommandOptions {
  SharedOptions shared;
  std::vector<std::string> inputs;  ///< TENSOR=SOURCE
  std::vector<std::string> outputs; ///< TENSOR=FILE, or FILE
  std::vector<std::string> sizes;   ///< EXTENT=N
  std::vector<std::string> shapes;  ///< TENSOR=NxM
  std::string inputLimit;           ///< SIZE, or empty
  bool needsAll = true;             ///< what the kernel reads and is not given is an error
  std::string threads;              ///< a number, or empty
  std::string repeat;               ///< a number, or empty
  std::string precision;            ///< a number, or empty
  std::string pages = "ordinary";   ///< of what is measured, or "huge"
  bool bench = false;
  bool json = false; ///< what `bench` says
  bool check = false;
  bool yes = false;
  bool packsWhileReading = false; ///< nothing asks for the entries of inputs whose arrays are as they are packed
  bool asks = false;              ///< at a terminal, before it reads more than memory holds
  bool leavesOutDense = false;    ///< dense tensors that are made up get no entries: what reads them fills them itself
};

/// Declares the options that say what the inputs are.
void addInputOptions(CLI::App &app, RunCommandOptions &options);

/// Declares the option that says on which pages what is measured lies.
void addPagesOption(CLI::App &app, RunCommandOptions &options);

/// Declares the options of `spc run` beyond the shared ones.
void addRunOptions(CLI::App &app, RunCommandOptions &options);

/// The files, and no pipes or terminals, among the sources of inputs.
std::vector<std::string> dataFiles(const RunCommandOptions &options);

/// `name=value`, with its place for diagnostics.
struct Assignment {
  std::string name;
  std::string value;
  Span where;
  Span nameWhere;
};

/// Splits at the first '='. nullopt with a usage error that shows `form`.
std::optional<Assignment> readAssignment(Session &session, const std::string &argument, const std::string &form);

/// The kernel's parameter of that name, as an index into Kernel::parameters; nullopt with an error, which names the
/// nearest one.
std::optional<size_t> findParameter(Session &session, const sema::Kernel &kernel, const Assignment &assignment);

/// The value of an option that is a number from 1 to `most`; `otherwise` where it is empty. nullopt with a usage error.
std::optional<int> readCount(Session &session, const std::string &option, const std::string &value, int most,
                             int otherwise);

/// A positive or zero integer that fits; nullopt for anything else.
std::optional<int64_t> readSize(std::string_view text);

/// A number of bytes, "500", or "500K", "500M", "500G" and "500T" with powers of 1024; nullopt for anything else.
std::optional<uint64_t> readByteCount(std::string_view text);

/// "5x4", or "5"; nullopt for anything else.
std::optional<std::vector<int64_t>> readShape(std::string_view text);

/// "34 x 34"; "scalar" for order 0.
std::string describeShape(const std::vector<int64_t> &shape);

} // namespace spc::driver
