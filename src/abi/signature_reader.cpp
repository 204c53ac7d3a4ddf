#include "abi/signature_reader.h"

#include "abi/signature_member.h"

#include <algorithm>

namespace spc::abi {
namespace {

/// A member that is text; empty where there is none.
std::string textOf(const Json &object, const char *key) {
  const Json &member = memberOf(object, key);
  return member.is_string() ? member.get<std::string>() : "";
}

/// The type of a parameter, as far as overloads tell types apart.
std::string cppType(const Json &argument) {
  const std::string pass = textOf(argument, "pass"), value = textOf(argument, "type");
  const std::string isConst = textOf(argument, "role") == "in" ? "const " : "";
  if (pass == "number")
    return value;
  return isConst + (pass == "struct" ? textOf(argument, "struct") : value) + " *";
}

/// Whether all is letters, digits and underscores: what may stand in a symbol.
bool isWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// The text of the signature without what hides the kernel.
std::string visibleText(Json json, const ExportedNames &names) {
  const ExportedNames seen = names.visible();
  json.erase("contents");
  for (const auto &[key, phase] : {std::pair("call", ""), std::pair("symbolic", "_symbolic"),
                                   std::pair("numeric", "_numeric"), std::pair("free", "_free")})
    if (json["functions"].contains(key))
      json["functions"][key] = {{"typed", seen.symbol(phase)}, {"argv", seen.argvSymbol(phase)}};
  return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

} // namespace

std::vector<std::string> ReadSignature::symbols() const {
  const ExportedNames seen = visible();
  std::vector<std::string> names = {seen.dataSymbol()};
  for (const std::string &phase : phases) {
    names.push_back(seen.symbol(phase));
    names.push_back(seen.argvSymbol(phase));
  }
  return names;
}

std::vector<std::string> ReadSignature::declaredNames() const {
  std::vector<std::string> names = {function, function + "_arguments"};
  for (const std::string &phase : phases) {
    if (!phase.empty())
      names.push_back(function + phase);
    names.push_back(function + phase + "_ctx");
    names.push_back(function + phase + "_argv");
  }
  return names;
}

std::optional<ReadSignature> readSignature(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("spc_abi") || !json["spc_abi"].is_number_integer() ||
      !json.contains("functions") || !json["functions"].is_object() || !json.contains("arguments") ||
      !json["arguments"].is_array())
    return std::nullopt;
  ReadSignature signature;
  signature.version = json["spc_abi"].get<int>();
  signature.function = textOf(json, "name");
  signature.fingerprint = textOf(json, "fingerprint");
  signature.contents = textOf(json, "contents");
  if (!isWord(signature.function) || !isWord(signature.fingerprint) ||
      !(signature.contents.empty() || isWord(signature.contents)))
    return std::nullopt;
  signature.phases = {""};
  for (const char *phase : {"symbolic", "numeric", "free"})
    if (json["functions"].contains(phase))
      signature.phases.push_back(std::string("_") + phase);
  for (const Json &argument : json["arguments"]) {
    signature.arguments.push_back(cppType(argument));
    signature.passed.push_back(textOf(argument, "pass") == "number" ? textOf(argument, "type") : "");
    if (textOf(argument, "structure") == "assembled")
      signature.assembled.push_back(signature.arguments.back());
  }
  signature.visibleText = visibleText(json, signature);
  return signature;
}

} // namespace spc::abi
