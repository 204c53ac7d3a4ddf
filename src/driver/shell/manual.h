// Manual pages and completions for shells, written from what --help says.
#pragma once

#include "driver/shell/command_help.h"
#include "driver/shell/session.h"

#include <string>
#include <vector>

namespace spc::driver {

/// The page of spc as a whole, in the language of man.
std::string mainPage(const std::vector<CommandHelp> &commands);

/// The page of one subcommand.
std::string commandPage(const CommandHelp &command, const std::vector<CommandHelp> &commands);

std::string bashCompletion(const std::vector<CommandHelp> &commands);
std::string fishCompletion(const std::vector<CommandHelp> &commands);
std::string zshCompletion(const std::vector<CommandHelp> &commands);

/// Writes all of these below a folder, where man and the shells look below /usr/share. Says how spc exits.
int writeManual(Session &session, const std::string &folder, const std::vector<CommandHelp> &commands);

} // namespace spc::driver
