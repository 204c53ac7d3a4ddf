// Format files: JSON to formats, by name or by path, and the command line's --format arguments.
#pragma once

#include "format/format.h"
#include "format/schedule.h"
#include "support/diagnostic.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::format {

/// The contents of a format file: a format of one order, or a rule for every order (`dense`, `coo`, `csf`).
class FormatFamily {
public:
  virtual ~FormatFamily() = default;
  virtual std::string name() const = 0;
  /// The file's own description, in a line; empty where it has none.
  virtual std::string description() const { return ""; }
  /// Orders it has: the one, or nullopt for any from 1 to 8.
  virtual std::optional<int> order() const = 0;
  /// The format for tensors of `order`; the modes in the file or on the command line are applied.
  /// nullopt when the order does not fit, or a given mode order is no permutation of it.
  virtual std::optional<Format> instantiate(int order) const = 0;
};

/// The value type of a tensor or of a type parameter, `A=i8`, or of tensors whose type nothing else says, `f32`. Sema
/// knows which types there are.
struct GivenType {
  std::optional<std::string> name; ///< nullopt: of tensors whose type nothing else says
  std::string type;
  Span where;     ///< the argument's text, or the place in the file
  Span typeWhere; ///< that of the type alone
};

/// One binding that the user asked for: `--format A=csr.json`, a bare `--format csr`, or one entry of a file's
/// "tensors" object.
struct Binding {
  std::optional<std::string> tensor;          ///< nullopt: bare
  std::shared_ptr<const FormatFamily> family; ///< null exactly where `structureOf` is set
  Span where;                                 ///< the argument's text or the place in the file, for diagnostics
  /// {"structure_of": "S"}: the tensor has S's format and its very structure; a call passes its values only.
  std::optional<std::string> structureOf = std::nullopt;
  /// The schedule in the file of the format; several bindings may have one file.
  Schedule schedule = {};
  /// The value types that the file of the format gives; the first of several bindings of one file has them.
  std::vector<GivenType> types = {};
  /// {"format": "csr", "structure": "kept"}: an output whose entries stay where the caller has them.
  bool keepsStructure = false;
};

/// `tensor` stored in a format that no file describes: tensors of its order alone have it.
Binding bindingOf(std::string tensor, Format format);

/// The files that formats were read from.
struct FilesRead {
  std::vector<std::string> paths; ///< each once, in the order of first use
  bool builtin = false;           ///< built-in formats, too
};

/// A format that is found by its name.
struct KnownFormat {
  std::string name;
  std::filesystem::path folder; ///< empty where it is built in
};

/// Finds and reads format files. Names (`csr`) are looked up as `csr.json` in the format folders, then among the
/// formats that are built in, whose files diagnostics call `<csr>`; anything with a '/' or ending in ".json" is a path.
class FormatLoader {
public:
  /// Whether a kernel has a tensor of that name.
  using TensorTest = std::function<bool(const std::string &)>;

  /// `folders`: searched in order for names. `sources` keeps the texts alive for diagnostics.
  FormatLoader(std::vector<std::filesystem::path> folders, SourceManager &sources, Diagnostics &diagnostics);

  /// Reads one --format argument: `NAME|PATH[:modes]` or `TENSOR=NAME|PATH[:modes]`. A file with "tensors" gives
  /// several bindings. Errors are reported and give an empty list. A tensor that `hasTensor` knows nothing of is bound
  /// to some format, whatever the argument says: sema reports its name, which more likely is what is wrong.
  std::vector<Binding> load(const std::string &argument, const TensorTest &hasTensor = {});

  /// The text of the file that a name or a path means. nullopt with an error reported.
  std::optional<std::string> text(const std::string &argument);

  /// All formats that have names: by place, in the order of search, and in each place sorted. Each name stands for the
  /// format that is found under it.
  std::vector<KnownFormat> known() const;

  /// The files that were read so far, for dependency files.
  const FilesRead &filesRead() const { return filesRead_; }

private:
  std::vector<std::filesystem::path> folders_;
  SourceManager &sources_;
  Diagnostics &diagnostics_;
  FilesRead filesRead_;
};

} // namespace spc::format
