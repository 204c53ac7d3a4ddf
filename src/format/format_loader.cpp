#include "format/format_file.h"

#include "format/format_reader.h"
#include "format/json_object.h"
#include "format/json_text.h"
#include "format/rule.h"
#include "support/input.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace spc::format {

namespace fs = std::filesystem;

namespace {

constexpr DiagnosticKind kFormatArgument{"format-argument", Severity::Error};
constexpr DiagnosticKind kUnknownFormat{"unknown-format", Severity::Error};
constexpr DiagnosticKind kFormatFile{"format-file", Severity::Error};
constexpr DiagnosticKind kFormatReference{"format-reference", Severity::Error};

constexpr size_t kMaxFileSize = size_t{1} << 20;
constexpr std::string_view kExtension = ".json";

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool isPath(std::string_view text) {
  return text.find('/') != std::string_view::npos || endsWith(text, kExtension);
}

/// "csf:2,0,1" in its two parts. The colon of a path is no separator where a path follows it.
struct Reference {
  std::string target;
  std::optional<std::string> modes;
  uint32_t modesOffset = 0;
};

Reference splitModes(const std::string &text) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos || isPath(std::string_view(text).substr(colon + 1)))
    return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1), static_cast<uint32_t>(colon + 1)};
}

std::vector<std::string> namesIn(const std::vector<fs::path> &folders) {
  std::set<std::string> names;
  for (const fs::path &folder : folders) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      std::string file = entry->path().filename().string();
      if (endsWith(file, kExtension) && !endsWith(file, ".schema.json"))
        names.insert(file.substr(0, file.size() - kExtension.size()));
    }
  }
  return {names.begin(), names.end()};
}

/// One --format argument, and the files that it leads to.
class Session final : public FormatResolver {
public:
  Session(const std::vector<fs::path> &folders, SourceManager &sources, Diagnostics &diagnostics,
          std::vector<std::string> &filesRead)
      : folders_(folders), sources_(sources), diagnostics_(diagnostics), filesRead_(filesRead) {}

  /// What `text` names, bindings of tensors included; these take no modes.
  std::optional<FormatFile> load(const std::string &text, Span where);

  std::optional<FormatRule> resolve(const std::string &text, Span where) override;

private:
  const std::vector<fs::path> &folders_;
  SourceManager &sources_;
  Diagnostics &diagnostics_;
  std::vector<std::string> &filesRead_;
  std::vector<fs::path> open_; ///< canonical paths of the files being read, the innermost last

  std::optional<fs::path> locate(const std::string &target, Span where);
  std::optional<std::string> readText(const fs::path &path, Span where);
  std::optional<FormatFile> readFile(const fs::path &path, Span where);
  std::optional<std::vector<int64_t>> parseModes(const std::string &text, Span where);
};

std::optional<FormatFile> Session::load(const std::string &text, Span where) {
  Reference reference = splitModes(text);
  std::optional<std::vector<int64_t>> modes;
  // In a JSON string with escapes the offset is off; the span then still lies on the string.
  Span modesWhere = {where.file, std::min(where.begin + reference.modesOffset, where.end), where.end};
  if (reference.modes && !(modes = parseModes(*reference.modes, modesWhere)))
    return std::nullopt;
  std::optional<fs::path> path = locate(reference.target, where);
  if (!path)
    return std::nullopt;
  std::optional<FormatFile> file = readFile(*path, where);
  if (!file || !modes)
    return file;
  if (!file->format) {
    diagnostics_.report(kFormatReference, modesWhere,
                        "'" + reference.target + "' binds tensors by name, a mode order does not apply to it");
    return std::nullopt;
  }
  if (!applyModes(*file->format, *modes, modesWhere, diagnostics_))
    return std::nullopt;
  return file;
}

std::optional<FormatRule> Session::resolve(const std::string &text, Span where) {
  std::optional<FormatFile> file = load(text, where);
  if (!file)
    return std::nullopt;
  if (!file->format)
    diagnostics_.report(kFormatReference, where, "'" + text + "' binds tensors by name, where one format is needed");
  return file->format;
}

std::optional<std::vector<int64_t>> Session::parseModes(const std::string &text, Span where) {
  std::vector<int64_t> modes;
  const char *at = text.data();
  const char *end = at + text.size();
  while (true) {
    int64_t mode = 0;
    auto [next, error] = std::from_chars(at, end, mode);
    if (error != std::errc() || mode < 0 || (next != end && *next != ',')) {
      diagnostics_.report(kFormatArgument, where, "'" + text + "' is no mode order")
          .advise("write the dimensions from the outermost level inwards, as in csf:2,0,1");
      return std::nullopt;
    }
    modes.push_back(mode);
    if (next == end)
      return modes;
    at = next + 1;
  }
}

