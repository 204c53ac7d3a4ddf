#include "format/level_reader.h"

#include "format/json_object.h"

#include <algorithm>

namespace spc::format {

namespace {

constexpr DiagnosticKind kFormatLevels{"format-levels", Severity::Error};
constexpr DiagnosticKind kFormatUnsupported{"format-unsupported", Severity::Error};

constexpr const char *kSupportedLevels =
    "supported levels: dense; compressed with ragged extent; compressed with fixed extent and \"width\": 1, in COO";

class LevelReader {
public:
  LevelReader(const JsonNode &node, const std::vector<std::string> *dims, Diagnostics &diagnostics)
      : dims_(dims), diagnostics_(diagnostics), object_(node, "a level", dims ? kKeys : kKeysWithoutDim, diagnostics) {}

  std::optional<Level> read() {
    if (dims_)
      readDim();
    readStorage();
    if (!object_.ok() || !ok_)
      return std::nullopt;
    readExtent();
    readProperties();
    if (!object_.ok() || !ok_)
      return std::nullopt;
    return level_;
  }

private:
  static const std::vector<std::string> kKeys;
  static const std::vector<std::string> kKeysWithoutDim;

  const std::vector<std::string> *dims_;
  Diagnostics &diagnostics_;
  ObjectReader object_;
  Level level_;
  bool ok_ = true;

  void refuse(Span where, std::string message) {
    diagnostics_.report(kFormatUnsupported, where, std::move(message)).advise(kSupportedLevels);
    ok_ = false;
  }

  Diagnostic &wrong(Span where, std::string message) {
    ok_ = false;
    return reportValue(diagnostics_, where, std::move(message));
  }

  void readDim() {
    const JsonNode *dim = object_.require("dim", JsonKind::String);
    if (!dim)
      return;
    auto found = std::find(dims_->begin(), dims_->end(), dim->string);
    if (found != dims_->end()) {
      level_.dim = static_cast<int>(found - dims_->begin());
      return;
    }
    if (dim->string.find_first_of("/%+-*") != std::string::npos) {
      refuse(dim->where, "blocks and diagonals ('" + dim->string + "') are not supported");
      return;
    }
    reportUnknownWord(diagnostics_, dim->where, "dimension", dim->string, *dims_);
    ok_ = false;
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
    static const std::vector<std::string> kExtents = {"fixed", "ragged"};
    if (const JsonNode *extent = object_.find("extent", JsonKind::String)) {
      const std::string &text = extent->string;
      if (text == "fixed" || text == "ragged") {
        level_.extent = text == "fixed" ? Extent::Fixed : Extent::Ragged;
      } else if (text == "ragged-lengths") {
        refuse(extent->where, "a ragged extent given by lengths is not supported");
        return;
      } else if (didYouMean(text, kExtents) || isIdentifier(text)) {
        reportUnknownWord(diagnostics_, extent->where, "extent", text, kExtents);
        ok_ = false;
        return;
      } else {
        refuse(extent->where, "an extent in closed form ('" + text + "') is not supported");
        return;
      }
      if (level_.isDense() && level_.extent == Extent::Ragged) {
        refuse(extent->where, "a dense level with a ragged extent is not supported");
        return;
      }
    }
    readWidth();
  }

  void readWidth() {
    const JsonNode *width = object_.find("width", JsonKind::Integer);
    if (!level_.isSingleton()) {
      if (width)
        wrong(width->where, "'width' belongs to a compressed level with \"extent\": \"fixed\"");
      return;
    }
    if (!width) {
      object_.require("width");
      return;
    }
    if (width->integer < 1)
      wrong(width->where, "'width' must be at least 1");
    else if (width->integer > 1)
      refuse(width->where, "a compressed level of fixed width " + std::to_string(width->integer) + " is not supported");
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
      else
        refuse(ordered->where, "an unordered level is not supported");
    }
  }
};

const std::vector<std::string> LevelReader::kKeys = {"dim", "storage", "extent", "width", "unique", "ordered"};
const std::vector<std::string> LevelReader::kKeysWithoutDim = {"storage", "extent", "width", "unique", "ordered"};

} // namespace

std::optional<Level> readLevel(const JsonNode &node, const std::vector<std::string> *dims, Diagnostics &diagnostics) {
  return LevelReader(node, dims, diagnostics).read();
}

void reportLevels(const LevelProblem &problem, Span where, Diagnostics &diagnostics) {
  diagnostics.report(problem.isWrong ? kFormatLevels : kFormatUnsupported, where, problem.message).advise(problem.help);
}

} // namespace spc::format
