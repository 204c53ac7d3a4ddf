#include "sema/given_types.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kTypeArgument{"type-argument", Severity::Error};
constexpr DiagnosticKind kUnknownIndexType{"unknown-type", Severity::Error};

bool isIdentifier(std::string_view text) {
  const auto isLetter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && isLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

/// `[NAME=]TYPE`; nullopt with an error that shows `form`.
std::optional<format::GivenType> read(const std::string &argument, const std::string &option, const std::string &form,
                                      const std::string &example, SourceManager &sources, Diagnostics &diagnostics) {
  const SourceFile &source = sources.add("<" + option + ">", argument);
  const auto size = static_cast<uint32_t>(argument.size());
  const size_t equals = argument.find('=');
  const auto begin = equals == std::string::npos ? 0 : static_cast<uint32_t>(equals + 1);
  format::GivenType given{std::nullopt, argument.substr(begin), {&source, 0, size}, {&source, begin, size}};
  if (equals != std::string::npos)
    given.name = argument.substr(0, equals);
  if (isIdentifier(given.type) && (!given.name || isIdentifier(*given.name)))
    return given;
  diagnostics.report(kTypeArgument, given.where, "'" + argument + "' is not of the form " + form)
      .advise("as in " + option + " " + example + " and " + option + " A=" + example);
  return std::nullopt;
}

} // namespace

std::optional<format::GivenType> readGivenType(const std::string &argument, SourceManager &sources,
                                               Diagnostics &diagnostics) {
  return read(argument, "--type", "[NAME=]TYPE", "f32", sources, diagnostics);
}

std::optional<GivenIndexType> readGivenIndexType(const std::string &argument, SourceManager &sources,
                                                 Diagnostics &diagnostics) {
  const std::optional<format::GivenType> given =
      read(argument, "--index", "[TENSOR=]TYPE", "i64", sources, diagnostics);
  if (!given)
    return std::nullopt;
  if (const std::optional<format::IndexType> type = format::indexTypeNamed(given->type))
    return GivenIndexType{given->name, *type, given->where};
  Diagnostic &unknown = diagnostics.report(kUnknownIndexType, given->typeWhere,
                                           "unknown type of pointers and indices '" + given->type + "'");
  const bool isWide = given->type.find("64") != std::string::npos,
             isPlain = given->type.find("32") != std::string::npos;
  const std::optional<std::string> meant = isWide    ? "i64"
                                           : isPlain ? "i32"
                                                     : didYouMean(given->type, {"i32", "i64", "u16", "u8"});
  if (meant)
    unknown.fix(given->typeWhere, *meant);
  unknown.advise("they are u8, u16, i32 or i64");
  return std::nullopt;
}

} // namespace spc::sema
