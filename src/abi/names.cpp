#include "abi/names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace spc::abi {
namespace {

// Of C up to C23 and C++ up to C++20, sorted. Those that start with "_" and a capital are covered by a rule.
constexpr auto kKeywords = std::to_array<std::string_view>({
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
});

// What the standard headers of C and C++ declare or define, in the compilers' default modes; and what objects call.
constexpr auto kLibraryNames = std::to_array<std::string_view>({
#include "abi/library_names.inc"
});
constexpr auto kCalledNames = std::to_array<std::string_view>({"madvise"});

// Macros of other platforms' headers, which are as common, sorted.
constexpr auto kForeignMacros = std::to_array<std::string_view>({"FALSE", "TRUE", "far", "i386", "near"});

static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));
static_assert(std::is_sorted(kForeignMacros.begin(), kForeignMacros.end()));

bool isReservedForTheImplementation(std::string_view name) {
  return name.find("__") != std::string_view::npos ||
         (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])));
}

} // namespace

bool isReservedName(std::string_view name) {
  return std::binary_search(kKeywords.begin(), kKeywords.end(), name) || isReservedForTheImplementation(name) ||
         name == "ctx" || name == "main" || name.starts_with("spc_") || name.starts_with("SPC_");
}

bool isLibraryName(std::string_view name) {
  return std::binary_search(kLibraryNames.begin(), kLibraryNames.end(), name) ||
         std::binary_search(kForeignMacros.begin(), kForeignMacros.end(), name) ||
         std::find(kCalledNames.begin(), kCalledNames.end(), name) != kCalledNames.end() || name.starts_with("omp_");
}

std::span<const std::string_view> libraryNames() {
  return kLibraryNames;
}

} // namespace spc::abi
