#include "abi/library_header.h"

#include "abi/header.h"
#include "abi/text.h"

#include <cctype>
#include <map>
#include <set>

namespace spc::abi {
namespace {

constexpr std::string_view kLibraryHeader =
    R"(/* @name@: made by spc from kernels that were compiled singly; do not edit.
 *
@calls@ */
#ifndef SPC_LIBRARY_@guard@
#define SPC_LIBRARY_@guard@

@common@
@types@@kernels@@table@@overloads@#endif
)";

constexpr std::string_view kTableText = R"(#ifndef SPC_KERNEL_ENTRY
#define SPC_KERNEL_ENTRY

/* A kernel of a library, for callers that look kernels up at run time. */
typedef struct spc_kernel_entry {
  const char *name;
  const char *signature; /* JSON */
  /* NAME_argv and the like, all with the arguments of NAME: arguments[k] is the k-th pointer, or points to the k-th
   * number. NULL where the kernel has no such function. */
  spc_status (*call)(const spc_context *ctx, void *const *arguments);
  spc_status (*symbolic)(const spc_context *ctx, void *const *arguments);
  spc_status (*numeric)(const spc_context *ctx, void *const *arguments);
  void (*release)(const spc_context *ctx, void *const *arguments); /* NAME_free */
} spc_kernel_entry;
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* The library's kernels by name, and behind them an entry whose name is NULL. */
extern const spc_kernel_entry @symbol@[];
#ifdef __cplusplus
}
#endif
@macro@
)";

constexpr std::string_view kOverload = R"(#ifdef __cplusplus
extern "C++" {
/* @name@() is, by the types of its arguments, one of @kernels@. */
@plain@#ifdef SPC_DETAIL_NAMED_ARGUMENTS
@named@#endif
}
#endif

)";

constexpr std::string_view kTypeGuard = "#ifndef SPC_TYPE_";
constexpr std::string_view kFunctions = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
constexpr std::string_view kNamedGuard = "#ifdef SPC_DETAIL_NAMED_ARGUMENTS\n";
constexpr std::string_view kFunction = "static inline ";
constexpr std::string_view kFunctionEnd = "\n}\n";
constexpr std::string_view kEndOfGuard = "#endif\n";

/// The length of a text from its #if to the matching #endif; 0 where there is none.
size_t conditionalLength(std::string_view text) {
  int depth = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = text.substr(begin, end - begin);
    depth += line.starts_with("#if") ? 1 : line.starts_with("#endif") ? -1 : 0;
    if (depth == 0)
      return end;
    begin = end;
  }
  return 0;
}

/// Takes the struct types, which stand one after the other. False where something else stands among them.
bool splitTypes(std::string_view text, KernelHeader &header) {
  while (!text.empty()) {
    const size_t length = text.starts_with(kTypeGuard) ? conditionalLength(text) : 0;
    if (length == 0)
      return false;
    const std::string_view guard = text.substr(0, text.find('\n'));
    header.types.emplace_back(guard, text.substr(0, length));
    text.remove_prefix(length);
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  }
  return true;
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// `text` with whole identifiers replaced.
std::string rename(std::string_view text, const std::map<std::string, std::string, std::less<>> &names) {
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && isWordCharacter(text[end]))
      ++end;
    const std::string_view word = text.substr(begin, end - begin);
    const auto found = names.find(word);
    result += found == names.end() ? std::string(word) : found->second;
    if (end < text.size())
      result += text[end++];
    begin = end;
  }
  return result;
}

