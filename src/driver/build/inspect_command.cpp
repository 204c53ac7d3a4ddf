// `spc inspect`: what kernels a file of machine code holds, and how they are called.
#include "driver/build/object_file.h"
#include "driver/shell/options.h"
#include "driver/shell/subcommands.h"

#include "abi/signature_reader.h"
#include "codegen/read_signatures.h"

#include <CLI/CLI.hpp>

#include <set>

namespace spc::driver {
namespace {

/// The texts without those of hidden kernels that the file, a shared library, has as visible ones, too.
std::vector<std::string> seen(const std::vector<std::string> &texts) {
  std::set<std::string> visible;
  for (const std::string &text : texts)
    if (const std::optional<abi::ReadSignature> signature = abi::readSignature(text);
        signature && !signature->isHidden())
      visible.insert(text);
  std::vector<std::string> rest;
  for (const std::string &text : texts) {
    const std::optional<abi::ReadSignature> signature = abi::readSignature(text);
    if (!signature || !signature->isHidden() || !visible.contains(signature->visibleText))
      rest.push_back(text);
  }
  return rest;
}

/// The signatures in a file, as one line of JSON each, or in words.
std::optional<std::string> inspect(Session &session, const std::string &path, bool asJson) {
  const std::optional<std::string> bytes = readObjectFile(session, path);
  if (!bytes)
    return std::nullopt;
  std::string error;
  const std::optional<std::vector<std::string>> texts = codegen::readSignatures(*bytes, error);
  if (!texts) {
    reportNoObject(session, path, error);
    return std::nullopt;
  }
  std::string all;
  for (const std::string &text : seen(*texts)) {
    const std::optional<std::string> described = abi::describeSignature(text);
    if (!described) {
      reportNoSignature(session, path, "holds a signature that is broken");
      return std::nullopt;
    }
    all += asJson ? text + "\n" : (all.empty() ? "" : "\n") + *described;
  }
  if (texts->empty()) {
    reportNoSignature(session, path, "holds no kernels of spc's, or hides them")
        .advise("spc compile --visibility=default makes objects whose kernels a library exports, spc library such a "
                "library");
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
