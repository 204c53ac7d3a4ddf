#include "codegen/library.h"
#include "codegen/lld.h"

#include "support/temporary_files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace spc::codegen {
namespace {

/// A file that another program reads or writes, removed in the end.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix) {
    llvm::SmallString<0> path;
    if (const std::error_code error = llvm::sys::fs::createTemporaryFile("spc", suffix, path)) {
      error_ = "cannot make a temporary file: " + error.message();
      return;
    }
    path_ = path.str().str();
    removeOnSignal(path_);
  }
  ~TemporaryFile() {
    if (path_.empty())
      return;
    const std::error_code ignored = llvm::sys::fs::remove(path_);
    static_cast<void>(ignored);
    keepOnSignal(path_);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &path() const { return path_; }
  const std::string &error() const { return error_; }

  void write(llvm::StringRef bytes) {
    if (!error_.empty())
      return;
    std::error_code error;
    llvm::raw_fd_ostream stream(path_, error);
    if (!error) {
      stream << bytes;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    if (error)
      error_ = "cannot write a temporary file: " + error.message();
  }

  std::optional<std::string> read() {
    const auto buffer = llvm::MemoryBuffer::getFile(path_, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (buffer)
      return (*buffer)->getBuffer().str();
    error_ = "cannot read a temporary file: " + buffer.getError().message();
    return std::nullopt;
  }

private:
  std::string path_, error_;
};

/// Runs a program to its end; false with what it wrote, or why it did not run, in `error`.
bool runProgram(const std::vector<llvm::StringRef> &command, std::string &error) {
  TemporaryFile log("log");
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), log.path(), log.path()};
  if (!(error = log.error()).empty())
    return false;
  if (llvm::sys::ExecuteAndWait(command[0], command, std::nullopt, redirects, 0, 0, &error) == 0)
    return true;
  const std::string said = llvm::StringRef(log.read().value_or("")).trim().str();
  error += (error.empty() || said.empty() ? "" : "\n") + said;
  if (error.empty())
    error = "it fails and says nothing";
  return false;
}

bool linkWithCompiler(const LinkFiles &files, const SharedLink &link, std::string &error) {
  // -Xlinker, as -Wl takes commas in names for more arguments.
  const std::string versions = "--version-script=" + files.versionScript;
  return runProgram({link.compiler, "-shared", "-o", files.output, "-Xlinker", "-soname", "-Xlinker", link.soname,
                     "-Xlinker", versions, "-Wl,-z,now", "-Wl,-Bsymbolic", "-Wl,--whole-archive", files.archive,
                     "-Wl,--no-whole-archive", "-Wl,--as-needed", "-lm"},
                    error);
}

} // namespace

std::string versionScript(const std::vector<LibraryMember> &members, const std::string &version) {
  std::string text = version + " {\nglobal:\n  spc_kernels;\n";
  for (const LibraryMember &member : members)
    for (const std::string &symbol : member.symbols)
      text += "  " + symbol + ";\n";
  return text + "local:\n  *;\n};\n";
}

std::string findProgram(const std::string &name) {
  const llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name);
  return path ? *path : "";
}

std::optional<std::string> linkShared(const std::vector<LibraryMember> &members, const std::string &table,
                                      const SharedLink &link, std::string &error) {
  const std::optional<std::string> bytes = writeArchive(members, table, error);
  if (!bytes)
    return std::nullopt;
  TemporaryFile archive("a"), script("map"), output("so");
  archive.write(*bytes);
  script.write(versionScript(members, link.version));
  for (const TemporaryFile *file : {&archive, &script, &output})
    if (!(error = file->error()).empty())
      return std::nullopt;
  const LinkFiles files{archive.path(), script.path(), output.path()};
  const bool fine = link.compiler.empty() ? linkWithLld(files, link.soname, members.front().object, error)
                                          : linkWithCompiler(files, link, error);
  std::optional<std::string> library = fine ? output.read() : std::nullopt;
  if (fine && !library)
    error = output.error();
  for (size_t at; (at = error.find(files.archive)) != std::string::npos;)
    error.replace(at, files.archive.size(), link.soname);
  return library;
}

} // namespace spc::codegen
