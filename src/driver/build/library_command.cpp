// `spc library`: kernels that were compiled singly, as a static or a shared library with one header.
#include "driver/build/compile_options.h"
#include "driver/build/library_kernels.h"
#include "driver/build/shared_library.h"
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

/// What a library is called, and its own object.
struct Named {
  std::string stem;
  codegen::LibraryTable table;
  std::string object;
};

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
    const SharedNames shared{options.output, named.stem, named.table.symbol, options.compiler};
    std::optional<std::string> bytes = linkage == Linkage::Shared
                                           ? linkLibrary(session, library, shared, named.object)
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
