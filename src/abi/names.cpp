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

// Macros without arguments that a program may well have defined before it includes a generated header, sorted:
// <complex.h>'s I, <stdio.h>'s, and what compilers predefine outside of their strict modes.
constexpr auto kMacros = std::to_array<std::string_view>({
    "BUFSIZ",   "CHAR_BIT", "EOF",   "EXIT_FAILURE", "EXIT_SUCCESS", "FALSE",    "HUGE_VAL", "I",
    "INFINITY", "INT_MAX",  "NAN",   "NDEBUG",       "NULL",         "RAND_MAX", "TRUE",     "assert",
    "complex",  "errno",    "far",   "i386",         "imaginary",    "linux",    "near",     "noreturn",
    "offsetof", "stderr",   "stdin", "stdout",       "unix",
});

static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));
static_assert(std::is_sorted(kMacros.begin(), kMacros.end()));

bool isReservedForTheImplementation(std::string_view name) {
  return name.find("__") != std::string_view::npos ||
         (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])));
}

} // namespace

bool isReservedName(std::string_view name) {
  return std::binary_search(kKeywords.begin(), kKeywords.end(), name) ||
         std::binary_search(kMacros.begin(), kMacros.end(), name) || isReservedForTheImplementation(name) ||
         name == "ctx" || name.starts_with("spc_") || name.starts_with("SPC_");
}

} // namespace spc::abi
