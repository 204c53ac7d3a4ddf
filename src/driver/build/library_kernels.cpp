#include "driver/build/library_kernels.h"

#include "codegen/read_signatures.h"
#include "driver/build/object_file.h"
#include "spc/spc.h"
#include "support/input.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace spc::driver {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kLibraryName{"library-name", Severity::Error};
constexpr DiagnosticKind kTargetsDiffer{"library-target", Severity::Error};
constexpr DiagnosticKind kKernelHeader{"kernel-header", Severity::Error};

/// One object on its way.
struct ObjectFile {
  std::string path;
  std::string bytes;
  std::string target;
  abi::ReadSignature signature;
};

/// The one kernel of an object.
std::optional<abi::ReadSignature> signatureIn(Session &session, const std::string &path, std::string_view bytes) {
  std::string error;
  const std::optional<std::vector<std::string>> texts = codegen::readSignatures(bytes, error);
  const auto refuse = [&](const std::string &what) -> Diagnostic & { return reportNoSignature(session, path, what); };
  if (!texts || texts->empty()) {
    refuse("holds no kernels of spc's").advise("link what is not a kernel to the library's users by itself");
    return std::nullopt;
  }
  std::optional<abi::ReadSignature> signature = abi::readSignature(texts->front());
  if (texts->size() > 1)
    refuse("holds " + std::to_string(texts->size()) + " kernels; a library is made of objects with one")
        .advise("compile each by itself: spc compile --function=NAME chooses one of a module's");
  else if (!signature)
    refuse("holds a signature that is broken");
  else if (signature->version != SPC_ABI_VERSION)
    session.diagnostics()
        .report(kTargetsDiffer, {},
                "has version " + std::to_string(signature->version) +
                    " of the calling convention; this spc has version " + std::to_string(SPC_ABI_VERSION))
        .at(path)
        .advise("compile the kernel anew");
  else
    return signature;
  return std::nullopt;
}

std::optional<ObjectFile> readObject(Session &session, const std::string &path) {
  std::optional<std::string> bytes = readObjectFile(session, path);
  if (!bytes)
    return std::nullopt;
  std::string error;
  std::optional<std::string> target = codegen::linkTarget(*bytes, error);
  if (!target) {
    reportNoObject(session, path, error);
    return std::nullopt;
  }
  std::optional<abi::ReadSignature> signature = signatureIn(session, path, *bytes);
  if (!signature)
    return std::nullopt;
  return ObjectFile{path, std::move(*bytes), std::move(*target), std::move(*signature)};
}

/// That no two headers declare one name, and that all objects can be linked together.
void checkTogether(Session &session, const std::vector<ObjectFile> &objects) {
  std::map<std::string, const ObjectFile *> names;
  for (const ObjectFile &object : objects) {
    const std::string &kernel = object.signature.function;
    for (const std::string &name : object.signature.declaredNames()) {
      const auto [other, isNew] = names.emplace(name, &object);
      if (isNew)
        continue;
      const std::string &theirs = other->second->signature.function;
      session.diagnostics()
          .report(kLibraryName, {},
                  theirs == kernel ? "has a kernel '" + kernel + "', as '" + other->second->path + "' has"
                                   : "its kernel '" + kernel + "' and '" + theirs + "' of '" + other->second->path +
                                         "' both need the name '" + name + "'")
          .at(object.path)
          .advise("compile one of them under another name with --name");
      break;
    }
    if (object.target != objects.front().target)
      session.diagnostics()
          .report(kTargetsDiffer, {},
                  "is for " + object.target + ", but '" + objects.front().path + "' for " + objects.front().target)
          .at(object.path)
          .advise("compile all kernels of a library with one --target");
  }
}

/// The header of an object: its path, or nothing.
std::string findHeader(const ObjectFile &object, const std::vector<std::string> &folders) {
  std::error_code error;
  const fs::path beside = fs::path(object.path).replace_extension(".h");
  std::vector<fs::path> candidates = {beside};
  for (const std::string &folder : folders)
    for (const fs::path &name : {beside.filename(), fs::path(object.signature.function + ".h")})
      candidates.push_back(fs::path(folder) / name);
  for (const fs::path &candidate : candidates)
    if (fs::exists(candidate, error))
      return candidate.string();
  return "";
}

