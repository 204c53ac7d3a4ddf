#include "driver/build/library_kernels.h"

#include "codegen/read_signatures.h"
#include "driver/build/object_file.h"
#include "spc/spc.h"
#include "support/input.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace spc::driver {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kLibraryName{"library-name", Severity::Error};
constexpr DiagnosticKind kTargetsDiffer{"library-target", Severity::Error};
constexpr DiagnosticKind kKernelHeader{"kernel-header", Severity::Error};

/// One object on its way, with a kernel or, as of a module's functions, several.
struct ObjectFile {
  std::string path;
  std::string bytes;
  std::string target;
  std::vector<abi::ReadSignature> signatures;
};

/// The kernels of an object.
std::vector<abi::ReadSignature> signaturesIn(Session &session, const std::string &path, std::string_view bytes) {
  std::string error;
  const std::optional<std::vector<std::string>> texts = codegen::readSignatures(bytes, error);
  if (!texts || texts->empty()) {
    reportNoSignature(session, path, "holds no kernels of spc's")
        .advise("link what is not a kernel to the library's users by itself");
    return {};
  }
  std::vector<abi::ReadSignature> signatures;
  for (const std::string &text : *texts) {
    std::optional<abi::ReadSignature> signature = abi::readSignature(text);
    if (!signature) {
      reportNoSignature(session, path, "holds a signature that is broken");
      return {};
    }
    if (signature->version != SPC_ABI_VERSION) {
      session.diagnostics()
          .report(kTargetsDiffer, {},
                  "has version " + std::to_string(signature->version) +
                      " of the calling convention; this spc has version " + std::to_string(SPC_ABI_VERSION))
          .at(path)
          .advise("compile the kernel anew");
      return {};
    }
    signatures.push_back(std::move(*signature));
  }
  return signatures;
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
  std::vector<abi::ReadSignature> signatures = signaturesIn(session, path, *bytes);
  if (signatures.empty())
    return std::nullopt;
  return ObjectFile{path, std::move(*bytes), std::move(*target), std::move(signatures)};
}

/// That no two headers declare one name, and that all objects can be linked together.
void checkTogether(Session &session, const std::vector<ObjectFile> &objects) {
  std::map<std::string, std::pair<const ObjectFile *, const abi::ReadSignature *>> names;
  const auto checkNames = [&](const ObjectFile &object, const abi::ReadSignature &signature) {
    const std::string &kernel = signature.function;
    for (const std::string &name : signature.declaredNames()) {
      const auto [other, isNew] = names.emplace(name, std::pair(&object, &signature));
      if (isNew)
        continue;
      const std::string &theirs = other->second.second->function, &path = other->second.first->path;
      session.diagnostics()
          .report(kLibraryName, {},
                  theirs == kernel ? "has a kernel '" + kernel + "', as '" + path + "' has"
                                   : "its kernel '" + kernel + "' and '" + theirs + "' of '" + path +
                                         "' both need the name '" + name + "'")
          .at(object.path)
          .advise("compile one of them under another name with --name");
      return;
    }
  };
  for (const ObjectFile &object : objects) {
    for (const abi::ReadSignature &signature : object.signatures)
      checkNames(object, signature);
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
    for (const fs::path &name : {beside.filename(), fs::path(object.signatures.front().function + ".h")})
      candidates.push_back(fs::path(folder) / name);
  for (const fs::path &candidate : candidates)
    if (fs::exists(candidate, error))
      return candidate.string();
  return "";
}

/// Those of an object's kernels; empty with an error reported.
std::vector<abi::KernelHeader> readHeaders(Session &session, const ObjectFile &object,
                                           const std::vector<std::string> &folders, std::string &path) {
  path = findHeader(object, folders);
  const std::string again = "the object '" + object.path + "'";
  if (path.empty()) {
    session.diagnostics()
        .report(kKernelHeader, {}, "has no header '" + fs::path(object.path).replace_extension(".h").string() + "'")
        .at(object.path)
        .advise("keep what spc compile writes together, or name the headers' folder with --header-path");
    return {};
  }
  const std::optional<std::string> text = readBytes(path, session.diagnostics());
  if (!text)
    return {};
  std::vector<std::string> names;
  for (const abi::ReadSignature &signature : object.signatures)
    names.push_back(signature.function);
  std::vector<abi::KernelHeader> headers = abi::splitHeader(*text, names);
  const auto belongs = [&](size_t k) { return abi::belongsTo(headers[k], object.signatures[k]); };
  size_t fitting = 0;
  while (fitting < headers.size() && belongs(fitting))
    ++fitting;
  if (!headers.empty() && fitting == headers.size())
    return headers;
  session.diagnostics()
      .report(kKernelHeader, {},
              !headers.empty()
                  ? "does not belong to " + again + ": the arguments differ"
                  : "is not the header that spc has written for the kernel '" + names.front() + "' of " + again)
      .at(path)
      .advise("compile the kernel anew; object and header are written together");
  return {};
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
  LibraryKernels library;
  library.target = read.front().target;
  std::map<std::string, std::pair<ObjectFile *, size_t>> kernels; // by name: the object, and which one of its kernels
  std::map<const ObjectFile *, std::vector<abi::KernelHeader>> headers;
  for (ObjectFile &object : read) {
    std::string path;
    std::vector<abi::KernelHeader> &own = headers[&object] = readHeaders(session, object, headerFolders, path);
    for (size_t k = 0; k < own.size(); ++k)
      kernels[object.signatures[k].function] = {&object, k};
    library.filesRead.insert(library.filesRead.end(), {object.path, path});
  }
  for (const auto &[name, place] : kernels) {
    const auto [object, k] = place;
    // The first one has the object.
    library.members.push_back(memberOf(object->signatures[k], std::exchange(object->bytes, std::string())));
    library.kernels.push_back({std::move(object->signatures[k]), std::move(headers[object][k])});
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
