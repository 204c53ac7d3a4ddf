#include "driver/build/several_kernels.h"

#include "abi/library_header.h"
#include "codegen/read_signatures.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace spc::driver {
namespace {

constexpr DiagnosticKind kNameTwice{"library-name", Severity::Error};
constexpr DiagnosticKind kNoElf{"library-target", Severity::Error};
constexpr DiagnosticKind kNoLinker{"no-linker", Severity::Error};
constexpr DiagnosticKind kLinkFailed{"link-failed", Severity::Error};
constexpr DiagnosticKind kNotJoined{"internal-error", Severity::Internal};

void reportNotJoined(Session &session, const DiagnosticKind &kind, const std::string &why) {
  session.diagnostics().report(kind, {}, "the kernels cannot be made one object: " + why);
}

/// Why these objects are not linked, and what to do instead; false where something is said.
bool checkLinker(Session &session, const std::string &target) {
  const std::string instead = "compile each function by itself with --function=NAME, and make a library of the objects";
  if (!codegen::isElf(target))
    session.diagnostics()
        .report(kNoElf, {}, "objects of several kernels are made for ELF, but these are " + target)
        .advise(instead);
  else if (!codegen::hasLinker() && codegen::findProgram("cc").empty())
    session.diagnostics()
        .report(kNoLinker, {}, "a C compiler is to link the kernels, but 'cc' is not found")
        .advise(instead);
  return !session.failed();
}

/// That no two kernels declare one name.
void checkNames(Session &session, const std::vector<abi::ReadSignature> &signatures,
                const std::vector<SingleKernel> &kernels) {
  std::map<std::string, size_t> owners;
  for (size_t k = 0; k < signatures.size(); ++k)
    for (const std::string &name : signatures[k].declaredNames()) {
      const auto [owner, isNew] = owners.emplace(name, k);
      if (isNew)
        continue;
      const std::string &own = signatures[k].function, &theirs = signatures[owner->second].function;
      session.diagnostics()
          .report(kNameTwice, kernels[k].where,
                  own == theirs ? "two functions become kernels '" + own + "'"
                                : "the kernels '" + own + "' and '" + theirs + "' both need the name '" + name + "'")
          .advise("give one of the functions another name with {spc.name = \"...\"}");
      break;
    }
}

} // namespace

std::optional<LibraryKernels> kernelsOf(Session &session, std::vector<SingleKernel> kernels) {
  std::string error;
  const std::optional<std::string> target = codegen::linkTarget(kernels.front().object, error);
  const auto fail = [&] {
    reportNotJoined(session, kNotJoined, error);
    return std::nullopt;
  };
  if (!target)
    return fail();
  std::vector<abi::ReadSignature> signatures;
  for (const SingleKernel &kernel : kernels) {
    const std::optional<std::vector<std::string>> texts = codegen::readSignatures(kernel.object, error);
    std::optional<abi::ReadSignature> signature =
        texts && texts->size() == 1 ? abi::readSignature(texts->front()) : std::nullopt;
    if (!signature)
      return fail();
    signatures.push_back(std::move(*signature));
  }
  checkNames(session, signatures, kernels);
  if (session.failed())
    return std::nullopt;
  LibraryKernels library;
  library.target = *target;
  std::vector<size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return signatures[a].function < signatures[b].function; });
  for (const size_t k : order) {
    std::optional<abi::KernelHeader> header = abi::splitHeader(kernels[k].header, signatures[k].function);
    if (!header)
      return fail();
    library.members.push_back(memberOf(signatures[k], std::move(kernels[k].object)));
    library.kernels.push_back({std::move(signatures[k]), std::move(*header)});
  }
  return library;
}

std::optional<CodeAndHeader> joinKernels(Session &session, const std::string &name, std::vector<SingleKernel> kernels) {
  const std::optional<LibraryKernels> library = kernelsOf(session, std::move(kernels));
  if (!library || !checkLinker(session, library->target))
    return std::nullopt;
  const std::string table =
      codegen::kernelTable(library->members, {abi::tableNames(name, library->kernels).symbol}, session.diagnostics());
  if (table.empty())
    return std::nullopt;
  std::string error;
  std::optional<std::string> object = codegen::linkObject(library->members, table, error);
  if (!object) {
    reportNotJoined(session, kLinkFailed, error);
    return std::nullopt;
  }
  return CodeAndHeader{std::move(*object), abi::writeLibraryHeader(name, library->kernels, {})};
}

} // namespace spc::driver
