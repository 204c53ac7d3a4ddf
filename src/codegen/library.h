// Objects of kernels, compiled singly, as one library.
#pragma once

#include "support/diagnostic.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::codegen {

/// A function that a shared library exports for one of the same arguments that an object hides.
struct Forward {
  std::string symbol, hidden;
  bool hasStatus;                   ///< whether it returns one
  std::vector<std::string> numbers; ///< of each argument the type of a number in a register; empty for pointers
};

/// The symbols that a shared library exports of a kernel whose object hides them; nothing of a visible one.
struct Exports {
  std::vector<Forward> functions;
  std::string dataSymbol, data; ///< the signature
};

/// A kernel in its object.
struct LibraryMember {
  std::string kernel;
  std::string object;               ///< the object's bytes; empty where it is that of a member before
  std::string dataSymbol;           ///< the signature
  std::string argvSymbols[4];       ///< of the call, symbolic, numeric and free; empty where there is none
  std::vector<std::string> symbols; ///< that are visible in a shared library
  Exports exports;
};

/// The things that objects which are linked have in common: container, architecture, and on RISC-V how floats are
/// passed. nullopt, with the reason in `error`, where `object` is not an object as compilers write them.
std::optional<std::string> linkTarget(std::string_view object, std::string &error);

/// Whether that is ELF's, of which alone linkShared() makes libraries.
bool isElf(std::string_view linkTarget);

/// The table of kernels, which the object of a library's own defines (docs/abi.md, "Libraries").
struct LibraryTable {
  std::string symbol;
  bool isShared = false; ///< as spc_kernels, too, and with what members export
};

/// That object, for the members' target. Empty with a diagnostic where there is no code generator for it. Requires:
/// members, of one target.
std::string kernelTable(const std::vector<LibraryMember> &members, const LibraryTable &table, Diagnostics &diagnostics);

/// A static library; the same bytes for the same members.
std::optional<std::string> writeArchive(const std::vector<LibraryMember> &members, const std::string &table,
                                        std::string &error);

/// A linker's version script, for ELF: of a shared library the members' symbols and its table alone are visible, with
/// this version.
std::string versionScript(const std::vector<LibraryMember> &members, const std::string &tableSymbol,
                          const std::string &version);

/// How a shared library is linked.
struct SharedLink {
  std::string tableSymbol;
  std::string compiler; ///< path of a C compiler, which runs the target's linker; empty: lld inside of spc links
  std::string soname;
  std::string version; ///< of all symbols
  bool isOwn = false;  ///< whether this process has made the objects: linked without a copy of it, in half of the time
};

/// The path of a program, by name or as found in PATH; empty where there is none.
std::string findProgram(const std::string &name);

/// Whether lld is inside of spc.
bool hasLinker();

/// A shared library with versionScript(), which is loaded with all that it calls or not at all. `error`: what the
/// linker says. Requires: hasLinker() or a compiler.
std::optional<std::string> linkShared(const std::vector<LibraryMember> &members, const std::string &table,
                                      const SharedLink &link, std::string &error);

/// One object of all members, which this process has made, and the table, for ELF; it links as they do. `error`: what
/// the linker says; it is lld inside of spc, or `cc`. Requires: either is there.
std::optional<std::string> linkObject(const std::vector<LibraryMember> &members, const std::string &table,
                                      std::string &error);

} // namespace spc::codegen
