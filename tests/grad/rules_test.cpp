// Every rule of differentiation: what is written for it, and that finite differences agree.
//
// A file of rules/ says what is differentiated, the kernel, and, each after a line of dashes, the statements of the
// reverse and of the forward mode. SPC_UPDATE_GOLDEN=1 rewrites these: read the difference.
#include "grad/derivative_table.h"
#include "syntax/parser.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace spc;
using namespace spc::testing;

namespace {

constexpr std::string_view kSeparator = "----\n";
constexpr uint64_t kSeedsOfRule = 8;

std::vector<std::filesystem::path> ruleFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(SPC_SOURCE_DIR "/tests/grad/rules"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> listIn(std::istream &words) {
  std::string list, name;
  words >> list;
  std::vector<std::string> names;
  for (std::istringstream parts(list); std::getline(parts, name, ',');)
    names.push_back(name);
  return names;
}

struct Rule {
  GradientCase given;
  std::string head, written;
};

Rule read(const std::filesystem::path &path) {
  std::ifstream file(path);
  Rule rule;
  std::getline(file, rule.head);
  std::istringstream words(rule.head);
  std::string word;
  words >> word;
  rule.given.of = listIn(words);
  words >> word;
  rule.given.wrt = listIn(words);
  for (words >> word; words >> word;)
    rule.given.formats[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  const std::string rest{std::istreambuf_iterator<char>(file), {}};
  const size_t end = rest.find(kSeparator);
  rule.given.text = rest.substr(0, end);
  rule.written = end == std::string::npos ? "" : rest.substr(end);
  return rule;
}

std::string statementsOf(const WrittenDerivative &derivative) {
  std::string text(kSeparator);
  for (const syntax::Statement &statement : derivative.tree.statements)
    text += syntax::toSource(statement) + "\n";
  return text;
}

} // namespace

TEST_CASE("each rule is written as it stands in its file, and right") {
  for (const std::filesystem::path &path : ruleFiles()) {
    const Rule rule = read(path);
    const GradientUnderTest kernel(rule.given);
    INFO(path.filename().string() << "\n" << kernel.diagnostics() << kernel.refusal().problem);
    REQUIRE(kernel.isWritten());
    const std::string written = statementsOf(kernel.reverse()) + statementsOf(kernel.forwardMode());
    if (std::getenv("SPC_UPDATE_GOLDEN"))
      std::ofstream(path) << rule.head << "\n" << rule.given.text << written;
    else
      CHECK(written == rule.written);
    bool isSmooth = false;
    for (uint64_t seed = 1; seed <= kSeedsOfRule; ++seed) {
      const GradientOutcome outcome = kernel.check(seed);
      INFO(outcome.problem);
      CHECK(outcome.problem.empty());
      isSmooth |= outcome.isSmooth;
    }
    CHECK(isSmooth);
  }
}

TEST_CASE("every function and every reduction that may stand between has a rule with a file") {
  std::string all;
  for (const std::filesystem::path &path : ruleFiles())
    all += read(path).given.text;
  for (const std::string &name : language::functionNames()) {
    INFO(name);
    if (name != "at" && name != "once" && name != "padded") // made of indices that a tensor holds; a kind of access
      CHECK((all.find(name + "(") != std::string::npos));
  }
  for (const char *reduction : {"sum(", "prod(", "min(j", "max(j", "mean(", "argmax("})
    CHECK(all.find(reduction) != std::string::npos);
}

TEST_CASE("every function and every reduction is in the table of derivatives") {
  std::string all;
  for (const Construct &expression : readConstructs(SPC_SOURCE_DIR "/tests/grad/constructs.txt").expressions)
    all += expression.name + "\n";
  for (const std::string &name : language::functionNames()) {
    INFO(name);
    // Comparisons, as the operators are; a kind of access; a choice, which has a file of rules; what has no derivative.
    if (name != "at" && name != "once" && name != "within" && name != "padded" && name != "where" && name != "complex")
      CHECK((all.find(name + "(") != std::string::npos));
  }
  for (const char *reduction :
       {"sum(?", "prod(?", "min(?", "max(?", "mean(?", "any(?", "all(?", "count(?", "argmin(?", "argmax(?"})
    CHECK(all.find(reduction) != std::string::npos);
}
