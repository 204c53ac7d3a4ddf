#include "format/binsparse.h"

#include "format/json_object.h"

#include <algorithm>
#include <map>

namespace spc::format {

namespace {

constexpr DiagnosticKind kBinsparse{"binsparse", Severity::Error};

Level dense(int dim) {
  return {.dim = dim};
}

Level compressed(int dim, bool unique = true) {
  return {.dim = dim, .storage = Storage::Compressed, .extent = Extent::Ragged, .unique = unique};
}

Level singleton(int dim) {
  return {.dim = dim, .storage = Storage::Compressed, .extent = Extent::Fixed};
}

/// The specification's predefined formats.
const std::map<std::string, std::vector<Level>> &predefined() {
  static const std::map<std::string, std::vector<Level>> formats = {
      {"DVEC", {dense(0)}},
      {"DMAT", {dense(0), dense(1)}},
      {"DMATR", {dense(0), dense(1)}},
      {"DMATC", {dense(1), dense(0)}},
      {"CVEC", {compressed(0)}},
      {"CSR", {dense(0), compressed(1)}},
      {"CSC", {dense(1), compressed(0)}},
      {"DCSR", {compressed(0), compressed(1)}},
      {"DCSC", {compressed(1), compressed(0)}},
      {"COO", {compressed(0, false), singleton(1)}},
      {"COOR", {compressed(0, false), singleton(1)}},
      {"COOC", {compressed(1, false), singleton(0)}},
  };
  return formats;
}

class BinsparseReader {
public:
  explicit BinsparseReader(Diagnostics &diagnostics) : diagnostics_(diagnostics) {}

  std::optional<FormatRule> read(const JsonNode &root, const std::string &name) {
    const JsonNode *descriptor = member(root, "binsparse");
    if (!descriptor || descriptor->kind != JsonKind::Object)
      return refuse(root.where, "'binsparse' must be an object");
    const JsonNode *format = member(*descriptor, "format");
    if (!format)
      return refuse(descriptor->where, "a Binsparse descriptor needs a 'format'");
    FormatRule rule;
    rule.name = name;
    const bool ok = format->kind == JsonKind::String ? named(*format, rule) : custom(*format, rule);
    if (!ok || !base(*descriptor) || !dataTypes(*descriptor, rule) || !structure(*descriptor, rule))
      return std::nullopt;
    return rule;
  }

private:
  static const JsonNode *member(const JsonNode &node, std::string_view key) {
    for (const JsonMember &entry : node.members)
      if (entry.key == key)
        return &entry.value;
    return nullptr;
  }

  std::nullopt_t refuse(Span where, std::string message, std::string help = "") {
    Diagnostic &diagnostic = diagnostics_.report(kBinsparse, where, std::move(message));
    if (!help.empty())
      diagnostic.advise(std::move(help));
    return std::nullopt;
  }

  bool fail(Span where, std::string message, std::string help = "") {
    refuse(where, std::move(message), std::move(help));
    return false;
  }

  bool named(const JsonNode &format, FormatRule &rule) {
    const auto found = predefined().find(format.string);
    if (found != predefined().end()) {
      rule.levels = found->second;
      return true;
    }
    std::string names;
    for (const auto &[name, levels] : predefined())
      names += (names.empty() ? "" : ", ") + name;
    return fail(format.where, "Binsparse has no format '" + format.string + "'", "its formats are " + names);
  }

  /// {"custom": {"transpose": [1, 0], "level": {…}}}
  bool custom(const JsonNode &format, FormatRule &rule) {
    const JsonNode *inner = format.kind == JsonKind::Object ? member(format, "custom") : nullptr;
    const JsonNode &body = inner ? *inner : format;
    const JsonNode *level = body.kind == JsonKind::Object ? member(body, "level") : nullptr;
    if (!level)
      return fail(format.where, "a Binsparse format is a name or a custom one with a 'level'");
    std::vector<Level> levels;
    if (!descend(*level, levels))
      return false;
    if (levels.empty() || levels.size() > kMaxOrder)
      return fail(format.where, "a format has 1 to " + std::to_string(kMaxOrder) + " dimensions");
    if (const JsonNode *transpose = member(body, "transpose"); transpose && !permute(*transpose, levels))
      return false;
    rule.levels = std::move(levels);
    return true;
  }

