// The options that subcommands share which call kernels or look at their inputs.
#pragma once

#include "driver/shell/session.h"
#include "host/call_memory.h"
#include "host/inputs.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace spc::driver {

/// Declares the options that say what the inputs are.
void addInputOptions(CLI::App &app, host::InputOptions &options);

/// Declares those among them that say sizes and shapes.
void addSizeOptions(CLI::App &app, host::InputOptions &options);

/// Declares the option that says on which pages what is measured lies.
void addPagesOption(CLI::App &app, std::string &pages);

/// What --pages says: "ordinary" or "huge". nullopt with a usage error.
std::optional<host::Pages> readPages(Session &session, const std::string &value);

} // namespace spc::driver
