// Every expression of expressions.txt, in every combination of the shipped matrix formats, on every small pattern,
// against the dense evaluator. What ran is written as JSON; see run.py for the whole.
#include "exhaustive/expressions.h"
#include "exhaustive/formats.h"
#include "exhaustive/patterns.h"
#include "exhaustive/unit.h"
#include "harness/kernel_under_test.h"
#include "harness/text.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <set>
#include <stdexcept>
#include <unistd.h>

using namespace spc::testing;

namespace {

struct Options {
  int64_t shard = 0, shards = 1; ///< units shard, shard + shards, … of those of each expression
  size_t stride = 1;             ///< of the patterns
  int optLevel = 0;
  std::string only; ///< a part of an expression's line, or all of it
  bool isWhole = false;
  std::vector<std::string> formats; ///< of A, B and C; empty: all
  std::vector<std::string> without; ///< formats that are left out
  std::string output;               ///< a JSON file
  bool lists = false;
};

constexpr const char *kUsage = "exhaustive [--shard K/N] [--stride S] [-O0..3] [--only TEXT | --expression LINE]\n    "
                               "[--formats A,B,C] [--without A,B,...] [--output FILE] [--list]\n";

Options readOptions(int count, char **arguments) {
  Options options;
  for (int k = 1; k < count; ++k) {
    const std::string option = arguments[k];
    const auto value = [&]() -> std::string {
      if (k + 1 == count)
        throw std::runtime_error(kUsage);
      return arguments[++k];
    };
    if (option == "--shard") {
      const std::vector<std::string> numbers = split(value(), '/');
      options.shard = std::stoll(numbers.at(0));
      options.shards = std::stoll(numbers.at(1));
    } else if (option == "--stride")
      options.stride = std::stoul(value());
    else if (option == "--only" || option == "--expression") {
      options.only = value();
      options.isWhole = option == "--expression";
    } else if (option == "--formats")
      options.formats = split(value(), ',');
    else if (option == "--without")
      options.without = split(value(), ',');
    else if (option == "--output")
      options.output = value();
    else if (option == "--list")
      options.lists = true;
    else if (option.starts_with("-O") && option.size() == 3)
      options.optLevel = option[2] - '0';
    else
      throw std::runtime_error(kUsage);
  }
  return options;
}

/// One operand: each format. Two: each pair. Three: each format beside CSR in each place, and with itself.
std::vector<FormatTuple> formatTuples(int arity, const ShippedFormats &shipped) {
  const auto count = static_cast<int>(shipped.names().size());
  const int csr = shipped.numberOf("csr");
  std::set<FormatTuple> tuples;
  for (int first = 0; first < count; ++first) {
    if (arity == 1)
      tuples.insert({first});
    for (int second = 0; arity == 2 && second < count; ++second)
      tuples.insert({first, second});
    if (arity == 3)
      tuples.insert({{first, csr, csr}, {csr, first, csr}, {csr, csr, first}, {first, first, first}});
  }
  return {tuples.begin(), tuples.end()};
}

bool isWanted(const Options &options, const FormatTuple &tuple, const ShippedFormats &shipped) {
  for (size_t role = 0; role < std::min(tuple.size(), options.formats.size()); ++role)
    if (options.formats[role] != shipped.names()[static_cast<size_t>(tuple[role])])
      return false;
  return std::none_of(tuple.begin(), tuple.end(), [&](int format) {
    const std::string &name = shipped.names()[static_cast<size_t>(format)];
    return std::find(options.without.begin(), options.without.end(), name) != options.without.end();
  });
}

/// What runs at the moment, for the handler of signals.
char current[512];

void reportSignal(int signal) {
  const auto write = [](const char *text) { return ::write(STDOUT_FILENO, text, std::strlen(text)); };
  const bool isWritten = write("SIGNAL in ") > 0 && write(current) > 0 && write("\n") > 0;
  std::signal(signal, SIG_DFL);
  if (isWritten)
    std::raise(signal);
}

class Run {
public:
  explicit Run(const Options &options) : options_(options), store_(shipped_.formats()) {}

