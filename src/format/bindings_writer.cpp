#include "format/bindings_writer.h"

#include "format/format_writer.h"

#include <nlohmann/json.hpp>

namespace spc::format {

std::string bindingsText(const std::string &description, const std::vector<StoredTensor> &tensors) {
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
  }
  return json.dump(2) + "\n";
}

} // namespace spc::format
