#include "format/level_reader.h"

#include "format/json_object.h"
#include "format/level_expressions.h"

#include <algorithm>

namespace spc::format {

namespace {

constexpr DiagnosticKind kFormatLevels{"format-levels", Severity::Error};
constexpr DiagnosticKind kFormatUnsupported{"format-unsupported", Severity::Error};
constexpr DiagnosticKind kFormatExpression{"format-expression", Severity::Error};

constexpr int64_t kMaxWidth = 1 << 20;

class LevelReader {
public:
  LevelReader(const JsonNode &node, const std::vector<std::string> *dims, const Level *parent, Diagnostics &diagnostics)
      : dims_(dims), parent_(parent), diagnostics_(diagnostics),
        object_(node, "a level", dims ? kKeys : kKeysWithoutDim, diagnostics) {}

  std::optional<Level> read() {
    if (dims_)
      readDim();
    readStorage();
    if (!object_.ok() || !ok_)
      return std::nullopt;
    readExtent();
    readWidth();
    readProperties();
    if (!object_.ok() || !ok_)
      return std::nullopt;
    return level_;
  }

private:
  static const std::vector<std::string> kKeys;
  static const std::vector<std::string> kKeysWithoutDim;

  const std::vector<std::string> *dims_;
  const Level *parent_;
  Diagnostics &diagnostics_;
  ObjectReader object_;
  Level level_;
  bool ok_ = true;

  Diagnostic &wrong(Span where, std::string message) {
    ok_ = false;
    return reportValue(diagnostics_, where, std::move(message));
  }

  /// Points into a string's text where the problem lies; with escapes in it the offset is off, but stays inside.
  void reportExpression(const JsonNode &node, const ExpressionProblem &problem, const std::vector<std::string> &names) {
    Span where = insideQuotes(node.where);
    where.begin = std::min<uint32_t>(where.begin + static_cast<uint32_t>(problem.begin), where.end);
    where.end = std::min<uint32_t>(
        where.begin + static_cast<uint32_t>(std::max<size_t>(problem.end, problem.begin) - problem.begin), where.end);
    ok_ = false;
    if (problem.unknownName)
      reportUnknownWord(diagnostics_, where, "dimension", *problem.unknownName, names);
    else
      diagnostics_.report(kFormatExpression, where, problem.message);
  }

  void readDim() {
    const JsonNode *dim = object_.require("dim", JsonKind::String);
    if (!dim)
      return;
    if (auto problem = readCoordinate(dim->string, *dims_, level_))
      reportExpression(*dim, *problem, *dims_);
  }

  void readStorage() {
    static const std::vector<std::string> kStorages = {"dense", "compressed"};
    const JsonNode *storage = object_.require("storage", JsonKind::String);
    if (!storage)
      return;
    if (storage->string == "singleton") {
      wrong(storage->where, "unknown storage 'singleton'")
          .advise("a singleton is written \"storage\": \"compressed\", \"extent\": \"fixed\", \"width\": 1");
      return;
    }
    if (std::find(kStorages.begin(), kStorages.end(), storage->string) == kStorages.end()) {
      reportUnknownWord(diagnostics_, storage->where, "storage", storage->string, kStorages);
      ok_ = false;
      return;
    }
    level_.storage = storage->string == "dense" ? Storage::Dense : Storage::Compressed;
    level_.extent = level_.isDense() ? Extent::Fixed : Extent::Ragged;
  }

  void readExtent() {
    static const std::vector<std::string> kExtents = {"fixed", "ragged", "ragged-lengths"};
    const JsonNode *extent = object_.find("extent", JsonKind::String);
    const JsonNode *start = object_.find("start", JsonKind::String);
    if (extent) {
      const std::string &text = extent->string;
      if (text == "fixed")
        level_.extent = Extent::Fixed;
      else if (text == "ragged")
        level_.extent = Extent::Ragged;
      else if (text == "ragged-lengths")
        level_.extent = Extent::Lengths;
      else if (didYouMean(text, kExtents) && isIdentifier(text)) {
        reportUnknownWord(diagnostics_, extent->where, "extent", text, kExtents);
        ok_ = false;
      } else
        readClosed(*extent, start);
    }
    if (start && level_.extent != Extent::Closed && ok_)
      wrong(start->where, "'start' belongs to a dense level whose extent is a closed form");
  }

