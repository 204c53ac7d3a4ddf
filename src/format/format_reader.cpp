#include "format/format_reader.h"

#include "format/binsparse.h"
#include "format/foreign_formats.h"
#include "format/format_keys.h"
#include "format/json_object.h"
#include "format/level_reader.h"
#include "format/schedule_reader.h"

#include <algorithm>
#include <set>

namespace spc::format {

namespace {

/// How far reading one format object has come.
class FormatReader {
public:
  FormatReader(FormatResolver &resolver, Diagnostics &diagnostics) : resolver_(resolver), diagnostics_(diagnostics) {}

  std::optional<FormatRule> format(const JsonNode &node, const std::string &name) {
    if (reportForeignFormat(node, diagnostics_))
      return std::nullopt;
    if (hasKey(node, "binsparse"))
      return readBinsparse(node, name, diagnostics_);
    if (hasKey(node, "sum"))
      return sum(node, name);
    return hasKey(node, "format") ? reference(node) : definition(node, name);
  }

  std::optional<FormatFile> tensors(const JsonNode &root);

private:
  FormatResolver &resolver_;
  Diagnostics &diagnostics_;

  static bool hasKey(const JsonNode &node, std::string_view key) {
    return std::any_of(node.members.begin(), node.members.end(),
                       [&](const JsonMember &member) { return member.key == key; });
  }

  std::optional<FormatRule> definition(const JsonNode &node, const std::string &name);
  std::optional<FormatRule> sum(const JsonNode &node, const std::string &name);
  std::optional<TensorRule> tensor(const JsonMember &member);
  std::optional<FormatRule> kept(const JsonNode &value);
  bool types(ObjectReader &object, FormatFile &file);
  bool takeSchedule(ObjectReader &object, FormatRule &rule);
  bool checkDifferences(const JsonNode &node, const FormatRule &rule);
  std::optional<FormatRule> reference(const JsonNode &node);
  bool readLevels(const JsonNode &dims, const JsonNode &levels, FormatRule &rule);
  bool readAnyOrder(const JsonNode &levels, FormatRule &rule);
  std::optional<std::vector<std::string>> readDims(const JsonNode &dims);
  bool checkDims(const JsonNode &dims, const JsonNode &levels, const std::vector<Level> &read);