std::optional<abi::KernelHeader> readHeader(Session &session, const ObjectFile &object,
                                            const std::vector<std::string> &folders, std::string &path) {
  path = findHeader(object, folders);
  const std::string again = "the object '" + object.path + "'";
  if (path.empty()) {
    session.diagnostics()
        .report(kKernelHeader, {}, "has no header '" + fs::path(object.path).replace_extension(".h").string() + "'")
        .at(object.path)
        .advise("keep what spc compile writes together, or name the headers' folder with --header-path");
    return std::nullopt;
  }
  const std::optional<std::string> text = readBytes(path, session.diagnostics());
  if (!text)
    return std::nullopt;
  std::optional<abi::KernelHeader> header = abi::splitHeader(*text, object.signature.function);
  if (header && abi::belongsTo(*header, object.signature))
    return header;
  session.diagnostics()
      .report(kKernelHeader, {},
              header ? "does not belong to " + again + ": the arguments differ"
                     : "is not the header that spc has written for the kernel '" + object.signature.function + "' of " +
                           again)
      .at(path)
      .advise("compile the kernel anew; object and header are written together");
  return std::nullopt;
}

codegen::Exports exportsOf(const abi::ReadSignature &signature) {
  if (!signature.isHidden())
    return {};
  const abi::ExportedNames seen = signature.visible();
  codegen::Exports exports{{}, seen.dataSymbol(), signature.visibleText};
  for (const std::string &phase : signature.phases) {
    const bool isFree = phase == "_free"; // of assembled outputs alone, which are pointers
    std::vector<std::string> passed = isFree ? std::vector<std::string>(signature.assembled.size()) : signature.passed;
    if (phase == "_symbolic" || phase == "_numeric")
      passed.push_back(""); // a plan
    exports.functions.push_back({seen.symbol(phase), signature.symbol(phase), !isFree, std::move(passed)});
    exports.functions.push_back({seen.argvSymbol(phase), signature.argvSymbol(phase), !isFree, {""}});
  }
  return exports;
}

} // namespace

codegen::LibraryMember memberOf(const abi::ReadSignature &signature, std::string object) {
  codegen::LibraryMember member{signature.function,  std::move(object),   signature.dataSymbol(), {},
                                signature.symbols(), exportsOf(signature)};
  const char *const phases[] = {"", "_symbolic", "_numeric", "_free"};
  for (size_t k = 0; k < std::size(phases); ++k)
    if (std::count(signature.phases.begin(), signature.phases.end(), phases[k]) > 0)
      member.argvSymbols[k] = signature.argvSymbol(phases[k]);
  return member;
}

std::optional<LibraryKernels> readLibraryKernels(Session &session, const std::vector<std::string> &objects,
                                                 const std::vector<std::string> &headerFolders) {
  std::vector<ObjectFile> read;
  for (const std::string &path : objects)
    if (std::optional<ObjectFile> object = readObject(session, path))
      read.push_back(std::move(*object));
  if (session.failed())
    return std::nullopt;
  checkTogether(session, read);
  if (session.failed())
    return std::nullopt;
  std::sort(read.begin(), read.end(),
            [](const ObjectFile &a, const ObjectFile &b) { return a.signature.function < b.signature.function; });
  LibraryKernels library;
  library.target = read.front().target;
  for (ObjectFile &object : read) {
    std::string path;
    std::optional<abi::KernelHeader> header = readHeader(session, object, headerFolders, path);
    if (!header)
      continue;
    library.filesRead.push_back(object.path);
    library.filesRead.push_back(path);
    library.members.push_back(memberOf(object.signature, std::move(object.bytes)));
    library.kernels.push_back({std::move(object.signature), std::move(*header)});
  }
  return session.failed() ? std::nullopt : std::optional(std::move(library));
}

void makeVisible(LibraryKernels &library) {
  for (abi::LibraryKernel &kernel : library.kernels) {
    kernel.header = abi::visibleHeader(std::move(kernel.header), kernel.signature);
    kernel.signature.contents.clear();
  }
}

} // namespace spc::driver
