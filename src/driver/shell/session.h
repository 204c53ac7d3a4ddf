// The session of a subcommand.
#pragma once

#include "host/session.h"

namespace spc::driver {

struct CommandHelp;

/// One run of a subcommand, or a request to describe its command line.
class Session : public host::Session {
public:
  using host::Session::Session;

  /// Where readCommandLine puts what a command declares, in place of reading the arguments; null to read them.
  CommandHelp *wantedHelp() const { return wantedHelp_; }
  void wantHelp(CommandHelp &help) { wantedHelp_ = &help; }

private:
  CommandHelp *wantedHelp_ = nullptr;
};

} // namespace spc::driver