  bool wrong(Span where, std::string message) {
    reportValue(diagnostics_, where, std::move(message));
    return false;
  }
};

std::optional<FormatRule> FormatReader::definition(const JsonNode &node, const std::string &name) {
  static const std::vector<std::string> kKeys = {"name",       "description", "dims",      "levels",
                                                 "index",      "layout",      "symmetric", "symmetry",
                                                 "duplicates", "schedule",    "$schema"};
  ObjectReader object(node, "a format", kKeys, diagnostics_);
  if (node.kind != JsonKind::Object)
    return std::nullopt;
  FormatRule rule;
  const JsonNode *given = object.find("name", JsonKind::String);
  rule.name = given ? given->string : name;
  if (const JsonNode *description = object.find("description", JsonKind::String))
    rule.description = description->string;
  object.find("$schema", JsonKind::String);
  const JsonNode *dims = object.require("dims");
  const JsonNode *levels = object.require("levels");
  bool ok = readIndex(object, rule, diagnostics_);
  ok = takeSchedule(object, rule) && ok;
  if (dims && levels) {
    bool isAnyOrder = dims->kind == JsonKind::String && dims->string == "any";
    ok = (isAnyOrder ? readAnyOrder(*levels, rule) : readLevels(*dims, *levels, rule)) && ok;
    ok = ok && checkDifferences(*levels, rule);
  }
  ok = ok && object.ok() && readLayout(object, rule, diagnostics_) && readSymmetry(object, rule, diagnostics_) &&
       readDuplicates(object, rule, diagnostics_);
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
  if (levels.elements.size() > kMaxLevels)
    return wrong(levels.where, "a format has at most " + std::to_string(kMaxLevels) + " levels");
  std::vector<Level> read;
  for (const JsonNode &node : levels.elements) {
    std::optional<Level> level = readLevel(node, &*names, read.empty() ? nullptr : &read.back(), diagnostics_);
    if (!level)
      return false;
    read.push_back(*level);
  }
  if (std::optional<LevelProblem> problem = checkLevels(read)) {
    reportLevels(*problem, levels.elements[problem->level].where, diagnostics_);
    return false;
  }
  if (!checkDims(dims, levels, read))
    return false;
  rule.levels = read;
  return true;
}

/// Every dimension is stored exactly once.
bool FormatReader::checkDims(const JsonNode &dims, const JsonNode &levels, const std::vector<Level> &read) {
  bool ok = true;
  const std::vector<int> times = timesStored(read, static_cast<int>(dims.elements.size()));
  for (size_t d = 0; d < times.size(); ++d) {
    const std::string name = "dimension '" + dims.elements[d].string + "'";
    if (times[d] == 0)
      ok = wrong(dims.elements[d].where, name + " is stored by no level");
    if (times[d] < 2)
      continue;
    size_t last = 0;
    for (size_t k = 0; k < read.size(); ++k)
      if (read[k].dim == static_cast<int>(d) && read[k].part != Part::Remainder)
        last = k;
    ok = wrong(levels.elements[last].where, name + " is stored by two levels");
  }
  for (size_t k = 0; k < read.size(); ++k)
    for (size_t other = 0; other < k; ++other)
      if (read[k].part == Part::Remainder && read[other].part == Part::Remainder && read[k].dim == read[other].dim)
        ok = wrong(levels.elements[k].where,
                   "dimension '" + dims.elements[read[k].dim].string + "' has two levels for the place in a block");
  return ok;
}

/// Diagonals left of the main one have negative numbers.
/// `node`: the levels, or whatever else gives a format its index types.
bool FormatReader::checkDifferences(const JsonNode &node, const FormatRule &rule) {
  const bool isSigned = rule.indices == IndexType::I32 || rule.indices == IndexType::I64;
  for (size_t k = 0; rule.levels && k < rule.levels->size(); ++k)
    if ((*rule.levels)[k].part == Part::Difference && !isSigned)
      return wrong(k < node.elements.size() ? node.elements[k].where : node.where,
                   "differences may be negative: their indices are i32 or i64");
  for (const FormatRule &part : rule.parts)
    if (!checkDifferences(node, part))
      return false;
  return true;
}

std::optional<FormatRule> FormatReader::sum(const JsonNode &node, const std::string &name) {
  static const std::vector<std::string> kKeys = {"name", "description", "sum", "schedule", "$schema"};
  ObjectReader object(node, "a sum of formats", kKeys, diagnostics_);
  const JsonNode *given = object.find("name", JsonKind::String);
  const JsonNode *description = object.find("description", JsonKind::String);
  object.find("$schema", JsonKind::String);
  const JsonNode *parts = object.require("sum", JsonKind::Array);
  if (!parts || !object.ok())
    return std::nullopt;
  FormatRule rule;
  rule.name = given ? given->string : name;
  rule.description = description ? description->string : "";
  bool ok = parts->elements.size() >= 2 || wrong(parts->where, "a sum has two parts or more");
  for (const JsonNode &element : parts->elements) {
    std::optional<FormatRule> part;
    if (element.kind == JsonKind::String)
      part = resolver_.resolve(element.string, insideQuotes(element.where));
    else if (element.kind == JsonKind::Object)
      part = format(element, rule.name);
    else
      wrong(element.where, std::string("a part must be a name, a path or an object, not ") + inWords(element.kind));
    if (!part)
      return std::nullopt;
    if (!part->parts.empty() || part->symmetry != Symmetry::None || part->duplicates != Duplicates::Sum)
      ok = wrong(element.where, "a part is neither a sum itself nor symmetric, and what repeats in it adds up");
    const std::optional<int> before = rule.order(), order = part->order();
    if (before && order && *before != *order)
      ok = wrong(element.where, "this part is for tensors of order " + std::to_string(*order) +
                                    ", the ones before it of order " + std::to_string(*before));
    rule.parts.push_back(std::move(*part));
  }
  for (const FormatRule &part : rule.parts)
    mergeKeys(rule.schedule, part.schedule, diagnostics_);
  ok = takeSchedule(object, rule) && ok;
  return ok ? std::optional(std::move(rule)) : std::nullopt;
}

/// The object's own schedule replaces keys of those that the rule has from the formats that it refers to.
bool FormatReader::takeSchedule(ObjectReader &object, FormatRule &rule) {
  const std::optional<Schedule> schedule = readSchedule(object, diagnostics_);
  if (schedule)
    replaceKeys(rule.schedule, *schedule);
  return schedule.has_value();
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
  std::optional<Level> first = readLevel(*firstNode, nullptr, nullptr, diagnostics_);
  std::optional<Level> rest = each ? first : readLevel(*restNode, nullptr, nullptr, diagnostics_);
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

std::optional<FormatRule> FormatReader::reference(const JsonNode &node) {
  static const std::vector<std::string> kKeys = {"name",  "description", "format", "order",
                                                 "index", "schedule",    "$schema"};
  ObjectReader object(node, "a reference to a format", kKeys, diagnostics_);
  const JsonNode *target = object.require("format", JsonKind::String);
  const JsonNode *given = object.find("name", JsonKind::String);
  const JsonNode *order = object.find("order", JsonKind::Array);
  const JsonNode *description = object.find("description", JsonKind::String);
  object.find("$schema", JsonKind::String);
  if (!target)
    return std::nullopt;
  std::optional<FormatRule> rule = resolver_.resolve(target->string, insideQuotes(target->where));
  if (!rule)
    return std::nullopt;
  bool ok = readIndex(object, *rule, diagnostics_);
  ok = takeSchedule(object, *rule) && ok;
  for (FormatRule &part : rule->parts)
    ok = ok && readIndex(object, part, diagnostics_);
  if (const JsonNode *index = object.find("index"))
    ok = ok && checkDifferences(*index, *rule);
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
  if (description)
    rule->description = description->string;
  if (!ok || !object.ok())
    return std::nullopt;
  return rule;
}

std::optional<TensorRule> FormatReader::tensor(const JsonMember &member) {
  const JsonNode &value = member.value;
  std::optional<FormatRule> rule;
  if (value.kind == JsonKind::Object && hasKey(value, "structure_of")) {
    static const std::vector<std::string> kKeys = {"structure_of"};
    ObjectReader object(value, "a shared structure", kKeys, diagnostics_);
    const JsonNode *owner = object.require("structure_of", JsonKind::String);
    if (!owner || !object.ok())
      return std::nullopt;
    return TensorRule{member.key, {}, member.keyWhere, owner->string};
  }
  const bool isKept = value.kind == JsonKind::Object && hasKey(value, "structure");
  if (value.kind == JsonKind::String)
    rule = resolver_.resolve(value.string, insideQuotes(value.where));
  else if (isKept)
    rule = kept(value);
  else if (value.kind == JsonKind::Object)
    rule = format(value, member.key);
  else
    wrong(value.where,
          std::string("a tensor's format must be a name, a path or an object, not ") + inWords(value.kind));
  if (!rule)
    return std::nullopt;
  return TensorRule{member.key, std::move(*rule), member.keyWhere, std::nullopt, isKept};
}

/// A reference to a format beside `"structure": "kept"`.
std::optional<FormatRule> FormatReader::kept(const JsonNode &value) {
  JsonNode rest = value;
  bool ok = true;
  std::erase_if(rest.members, [&](const JsonMember &member) {
    if (member.key != "structure")
      return false;
    if (member.value.kind != JsonKind::String || member.value.string != "kept")
      ok = wrong(member.value.where, "'structure' is \"kept\", or is left out");
    return true;
  });
  std::optional<FormatRule> rule = reference(rest);
  return ok ? std::move(rule) : std::nullopt;
}

/// `"types": { "T": "f32" }`
bool FormatReader::types(ObjectReader &object, FormatFile &file) {
  const JsonNode *node = object.find("types", JsonKind::Object);
  bool ok = object.ok();
  for (const JsonMember &member : node ? node->members : std::vector<JsonMember>()) {
    if (!isIdentifier(member.key))
      ok = wrong(member.keyWhere, "'" + member.key + "' is no name of a tensor or of a type parameter");
    if (member.value.kind != JsonKind::String)
      ok = wrong(member.value.where, std::string("a type must be a string, not ") + inWords(member.value.kind));
    file.types.push_back({member.key, member.value.string, member.keyWhere, insideQuotes(member.value.where)});
  }
  return ok;
}

std::optional<FormatFile> FormatReader::tensors(const JsonNode &root) {
  static const std::vector<std::string> kKeys = {"tensors", "types", "description", "schedule", "$schema"};
  ObjectReader object(root, "a file that binds tensors", kKeys, diagnostics_);
  object.find("description", JsonKind::String);
  object.find("$schema", JsonKind::String);
  const JsonNode *node = object.require("tensors", JsonKind::Object);
  if (!node)
    return std::nullopt;
  bool ok = object.ok();
  FormatFile file;
  if (std::optional<Schedule> schedule = readSchedule(object, diagnostics_))
    file.schedule = std::move(*schedule);
  else
    ok = false;
  ok = types(object, file) && ok;
  std::set<std::string> seen;
  for (const JsonMember &member : node->members) {
    if (!isIdentifier(member.key))
      ok = wrong(member.keyWhere, "'" + member.key + "' is no name of a tensor");
    else if (!seen.insert(member.key).second)
      ok = wrong(member.keyWhere, "tensor '" + member.key + "' is bound twice");
    if (std::optional<TensorRule> rule = tensor(member))
      file.tensors.push_back(std::move(*rule));
  }
  if (!ok || file.tensors.size() != node->members.size())
    return std::nullopt;
  return file;
}

} // namespace

std::optional<FormatFile> readFormatFile(const JsonNode &root, const std::string &name, FormatResolver &resolver,
                                         Diagnostics &diagnostics) {
  FormatReader reader(resolver, diagnostics);
  bool bindsTensors = std::any_of(root.members.begin(), root.members.end(),
                                  [](const JsonMember &member) { return member.key == "tensors"; });
  if (bindsTensors)
    return reader.tensors(root);
  FormatFile file;
  file.format = reader.format(root, name);
  if (!file.format)
    return std::nullopt;
  return file;
}

} // namespace spc::format
