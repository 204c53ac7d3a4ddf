#include "format/format_reader.h"

#include "format/json_object.h"
#include "format/level_reader.h"

#include <algorithm>
#include <set>

namespace spc::format {

namespace {

/// How far reading one format object has come.
class FormatReader {
public:
  FormatReader(FormatResolver &resolver, Diagnostics &diagnostics) : resolver_(resolver), diagnostics_(diagnostics) {}

  std::optional<FormatRule> format(const JsonNode &node, const std::string &name) {
    bool isReference = std::any_of(node.members.begin(), node.members.end(),
                                   [](const JsonMember &member) { return member.key == "format"; });
    return isReference ? reference(node) : definition(node, name);
  }

  std::optional<std::vector<TensorRule>> tensors(const JsonNode &root);

private:
  FormatResolver &resolver_;
  Diagnostics &diagnostics_;

  std::optional<FormatRule> definition(const JsonNode &node, const std::string &name);
  std::optional<FormatRule> reference(const JsonNode &node);
  bool readLevels(const JsonNode &dims, const JsonNode &levels, FormatRule &rule);
  bool readAnyOrder(const JsonNode &levels, FormatRule &rule);
  bool readIndex(ObjectReader &object, FormatRule &rule);
  std::optional<std::vector<std::string>> readDims(const JsonNode &dims);
  bool checkDims(const JsonNode &dims, const JsonNode &levels, const std::vector<Level> &read);