/// The file that a name or a path means, with names looked up in the format folders.
std::optional<fs::path> Session::locate(const std::string &target, Span where) {
  if (target.empty()) {
    diagnostics_.report(kFormatArgument, where, "a format's name or path is missing")
        .advise("write --format NAME, --format PATH.json or --format TENSOR=NAME");
    return std::nullopt;
  }
  if (target.find('\0') != std::string::npos) {
    diagnostics_.report(kFormatFile, where, "a format's path holds a NUL byte");
    return std::nullopt;
  }
  if (isPath(target))
    return open_.empty() ? fs::path(target) : (open_.back().parent_path() / target).lexically_normal();
  std::error_code error;
  for (const fs::path &folder : folders_) {
    fs::path path = folder / (target + std::string(kExtension));
    if (fs::exists(path, error))
      return path;
  }
  std::vector<std::string> known = namesIn(folders_);
  std::string list;
  for (const std::string &name : known)
    list += (list.empty() ? "" : ", ") + name;
  Diagnostic &diagnostic = diagnostics_.report(kUnknownFormat, where, "unknown format '" + target + "'");
  if (std::optional<std::string> guess = didYouMean(target, known)) {
    diagnostic.message += " (did you mean '" + *guess + "'?)";
    diagnostic.fix({where.file, where.begin, std::min<uint32_t>(where.end, where.begin + target.size())}, *guess);
  }
  diagnostic.advise("known formats: " + (list.empty() ? "none" : list) + "; a path ends in .json or holds a '/'");
  return std::nullopt;
}

std::optional<std::string> Session::readText(const fs::path &path, Span where) {
  auto fail = [&](const std::string &why) {
    diagnostics_.report(kFormatFile, where, "cannot read format file '" + path.string() + "': " + why);
    return std::nullopt;
  };
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return fail(status.type() == fs::file_type::not_found ? "no such file" : error.message());
  if (fs::is_directory(status))
    return fail("it is a directory");
  InputFile file(path.string());
  std::optional<std::string> text = readUpTo(file, kMaxFileSize);
  if (!text)
    return fail(file.why());
  if (text->size() > kMaxFileSize)
    return fail("it is larger than 1 MiB");
  return text;
}

std::optional<FormatFile> Session::readFile(const fs::path &path, Span where) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(path, error);
  if (error)
    canonical = path;
  if (std::find(open_.begin(), open_.end(), canonical) != open_.end()) {
    diagnostics_.report(kFormatReference, where, "format file '" + path.string() + "' refers to itself");
    return std::nullopt;
  }
  std::optional<std::string> text = readText(path, where);
  if (!text)
    return std::nullopt;
  if (std::find(filesRead_.begin(), filesRead_.end(), path.string()) == filesRead_.end())
    filesRead_.push_back(path.string());
  std::optional<JsonNode> root = parseJson(sources_.add(path.string(), std::move(*text)), diagnostics_);
  if (!root)
    return std::nullopt;
  open_.push_back(canonical);
  std::optional<FormatFile> file = readFormatFile(*root, path.stem().string(), *this, diagnostics_);
  open_.pop_back();
  return file;
}

Binding bindTo(std::optional<std::string> tensor, FormatRule rule, Span where) {
  Schedule schedule = rule.schedule;
  return {std::move(tensor), makeFamily(std::move(rule)), where, std::nullopt, std::move(schedule)};
}

} // namespace

FormatLoader::FormatLoader(std::vector<fs::path> folders, SourceManager &sources, Diagnostics &diagnostics)
    : folders_(std::move(folders)), sources_(sources), diagnostics_(diagnostics) {}

std::vector<std::string> FormatLoader::names() const {
  return namesIn(folders_);
}

std::vector<Binding> FormatLoader::load(const std::string &argument) {
  const SourceFile &source = sources_.add("<--format>", argument);
  const Span all = {&source, 0, static_cast<uint32_t>(argument.size())};
  std::optional<std::string> tensor;
  uint32_t formatAt = 0;
  // An '=' after anything but a plain name belongs to a path, as in ./n=5/csr.json.
  size_t equals = argument.find('=');
  if (equals != std::string::npos && !isPath(argument.substr(0, equals))) {
    tensor = argument.substr(0, equals);
    formatAt = static_cast<uint32_t>(equals + 1);
    if (!isIdentifier(*tensor)) {
      diagnostics_.report(kFormatArgument, {&source, 0, formatAt}, "'" + *tensor + "' is no name of a tensor")
          .advise("write --format TENSOR=NAME or --format TENSOR=PATH.json");
      return {};
    }
  }
  Session session(folders_, sources_, diagnostics_, filesRead_);
  const Span formatWhere = {&source, formatAt, all.end};
  std::vector<Binding> bindings;
  if (tensor) {
    if (std::optional<FormatRule> rule = session.resolve(argument.substr(formatAt), formatWhere))
      bindings.push_back(bindTo(tensor, std::move(*rule), all));
    return bindings;
  }
  std::optional<FormatFile> file = session.load(argument, formatWhere);
  if (!file)
    return {};
  if (file->format)
    bindings.push_back(bindTo(std::nullopt, std::move(*file->format), all));
  for (TensorRule &rule : file->tensors) {
    if (rule.structureOf)
      bindings.push_back({rule.tensor, nullptr, rule.where, rule.structureOf});
    else
      bindings.push_back(bindTo(rule.tensor, std::move(rule.rule), rule.where));
  }
  if (!bindings.empty())
    mergeKeys(bindings.front().schedule, file->schedule, diagnostics_);
  return bindings;
}

} // namespace spc::format