  bool run() {
    int64_t unit = 0;
    for (const Expression &expression : readExpressions(SPC_SOURCE_DIR "/tests/exhaustive/expressions.txt")) {
      if (options_.isWhole ? expression.text != options_.only
                           : expression.text.find(options_.only) == std::string::npos)
        continue;
      const int64_t first = unit;
      const std::vector<FormatTuple> tuples = formatTuples(expression.arity, shipped_);
      if (options_.lists) {
        std::cout << expression.text << "\n";
        continue;
      }
      std::unique_ptr<Reference> reference;
      nlohmann::ordered_json counts;
      for (const FormatTuple &tuple : tuples)
        if (unit++ % options_.shards == options_.shard && isWanted(options_, tuple, shipped_))
          runUnit(expression, tuple, reference, counts);
      if (unit > first && reference)
        report_["expressions"][expression.text] = counts;
    }
    const std::string changed = store_.findChanged();
    if (!changed.empty())
      std::cout << "an operand in " << changed << " was changed\n";
    if (!options_.lists)
      finish();
    return mismatches_ == 0 && changed.empty();
  }

private:
  void runUnit(const Expression &expression, const FormatTuple &tuple, std::unique_ptr<Reference> &reference,
               nlohmann::ordered_json &counts) {
    if (!reference) {
      reference = std::make_unique<Reference>(expression);
      counts = {
          {"arity", expression.arity}, {"kernels", 0},   {"refused", nlohmann::ordered_json::object()}, {"calls", 0},
          {"unstorable", 0},           {"mismatches", 0}};
    }
    std::string text = expression.text + " |";
    for (int format : tuple)
      text += " " + shipped_.names()[static_cast<size_t>(format)];
    std::strncpy(current, text.c_str(), sizeof current - 1);
    Unit unit(*reference, tuple, shipped_, workshop_, options_.optLevel);
    const UnitCounts result = unit.run(store_, static_cast<size_t>(next_++) % options_.stride, options_.stride);
    const auto add = [&](nlohmann::ordered_json &to, int64_t number) { to = to.get<int64_t>() + number; };
    if (result.refusal.empty())
      add(counts["kernels"], 1);
    else
      counts["refused"][result.refusal] = counts["refused"].value(result.refusal, int64_t(0)) + 1;
    add(counts["calls"], result.calls);
    add(counts["unstorable"], result.unstorable);
    add(counts["mismatches"], result.mismatches);
    calls_ += result.calls;
    mismatches_ += result.mismatches;
    if (result.mismatches == 0)
      return;
    const std::string found = expression.text + " | " + unit.formatsText() + " | " + std::to_string(result.mismatches) +
                              " of " + std::to_string(result.calls) + " | " + result.first;
    report_["found"].push_back(found);
    std::cout << "MISMATCH " << found << std::endl;
  }

  void finish() {
    for (size_t format = 0; format < shipped_.names().size(); ++format) {
      int64_t held = 0;
      for (size_t pattern = 0; pattern < smallPatterns().size(); ++pattern)
        held += store_.find(0, static_cast<int>(format), static_cast<int>(pattern), spc::sema::ValueType::F64) ? 1 : 0;
      report_["patterns held"][shipped_.names()[format]] = held;
    }
    report_["seconds"] = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    std::cout << next_ << " units, " << calls_ << " calls, " << mismatches_ << " mismatches, " << report_["seconds"]
              << " s of processor time\n";
    if (!options_.output.empty())
      std::ofstream(options_.output) << report_.dump(1) << "\n";
  }

  const Options options_;
  ShippedFormats shipped_;
  OperandStore store_;
  spc::pipeline::Workshop workshop_;
  nlohmann::ordered_json report_;
  int64_t next_ = 0, calls_ = 0, mismatches_ = 0;
};

} // namespace

int main(int count, char **arguments) {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL})
    std::signal(signal, reportSignal);
  try {
    return Run(readOptions(count, arguments)).run() ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