  bool descend(const JsonNode &node, std::vector<Level> &levels) {
    const JsonNode *kind = node.kind == JsonKind::Object ? member(node, "level_desc") : nullptr;
    if (!kind || kind->kind != JsonKind::String)
      return fail(node.where, "a Binsparse level needs a 'level_desc'");
    if (kind->string == "element")
      return true;
    const JsonNode *rank = member(node, "rank");
    const int64_t count = rank && rank->kind == JsonKind::Integer ? rank->integer : 1;
    if (count < 1 || count > kMaxOrder)
      return fail(rank->where, "a level's rank is 1 to " + std::to_string(kMaxOrder));
    const JsonNode *sorted = member(node, "sorted");
    const bool isOrdered = !sorted || sorted->kind != JsonKind::Boolean || sorted->boolean;
    for (int64_t k = 0; k < count; ++k) {
      const int dim = static_cast<int>(levels.size());
      if (kind->string == "dense")
        levels.push_back(dense(dim));
      else if (kind->string == "sparse")
        levels.push_back(k == 0 ? compressed(dim, count == 1) : singleton(dim));
      else
        return fail(kind->where, "unknown level kind '" + kind->string + "'", "it is dense, sparse or element");
      if (!levels.back().isDense())
        levels.back().ordered = isOrdered;
    }
    const JsonNode *below = member(node, "level");
    if (!below)
      return fail(node.where, "a Binsparse level other than 'element' has a 'level' below it");
    return descend(*below, levels);
  }

  bool permute(const JsonNode &transpose, std::vector<Level> &levels) {
    std::vector<int64_t> modes;
    for (const JsonNode &mode : transpose.elements)
      modes.push_back(mode.kind == JsonKind::Integer ? mode.integer : -1);
    std::vector<int64_t> sorted = modes;
    std::sort(sorted.begin(), sorted.end());
    bool isPermutation = sorted.size() == levels.size();
    for (size_t k = 0; isPermutation && k < sorted.size(); ++k)
      isPermutation = sorted[k] == static_cast<int64_t>(k);
    if (!isPermutation)
      return fail(transpose.where, "'transpose' is no permutation of the dimensions");
    for (Level &level : levels)
      level.dim = static_cast<int>(modes[level.dim]);
    return true;
  }

  /// Coordinates count from 0, and what is not stored is 0.
  bool base(const JsonNode &descriptor) {
    const JsonNode *base = member(descriptor, "index_base");
    if (base && (base->kind != JsonKind::Integer || base->integer != 0))
      return fail(base->where, "spc counts indices from 0", "store them with an index base of 0");
    const JsonNode *fill = member(descriptor, "fill");
    if (fill && (fill->kind != JsonKind::Boolean || fill->boolean))
      return fail(fill->where, "what spc does not find stored is 0, not a fill value");
    return true;
  }

  bool dataTypes(const JsonNode &descriptor, FormatRule &rule) {
    const JsonNode *types = member(descriptor, "data_types");
    if (!types)
      return true;
    static const std::map<std::string, IndexType> known = {{"uint8", IndexType::U8},   {"uint16", IndexType::U16},
                                                           {"int32", IndexType::I32},  {"int64", IndexType::I64},
                                                           {"uint32", IndexType::I32}, {"uint64", IndexType::I64}};
    std::map<std::string, IndexType> seen;
    for (const JsonMember &entry : types->members) {
      if (entry.value.kind != JsonKind::String)
        return fail(entry.value.where, "a data type is a string");
      const std::string &type = entry.value.string;
      if (entry.key == "values") {
        if (type.starts_with("iso"))
          return fail(entry.value.where, "one value for all entries (iso) is not stored that way by spc",
                      "store the values array");
        continue;
      }
      const bool isPointers = entry.key.starts_with("pointers_to_"), isIndices = entry.key.starts_with("indices_");
      if (!isPointers && !isIndices)
        continue;
      const auto found = known.find(type);
      if (found == known.end())
        return fail(entry.value.where, "spc has no " + type + " arrays of pointers or indices",
                    "its index types are uint8, uint16, int32 and int64; uint32 and uint64 are read as those");
      const std::string group = isPointers ? "pointers" : "indices";
      if (const auto [place, isNew] = seen.emplace(group, found->second); !isNew && place->second != found->second)
        return fail(entry.value.where, "the levels' " + group + " differ in type", "use one type for all of them");
      (isPointers ? rule.pointers : rule.indices) = found->second;
    }
    return true;
  }

  bool structure(const JsonNode &descriptor, FormatRule &rule) {
    const JsonNode *structure = member(descriptor, "structure");
    if (!structure || structure->kind != JsonKind::String || structure->string == "general")
      return true;
    if (structure->string == "symmetric_lower")
      rule.symmetry = Symmetry::Lower;
    else if (structure->string == "symmetric_upper")
      rule.symmetry = Symmetry::Upper;
    else if (structure->string == "hermitian_lower")
      rule.symmetry = Symmetry::HermitianLower;
    else if (structure->string == "hermitian_upper")
      rule.symmetry = Symmetry::HermitianUpper;
    else
      return fail(structure->where, "matrices of structure '" + structure->string + "' are not supported",
                  "symmetric_lower, symmetric_upper, hermitian_lower, hermitian_upper and general are");
    return rule.order() == 2 || fail(structure->where, "only matrices are symmetric");
  }

  Diagnostics &diagnostics_;
};

} // namespace

std::optional<FormatRule> readBinsparse(const JsonNode &root, const std::string &name, Diagnostics &diagnostics) {
  return BinsparseReader(diagnostics).read(root, name);
}

} // namespace spc::format