/// The inline functions of a text, in their order.
std::vector<std::string_view> inlineFunctions(std::string_view text) {
  std::vector<std::string_view> functions;
  for (size_t begin = text.find(kFunction); begin != std::string_view::npos; begin = text.find(kFunction, begin)) {
    const size_t end =
        std::min(text.find(kFunctionEnd, begin), text.size() - kFunctionEnd.size()) + kFunctionEnd.size();
    functions.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return functions;
}

/// What an overload has of one kernel: the kernel's inline functions under another name. They call each other, and C++
/// chooses by the same types again.
class OverloadWriter {
public:
  explicit OverloadWriter(const Overload &overload) : overload_(overload) {}

  void add(const LibraryKernel &kernel) {
    const ReadSignature &signature = kernel.signature;
    names_ += (names_.empty() ? "" : ", ") + signature.function + "()";
    // Kernels that assemble the same types release them alike.
    const bool releases = releases_.insert(signature.assembled).second;
    if (signature.function == overload_.name)
      return;
    std::map<std::string, std::string, std::less<>> renamed;
    for (const std::string &phase : signature.phases)
      for (const char *suffix : {"", "_ctx"})
        renamed.emplace(signature.function + phase + suffix, overload_.name + phase + suffix);
    const std::string_view all = kernel.header.functions;
    const size_t named = std::min(all.find(kNamedGuard), all.size());
    for (std::string_view function : inlineFunctions(all.substr(0, named)))
      if (releases || !isRelease(function, signature.function))
        plain_ += rename(function, renamed) + "\n";
    for (std::string_view function : inlineFunctions(all.substr(named)))
      named_ += rename(function, renamed);
  }

  std::string text() const {
    return substitute(kOverload, {{"name", overload_.name}, {"kernels", names_}, {"plain", plain_}, {"named", named_}});
  }

private:
  static bool isRelease(std::string_view function, const std::string &kernel) {
    const std::string_view head = function.substr(0, function.find('('));
    return head.ends_with(" " + kernel + "_free") || head.ends_with(" " + kernel + "_free_ctx");
  }

  const Overload &overload_;
  std::set<std::vector<std::string>> releases_;
  std::string names_, plain_, named_;
};

std::string guardOf(const std::string &name) {
  std::string guard;
  for (char c : name)
    guard += isWordCharacter(c) ? c : '_';
  return guard;
}

/// The guard of a hidden kernel's header without what tells it from others of the same arguments.
std::string withoutContents(std::string guard, const std::string &function) {
  const std::string define = "#define SPC_CONTENTS_" + function + " ", condition = " || (defined SPC_CONTENTS_";
  for (const std::string &part : {define, condition})
    if (const size_t begin = guard.find(part); begin != std::string::npos) {
      const size_t end = guard.find('\n', begin);
      guard.erase(begin, end - begin + (part == define ? 1 : 0));
    }
  return guard;
}

std::string tableText(const TableNames &names) {
  const std::string macro = names.symbol == names.written ? "" : "#define " + names.written + " " + names.symbol + "\n";
  return substitute(kTableText, {{"symbol", names.symbol}, {"macro", macro}});
}

} // namespace

std::optional<KernelHeader> splitHeader(std::string_view text, std::string_view kernel) {
  const std::string name(kernel);
  const size_t begin = text.find("#ifdef SPC_KERNEL_" + name + "\n"), functions = text.rfind(kFunctions);
  const size_t define = text.find("\n#define SPC_KERNEL_" + name + " ", begin);
  size_t end = text.find('\n', define + 1);
  if (end != std::string_view::npos && text.substr(end + 1).starts_with("#define SPC_CONTENTS_"))
    end = text.find('\n', end + 1);
  if (begin == std::string_view::npos || define == std::string_view::npos || functions == std::string_view::npos ||
      functions < end || !text.ends_with(kEndOfGuard))
    return std::nullopt;
  const size_t types = std::min(text.find(kTypeGuard, end), functions);
  KernelHeader header;
  header.comment = text.substr(0, begin);
  header.guard = text.substr(begin, end + 1 - begin);
  header.functions = text.substr(functions, text.size() - kEndOfGuard.size() - functions);
  return splitTypes(text.substr(types, functions - types), header) ? std::optional(std::move(header)) : std::nullopt;
}

