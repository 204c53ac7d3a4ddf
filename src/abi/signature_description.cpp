#include "abi/signature_member.h"
#include "abi/signature_reader.h"

#include <algorithm>

namespace spc::abi {
namespace {

/// Text as a terminal may have it: a question mark for each byte that is not printable ASCII.
std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

/// A text, or a number as text.
std::string shown(const Json &value) {
  return value.is_string() ? printable(value.get<std::string>()) : value.is_number_integer() ? value.dump() : "";
}

/// A member likewise; empty where there is none.
std::string shown(const Json &object, const char *key) {
  return shown(memberOf(object, key));
}

const Json &listOf(const Json &object, const char *key) {
  static const Json kNone = Json::array();
  const Json &member = memberOf(object, key);
  return member.is_structured() ? member : kNone;
}

/// "m x n"
std::string shapeText(const Json &argument) {
  std::string text;
  for (const Json &extent : listOf(argument, "shape"))
    text += (text.empty() ? "" : " x ") + shown(extent);
  return text;
}

/// "  by i: A slice, x rows, y slice", or why not
std::string divisionText(const Json &division) {
  const std::string index = shown(division, "index");
  if (const std::string reason = shown(division, "refused"); !reason.empty())
    return "  not divided by " + index + ": " + reason + "\n";
  std::string text;
  for (const auto &[name, part] : listOf(division, "arguments").items())
    text += (text.empty() ? "" : ", ") + printable(name) + " " + shown(part, "part");
  return "  divided by " + index + ": " + text + "\n";
}

std::string argumentText(const Json &argument, size_t width) {
  const std::string name = shown(argument, "name"), role = shown(argument, "role"), pass = shown(argument, "pass");
  std::string text = "  " + name + std::string(width + 2 - name.size(), ' ') + role +
                     std::string(role.size() < 7 ? 7 - role.size() : 1, ' ') + shown(argument, "type");
  if (const std::string shape = shapeText(argument); !shape.empty())
    text += ", " + shape;
  if (const std::string type = shown(argument, "struct"); !type.empty())
    text += ": " + type;
  else if (pass == "values")
    text += ": its values alone";
  if (const std::string fill = shown(argument, "fill"); !fill.empty() && fill != "0")
    text += ", missing entries are " + fill;
  if (const std::string structure = shown(argument, "structure"); !structure.empty())
    text += structure == "assembled" ? ", assembled" : ", structure " + structure;
  if (const std::string whole = shown(argument, "part_of"); !whole.empty())
    text += ", part of " + whole;
  return text + "\n";
}

} // namespace

std::optional<std::string> describeSignature(std::string_view given) {
  const Json signature = Json::parse(given, nullptr, /*allow_exceptions=*/false);
  if (shown(signature, "name").empty() || shown(signature, "spc_abi").empty())
    return std::nullopt;
  const std::string name = shown(signature, "name");
  std::string text =
      name + ": calling convention " + shown(signature, "spc_abi") + ", fingerprint " + shown(signature, "fingerprint");
  if (const std::string producer = shown(signature, "made_by"); !producer.empty())
    text += ", by " + producer;
  text += "\n";
  size_t width = 0;
  for (const Json &argument : listOf(signature, "arguments"))
    width = std::max(width, shown(argument, "name").size());
  for (const Json &argument : listOf(signature, "arguments"))
    text += argumentText(argument, width);
  std::string others;
  for (const auto &[phase, symbols] : listOf(signature, "functions").items())
    if (phase != "call")
      others += (others.empty() ? "" : ", ") + name + "_" + printable(phase);
  if (!others.empty())
    text += "  also " + others + "\n";
  for (const Json &division : listOf(signature, "divide"))
    text += divisionText(division);
  return text;
}

} // namespace spc::abi
