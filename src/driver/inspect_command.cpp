// `spc inspect`: what kernels a file of machine code holds, and how they are called.
#include "driver/options.h"
#include "driver/subcommands.h"

#include "codegen/read_signatures.h"
#include "support/input.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spc::driver {
namespace {

constexpr DiagnosticKind kNoObject{"no-object", Severity::Error};
constexpr DiagnosticKind kNoSignature{"no-signature", Severity::Error};

constexpr size_t kLargestLibrary = size_t{1} << 30; // bytes

using Json = nlohmann::ordered_json;

/// Text as a terminal may have it: a question mark for each byte that is not printable ASCII.
std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string textOf(const Json &value) {
  return value.is_string() ? printable(value.get<std::string>()) : value.is_number_integer() ? value.dump() : "";
}

/// A member that is text, or a number as text; empty where there is none. What a file holds may be anything.
std::string textOf(const Json &object, const char *key) {
  const auto member = object.is_object() ? object.find(key) : object.end();
  return member == object.end() ? "" : textOf(*member);
}

const Json &listOf(const Json &object, const char *key) {
  static const Json kNone = Json::array();
  const auto member = object.is_object() ? object.find(key) : object.end();
  return member != object.end() && member->is_structured() ? *member : kNone;
}

/// "m x n"
std::string shapeText(const Json &argument) {
  std::string text;
  for (const Json &extent : listOf(argument, "shape"))
    text += (text.empty() ? "" : " x ") + textOf(extent);
  return text;
}

std::string argumentText(const Json &argument, size_t width) {
  const std::string name = textOf(argument, "name"), role = textOf(argument, "role"), pass = textOf(argument, "pass");
  std::string text = "  " + name + std::string(width + 2 - name.size(), ' ') + role +
                     std::string(role.size() < 7 ? 7 - role.size() : 1, ' ') + textOf(argument, "type");
  if (const std::string shape = shapeText(argument); !shape.empty())
    text += ", " + shape;
  if (const std::string type = textOf(argument, "struct"); !type.empty())
    text += ": " + type;
  else if (pass == "values")
    text += ": its values alone";
  if (const std::string fill = textOf(argument, "fill"); !fill.empty() && fill != "0")
    text += ", missing entries are " + fill;
  if (const std::string structure = textOf(argument, "structure"); !structure.empty())
    text += structure == "assembled" ? ", assembled" : ", structure " + structure;
  if (const std::string whole = textOf(argument, "part_of"); !whole.empty())
    text += ", part of " + whole;
  return text + "\n";
}

std::string describe(const Json &signature) {
  const std::string name = textOf(signature, "name");
  std::string text = name + ": calling convention " + textOf(signature, "spc_abi") + ", fingerprint " +
                     textOf(signature, "fingerprint") + "\n";
  size_t width = 0;
  for (const Json &argument : listOf(signature, "arguments"))
    width = std::max(width, textOf(argument, "name").size());
  for (const Json &argument : listOf(signature, "arguments"))
    text += argumentText(argument, width);
  std::string others;
  for (const auto &[phase, symbols] : listOf(signature, "functions").items())
    if (phase != "call")
      others += (others.empty() ? "" : ", ") + name + "_" + printable(phase);
  return text + (others.empty() ? "" : "  also " + others + "\n");
}

/// The signatures in a file, as one line of JSON each, or in words.
std::optional<std::string> inspect(Session &session, const std::string &path, bool asJson) {
  const std::optional<std::string> bytes = readBytes(path, session.diagnostics(), kLargestLibrary);
  if (!bytes)
    return std::nullopt;
  std::string error;
  const std::optional<std::vector<std::string>> texts = codegen::readSignatures(*bytes, error);
  if (!texts) {
    session.diagnostics().report(kNoObject, {}, "cannot be read as machine code: " + error).at(path);
    return std::nullopt;
  }
  std::string all;
  for (const std::string &text : *texts) {
    const Json signature = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (textOf(signature, "name").empty() || textOf(signature, "spc_abi").empty()) {
      session.diagnostics().report(kNoSignature, {}, "holds a signature that is broken").at(path);
      return std::nullopt;
    }
    all += asJson ? text + "\n" : (all.empty() ? "" : "\n") + describe(signature);
  }
  if (texts->empty()) {
    session.diagnostics().report(kNoSignature, {}, "holds no kernels of spc's").at(path);
    return std::nullopt;
  }
  return all;
}

} // namespace

int inspectCommand(Session &session) {
  CLI::App app("Show the signatures of the kernels in an object or a library", "spc inspect");
  std::vector<std::string> files;
  bool asJson = false;
  app.add_option("files", files, "Objects, archives and shared libraries")->type_name("")->required();
  app.add_flag("--json", asJson, "Print each signature as one line of JSON");
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  std::string all;
  for (const std::string &file : files)
    if (std::optional<std::string> text = inspect(session, file, asJson))
      all += (all.empty() || asJson ? "" : "\n") + *text;
  return session.failed() ? session.finish() : session.print(std::move(all));
}

} // namespace spc::driver