  bool wrong(Span where, std::string message) {
    reportValue(diagnostics_, where, std::move(message));
    return false;
  }
};

std::optional<FormatRule> FormatReader::definition(const JsonNode &node, const std::string &name) {
  static const std::vector<std::string> kKeys = {"name", "description", "dims", "levels", "index", "$schema"};
  ObjectReader object(node, "a format", kKeys, diagnostics_);
  if (node.kind != JsonKind::Object)
    return std::nullopt;
  FormatRule rule;
  const JsonNode *given = object.find("name", JsonKind::String);
  rule.name = given ? given->string : name;
  object.find("description", JsonKind::String);
  object.find("$schema", JsonKind::String);
  const JsonNode *dims = object.require("dims");
  const JsonNode *levels = object.require("levels");
  bool ok = readIndex(object, rule);
  if (dims && levels) {
    bool isAnyOrder = dims->kind == JsonKind::String && dims->string == "any";
    ok = (isAnyOrder ? readAnyOrder(*levels, rule) : readLevels(*dims, *levels, rule)) && ok;
  }
  if (!ok || !object.ok())
    return std::nullopt;
  return rule;
}

std::optional<std::vector<std::string>> FormatReader::readDims(const JsonNode &dims) {
  if (dims.kind != JsonKind::Array) {
    wrong(dims.where, std::string("'dims' must be \"any\" or an array of names, not ") + inWords(dims.kind));
    return std::nullopt;
  }
  if (dims.elements.empty() || dims.elements.size() > kMaxOrder) {
    wrong(dims.where, "a format has 1 to " + std::to_string(kMaxOrder) + " dimensions, not " +
                          std::to_string(dims.elements.size()));
    return std::nullopt;
  }
  std::vector<std::string> names;
  bool ok = true;
  for (const JsonNode &dim : dims.elements) {
    if (dim.kind != JsonKind::String)
      ok = wrong(dim.where, std::string("a dimension's name must be a string, not ") + inWords(dim.kind));
    else if (!isIdentifier(dim.string))
      ok = wrong(dim.where, "'" + dim.string + "' is no name of a dimension: letters, digits and '_' make one");
    else if (std::find(names.begin(), names.end(), dim.string) != names.end())
      ok = wrong(dim.where, "dimension '" + dim.string + "' is listed twice");
    names.push_back(dim.string);
  }
  if (!ok)
    return std::nullopt;
  return names;
}

bool FormatReader::readLevels(const JsonNode &dims, const JsonNode &levels, FormatRule &rule) {
  std::optional<std::vector<std::string>> names = readDims(dims);
  if (levels.kind != JsonKind::Array)
    return wrong(levels.where, std::string("'levels' must be an array, not ") + inWords(levels.kind));
  if (!names)
    return false;
  std::vector<Level> read;
  for (const JsonNode &node : levels.elements)
    if (std::optional<Level> level = readLevel(node, &*names, diagnostics_))
      read.push_back(*level);
  if (read.size() != levels.elements.size() || !checkDims(dims, levels, read))
    return false;
  if (std::optional<LevelProblem> problem = checkLevels(read)) {
    reportLevels(*problem, levels.elements[problem->level].where, diagnostics_);
    return false;
  }
  rule.levels = read;
  return true;
}

/// Every dimension is stored by exactly one level.
bool FormatReader::checkDims(const JsonNode &dims, const JsonNode &levels, const std::vector<Level> &read) {
  bool ok = true;
  std::vector<bool> stored(dims.elements.size());
  for (size_t k = 0; k < read.size(); ++k) {
    const JsonNode &dim = dims.elements[read[k].dim];
    if (stored[read[k].dim])
      ok = wrong(levels.elements[k].where, "dimension '" + dim.string + "' is stored by two levels");
    stored[read[k].dim] = true;
  }
  for (size_t d = 0; d < stored.size(); ++d)
    if (!stored[d])
      ok = wrong(dims.elements[d].where, "dimension '" + dims.elements[d].string + "' is stored by no level");
  return ok;
}

bool FormatReader::readAnyOrder(const JsonNode &levels, FormatRule &rule) {
  static const std::vector<std::string> kKeys = {"each", "first", "rest"};
  ObjectReader object(levels, "'levels' of a format of any order", kKeys, diagnostics_);
  if (!object.ok())
    return false;
  const JsonNode *each = object.find("each");
  const JsonNode *firstNode = each ? each : object.require("first");
  const JsonNode *restNode = each ? each : object.require("rest");
  if (!object.ok())
    return false;
  if (each && levels.members.size() > 1)
    return wrong(levels.where, "'each' describes every level: it stands alone, without 'first' and 'rest'");
  std::optional<Level> first = readLevel(*firstNode, nullptr, diagnostics_);
  std::optional<Level> rest = each ? first : readLevel(*restNode, nullptr, diagnostics_);
  if (!first || !rest)
    return false;
  // Three levels show every way in which first and rest can meet.
  std::vector<Level> levelsOfThree = {*first, *rest, *rest};
  levelsOfThree.back().unique = true;
  if (std::optional<LevelProblem> problem = checkLevels(levelsOfThree)) {
    reportLevels(*problem, (problem->level == 0 ? firstNode : restNode)->where, diagnostics_);
    return false;
  }
  rule.first = *first;
  rule.rest = *rest;
  return true;
}

bool FormatReader::readIndex(ObjectReader &object, FormatRule &rule) {
  static const std::vector<std::string> kKeys = {"pointers", "indices"};
  static const std::vector<std::string> kTypes = {"i32", "i64"};
  const JsonNode *node = object.find("index", JsonKind::Object);
  if (!node)
    return true;
  ObjectReader index(*node, "'index'", kKeys, diagnostics_);
  bool ok = true;
  for (const std::string &key : kKeys) {
    const JsonNode *type = index.find(key, JsonKind::String);
    if (!type)
      continue;
    if (std::find(kTypes.begin(), kTypes.end(), type->string) == kTypes.end()) {
      reportUnknownWord(diagnostics_, type->where, "index type", type->string, kTypes);
      ok = false;
    }
    (key == "pointers" ? rule.pointers : rule.indices) = type->string == "i64" ? IndexType::I64 : IndexType::I32;
  }
  return ok && index.ok();
}

std::optional<FormatRule> FormatReader::reference(const JsonNode &node) {
  static const std::vector<std::string> kKeys = {"name", "description", "format", "order", "index", "$schema"};
  ObjectReader object(node, "a reference to a format", kKeys, diagnostics_);
  const JsonNode *target = object.require("format", JsonKind::String);
  const JsonNode *given = object.find("name", JsonKind::String);
  const JsonNode *order = object.find("order", JsonKind::Array);
  object.find("description", JsonKind::String);
  object.find("$schema", JsonKind::String);
  if (!target)
    return std::nullopt;
  std::optional<FormatRule> rule = resolver_.resolve(target->string, insideQuotes(target->where));
  if (!rule)
    return std::nullopt;
  bool ok = readIndex(object, *rule);
  if (order) {
    std::vector<int64_t> modes;
    for (const JsonNode &mode : order->elements) {
      if (mode.kind != JsonKind::Integer)
        ok = wrong(mode.where, std::string("a mode must be an integer, not ") + inWords(mode.kind));
      modes.push_back(mode.integer);
    }
    ok = ok && applyModes(*rule, modes, order->where, diagnostics_);
  }
  if (given)
    rule->name = given->string;
  if (!ok || !object.ok())
    return std::nullopt;
  return rule;
}

std::optional<std::vector<TensorRule>> FormatReader::tensors(const JsonNode &root) {
  static const std::vector<std::string> kKeys = {"tensors", "description", "$schema"};
  ObjectReader object(root, "a file that binds tensors", kKeys, diagnostics_);
  object.find("description", JsonKind::String);
  object.find("$schema", JsonKind::String);
  const JsonNode *node = object.require("tensors", JsonKind::Object);
  if (!node)
    return std::nullopt;
  bool ok = node->members.empty() ? wrong(node->where, "'tensors' binds no tensor") : object.ok();
  std::set<std::string> seen;
  std::vector<TensorRule> rules;
  for (const JsonMember &member : node->members) {
    if (!isIdentifier(member.key))
      ok = wrong(member.keyWhere, "'" + member.key + "' is no name of a tensor");
    else if (!seen.insert(member.key).second)
      ok = wrong(member.keyWhere, "tensor '" + member.key + "' is bound twice");
    std::optional<FormatRule> rule;
    if (member.value.kind == JsonKind::String)
      rule = resolver_.resolve(member.value.string, insideQuotes(member.value.where));
    else if (member.value.kind == JsonKind::Object)
      rule = format(member.value, member.key);
    else
      wrong(member.value.where,
            std::string("a tensor's format must be a name, a path or an object, not ") + inWords(member.value.kind));
    if (rule)
      rules.push_back({member.key, std::move(*rule), member.keyWhere});
  }
  if (!ok || rules.size() != node->members.size())
    return std::nullopt;
  return rules;
}

} // namespace

std::optional<FormatFile> readFormatFile(const JsonNode &root, const std::string &name, FormatResolver &resolver,
                                         Diagnostics &diagnostics) {
  FormatReader reader(resolver, diagnostics);
  FormatFile file;
  bool bindsTensors = std::any_of(root.members.begin(), root.members.end(),
                                  [](const JsonMember &member) { return member.key == "tensors"; });
  if (bindsTensors) {
    std::optional<std::vector<TensorRule>> tensors = reader.tensors(root);
    if (!tensors)
      return std::nullopt;
    file.tensors = std::move(*tensors);
    return file;
  }
  file.format = reader.format(root, name);
  if (!file.format)
    return std::nullopt;
  return file;
}

} // namespace spc::format
