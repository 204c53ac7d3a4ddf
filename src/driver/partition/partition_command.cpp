// `spc partition`: what parts of the data are like where processes divide an index, and what they need of each other.
#include "driver/partition/options.h"
#include "driver/partition/parts.h"
#include "driver/shell/front_end.h"
#include "driver/shell/subcommands.h"

#include "support/input.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

namespace spc::driver {
namespace {

constexpr DiagnosticKind kUnknownIndex{"unknown-index", Severity::Error};
constexpr DiagnosticKind kNotDivided{"not-divided", Severity::Error};
constexpr DiagnosticKind kPartitionFile{"partition-file", Severity::Error};

constexpr DiagnosticKind kOutputWithoutCut{"output-without-cut", Severity::Error};

constexpr int kMostParts = 1 << 16;
constexpr size_t kMostBytes = size_t{1} << 32; ///< of a file of parts

/// The division by the index that is named, where the kernel may be divided so. Null with an error where it may not.
const sema::IndexDivision *divisionBy(Session &session, const sema::Kernel &kernel, const PartitionOptions &options) {
  const sema::IndexDivision *found = findDivision(session, kernel, options);
  if (!found || found->reason.empty())
    return found;
  session.diagnostics()
      .report(kNotDivided, session.findValue("--by", options.by),
              "'" + options.by + "' is not divided among processes: " + found->reason)
      .advise("'spc explain " + options.shared.kernel +
              "' says by which indices the kernel may be divided; --cut tries in pieces");
  return nullptr;
}

/// The part of each coordinate by a file: a number for each, from 0, apart by blanks. nullopt with an error reported.
std::optional<Owners> readOwners(Session &session, const PartitionOptions &options, int64_t size) {
  const std::optional<std::string> text = readBytes(options.with, session.diagnostics(), kMostBytes);
  if (!text)
    return std::nullopt;
  const auto fail = [&](const std::string &what) {
    session.diagnostics()
        .report(kPartitionFile, session.findValue("--with", options.with), "'" + options.with + "' " + what)
        .advise("it has the part of each coordinate of '" + options.by + "', from 0 to " +
                std::to_string(options.parts - 1) + ", a number a line, as METIS's gpmetis writes it");
    return std::nullopt;
  };
  Owners owners;
  const char *at = text->data(), *end = at + text->size();
  while (true) {
    at = std::find_if(at, end, [](char c) { return c != ' ' && c != '\n' && c != '\r' && c != '\t'; });
    if (at == end)
      break;
    int32_t part = 0;
    const auto [behind, error] = std::from_chars(at, end, part);
    if (error != std::errc() || part < 0 || part >= options.parts)
      return fail("has no part at number " + std::to_string(owners.size() + 1));
    owners.push_back(part);
    at = behind;
  }
  if (static_cast<int64_t>(owners.size()) != size)
    return fail("has " + std::to_string(owners.size()) + " numbers, and '" + options.by + "' has " +
                std::to_string(size) + " values");
  return owners;
}

std::optional<Owners> ownersOf(Session &session, const PartitionOptions &options, const sema::Kernel &kernel,
                               const sema::IndexDivision &division, const host::Inputs &inputs) {
  const int64_t size = inputs.extents[division.extent];
  if (options.with == "rows")
    return equalRows(size, options.parts);
  return options.with == "entries" ? equalWeights(entriesAlong(kernel, division, inputs), options.parts)
                                   : readOwners(session, options, size);
}

int partitionKernel(Session &session, PartitionOptions &options) {
  PhaseTimer timer;
  const std::optional<KernelInput> input = readKernel(session, options.shared, timer);
  const std::optional<sema::Kernel> kernel =
      input ? checkKernel(session, *input, "kernel", options.shared, timer) : std::nullopt;
  const sema::IndexDivision *division = kernel ? divisionBy(session, *kernel, options) : nullptr;
  if (!division)
    return session.finish();
  options.inputs.needsAll = false;
  const std::optional<host::Inputs> inputs = host::readInputs(session, *kernel, input->tree, options.inputs);
  timer.phase("read the inputs");
  const std::optional<Owners> owners = inputs ? ownersOf(session, options, *kernel, *division, *inputs) : std::nullopt;
  if (!owners || session.failed())
    return session.finish();
  const Partition partition = partitionOf(*kernel, *division, *inputs, *owners, options.parts);
  timer.phase("count");
  if (options.shared.timePasses)
    timer.print();
  return session.print(options.json ? jsonOf(partition, *division) : textOf(partition, *division));
}

} // namespace

const sema::IndexDivision *findDivision(Session &session, const sema::Kernel &kernel, const PartitionOptions &options) {
  const std::vector<sema::IndexDivision> &all = kernel.divisions;
  const auto isNamed = [&](const sema::IndexDivision &one) { return sema::has(one.names, options.by); };
  const auto isOver = [&](const sema::IndexDivision &one) { return kernel.extents[one.extent].name == options.by; };
  auto found = std::find_if(all.begin(), all.end(), isNamed);
  if (found == all.end())
    found = std::find_if(all.begin(), all.end(), isOver);
  if (found != all.end())
    return &*found;
  std::vector<std::string> known;
  for (const sema::IndexDivision &one : all)
    known.insert(known.end(), one.names.begin(), one.names.end());
  const Span where = session.findValue("--by", options.by);
  Diagnostic &unknown =
      session.diagnostics().report(kUnknownIndex, where, "the kernel has no index variable '" + options.by + "'");
  if (std::optional<std::string> meant = didYouMean(options.by, known)) {
    unknown.message += " (did you mean '" + *meant + "'?)";
    unknown.fix(where, *meant);
  }
  return nullptr;
}

int partitionCommand(Session &session) {
  CLI::App app("Say what processes have and exchange that each run a kernel on a part of the data", "spc partition");
  PartitionOptions options;
  SharedOptionReader shared(app, options.shared);
  app.add_option("inputs", options.inputs.given,
                 "TENSOR=FILE or a generator, as for spc run; of dense operands sizes are enough")
      ->type_name("");
  addSizeOptions(app, options.inputs);
  app.add_option("--by", options.by, "The index variable that is divided")->type_name("INDEX")->required();
  app.add_option("--parts", options.parts, "How many parts there are (default: 2)")
      ->check(CLI::Range(1, kMostParts).description(""))
      ->type_name("N");
  app.add_option("--with", options.with,
                 "Which part has what: as many rows each (rows, the default), as many entries of sparse operands "
                 "(entries), or a file with the part of each value of the index, as gpmetis writes it")
      ->type_name("rows|entries|FILE");
  app.add_flag(
      "--cut", options.cuts,
      "Cut the kernel into pieces that can be divided, where processes exchange in between; say what they are");
  app.add_option(
         "-o,--output", options.output,
         "With --cut: a folder for the pieces, each a kernel and a format file, and the order in which they run")
      ->type_name("DIR");
  app.add_flag("--json", options.json, "Print all as one line of JSON");
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  if (!shared.finish(session))
    return session.finish();
  if (!options.cuts && !options.output.empty()) {
    session.usage(kOutputWithoutCut, session.find("-o"), "-o is for the pieces of --cut");
    return session.finish();
  }
  return options.cuts ? cutKernel(session, options) : partitionKernel(session, options);
}

} // namespace spc::driver
