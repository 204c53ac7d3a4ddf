#include "format/bindings_writer.h"

#include "format/format_writer.h"

#include <nlohmann/json.hpp>

namespace spc::format {

namespace {

nlohmann::ordered_json scheduleJson(const Schedule &schedule) {
  nlohmann::ordered_json json;
  const auto add = [&](const char *key, const auto &value) {
    if (value)
      json[key] = value->value;
  };
  add("tile", schedule.tile);
  add("unroll", schedule.unroll);
  add("prefetch", schedule.prefetch);
  add("chunk", schedule.chunk);
  if (schedule.workspace)
    json["workspace"] = schedule.workspace->value == WorkspaceKind::Dense  ? "dense"
                        : schedule.workspace->value == WorkspaceKind::Hash ? "hash"
                                                                           : "auto";
  if (schedule.order)
    for (const Given<std::string> &variable : schedule.order->value)
      json["order"].push_back(variable.value);
  add("parallel", schedule.parallel);
  return json;
}

} // namespace

std::string bindingsText(const std::string &description, const std::vector<StoredTensor> &tensors,
                         const Schedule &schedule) {
  nlohmann::ordered_json json = {{"description", description}, {"tensors", nlohmann::ordered_json::object()}};
  for (const StoredTensor &stored : tensors) {
    nlohmann::ordered_json &entry = json["tensors"][stored.tensor];
    if (!stored.structureOf.empty())
      entry = {{"structure_of", stored.structureOf}};
    else if (!stored.knownName.empty())
      entry = stored.knownName;
    else if (stored.format.isSum())
      for (const Format &part : stored.format.parts)
        entry["sum"].push_back(toJson(part));
    else
      entry = toJson(stored.format);
    if (stored.keepsStructure && entry.is_string())
      entry = {{"format", stored.knownName}};
    if (stored.keepsStructure)
      entry["structure"] = "kept";
  }
  if (nlohmann::ordered_json keys = scheduleJson(schedule); !keys.empty())
    json["schedule"] = std::move(keys);
  return json.dump(2) + "\n";
}

} // namespace spc::format
