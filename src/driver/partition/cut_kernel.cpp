// `spc partition --cut`: kernels that take turns with exchanges.
#include "driver/partition/options.h"
#include "driver/partition/parts.h"
#include "driver/shell/divisions.h"
#include "driver/shell/front_end.h"
#include "driver/shell/output_checks.h"
#include "driver/shell/written_kernel.h"
#include "host/log.h"

#include "cut/cut.h"
#include "support/output_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace spc::driver {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kNotCut{"not-cut", Severity::Error};

/// The pieces of a kernel, and how each is divided.
class Cutter {
public:
  Cutter(Session &session, const PartitionOptions &options, const KernelInput &input, const sema::Program &program,
         const sema::Kernel &plan)
      : session_(session), options_(options), input_(input), program_(program), plan_(plan),
        loader_(formatFolders(options.shared.formatFolders), session.sources(), session.diagnostics()) {}

  /// False with an error reported.
  bool run() {
    const cut::Request request{options_.by, program_.function};
    cut_ = cut::cutProgram(program_, plan_, request, [&](const cut::Piece &piece) { return refusal(piece); });
    if (!cut_.pieces.empty())
      return true;
    session_.diagnostics()
        .report(kNotCut, cut_.refused,
                "even alone, this statement is not divided among processes by '" + options_.by + "': " + cut_.reason)
        .advise("compute what it needs of other parts in a 'let' before it, or divide by another index");
    return false;
  }

  std::string text() {
    std::string text = program_.function + " is cut along " + options_.by + " into " +
                       std::to_string(cut_.pieces.size()) + (cut_.pieces.size() == 1 ? " piece\n" : " pieces\n");
    for (const cut::Piece &piece : cut_.pieces) {
      text += "  " + piece.function + ": " +
              (piece.end - piece.begin == 1
                   ? "statement " + std::to_string(piece.end)
                   : "statements " + std::to_string(piece.begin + 1) + " to " + std::to_string(piece.end)) +
              "\n    " + divisionOf(piece).second + "\n";
      for (const auto &[copy, tensor] : piece.copies)
        text += "    " + copy + " is " + tensor + ", of other parts as well\n";
      if (!piece.made.empty())
        text += "    for later pieces: " + listOf(piece.made) + "\n";
    }
    return text;
  }

  std::string json() const {
    std::string pieces;
    for (const cut::Piece &piece : cut_.pieces) {
      std::string copies, made;
      for (const auto &[copy, tensor] : piece.copies)
        copies += (copies.empty() ? "" : ", ") + quoted(copy) + ": " + quoted(tensor);
      for (const std::string &name : piece.made)
        made += (made.empty() ? "" : ", ") + quoted(name);
      pieces += std::string(pieces.empty() ? "" : ",") + "\n  {\"kernel\": " + quoted(piece.function + ".tex") +
                ", \"formats\": " + quoted(piece.function + ".json") + ", \"function\": " + quoted(piece.function) +
                ", \"index\": " + (piece.index.empty() ? "null" : quoted(piece.index)) + ", \"copies\": {" + copies +
                "}, \"made\": [" + made + "]}";
    }
    return "{\"function\": " + quoted(program_.function) + ", \"by\": " + quoted(options_.by) + ", \"pieces\": [" +
           pieces + "]}\n";
  }

  /// Writes kernels, format files, and their order. False with an error reported.
  bool write() {
    const fs::path folder = options_.output;
    std::error_code error;
    fs::create_directories(folder, error);
    OutputSet outputs;
    std::vector<std::string> paths;
    const auto add = [&](const std::string &name, std::string bytes) {
      paths.push_back((folder / name).string());
      outputs.add(paths.back(), std::move(bytes));
    };
    for (const cut::Piece &piece : cut_.pieces) {
      add(piece.function + ".tex", piece.text);
      add(piece.function + ".json", format::bindingsText("The tensors of " + piece.function, storedOf(piece)));
    }
    add(program_.function + ".json", json());
    if (!checkNotInputs(session_, paths, input_.filesRead) || !outputs.commit(session_.diagnostics()))
      return false;
    host::log("wrote " + paths.back());
    return true;
  }

private:
  static std::string quoted(const std::string &name) { return "\"" + name + "\""; } // identifiers

  std::vector<format::StoredTensor> storedOf(const cut::Piece &piece) {
    std::vector<format::StoredTensor> stored;
    for (const cut::StoredLike &like : piece.stored)
      stored.push_back(storedLike(loader_, plan_, like.name, like.like, like.sharesStructure));
    return stored;
  }

  /// Why a piece may not be divided along its index, and else how it is, in words.
  std::pair<std::string, std::string> divisionOf(const cut::Piece &piece) {
    Diagnostics found;
    const std::string path = (fs::path(options_.output) / (piece.function + ".tex")).string();
    sema::Options checks = checksOf(input_, options_.shared, piece.function);
    const std::optional<sema::Kernel> kernel =
        planWritten(session_, path, piece.text, storedOf(piece), std::move(checks), found);
    session_.diagnostics().appendInternal(found);
    for (const Diagnostic &one : found.all())
      if (one.severity == Severity::Error)
        return {"spc could not compile the piece: " + one.message, ""};
    if (!kernel)
      return {"spc could not compile the piece", ""};
    if (piece.index.empty())
      return {"", "by nothing: each part computes all of it"};
    for (const sema::IndexDivision &division : kernel->divisions)
      if (sema::has(division.names, piece.index))
        return {division.reason, sema::describe(division, *kernel)};
    return {"'" + piece.index + "' is no index of the piece", ""};
  }

  std::string refusal(const cut::Piece &piece) { return divisionOf(piece).first; }

  Session &session_;
  const PartitionOptions &options_;
  const KernelInput &input_;
  const sema::Program &program_;
  const sema::Kernel &plan_;
  format::FormatLoader loader_;
  cut::Cut cut_;
};

} // namespace

int cutKernel(Session &session, const PartitionOptions &options) {
  PhaseTimer timer;
  const std::optional<KernelInput> input = readKernel(session, options.shared, timer);
  const std::optional<std::string> function = input ? functionName(session, options.shared, input->tree) : std::nullopt;
  const std::optional<sema::Program> program =
      function ? checkProgram(session, *input, *function, options.shared) : std::nullopt;
  const std::optional<sema::Kernel> plan =
      program ? planKernel(session, *program, *input, options.shared, timer, /*fuses=*/false) : std::nullopt;
  if (!plan || !findDivision(session, *plan, options.by))
    return session.finish();
  Cutter cutter(session, options, *input, *program, *plan);
  if (!cutter.run() || session.failed() || (!options.output.empty() && !cutter.write()))
    return session.finish();
  timer.phase("cut");
  if (options.shared.timePasses)
    timer.print();
  return session.print(options.json ? cutter.json() : cutter.text());
}

} // namespace spc::driver
