// The texts of the stages, each line with the line of the kernel that it comes from.
#include "explain/page.h"

#include "sema/analyze.h"

#include <charconv>
#include <map>

namespace spc::explain {
namespace {

constexpr size_t kMostLines = 400;
constexpr size_t kMostOfBody = 200; ///< lines of assembly

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

int numberAt(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void add(StageText &stage, std::string text, int source) {
  if (stage.lines.size() < kMostLines)
    stage.lines.push_back({std::move(text), source});
  else
    stage.isCut = true;
}

/// `"k.tex":3:1` in a location: 3; 0 where it names no place.
int lineIn(std::string_view location) {
  const size_t quote = location.find("\":");
  return quote == std::string_view::npos ? 0 : numberAt(location.substr(quote + 2));
}

/// MLIR's text with locations at the ends of lines, `loc(#loc3)`, which are defined at its end or begin.
class MlirReader {
public:
  StageText read(std::string name, std::string_view text) {
    StageText stage{std::move(name), {}};
    const std::vector<std::string_view> lines = linesOf(text);
    for (std::string_view line : lines)
      if (line.starts_with("#loc"))
        define(line);
    for (std::string_view line : lines)
      if (!line.starts_with("#loc"))
        addLine(line, stage);
    return stage;
  }

private:
  void define(std::string_view line) {
    const size_t equals = line.find(" = ");
    if (equals == std::string_view::npos)
      return;
    int source = lineIn(line);
    if (const size_t other = line.find("#loc", equals); source == 0 && other != std::string_view::npos)
      source = sourceOf(line.substr(other));
    sources_[std::string(line.substr(0, equals))] = source;
  }

  int sourceOf(std::string_view location) const {
    const size_t end = location.find_first_of(",)]");
    const auto known = sources_.find(std::string(location.substr(0, end)));
    return known == sources_.end() ? 0 : known->second;
  }

  /// A line without its locations; the last one is that of the operation.
  void addLine(std::string_view line, StageText &stage) {
    constexpr std::string_view kLocation = " loc(";
    std::string text;
    int source = 0;
    while (true) {
      const size_t at = line.find(kLocation);
      text += line.substr(0, at);
      if (at == std::string_view::npos)
        break;
      const std::string_view location = line.substr(at + kLocation.size());
      source = location.starts_with('#') ? sourceOf(location) : lineIn(location);
      const size_t end = std::min(location.find(')'), location.size() - 1);
      line = location.substr(end + 1);
    }
    if (text.find_first_not_of(" }") != std::string::npos || !text.empty())
      add(stage, std::move(text), source);
  }

  std::map<std::string, int> sources_;
};

/// The bodies' instructions; line tables say where each comes from.
StageText readAssembly(std::string_view text) {
  StageText stage{"assembly", {}};
  bool isInBody = false;
  int source = 0;
  size_t shownOfBody = 0;
  for (std::string_view line : linesOf(text)) {
    if (line.find(".body") != std::string_view::npos && line.find(':') != std::string_view::npos &&
        !line.starts_with('\t')) {
      isInBody = true;
      shownOfBody = 0;
    }
    if (line.starts_with(".Lfunc_end"))
      isInBody = false;
    if (!isInBody)
      continue;
    constexpr std::string_view kLine = "\t.loc\t";
    if (line.starts_with(kLine)) {
      const std::string_view rest = line.substr(kLine.size());
      source = numberAt(rest.substr(std::min(rest.find(' ') + 1, rest.size())));
    }
    const bool isDirective = line.starts_with("\t.") || line.starts_with(".Ltmp") || line.starts_with(".Lfunc");
    const size_t first = line.find_first_not_of(" \t");
    if (isDirective || first == std::string_view::npos || line[first] == '#')
      continue;
    if (++shownOfBody > kMostOfBody) {
      stage.isCut = true;
      continue;
    }
    std::string shown;
    for (char c : line)
      shown += c == '\t' ? std::string("  ") : std::string(1, c);
    stage.lines.push_back({std::move(shown), source});
  }
  return stage;
}

} // namespace

std::optional<std::vector<StageText>> stagesOf(const sema::Kernel &kernel, std::string_view source,
                                               const pipeline::CompileOptions &options, Diagnostics &diagnostics) {
  std::vector<StageText> stages{{"kernel", {}}, {"plan", {}}};
  int number = 0;
  for (std::string_view line : linesOf(source))
    add(stages[0], std::string(line), ++number);
  const std::string plan = sema::describe(kernel);
  for (std::string_view line : linesOf(plan))
    add(stages[1], std::string(line), 0);
  pipeline::CompileOptions located = options;
  located.debugInfo = true;
  located.printLocations = true;
  using pipeline::Stage;
  for (const auto &[name, stage] : {std::pair("linalg", Stage::Linalg), std::pair("sparse", Stage::Sparse),
                                    std::pair("loops", Stage::Loops), std::pair("assembly", Stage::Assembly)}) {
    const std::optional<std::string> text = pipeline::compile(kernel, stage, located, diagnostics);
    if (!text)
      return std::nullopt;
    stages.push_back(stage == Stage::Assembly ? readAssembly(*text) : MlirReader().read(name, *text));
  }
  return stages;
}

} // namespace spc::explain