  void readClosed(const JsonNode &extent, const JsonNode *start) {
    if (!dims_ || !parent_ || parent_->part != Part::Whole || !parent_->isFullyDense()) {
      diagnostics_
          .report(kFormatLevels, extent.where,
                  "a closed extent needs a dense level right above, that stores a whole dimension")
          .advise("the closed form is one of that level's coordinate, as in \"i + 1\" below level i");
      ok_ = false;
      return;
    }
    level_.extent = Extent::Closed;
    const std::string &own = (*dims_)[level_.dim];
    const bool isNTaken = own != "n" && std::find(dims_->begin(), dims_->end(), "n") != dims_->end();
    const ClosedFormNames names{(*dims_)[parent_->dim], own, !isNTaken};
    if (!readForm(extent, names, 1, level_.length))
      return;
    if (level_.isDense() && level_.length.slope < 0)
      level_.start = {-level_.length.constant, -level_.length.slope, 1 - level_.length.size};
    if (!start)
      return;
    if (level_.isDense())
      readForm(*start, names, 0, level_.start);
    else
      wrong(start->where, "'start' belongs to a dense level: a compressed one lists its coordinates");
  }

  /// False where the form is wrong: not readable, or a number below `least`, which fits no tensor.
  bool readForm(const JsonNode &node, const ClosedFormNames &names, int64_t least, ClosedForm &form) {
    if (auto problem = readClosedForm(node.string, names, form))
      reportExpression(node, *problem, names.all());
    else if (form.slope == 0 && form.size == 0 && form.constant < least)
      wrong(node.where, "this is " + std::to_string(form.constant) + " for every parent; it must be at least " +
                            std::to_string(least));
    return ok_;
  }

  void readWidth() {
    const JsonNode *width = object_.find("width");
    if (level_.isDense() || level_.extent != Extent::Fixed) {
      if (width && ok_)
        wrong(width->where, "'width' belongs to a compressed level with \"extent\": \"fixed\"");
      return;
    }
    if (!width) {
      object_.require("width");
      return;
    }
    if (width->kind == JsonKind::String && isIdentifier(width->string))
      level_.width.reset();
    else if (width->kind != JsonKind::Integer)
      wrong(width->where, "'width' must be an integer, or a name for one that is given at run time");
    else if (width->integer < 1)
      wrong(width->where, "'width' must be at least 1");
    else if (width->integer > kMaxWidth)
      wrong(width->where, "'width' must be at most " + std::to_string(kMaxWidth));
    else
      level_.width = width->integer;
  }

  void readProperties() {
    const JsonNode *unique = object_.find("unique", JsonKind::Boolean);
    const JsonNode *ordered = object_.find("ordered", JsonKind::Boolean);
    if (unique && !unique->boolean) {
      if (level_.isDense())
        wrong(unique->where, "a dense level is always unique");
      level_.unique = false;
    }
    if (ordered && !ordered->boolean) {
      if (level_.isDense())
        wrong(ordered->where, "a dense level is always ordered");
      level_.ordered = false;
    }
  }
};

const std::vector<std::string> LevelReader::kKeys = {"dim", "storage", "extent", "start", "width", "unique", "ordered"};
const std::vector<std::string> LevelReader::kKeysWithoutDim = {"storage", "extent", "width", "unique", "ordered"};

} // namespace

std::optional<Level> readLevel(const JsonNode &node, const std::vector<std::string> *dims, const Level *parent,
                               Diagnostics &diagnostics) {
  return LevelReader(node, dims, parent, diagnostics).read();
}

void reportLevels(const LevelProblem &problem, Span where, Diagnostics &diagnostics) {
  diagnostics.report(problem.isWrong ? kFormatLevels : kFormatUnsupported, where, problem.message).advise(problem.help);
}

} // namespace spc::format
