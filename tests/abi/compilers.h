// Compilers found on this machine, and programs built and run with them.
#pragma once

#include <string>
#include <vector>

namespace spc::abi::test {

struct Outcome {
  int status = 0; ///< exit status
  std::string output;
};

/// Runs a shell command, standard error included in the output.
Outcome runCommand(const std::string &command);

/// A path as one word of a shell command.
std::string quote(const std::string &path);

/// A compiler with its language options: "gcc -std=c11", "clang++ -x c++ -std=c++17", ...
struct Compiler {
  std::string command;
  bool isGcc = false;
};

/// gcc (or cc) and clang, each as C11 and as C++17; says so (WARN) where one is missing.
std::vector<Compiler> compilers();

/// A folder of this name for a test's files, made if need be.
std::string workFolder(const std::string &name);

void writeFile(const std::string &path, const std::string &text);

} // namespace spc::abi::test
