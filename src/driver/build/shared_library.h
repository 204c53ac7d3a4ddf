// Shared libraries of kernels, as `spc library` and `spc compile --emit=shared` link them.
#pragma once

#include "driver/build/library_kernels.h"
#include "driver/build/several_kernels.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// `lib/libkernels.so.1` as `libkernels`.
std::string stemOf(const std::string &path);

/// The version of all symbols of a shared library: its own, so that what was linked with it calls it, whichever other
/// libraries have kernels of the same names.
std::string symbolVersion(const std::string &library);

/// What a shared library and its symbols are called, and what links it.
struct SharedNames {
  std::string path;
  std::string stem; ///< as in names of C
  std::string tableSymbol;
  std::string compiler; ///< a C compiler, by name or path; empty: lld inside of spc, or `cc` in builds without
  bool isOwn = false;   ///< codegen::SharedLink's
};

/// The bytes of the library; nullopt with an error reported: objects that are not ELF's, no linker, or what it says.
/// Requires: makeVisible() of the kernels, and the object of their table.
std::optional<std::string> linkLibrary(Session &session, const LibraryKernels &library, const SharedNames &names,
                                       const std::string &table);

/// Links kernels that were compiled just now to a shared library, and makes its header. path: what it is called after,
/// or the first kernel where that is standard output. nullopt with
/// errors reported: those of linkLibrary(), and names that two kernels need.
std::optional<CodeAndHeader> shareKernels(Session &session, const std::string &path, std::vector<SingleKernel> kernels);

} // namespace spc::driver
