#include "codegen/lld.h"

#include "codegen/library.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

#ifdef SPC_HAS_LLD
#include "lld/Common/Driver.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf);
#endif

namespace spc::codegen {
namespace {

namespace elf = llvm::ELF;

constexpr size_t kMachine = 18; // where e_machine is, two bytes

/// Whether a library is for the platform of an object, as far as their first bytes tell.
bool isSamePlatform(llvm::StringRef library, llvm::StringRef object) {
  const auto system = [](llvm::StringRef file) {
    return file[elf::EI_OSABI] == elf::ELFOSABI_GNU ? char(elf::ELFOSABI_NONE) : file[elf::EI_OSABI];
  };
  return std::min(library.size(), object.size()) > kMachine + 1 && system(library) == system(object) &&
         library[elf::EI_CLASS] == object[elf::EI_CLASS] && library[elf::EI_DATA] == object[elf::EI_DATA] &&
         library.substr(kMachine, 2) == object.substr(kMachine, 2);
}

/// What says which versions of libc's and libm's functions are called, and that the library needs these.
std::vector<std::string> librariesFor(llvm::StringRef object) {
  std::vector<std::string> libraries;
  for (const std::string &path : loadedCLibraries())
    if (const auto file = llvm::MemoryBuffer::getFile(path); file && isSamePlatform((*file)->getBuffer(), object))
      libraries.push_back(path);
  return libraries;
}

/// Functions that a compiler's own library has, such as divisions of 64 bits on processors with 32: no program brings
/// these, whereas it does those of sanitizers.
std::vector<std::string> calledOfCompiler(const llvm::object::ELFObjectFileBase &library) {
  std::vector<std::string> called;
  for (const llvm::object::ELFSymbolRef symbol : library.getDynamicSymbolIterators()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) && name->starts_with("__") &&
        !name->contains("san"))
      called.push_back(name->str());
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
  return called;
}

/// Whether programs can load what was linked; false with what it lacks in `error`.
bool isComplete(const std::string &path, std::string &error) {
  auto library = llvm::object::ObjectFile::createObjectFile(path);
  if (!library) {
    error = llvm::toString(library.takeError());
    return false;
  }
  const auto *file = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(library->getBinary());
  const std::vector<std::string> called = file ? calledOfCompiler(*file) : std::vector<std::string>();
  if (!called.empty())
    error = "the kernels call " + llvm::join(called, ", ") + " of a compiler's own library, and lld has none";
  return called.empty();
}

#ifdef SPC_HAS_LLD
constexpr int kCrashed = 128; // as shells count

/// The part of linkInCopy() after the fork: ends the process with lld's exit code, without a dump where it crashes.
[[noreturn]] void becomeLld(const std::vector<std::string> &arguments, int output) {
  std::vector<const char *> command = {"ld.lld"};
  for (const std::string &argument : arguments)
    command.push_back(argument.c_str());
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS})
    std::signal(number, [](int caught) { _exit(kCrashed + caught); });
  llvm::remove_fatal_error_handler();
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const bool fine = lld::elf::link(command, llvm::errs(), llvm::errs(), /*exitEarly=*/true, /*disableOutput=*/false);
  lld::exitLld(fine ? 0 : 1); // removes lld's own temporary file
}

/// What lld has said last, where it failed.
std::string reasonIn(llvm::StringRef said) {
  said = said.trim();
  said.consume_front("ld.lld: error: ");
  return said.empty() ? "it crashes; an object may be damaged" : said.str();
}

/// Has the process end without destructors, which lld's data may not stand where it was left amid its work.
void leaveAsItIs() {
#ifdef __GLIBC__
  on_exit(
      [](int status, void *) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
#endif
}

/// Links in this process, whose own objects give lld no cause to fail but a full disk.
bool linkHere(const std::vector<std::string> &arguments, std::string &error) {
  std::vector<const char *> command = {"ld.lld"};
  for (const std::string &argument : arguments)
    command.push_back(argument.c_str());
  llvm::raw_string_ostream stream(error);
  llvm::CrashRecoveryContext::Enable(); // by which lld comes back where it would end the process
  const lld::Result result = lld::lldMain(command, stream, stream, {{lld::Gnu, &lld::elf::link}});
  llvm::CrashRecoveryContext::Disable();
  if (result.retCode == 0)
    return true;
  leaveAsItIs();
  error = reasonIn(error);
  return false;
}

/// Links in a copy of this process, since lld may end it, or crash on a damaged object.
bool linkInCopy(const std::vector<std::string> &arguments, std::string &error) {
  std::signal(SIGCHLD, SIG_DFL); // where it is ignored, waitpid finds no child
  int ends[2];
  const pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child == 0)
    becomeLld(arguments, ends[1]);
  if (child < 0) {
    error = "no process can be started: " + llvm::sys::StrError();
    return false;
  }
  close(ends[1]);
  char buffer[4096];
  for (ssize_t count; (count = llvm::sys::RetryAfterSignal(-1, ::read, ends[0], &buffer[0], sizeof(buffer))) > 0;)
    error.append(buffer, count);
  close(ends[0]);
  int status = 0;
  if (llvm::sys::RetryAfterSignal(-1, ::waitpid, child, &status, 0) == child && status == 0)
    return true;
  error = reasonIn(error);
  return false;
}

bool runLld(const std::vector<std::string> &arguments, bool isOwn, std::string &error) {
  return isOwn ? linkHere(arguments, error) : linkInCopy(arguments, error);
}
#else
bool runLld(const std::vector<std::string> &, bool, std::string &error) {
  error = "spc was built without it";
  return false;
}
#endif

} // namespace

bool hasLinker() {
#ifdef SPC_HAS_LLD
  return true;
#else
  return false;
#endif
}

bool linkWithLld(const LinkFiles &files, const std::string &soname, const std::string &object, std::string &error) {
  // Options are joined with their values, lest one that begins with @ be read as a file of options.
  std::vector<std::string> arguments = {"-shared",
                                        "--output=" + files.output,
                                        "--soname=" + soname,
                                        "--version-script=" + files.versionScript,
                                        "--eh-frame-hdr",
                                        "-znow",
                                        "-Bsymbolic",
                                        "--threads=1",
                                        "--error-limit=3",
                                        "--whole-archive",
                                        files.archive,
                                        "--no-whole-archive",
                                        "--as-needed"};
  for (std::string &library : librariesFor(object))
    arguments.push_back(std::move(library));
  return runLld(arguments, files.isOwn, error) && isComplete(files.output, error);
}

bool joinWithLld(const LinkFiles &files, std::string &error) {
  return runLld(
      {"--relocatable", "--output=" + files.output, "--threads=1", "--error-limit=3", "--whole-archive", files.archive},
      files.isOwn, error);
}

} // namespace spc::codegen
