#include "codegen/library.h"
#include "codegen/lld.h"

#include "support/temporary_files.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace spc::codegen {
namespace {

/// What an object hides of what its header calls.
std::vector<std::string> hiddenSymbols(const LibraryMember &member) {
  std::vector<std::string> symbols;
  for (const Forward &forward : member.exports.functions)
    symbols.push_back(forward.hidden);
  if (!symbols.empty())
    symbols.push_back(member.dataSymbol);
  return symbols;
}

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

/// Makes the symbols of an ELF object visible that are named.
template <typename Elf> void unhide(const std::set<std::string> &names, const llvm::object::ELFObjectFile<Elf> &file) {
  for (const llvm::object::ELFSymbolRef symbol : file.symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    auto entry = file.getSymbol(symbol.getRawDataRefImpl());
    if (name && entry && names.contains(name->str()))
      // The file is a view of bytes of our own.
      const_cast<typename Elf::Sym *>(*entry)->setVisibility(llvm::ELF::STV_DEFAULT);
    if (!name)
      llvm::consumeError(name.takeError());
    if (!entry)
      llvm::consumeError(entry.takeError());
  }
}

/// Members whose own names are visible, too, beside those that a shared library is called by: so programs may include
/// the header of a kernel in place of the library's.
std::vector<LibraryMember> unhidden(std::vector<LibraryMember> members) {
  std::set<std::string> names;
  for (const LibraryMember &member : members)
    for (std::string &symbol : hiddenSymbols(member))
      names.insert(std::move(symbol));
  for (LibraryMember &member : members) {
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(member.object, "object"));
    if (!file) { // it has been opened before
      llvm::consumeError(file.takeError());
      continue;
    }
    if (const auto *little64 = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(file->get()))
      unhide(names, *little64);
    else if (const auto *big64 = llvm::dyn_cast<llvm::object::ELF64BEObjectFile>(file->get()))
      unhide(names, *big64);
    else if (const auto *little32 = llvm::dyn_cast<llvm::object::ELF32LEObjectFile>(file->get()))
      unhide(names, *little32);
    else if (const auto *big32 = llvm::dyn_cast<llvm::object::ELF32BEObjectFile>(file->get()))
      unhide(names, *big32);
  }
  return members;
}

} // namespace

std::string versionScript(const std::vector<LibraryMember> &members, const std::string &tableSymbol,
                          const std::string &version) {
  std::string text = version + " {\nglobal:\n  spc_kernels;\n  " + tableSymbol + ";\n";
  for (const LibraryMember &member : members) {
    for (const std::string &symbol : member.symbols)
      text += "  " + symbol + ";\n";
    for (const std::string &symbol : hiddenSymbols(member))
      text += "  " + symbol + ";\n";
  }
  return text + "local:\n  *;\n};\n";
}

std::string findProgram(const std::string &name) {
  const llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name);
  return path ? *path : "";
}

std::optional<std::string> linkShared(const std::vector<LibraryMember> &members, const std::string &table,
                                      const SharedLink &link, std::string &error) {
  const std::optional<std::string> bytes = writeArchive(unhidden(members), table, error);
  if (!bytes)
    return std::nullopt;
  TemporaryFile archive("a"), script("map"), output("so");
  archive.write(*bytes);
  script.write(versionScript(members, link.tableSymbol, link.version));
  for (const TemporaryFile *file : {&archive, &script, &output})
    if (!(error = file->error()).empty())
      return std::nullopt;
  const LinkFiles files{archive.path(), script.path(), output.path(), link.isOwn};
  const bool fine = link.compiler.empty() ? linkWithLld(files, link.soname, members.front().object, error)
                                          : linkWithCompiler(files, link, error);
  std::optional<std::string> library = fine ? output.read() : std::nullopt;
  if (fine && !library)
    error = output.error();
  for (size_t at; (at = error.find(files.archive)) != std::string::npos;)
    error.replace(at, files.archive.size(), link.soname);
  return library;
}

std::optional<std::string> linkObject(const std::vector<LibraryMember> &members, const std::string &table,
                                      std::string &error) {
  const std::optional<std::string> bytes = writeArchive(members, table, error);
  if (!bytes)
    return std::nullopt;
  TemporaryFile archive("a"), output("o");
  archive.write(*bytes);
  for (const TemporaryFile *file : {&archive, &output})
    if (!(error = file->error()).empty())
      return std::nullopt;
  const LinkFiles files{archive.path(), "", output.path(), /*isOwn=*/true};
  const bool fine =
      hasLinker()
          ? joinWithLld(files, error)
          : runProgram({findProgram("cc"), "-r", "-nostdlib", "-o", files.output, "-Wl,--whole-archive", files.archive},
                       error);
  std::optional<std::string> object = fine ? output.read() : std::nullopt;
  if (fine && !object)
    error = output.error();
  return object;
}

} // namespace spc::codegen
