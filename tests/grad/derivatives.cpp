// The table of derivatives: each program of constructs.txt around each expression around each operand, both modes
// against finite differences. What ran is written as JSON; see derivatives.py for the whole.
#include "grad/derivative_table.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>

using namespace spc::testing;

namespace {

using Kind = CellOutcome::Kind;

struct Options {
  std::string only;    ///< the name of a program
  uint64_t stride = 1; ///< one in so many is taken
  std::string output;  ///< a JSON file
  bool lists = false;
};

constexpr const char *kUsage = "derivatives [--only PROGRAM] [--stride S] [--output FILE] [--list]\n";

Options readOptions(int count, char **arguments) {
  Options options;
  for (int k = 1; k < count; ++k) {
    const std::string option = arguments[k];
    const bool hasValue = k + 1 < count;
    if (option == "--list")
      options.lists = true;
    else if (option == "--only" && hasValue)
      options.only = arguments[++k];
    else if (option == "--stride" && hasValue)
      options.stride = std::strtoull(arguments[++k], nullptr, 10);
    else if (option == "--output" && hasValue)
      options.output = arguments[++k];
    else {
      std::cerr << kUsage;
      std::exit(2);
    }
  }
  return options;
}

/// What ran of one program, or of all.
struct Counts {
  std::map<Kind, uint64_t> kinds;
  std::map<std::string, uint64_t> refusals;
  void add(const CellOutcome &outcome) {
    ++kinds[outcome.kind];
    if (outcome.kind == Kind::Refused)
      ++refusals[outcome.what];
  }
  void add(const Counts &other) {
    for (const auto &[kind, times] : other.kinds)
      kinds[kind] += times;
    for (const auto &[id, times] : other.refusals)
      refusals[id] += times;
  }
  nlohmann::json json() const {
    const auto of = [&](Kind kind) { return kinds.contains(kind) ? kinds.at(kind) : 0; };
    return {{"compared", of(Kind::Compared)}, {"flat", of(Kind::Flat)},   {"modes alone", of(Kind::Modes)},
            {"no number", of(Kind::Nowhere)}, {"wrong", of(Kind::Wrong)}, {"refused", refusals}};
  }
};

class Table {
public:
  Table(const ConstructLists &lists, const Options &options) : lists_(lists), options_(options) {}

  nlohmann::json run() {
    nlohmann::json programs;
    for (const Construct &program : lists_.programs) {
      if (!options_.only.empty() && program.name != options_.only)
        continue;
      nlohmann::json cells;
      for (const Construct &expression : lists_.expressions)
        if (const Counts counts = runCell(program, expression); !counts.kinds.empty()) {
          cells[expression.name] = counts.json();
          all.add(counts);
        }
      programs[program.name] = {{"group", program.group}, {"cells", std::move(cells)}};
    }
    return {{"programs", std::move(programs)},
            {"operands", operands_},
            {"processor seconds", static_cast<double>(std::clock()) / CLOCKS_PER_SEC}};
  }

  Counts all;

private:
  Counts runCell(const Construct &program, const Construct &expression) {
    Counts counts;
    for (const Construct &operand : lists_.operands) {
      if (number_++ % options_.stride != 0)
        continue;
      for (const bool isByAll : {false, true}) {
        const CellOutcome outcome = examineCell(lists_, program, expression, operand, isByAll);
        counts.add(outcome);
        uint64_t &compared = operands_[isByAll ? "all of them" : operand.name];
        compared += outcome.kind == Kind::Compared || outcome.kind == Kind::Flat;
        if (outcome.kind == Kind::Wrong)
          std::cout << program.name << ", " << expression.name << ", " << operand.name << (isByAll ? ", by all" : "")
                    << "\n"
                    << outcome.text << outcome.what << "\n";
      }
    }
    return counts;
  }

  const ConstructLists &lists_;
  const Options &options_;
  uint64_t number_ = 0;
  std::map<std::string, uint64_t> operands_; ///< how often derivatives by each were compared
};

} // namespace

int main(int count, char **arguments) {
  const Options options = readOptions(count, arguments);
  const ConstructLists lists = readConstructs(SPC_SOURCE_DIR "/tests/grad/constructs.txt");
  if (options.lists) {
    nlohmann::json all;
    for (const Construct &program : lists.programs)
      all["programs"].push_back({{"name", program.name}, {"group", program.group}});
    for (const Construct &expression : lists.expressions)
      all["expressions"].push_back(expression.name);
    std::cout << all.dump() << "\n";
    return EXIT_SUCCESS;
  }
  Table table(lists, options);
  const nlohmann::json report = table.run();
  if (!options.output.empty())
    std::ofstream(options.output) << report.dump(1) << "\n";
  std::cout << table.all.json().dump() << "\n";
  return table.all.kinds[Kind::Wrong] == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
