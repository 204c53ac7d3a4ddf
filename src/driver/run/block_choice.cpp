#include "driver/run/block_choice.h"

#include "driver/shell/divisions.h"
#include "host/arguments.h"
#include "host/sources.h"
#include "tensor/files/row_blocks.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

namespace spc::driver {

namespace {

using sema::ArgumentPart;

constexpr DiagnosticKind kMalformedMemory{"malformed-size", Severity::Error};
constexpr DiagnosticKind kNotInBlocks{"not-in-blocks", Severity::Error};

/// Why blocks do not give one argument of a kernel whose index may be divided; empty where they do.
std::string whyNotArgument(const sema::Tensor &tensor, const ArgumentPart &part) {
  if (!tensor.isWritten)
    return "";
  const std::string name = "'" + (tensor.partOf.empty() ? tensor.name : tensor.partOf) + "' ";
  if (tensor.isRead)
    return name + "is read as well as written";
  if (!tensor.partOf.empty())
    return name + "is stored as a sum of formats";
  if (part.role == ArgumentPart::Role::Reduced && tensor.order() > 0 && !tensor.format.isDense())
    return name + "is sparse, and each block has a share of it";
  if (part.role == ArgumentPart::Role::Slice && part.dims.size() > 1)
    return name + "is written along a diagonal";
  return "";
}

/// Why an index is not divided, as a clause; empty where it is.
std::string whyNotBy(const sema::Kernel &kernel, const sema::IndexDivision &division) {
  if (!division.reason.empty())
    return division.reason;
  for (const ArgumentPart &part : division.arguments)
    if (const std::string why = whyNotArgument(kernel.tensors[part.tensor], part); !why.empty())
      return why;
  return "";
}

/// The files among what the inputs are given as, by the tensors' names.
std::map<std::string, std::string> filesByName(const host::InputOptions &inputs) {
  std::map<std::string, std::string> files;
  for (const std::string &given : inputs.given)
    if (const size_t equals = given.find('='); equals != std::string::npos)
      if (const std::string source = given.substr(equals + 1); !host::isMeantAsGenerator(source))
        files.emplace(given.substr(0, equals), source);
  return files;
}

BlockChoice choiceBy(const sema::Kernel &kernel, const sema::IndexDivision &division, double memory) {
  BlockChoice choice{&division, {std::vector<std::vector<int>>(kernel.parameters.size()), memory}};
  for (size_t k = 0; k < kernel.parameters.size(); ++k)
    for (const ArgumentPart &part : division.arguments)
      if (part.tensor == kernel.parameters[k] && part.role == ArgumentPart::Role::Slice &&
          !kernel.tensors[part.tensor].isWritten)
        choice.blocks.dims[k] = part.dims;
  return choice;
}

/// How well an index does, the better the greater: the largest file that is read in blocks, whether none has to be
/// sorted for it, how few results are reduced, and how much is read in blocks in all.
using Merit = std::tuple<double, bool, int, double>;

Merit meritOf(const sema::Kernel &kernel, const BlockChoice &choice, const std::map<std::string, std::string> &files) {
  double largest = 0, all = 0;
  bool sortsNone = true;
  int reduced = 0;
  for (const ArgumentPart &part : choice.division->arguments)
    reduced += part.role == ArgumentPart::Role::Reduced ? 1 : 0;
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const sema::Tensor &tensor = kernel.tensors[kernel.parameters[k]];
    const auto file = files.find(tensor.partOf.empty() ? tensor.name : tensor.partOf);
    if (choice.blocks.dims[k].empty() || tensor.part > 0 || file == files.end())
      continue;
    const tensor::BlocksRequest request{file->second, choice.blocks.dims[k].front(), tensor.order()};
    const tensor::BlockAccess access = tensor::blockAccess(request);
    std::error_code error;
    const auto size = std::filesystem::file_size(file->second, error);
    if (!access.whyNot.empty() || error)
      continue;
    sortsNone = sortsNone && !access.isSorted;
    largest = std::max(largest, static_cast<double>(size));
    all += static_cast<double>(size);
  }
  return {largest, sortsNone, -reduced, all};
}

void reportNone(Session &session, const sema::Kernel &kernel) {
  Diagnostic &none =
      session.diagnostics().report(kNotInBlocks, session.find("--memory"),
                                   kernel.divisions.empty() ? "the kernel has no index, so that it has no blocks"
                                                            : "no index of the kernel is divided into blocks");
  for (const sema::IndexDivision &division : kernel.divisions)
    none.note({}, "not by " + division.index + ": " + whyNotBy(kernel, division));
  none.advise("'spc partition --cut' divides kernels in pieces; without --memory all is computed at once");
}

/// The division that --by names, where it is one into blocks. Null with an error reported where it is none.
const sema::IndexDivision *divisionNamed(Session &session, const sema::Kernel &kernel, const std::string &by) {
  const sema::IndexDivision *found = findDivision(session, kernel, by);
  const std::string why = found ? whyNotBy(kernel, *found) : "";
  if (found && !why.empty()) {
    session.diagnostics()
        .report(kNotInBlocks, session.findValue("--by", by), "'" + by + "' is not divided into blocks: " + why)
        .advise("'spc explain' says by which indices the kernel may be divided");
    return nullptr;
  }
  return found;
}

} // namespace

std::optional<BlockChoice> chooseBlocks(Session &session, const sema::Kernel &kernel,
                                        const RunCommandOptions &options) {
  const std::optional<uint64_t> memory = host::readByteCount(options.memory);
  if (!memory) {
    session.usage(kMalformedMemory, session.findValue("--memory", options.memory),
                  "'" + options.memory + "' is no number of bytes such as 500M or 100G");
    return std::nullopt;
  }
  const auto bytes = static_cast<double>(*memory);
  if (!options.by.empty()) {
    const sema::IndexDivision *named = divisionNamed(session, kernel, options.by);
    return named ? std::optional(choiceBy(kernel, *named, bytes)) : std::nullopt;
  }
  const std::map<std::string, std::string> files = filesByName(options.inputs);
  std::optional<BlockChoice> best;
  std::optional<Merit> most;
  for (const sema::IndexDivision &division : kernel.divisions) {
    if (!whyNotBy(kernel, division).empty())
      continue;
    BlockChoice choice = choiceBy(kernel, division, bytes);
    if (const Merit merit = meritOf(kernel, choice, files); !most || merit > *most) {
      most = merit;
      best = std::move(choice);
    }
  }
  if (!best)
    reportNone(session, kernel);
  return best;
}

} // namespace spc::driver
