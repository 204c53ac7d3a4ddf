#include "format/format_keys.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::format {

namespace {

bool wrong(Diagnostics &diagnostics, Span where, std::string message) {
  reportValue(diagnostics, where, std::move(message));
  return false;
}

} // namespace

bool readLayout(ObjectReader &object, FormatRule &rule, Diagnostics &diagnostics) {
  static const std::vector<std::string> kLayouts = {"arrays", "structs"};
  const JsonNode *layout = object.find("layout", JsonKind::String);
  if (!layout || layout->string == "arrays")
    return object.ok();
  if (layout->string != "structs") {
    reportUnknownWord(diagnostics, layout->where, "layout", layout->string, kLayouts);
    return false;
  }
  rule.interleaved = true;
  std::vector<Level> levels = rule.levels ? *rule.levels : std::vector<Level>{rule.first, rule.rest};
  const auto listed = std::find_if(levels.begin(), levels.end(), [](const Level &level) { return !level.isDense(); });
  const int first = static_cast<int>(listed - levels.begin()), count = static_cast<int>(levels.size());
  bool isCoo = count - first > 1 && kindOf(levels, first) == LevelKind::Compressed && !listed->hasLengths();
  for (int k = first + 1; k < count; ++k)
    isCoo = isCoo && continuesParent(levels, k);
  return isCoo || wrong(diagnostics, layout->where,
                        "only COO is stored as structs: a compressed level, then singletons to the end");
}

bool readSymmetry(ObjectReader &object, FormatRule &rule, Diagnostics &diagnostics) {
  static const std::vector<std::string> kTriangles = {"lower", "upper"};
  static const std::vector<std::string> kSymmetries = {"symmetric", "hermitian"};
  const JsonNode *given = object.find("symmetric"), *kind = object.find("symmetry", JsonKind::String);
  if (!object.ok())
    return false;
  if (kind && kind->string != "symmetric" && kind->string != "hermitian") {
    reportUnknownWord(diagnostics, kind->where, "symmetry", kind->string, kSymmetries);
    return false;
  }
  const bool isOff = given && given->kind == JsonKind::Boolean && !given->boolean;
  if (kind && isOff)
    return wrong(diagnostics, given->where, "'symmetry' says that one triangle is stored");
  if ((!given && !kind) || isOff)
    return true;
  const JsonNode *symmetric = given ? given : kind;
  const bool isNamed = symmetric == given && symmetric->kind == JsonKind::String;
  if (isNamed && symmetric->string != "lower" && symmetric->string != "upper") {
    reportUnknownWord(diagnostics, symmetric->where, "triangle", symmetric->string, kTriangles);
    return false;
  }
  if (!isNamed && symmetric == given && symmetric->kind != JsonKind::Boolean)
    return wrong(diagnostics, symmetric->where, "'symmetric' must be true, \"lower\" or \"upper\"");
  if (rule.order() != 2)
    return wrong(diagnostics, symmetric->where, "only matrices are symmetric: formats with two dimensions");
  const bool startsLate =
      std::any_of(rule.levels->begin(), rule.levels->end(), [](const Level &level) { return level.start.slope > 0; });
  const bool isUpper = isNamed ? symmetric->string == "upper" : startsLate;
  rule.symmetry = isUpper ? Symmetry::Upper : Symmetry::Lower;
  if (kind && kind->string == "hermitian")
    rule.symmetry = isUpper ? Symmetry::HermitianUpper : Symmetry::HermitianLower;
  return true;
}

bool readDuplicates(ObjectReader &object, FormatRule &rule, Diagnostics &diagnostics) {
  static const std::vector<std::string> kWords = {"sum", "min", "max", "last", "error"};
  const JsonNode *given = object.find("duplicates", JsonKind::String);
  if (!given)
    return object.ok();
  const std::optional<Duplicates> duplicates = duplicatesNamed(given->string);
  if (!duplicates) {
    reportUnknownWord(diagnostics, given->where, "way to combine duplicates", given->string, kWords);
    return false;
  }
  rule.duplicates = *duplicates;
  return true;
}

bool readIndex(ObjectReader &object, FormatRule &rule, Diagnostics &diagnostics) {
  static const std::vector<std::string> kKeys = {"pointers", "indices"};
  static const std::vector<std::string> kTypes = {"u8", "u16", "i32", "i64"};
  const JsonNode *node = object.find("index", JsonKind::Object);
  if (!node)
    return true;
  ObjectReader index(*node, "'index'", kKeys, diagnostics);
  bool ok = true;
  for (const std::string &key : kKeys) {
    const JsonNode *type = index.find(key, JsonKind::String);
    if (!type)
      continue;
    if (std::find(kTypes.begin(), kTypes.end(), type->string) == kTypes.end()) {
      reportUnknownWord(diagnostics, type->where, "index type", type->string, kTypes);
      ok = false;
    }
    (key == "pointers" ? rule.pointers : rule.indices) = *indexTypeNamed(type->string);
  }
  return ok && index.ok();
}

} // namespace spc::format