std::vector<KernelHeader> splitHeader(std::string_view text, const std::vector<std::string> &kernels) {
  if (kernels.size() == 1) {
    std::optional<KernelHeader> only = splitHeader(text, kernels.front());
    return only ? std::vector{std::move(*only)} : std::vector<KernelHeader>();
  }
  std::map<size_t, size_t> begins; // of kernels' comments
  for (size_t k = 0; k < kernels.size(); ++k) {
    const size_t guard = text.find("#ifdef SPC_KERNEL_" + kernels[k] + "\n");
    const size_t comment = text.rfind("/* " + kernels[k] + "(): ", guard);
    if (guard == std::string_view::npos || comment == std::string_view::npos)
      return {};
    begins[comment] = k;
  }
  std::vector<KernelHeader> headers(kernels.size());
  size_t end = text.find("#ifndef SPC_KERNEL_ENTRY\n", begins.rbegin()->first);
  for (auto part = begins.rbegin(); part != begins.rend() && end != std::string_view::npos; ++part) {
    const std::string_view own = text.substr(part->first, end - part->first);
    std::optional<KernelHeader> header =
        splitHeader(own.substr(0, own.find_last_not_of('\n') + 2), kernels[part->second]);
    if (!header)
      return {};
    headers[part->second] = std::move(*header);
    end = part->first;
  }
  const size_t types = std::min(text.find(kTypeGuard), end);
  const bool isWhole = end == begins.begin()->first && splitTypes(text.substr(types, end - types), headers.front());
  return isWhole ? headers : std::vector<KernelHeader>();
}

bool belongsTo(const KernelHeader &header, const ReadSignature &signature) {
  for (const std::string &phase : signature.phases)
    if (header.functions.find((phase == "_free" ? "void " : "spc_status ") + signature.symbol(phase) + "(") ==
        std::string::npos)
      return false;
  return true;
}

KernelHeader visibleHeader(KernelHeader header, const ReadSignature &signature) {
  if (!signature.isHidden())
    return header;
  const ExportedNames visible = signature.visible();
  std::map<std::string, std::string, std::less<>> renamed = {{signature.dataSymbol(), visible.dataSymbol()}};
  for (const std::string &phase : signature.phases) {
    renamed.emplace(signature.symbol(phase), visible.symbol(phase));
    renamed.emplace(signature.argvSymbol(phase), visible.argvSymbol(phase));
  }
  for (const auto &[hidden, seen] : renamed) { // what programs write is what there is
    const std::string macro = "#define " + seen + " " + hidden + "\n";
    if (const size_t at = header.functions.find(macro); at != std::string::npos)
      header.functions.erase(at, macro.size());
  }
  header.functions = rename(header.functions, renamed);
  header.guard = withoutContents(header.guard, signature.function);
  return header;
}

std::string plainName(const std::string &library) {
  constexpr std::string_view kPrefix = "lib";
  return library.starts_with(kPrefix) && library.size() > kPrefix.size() ? library.substr(kPrefix.size()) : library;
}

TableNames tableNames(const std::string &name, const std::vector<LibraryKernel> &kernels) {
  TableNames names{"spc_kernels_" + guardOf(plainName(name)), ""};
  std::string hidden;
  for (const LibraryKernel &kernel : kernels)
    if (kernel.signature.isHidden())
      hidden += kernel.signature.function + " " + kernel.signature.hash() + "\n";
  names.symbol = names.written + (hidden.empty() ? "" : "_" + hashOf(hidden));
  return names;
}

std::string writeLibraryHeader(const std::string &name, const std::vector<LibraryKernel> &kernels,
                               const std::vector<Overload> &overloads) {
  std::set<std::string> written;
  std::string calls, types, parts, overloaded;
  for (const LibraryKernel &kernel : kernels) {
    const std::string &function = kernel.signature.function;
    calls += " *   " + function + "()\n";
    for (const auto &[guard, text] : kernel.header.types)
      if (written.insert(guard).second)
        types += text + "\n";
    parts += kernel.header.comment + kernel.header.guard + "\n" + kernel.header.functions + "#endif\n\n";
  }
  for (const Overload &overload : overloads) {
    OverloadWriter writer(overload);
    for (size_t kernel : overload.kernels)
      writer.add(kernels[kernel]);
    overloaded += writer.text();
  }
  return substitute(kLibraryHeader, {{"name", forComment(name)},
                                     {"calls", calls},
                                     {"guard", guardOf(name)},
                                     {"common", std::string(commonText())},
                                     {"types", types},
                                     {"kernels", parts},
                                     {"table", tableText(tableNames(name, kernels))},
                                     {"overloads", overloaded}});
}

} // namespace spc::abi
