// `spc library`: kernels that were compiled singly, as a static or a shared library with one header.
#include "driver/build/compile_options.h"
#include "driver/build/library_kernels.h"
#include "driver/shell/options.h"
#include "driver/shell/output_checks.h"
#include "driver/shell/subcommands.h"

#include "spc/spc.h"
#include "support/output_file.h"

#include <CLI/CLI.hpp>

#include <filesystem>

namespace spc::driver {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kLibraryOutput{"library-output", Severity::Error};
constexpr DiagnosticKind kNotElf{"library-target", Severity::Error};
constexpr DiagnosticKind kNoLinker{"no-linker", Severity::Error};
constexpr DiagnosticKind kLinkFailed{"link-failed", Severity::Error};

struct LibraryOptions {
  std::vector<std::string> objects;
  std::string output;
  std::string header;
  std::string table;         ///< what a build system that links by itself takes in place of the library
  std::string versionScript; ///< the same
  std::vector<std::string> headerFolders;
  std::vector<std::string> overloads;
  std::string compiler;
  bool shared = false;
};

/// `libkernels.so.1` as `libkernels`.
std::string stemOf(const std::string &path) {
  const std::string name = fs::path(path).filename().string();
  return name.substr(0, name.find('.'));
}

enum class Linkage { Static, Shared, Caller };

/// What to make; nullopt with a usage error where nothing says so.
std::optional<Linkage> linkageOf(Session &session, const LibraryOptions &options) {
  if (options.output.empty() && !(options.table + options.versionScript).empty())
    return Linkage::Caller;
  if (options.output.empty()) {
    session.usage(kLibraryOutput, options.shared ? session.find("--shared") : Span{}, "the library has no name")
        .advise("name it with -o libkernels.a or -o libkernels.so");
    return std::nullopt;
  }
  const std::string name = fs::path(options.output).filename().string(),
                    extension = fs::path(name).extension().string();
  if (!name.empty() && !stemOf(options.output).empty()) {
    if (options.shared || extension == ".so" || name.find(".so.") != std::string::npos)
      return Linkage::Shared;
    if (extension == ".a" || extension == ".lib")
      return Linkage::Static;
  }
  const Span output = session.findValue("-o", options.output);
  session
      .usage(kLibraryOutput, output ? output : session.find(options.output),
             "'" + options.output + "' does not say what to make")
      .advise("name it like libkernels.a or libkernels.so, or give --shared");
  return std::nullopt;
}

/// The version of all symbols of a shared library: its own, so that what was linked with it calls it, whichever other
/// libraries have kernels of the same names.
std::string symbolVersion(const std::string &library) {
  std::string version = "SPC_" + std::to_string(SPC_ABI_VERSION) + "_";
  for (const char c : library)
    version += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return version;
}

/// What a library is called, and its own object.
struct Named {
  std::string stem;
  codegen::LibraryTable table;
  std::string object;
};

std::optional<std::string> linkLibrary(Session &session, const LibraryOptions &options, const LibraryKernels &library,
                                       const Named &named) {
  if (!codegen::isElf(library.target)) {
    session.diagnostics()
        .report(kNotElf, {}, "shared libraries are made for ELF, but the objects are " + library.target)
        .advise("make a static library, and link that with the platform's own tools");
    return std::nullopt;
  }
  codegen::SharedLink link{named.table.symbol, "", fs::path(options.output).filename().string(),
                           symbolVersion(named.stem)};
  std::string linker = "lld";
  if (!options.compiler.empty() || !codegen::hasLinker()) {
    const std::string name = options.compiler.empty() ? "cc" : options.compiler;
    linker = "'" + name + "'";
    link.compiler = codegen::findProgram(name);
    if (link.compiler.empty()) {
      session.diagnostics()
          .report(kNoLinker, {}, "the shared library is to be linked by a C compiler, but " + linker + " is not found")
          .advise("install one, name it with --cc, or make a static library");
      return std::nullopt;
    }
  }
  std::string error;
  std::optional<std::string> bytes = codegen::linkShared(library.members, named.object, link, error);
  if (!bytes)
    session.diagnostics()
        .report(kLinkFailed, {}, linker + " cannot link the library: " + error)
        .advise("--cc names a C compiler for the objects' platform, such as aarch64-linux-gnu-gcc");
  return bytes;
}

/// Plans the outputs that hold code or names of symbols; false with an error reported.
bool addBinaries(Session &session, const LibraryOptions &options, Linkage linkage, const LibraryKernels &library,
                 Named named, OutputSet &outputs) {
  if (!options.versionScript.empty() && !codegen::isElf(library.target)) {
    session.diagnostics()
        .report(kNotElf, {}, "version scripts are for ELF, but the objects are " + library.target)
        .advise("leave --version-script out");
    return false;
  }
  named.object = codegen::kernelTable(library.members, named.table, session.diagnostics());
  if (named.object.empty())
    return false;
  if (linkage != Linkage::Caller) {
    std::string error;
    std::optional<std::string> bytes = linkage == Linkage::Shared
                                           ? linkLibrary(session, options, library, named)
                                           : codegen::writeArchive(library.members, named.object, error);
    if (!bytes && !error.empty())
      session.diagnostics().report(kLinkFailed, {}, "the library cannot be written: " + error);
    if (!bytes)
      return false;
    outputs.add(options.output, std::move(*bytes));
  }
  if (!options.table.empty())
    outputs.add(options.table, named.object);
  if (!options.versionScript.empty())
    outputs.add(options.versionScript,
                codegen::versionScript(library.members, named.table.symbol, symbolVersion(named.stem)));
  return true;
}

int writeLibrary(Session &session, const LibraryOptions &options) {
  const std::optional<Linkage> linkage = linkageOf(session, options);
  if (!linkage)
    return session.finish();
  const bool isShared = *linkage == Linkage::Shared || options.shared || !options.versionScript.empty();
  std::optional<LibraryKernels> library = readLibraryKernels(session, options.objects, options.headerFolders);
  if (library && isShared)
    makeVisible(*library);
  const std::optional<std::vector<abi::Overload>> overloads =
      library ? readOverloads(session, options.overloads, library->kernels) : std::nullopt;
  const std::string header = !options.header.empty() || options.output.empty()
                                 ? options.header
                                 : (fs::path(options.output).parent_path() / (stemOf(options.output) + ".h")).string();
  if (!overloads ||
      !checkNotInputs(session, {options.output, header, options.table, options.versionScript}, library->filesRead))
    return session.finish();
  OutputSet outputs;
  const std::string name = stemOf(!options.output.empty() ? options.output : !header.empty() ? header : options.table);
  const Named named{abi::plainName(name), {abi::tableNames(name, library->kernels).symbol, isShared}, {}};
  if (!addBinaries(session, options, *linkage, *library, named, outputs))
    return session.finish();
  if (!header.empty())
    outputs.add(header, abi::writeLibraryHeader(name, library->kernels, *overloads));
  outputs.commit(session.diagnostics());
  return session.finish();
}

} // namespace

