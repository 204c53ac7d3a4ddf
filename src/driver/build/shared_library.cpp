#include "driver/build/shared_library.h"

#include "spc/spc.h"

#include <cctype>
#include <filesystem>

namespace spc::driver {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kLibraryNotElf{"library-target", Severity::Error};
constexpr DiagnosticKind kLibraryNoLinker{"no-linker", Severity::Error};
constexpr DiagnosticKind kLibraryLinkFailed{"link-failed", Severity::Error};

} // namespace

std::string stemOf(const std::string &path) {
  const std::string name = fs::path(path).filename().string();
  return name.substr(0, name.find('.'));
}

std::string symbolVersion(const std::string &library) {
  std::string version = "SPC_" + std::to_string(SPC_ABI_VERSION) + "_";
  for (const char c : library)
    version += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return version;
}

std::optional<std::string> linkLibrary(Session &session, const LibraryKernels &library, const SharedNames &names,
                                       const std::string &table) {
  if (!codegen::isElf(library.target)) {
    session.diagnostics()
        .report(kLibraryNotElf, {}, "shared libraries are made for ELF, but the objects are " + library.target)
        .advise("make a static library, and link that with the platform's own tools");
    return std::nullopt;
  }
  codegen::SharedLink link{names.tableSymbol, "", fs::path(names.path).filename().string(), symbolVersion(names.stem),
                           names.isOwn};
  std::string linker = "lld";
  if (!names.compiler.empty() || !codegen::hasLinker()) {
    const std::string name = names.compiler.empty() ? "cc" : names.compiler;
    linker = "'" + name + "'";
    link.compiler = codegen::findProgram(name);
    if (link.compiler.empty()) {
      session.diagnostics()
          .report(kLibraryNoLinker, {},
                  "the shared library is to be linked by a C compiler, but " + linker + " is not found")
          .advise("install one, name it with --cc of spc library, or make a static library");
      return std::nullopt;
    }
  }
  std::string error;
  std::optional<std::string> bytes = codegen::linkShared(library.members, table, link, error);
  if (!bytes)
    session.diagnostics()
        .report(kLibraryLinkFailed, {}, linker + " cannot link the library: " + error)
        .advise("--cc of spc library names a C compiler for the objects' platform, such as aarch64-linux-gnu-gcc");
  return bytes;
}

std::optional<CodeAndHeader> shareKernels(Session &session, const std::string &path,
                                          std::vector<SingleKernel> kernels) {
  std::optional<LibraryKernels> library = kernelsOf(session, std::move(kernels));
  if (!library)
    return std::nullopt;
  makeVisible(*library);
  const bool isNamed = path != "-" && !stemOf(path).empty();
  const std::string file = isNamed ? path : library->kernels.front().signature.function + ".so";
  const std::string stem = stemOf(file), symbol = abi::tableNames(stem, library->kernels).symbol;
  const std::string table = codegen::kernelTable(library->members, {symbol, /*isShared=*/true}, session.diagnostics());
  if (table.empty())
    return std::nullopt;
  std::optional<std::string> code =
      linkLibrary(session, *library, {file, abi::plainName(stem), symbol, {}, /*isOwn=*/true}, table);
  if (!code)
    return std::nullopt;
  return CodeAndHeader{std::move(*code), abi::writeLibraryHeader(stem, library->kernels, {})};
}

} // namespace spc::driver
