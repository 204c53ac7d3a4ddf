// lld inside of spc, where it was built with liblld (library.h, hasLinker()).
#pragma once

#include <string>
#include <vector>

namespace spc::codegen {

/// The files that a shared library is linked from and to.
struct LinkFiles {
  std::string archive; ///< all of whose objects become part of it
  std::string versionScript;
  std::string output;
  bool isOwn = false; ///< whether this process has made the objects, so that lld need not be kept apart from it
};

/// Links for the platform of the archive's `object`; false with the reason in `error`. It depends on this system's libc
/// and libm where that is its platform too; elsewhere the programs that load it bring what it calls.
/// Requires: a process with one thread.
bool linkWithLld(const LinkFiles &files, const std::string &soname, const std::string &object, std::string &error);

/// Links the archive's objects to one object, as linkWithLld(); the version script plays no part.
bool joinWithLld(const LinkFiles &files, std::string &error);

/// Paths of the C library and of libm, as this process has loaded them; none where the system does not say.
std::vector<std::string> loadedCLibraries();

} // namespace spc::codegen
