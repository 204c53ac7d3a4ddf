#include "format/format_file.h"

#include "format/builtin_formats.h"
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
constexpr const char *kAnyFormat = "csf"; ///< of tensors that no kernel has

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

std::set<std::string> namesIn(const fs::path &folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string file = entry->path().filename().string();
    if (endsWith(file, kExtension) && !endsWith(file, ".schema.json"))
      names.insert(file.substr(0, file.size() - kExtension.size()));
  }
  return names;
}

std::vector<KnownFormat> knownFormats(const std::vector<fs::path> &folders) {
  std::vector<KnownFormat> known;
  std::set<std::string> seen;
  for (const fs::path &folder : folders)
    for (const std::string &name : namesIn(folder))
      if (seen.insert(name).second)
        known.push_back({name, folder});
  for (const BuiltinFormat &builtin : builtinFormats())
    if (seen.insert(std::string(builtin.name)).second)
      known.push_back({std::string(builtin.name), {}});
  return known;
}

/// A format file, or the text of one that is built in.
struct FileRef {
  fs::path path; ///< `<csr>` of a built-in one
  std::string name;
  const BuiltinFormat *builtin = nullptr;
};

FileRef fileAt(fs::path path) {
  std::string name = path.stem().string();
  return {std::move(path), std::move(name)};
}

/// One --format argument, and the files that it leads to.
class Session final : public FormatResolver {
public:
  Session(const std::vector<fs::path> &folders, SourceManager &sources, Diagnostics &diagnostics, FilesRead &filesRead)
      : folders_(folders), sources_(sources), diagnostics_(diagnostics), filesRead_(filesRead) {}

  /// What `text` names, bindings of tensors included; these take no modes.
  std::optional<FormatFile> load(const std::string &text, Span where);

  std::optional<FormatRule> resolve(const std::string &text, Span where) override;

  /// The text of the file that `text`, which takes no modes, means.
  std::optional<std::string> textOf(const std::string &text, Span where);

private:
  const std::vector<fs::path> &folders_;
  SourceManager &sources_;
  Diagnostics &diagnostics_;
  FilesRead &filesRead_;
  std::vector<fs::path> open_; ///< canonical paths of the files being read, the innermost last

  std::optional<FileRef> locate(const std::string &target, Span where);
  void reportUnknown(const std::string &target, Span where);
  std::optional<std::string> withoutEnding(const std::string &target, const std::set<std::string> &known) const;
  std::optional<std::string> readText(const FileRef &file, Span where);
  std::optional<FormatFile> readFile(const FileRef &file, Span where);
  std::optional<std::vector<int64_t>> parseModes(const std::string &text, Span where);
};

