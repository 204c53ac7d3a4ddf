// A folder of format files, a loader that searches it, and what the loader reported.
#pragma once

#include "format/format_file.h"
#include "support/render.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace spc::format {

class Workspace {
public:
  Workspace() { std::filesystem::create_directories(folder_); }
  ~Workspace() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string write(const std::string &name, const std::string &text) {
    std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  std::vector<Binding> load(const std::string &argument) { return loader.load(argument); }

  /// The one format of order `order` that `argument` means; fails the test's requirements otherwise by giving nullopt.
  std::optional<Format> formatOf(const std::string &argument, int order) {
    std::vector<Binding> bindings = load(argument);
    if (bindings.size() != 1)
      return std::nullopt;
    return bindings.front().family->instantiate(order);
  }

  std::optional<Format> formatOfText(const std::string &json, int order) {
    return formatOf(write("given.json", json), order);
  }

  /// Everything reported so far.
  std::string messages() const {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics.all())
      text += renderText(diagnostic, false);
    return text;
  }

  const std::filesystem::path &folder() const { return folder_; }

private:
  std::filesystem::path folder_ = freshFolder();

  static std::filesystem::path freshFolder() {
    static int count = 0;
    return std::filesystem::temp_directory_path() /
           ("spc-format-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
  }

public:
  SourceManager sources;
  Diagnostics diagnostics;
  FormatLoader loader{{folder_}, sources, diagnostics};
};

} // namespace spc::format
