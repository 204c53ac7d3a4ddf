// `spc partition`: what parts of the data are like where processes divide an index, and what they need of each other.
#include "driver/partition/options.h"
#include "driver/partition/part_files.h"
#include "driver/partition/parts.h"
#include "driver/shell/divisions.h"
#include "driver/shell/front_end.h"
#include "driver/shell/output_checks.h"
#include "driver/shell/subcommands.h"
#include "host/sources.h"

#include "support/input.h"
#include "support/output_file.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

namespace spc::driver {
namespace {

constexpr DiagnosticKind kNotDivided{"not-divided", Severity::Error};
constexpr DiagnosticKind kPartitionFile{"partition-file", Severity::Error};

constexpr DiagnosticKind kInputMissing{"input-missing", Severity::Error};
constexpr DiagnosticKind kMalformedRate{"malformed-rate", Severity::Error};
constexpr DiagnosticKind kTooManyParts{"too-many-parts", Severity::Error};

constexpr int kMostParts = 1 << 16;
constexpr int kMostWritten = 4096;             ///< parts that have files
constexpr size_t kMostBytes = size_t{1} << 32; ///< of a file of parts

/// The division by the index that is named, where the kernel may be divided so. Null with an error where it may not.
const sema::IndexDivision *divisionBy(Session &session, const sema::Kernel &kernel, const PartitionOptions &options) {
  const sema::IndexDivision *found = findDivision(session, kernel, options.by);
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

/// A number with a unit behind it, of these with what they stand for; nullopt for anything else, and where it is not
/// positive.
std::optional<double> readQuantity(std::string_view text,
                                   std::initializer_list<std::pair<std::string_view, double>> units) {
  double number = 0;
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(behind - text.data()));
  for (const auto &[name, factor] : units)
    if (error == std::errc() && unit == name && number > 0 && number <= 1e18)
      return number * factor;
  return std::nullopt;
}

/// What --rate and --network say. False with a usage error.
bool readMachine(Session &session, const PartitionOptions &options, std::optional<Machine> &machine) {
  const std::initializer_list<std::pair<std::string_view, double>> counts = {
      {"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
  const std::string given = options.network.empty() ? "2us,10G" : options.network;
  if (options.rate.empty() && options.network.empty())
    return true;
  const size_t comma = std::min(given.find(','), given.size());
  const std::string_view network = given;
  const auto rate = readQuantity(options.rate, counts),
             latency = readQuantity(network.substr(0, comma), {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}),
             bandwidth = readQuantity(network.substr(std::min(comma + 1, network.size())), counts);
  if (options.rate.empty())
    session.usage(kMalformedRate, session.find("--network"), "--network says what a step takes only beside --rate");
  else if (!rate)
    session.usage(kMalformedRate, session.findValue("--rate", options.rate),
                  "'" + options.rate + "' is no number of entries a second such as 300M");
  else if (!latency || !bandwidth)
    session.usage(kMalformedRate, session.findValue("--network", options.network),
                  "'" + options.network + "' is no latency and bytes a second such as 2us,10G");
  else
    machine = Machine{*rate, *latency, *bandwidth};
  return machine.has_value();
}

/// Whether the sparse operands are given of which parts have slices. False with an error reported.
bool hasEntries(Session &session, const sema::Kernel &kernel, const sema::IndexDivision &division,
                const host::Inputs &inputs) {
  for (const ArgumentPart &part : division.arguments) {
    const sema::Tensor &tensor = kernel.tensors[part.tensor];
    const size_t at = sema::placeOf(part.tensor, kernel.parameters);
    if (part.role != ArgumentPart::Role::Slice || tensor.format.isDense() || !tensor.isRead ||
        inputs.parameters[at].entries)
      continue;
    const std::string &name = tensor.partOf.empty() ? tensor.name : tensor.partOf;
    session.diagnostics()
        .report(kInputMissing, tensor.where, "what parts have of '" + name + "' are its entries, which are not given")
        .advise("add " + name + "=FILE to the command line; of dense operands sizes are enough");
    return false;
  }
  return true;
}

/// Writes the files that are asked for. False with an error reported.
bool writeFiles(Session &session, const PartitionOptions &options, const sema::Kernel &kernel,
                const sema::IndexDivision &division, const host::Inputs &inputs, const Owners &owners,
                const Partition &partition, tensor::FileKind kind) {
  if (!checkNotInputs(session, {options.picture}, host::dataFiles(options.inputs)))
    return false;
  if (!options.output.empty() && options.parts > kMostWritten) {
    session.usage(kTooManyParts, session.find("-o"),
                  "files are written of " + std::to_string(kMostWritten) + " parts at most");
    return false;
  }
  OutputSet outputs;
  if (!options.picture.empty())
    outputs.add(options.picture, pictureOf(partition, division));
  return outputs.commit(session.diagnostics()) &&
         (options.output.empty() ||
          writeParts(session, kernel, division, inputs, owners, options.parts, options.output, kind));
}

int partitionKernel(Session &session, PartitionOptions &options) {
  PhaseTimer timer;
  std::optional<Machine> machine;
  const std::optional<size_t> as = readChoice(session, "--as", options.as, {"npz", "h5"});
  if (!as || !readMachine(session, options, machine))
    return session.finish();
  const std::optional<KernelInput> input = readKernel(session, options.shared, timer);
  const std::optional<sema::Kernel> kernel =
      input ? checkKernel(session, *input, "kernel", options.shared, timer) : std::nullopt;
  const sema::IndexDivision *division = kernel ? divisionBy(session, *kernel, options) : nullptr;
  if (!division)
    return session.finish();
  options.inputs.needsAll = false;
  options.inputs.takesSizesAlone = true;
  const std::optional<host::Inputs> inputs = host::readInputs(session, *kernel, input->tree, options.inputs);
  timer.phase("read the inputs");
  const std::optional<Owners> owners = inputs && hasEntries(session, *kernel, *division, *inputs)
                                           ? ownersOf(session, options, *kernel, *division, *inputs)
                                           : std::nullopt;
  if (!owners || session.failed())
    return session.finish();
  const Partition partition = partitionOf(*kernel, *division, *inputs, *owners, options.parts);
  timer.phase("count");
  const tensor::FileKind kind = *as == 0 ? tensor::FileKind::Npz : tensor::FileKind::Hdf5;
  if (!writeFiles(session, options, *kernel, *division, *inputs, *owners, partition, kind))
    return session.finish();
  timer.phase("write files");
  if (options.shared.timePasses)
    timer.print();
  return session.print(options.json ? jsonOf(partition, *division, machine) : textOf(partition, *division, machine));
}

} // namespace

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
         "A folder for what each part has of the inputs, DIR/0, DIR/1 and so on; with --cut for the pieces, each a "
         "kernel and a format file, and the order in which they run")
      ->type_name("DIR");
  app.add_option("--as", options.as, "What sparse tensors of parts are written as (default: npz)")->type_name("npz|h5");
  app.add_option("--picture", options.picture, "Draw the bytes by pair of parts")->type_name("FILE.svg");
  app.add_option("--rate", options.rate,
                 "How many entries of its slices a process goes through in a second, as in 300M: say what a step takes")
      ->type_name("N");
  app.add_option("--network", options.network,
                 "With --rate: what a message takes, and bytes a second each way (default: 2us,10G)")
      ->type_name("TIME,N");
  app.add_flag("--json", options.json, "Print all as one line of JSON");
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  if (!shared.finish(session))
    return session.finish();
  return options.cuts ? cutKernel(session, options) : partitionKernel(session, options);
}

} // namespace spc::driver