std::optional<FormatFile> Session::load(const std::string &text, Span where) {
  Reference reference = splitModes(text);
  std::optional<std::vector<int64_t>> modes;
  // In a JSON string with escapes the offset is off; the span then still lies on the string.
  Span modesWhere = {where.file, std::min(where.begin + reference.modesOffset, where.end), where.end};
  if (reference.modes && !(modes = parseModes(*reference.modes, modesWhere)))
    return std::nullopt;
  std::optional<FileRef> found = locate(reference.target, where);
  if (!found)
    return std::nullopt;
  std::optional<FormatFile> file = readFile(*found, where);
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
  if (!file->format) {
    Diagnostic &error = diagnostics_.report(kFormatReference, where,
                                            "'" + text + "' binds tensors by name, where one format is needed");
    if (open_.empty())
      error.advise("give it for all tensors that it names: --format " + text);
  }
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

std::optional<std::string> Session::textOf(const std::string &text, Span where) {
  if (Reference reference = splitModes(text); reference.modes) {
    diagnostics_.report(kFormatReference, {where.file, where.begin + reference.modesOffset, where.end},
                        "a mode order does not apply to the text of a format file");
    return std::nullopt;
  }
  std::optional<FileRef> found = locate(text, where);
  return found ? readText(*found, where) : std::nullopt;
}

/// The file that a name or a path means, with names looked up in the format folders and among the built-in formats.
std::optional<FileRef> Session::locate(const std::string &target, Span where) {
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
    return fileAt(open_.empty() ? fs::path(target) : (open_.back().parent_path() / target).lexically_normal());
  std::error_code error;
  for (const fs::path &folder : folders_) {
    fs::path path = folder / (target + std::string(kExtension));
    if (fs::exists(path, error))
      return fileAt(std::move(path));
  }
  for (const BuiltinFormat &builtin : builtinFormats())
    if (builtin.name == target)
      return FileRef{"<" + target + ">", target, &builtin};
  reportUnknown(target, where);
  return std::nullopt;
}

/// The format that a name with a mistaken ending means: a file's path, or a name.
std::optional<std::string> Session::withoutEnding(const std::string &target, const std::set<std::string> &known) const {
  const size_t dot = target.rfind('.');
  if (dot == std::string::npos || dot == 0)
    return std::nullopt;
  const std::string stem = target.substr(0, dot), file = stem + std::string(kExtension);
  std::error_code error;
  const fs::path folder = open_.empty() ? fs::path() : open_.back().parent_path();
  if (fs::exists(folder / file, error))
    return file;
  return known.contains(stem) ? std::optional(stem) : std::nullopt;
}

/// Whether `target` is several bindings in one argument, `csr x=dense`; what to write is advised then.
bool adviseSeveral(const std::string &target, Span where, Diagnostic &diagnostic) {
  const size_t end = target.find_first_of(" ,;");
  const size_t equals = target.find('=', std::min(end, target.size()));
  if (equals == std::string::npos)
    return false;
  const std::string whole(where.file->text().substr(0, where.end));
  const size_t next = target.find_first_not_of(" ,;", end);
  const std::string first = whole.substr(0, whole.size() - target.size()) + target.substr(0, end);
  diagnostic.advise("each tensor has an option of its own: --format " + first + " --format " + target.substr(next));
  return true;
}

void Session::reportUnknown(const std::string &target, Span where) {
  std::set<std::string> known;
  for (KnownFormat &format : knownFormats(folders_))
    known.insert(std::move(format.name));
  std::string list;
  for (const std::string &name : known)
    list += (list.empty() ? "" : ", ") + name;
  Diagnostic &diagnostic = diagnostics_.report(kUnknownFormat, where, "unknown format '" + target + "'");
  if (adviseSeveral(target, where, diagnostic))
    return;
  std::optional<std::string> guess = withoutEnding(target, known);
  if (guess || (guess = didYouMean(target, {known.begin(), known.end()}))) {
    diagnostic.message += " (did you mean '" + *guess + "'?)";
    diagnostic.fix({where.file, where.begin, std::min<uint32_t>(where.end, where.begin + target.size())}, *guess);
  }
  diagnostic.advise("known formats: " + list + "; a path ends in .json or holds a '/'");
}

std::optional<std::string> Session::readText(const FileRef &ref, Span where) {
  if (ref.builtin)
    return std::string(ref.builtin->text);
  auto fail = [&](const std::string &why) {
    diagnostics_.report(kFormatFile, where, "cannot read format file '" + ref.path.string() + "': " + why);
    return std::nullopt;
  };
  std::error_code error;
  fs::file_status status = fs::status(ref.path, error);
  if (!fs::exists(status))
    return fail(status.type() == fs::file_type::not_found ? "no such file" : error.message());
  if (fs::is_directory(status))
    return fail("it is a directory");
  InputFile file(ref.path.string());
  std::optional<std::string> text = readUpTo(file, kMaxFileSize);
  if (!text)
    return fail(file.why());
  if (text->size() > kMaxFileSize)
    return fail("it is larger than 1 MiB");
  return text;
}

std::optional<FormatFile> Session::readFile(const FileRef &ref, Span where) {
  std::error_code error;
  fs::path canonical = ref.builtin ? ref.path : fs::weakly_canonical(ref.path, error);
  if (error)
    canonical = ref.path;
  const std::string path = ref.path.string();
  if (std::find(open_.begin(), open_.end(), canonical) != open_.end()) {
    diagnostics_.report(kFormatReference, where, "format file '" + path + "' refers to itself");
    return std::nullopt;
  }
  std::optional<std::string> text = readText(ref, where);
  if (!text)
    return std::nullopt;
  if (ref.builtin)
    filesRead_.builtin = true;
  else if (std::find(filesRead_.paths.begin(), filesRead_.paths.end(), path) == filesRead_.paths.end())
    filesRead_.paths.push_back(path);
  std::optional<JsonNode> root = parseJson(sources_.add(path, std::move(*text)), diagnostics_);
  if (!root)
    return std::nullopt;
  open_.push_back(canonical);
  std::optional<FormatFile> file = readFormatFile(*root, ref.name, *this, diagnostics_);
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

std::vector<KnownFormat> FormatLoader::known() const {
  return knownFormats(folders_);
}

std::optional<std::string> FormatLoader::text(const std::string &argument) {
  const SourceFile &source = sources_.add("<format>", argument);
  Session session(folders_, sources_, diagnostics_, filesRead_);
  return session.textOf(argument, {&source, 0, static_cast<uint32_t>(argument.size())});
}

std::vector<Binding> FormatLoader::load(const std::string &argument, const TensorTest &hasTensor) {
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
    const bool isUnknown = hasTensor && !hasTensor(*tensor);
    const std::string format = isUnknown ? kAnyFormat : argument.substr(formatAt);
    if (std::optional<FormatRule> rule = session.resolve(format, formatWhere))
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
    bindings.back().keepsStructure = rule.keepsStructure;
  }
  if (!bindings.empty()) {
    mergeKeys(bindings.front().schedule, file->schedule, diagnostics_);
    bindings.front().types = std::move(file->types);
  }
  return bindings;
}

} // namespace spc::format
