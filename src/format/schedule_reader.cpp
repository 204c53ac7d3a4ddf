#include "format/schedule_reader.h"

#include <algorithm>

namespace spc::format {

namespace {

constexpr int64_t kMaxTile = 1024, kMaxUnroll = 16, kMaxPrefetch = 64, kMaxChunk = int64_t{1} << 30;

class ScheduleReader {
public:
  ScheduleReader(const JsonNode &node, Diagnostics &diagnostics)
      : object_(node, "a schedule", kKeys, diagnostics), diagnostics_(diagnostics), ok_(object_.ok()) {}

  std::optional<Schedule> read() {
    Schedule schedule;
    schedule.tile = number("tile", 0, kMaxTile);
    schedule.unroll = number("unroll", 1, kMaxUnroll);
    schedule.prefetch = number("prefetch", 0, kMaxPrefetch);
    schedule.chunk = number("chunk", 1, kMaxChunk);
    schedule.workspace = workspace();
    schedule.order = order();
    if (const JsonNode *parallel = object_.find("parallel", JsonKind::String))
      schedule.parallel = variable(*parallel);
    return ok_ && object_.ok() ? std::optional(std::move(schedule)) : std::nullopt;
  }

private:
  inline static const std::vector<std::string> kKeys = {"tile",      "unroll", "prefetch", "chunk",
                                                        "workspace", "order",  "parallel"};

  std::optional<Given<int64_t>> number(const char *key, int64_t least, int64_t most) {
    const JsonNode *node = object_.find(key, JsonKind::Integer);
    if (!node)
      return std::nullopt;
    if (node->integer < least || node->integer > most)
      wrong(node->where, std::string("'") + key + "' is a number from " + std::to_string(least) + " to " +
                             std::to_string(most) + ", not " + std::to_string(node->integer));
    return Given<int64_t>{node->integer, node->where};
  }

  std::optional<Given<WorkspaceKind>> workspace() {
    static const std::vector<std::string> kKinds = {"auto", "dense", "hash"};
    const JsonNode *node = object_.find("workspace", JsonKind::String);
    if (!node)
      return std::nullopt;
    const auto kind = std::find(kKinds.begin(), kKinds.end(), node->string);
    if (kind != kKinds.end())
      return Given<WorkspaceKind>{static_cast<WorkspaceKind>(kind - kKinds.begin()), node->where};
    reportUnknownWord(diagnostics_, node->where, "workspace", node->string, kKinds);
    ok_ = false;
    return std::nullopt;
  }

  std::optional<Given<std::vector<Given<std::string>>>> order() {
    const JsonNode *node = object_.find("order", JsonKind::Array);
    if (!node)
      return std::nullopt;
    Given<std::vector<Given<std::string>>> order{{}, node->where};
    if (node->elements.empty())
      wrong(node->where, "'order' lists the index variables of a term, at least one");
    for (const JsonNode &element : node->elements) {
      const Given<std::string> name = variable(element);
      const bool isRepeated = std::find(order.value.begin(), order.value.end(), name) != order.value.end();
      if (isRepeated && element.kind == JsonKind::String)
        wrong(element.where, "index variable '" + name.value + "' is listed twice");
      order.value.push_back(name);
    }
    return order;
  }

  Given<std::string> variable(const JsonNode &node) {
    if (node.kind != JsonKind::String)
      wrong(node.where, std::string("an index variable must be a string, not ") + inWords(node.kind));
    return {node.string, insideQuotes(node.where)};
  }

  void wrong(Span where, std::string message) {
    reportValue(diagnostics_, where, std::move(message));
    ok_ = false;
  }

  ObjectReader object_;
  Diagnostics &diagnostics_;
  bool ok_;
};

} // namespace

std::optional<Schedule> readSchedule(ObjectReader &object, Diagnostics &diagnostics) {
  const JsonNode *node = object.find("schedule");
  return node ? ScheduleReader(*node, diagnostics).read() : Schedule{};
}

} // namespace spc::format
