#include "compilers.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

namespace spc::abi::test {
namespace {

/// The first of `names` that runs, or "".
std::string firstThatRuns(const std::vector<std::string> &names) {
  for (const std::string &name : names)
    if (runCommand(name + " --version").status == 0)
      return name;
  return "";
}

} // namespace

Outcome runCommand(const std::string &command) {
  Outcome outcome;
  FILE *pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
    outcome.output.append(buffer, count);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return outcome;
}

std::string quote(const std::string &path) {
  return "\"" + path + "\"";
}

std::vector<Compiler> compilers() {
  struct Candidate {
    std::string wanted;
    std::vector<std::string> names;
    std::string options;
  };
  const std::string llvm = "/usr/lib/llvm-22/bin/";
  const Candidate candidates[] = {
      {"gcc", {"gcc", "cc"}, " -std=c11"},
      {"g++", {"g++", "c++"}, " -x c++ -std=c++17"},
      {"clang", {"clang", "clang-22", llvm + "clang"}, " -std=c11"},
      {"clang++", {"clang++", "clang++-22", llvm + "clang++"}, " -x c++ -std=c++17"},
  };
  std::vector<Compiler> found;
  for (const Candidate &candidate : candidates) {
    const std::string name = firstThatRuns(candidate.names);
    if (name.empty())
      WARN("no " << candidate.wanted << " on this machine: generated headers are not checked with it");
    else
      found.push_back({name + candidate.options, candidate.wanted.starts_with('g')});
  }
  REQUIRE_FALSE(found.empty());
  return found;
}

std::string workFolder(const std::string &name) {
  const std::filesystem::path folder = std::filesystem::path(SPC_BINARY_DIR) / "abi-tests" / name;
  std::filesystem::create_directories(folder);
  return folder.string();
}

void writeFile(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  REQUIRE(file.good());
}

} // namespace spc::abi::test