int libraryCommand(Session &session) {
  CLI::App app("Make one library, with one header, of kernels that were compiled singly", "spc library");
  LibraryOptions options;
  app.add_option("objects", options.objects, "Objects of spc compile, with their headers beside them")
      ->type_name("")
      ->required();
  app.add_option("-o,--output", options.output, "The library: static (.a, .lib) or shared (.so, .so.1)")
      ->type_name("FILE");
  app.add_flag("--shared", options.shared, "Make a shared library, whatever its name");
  app.add_option("--header", options.header, "Header file of all kernels (default: as -o, with .h)")->type_name("FILE");
  addRepeatable(app, "--header-path", options.headerFolders, "Folder in which kernels' headers are, too; repeatable",
                "DIR");
  addRepeatable(app, "--overload", options.overloads,
                "What C++ programs may call several kernels: spmm=spmm_f32,spmm_f64; repeatable",
                "NAME=KERNEL,KERNEL...");
  app.add_option(
         "--table", options.table,
         "For build systems that link by themselves: an object with the table of kernels; then -o may be left out")
      ->type_name("FILE");
  app.add_option("--version-script", options.versionScript,
                 "Likewise the linker's version script of a shared library of ELF")
      ->type_name("FILE");
  app.add_option("--cc", options.compiler,
                 "C compiler that links a shared library (default: lld inside of spc; cc in builds without)")
      ->type_name("PROGRAM");
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  return writeLibrary(session, options);
}

} // namespace spc::driver
