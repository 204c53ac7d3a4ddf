// What `spc partition --json` prints.
#include "driver/partition/parts.h"

#include <nlohmann/json.hpp>

namespace spc::driver {

std::string jsonOf(const Partition &partition, const sema::IndexDivision &division,
                   const std::optional<Machine> &machine) {
  using Json = nlohmann::ordered_json;
  const std::vector<Exchange> halos = received(partition);
  Json json = {{"index", division.index},    {"parts", Json::array()},   {"pairs", Json::array()},
               {"exchanged", Json::array()}, {"reduced", Json::array()}, {"not_counted", partition.unknown}};
  for (size_t p = 0; p < partition.rows.size(); ++p)
    json["parts"].push_back({{"rows", partition.rows[p]},
                             {"entries", partition.entries[p]},
                             {"halo_rows", halos[p].rows},
                             {"halo_bytes", halos[p].bytes}});
  for (const auto &[pair, exchange] : partition.exchanges)
    json["pairs"].push_back(
        {{"to", pair.first}, {"from", pair.second}, {"rows", exchange.rows}, {"bytes", exchange.bytes}});
  for (const ExchangedRows &rows : partition.halos)
    json["exchanged"].push_back({{"extent", rows.extent}, {"rows_of", rows.read}, {"shares_of", rows.sentBack}});
  for (const Share &share : partition.shares)
    json["reduced"].push_back({{"argument", share.name}, {"part", share.reduction}, {"bytes", share.bytes}});
  json["largest_to_mean"] = {{"rows", balanceOf(partition.rows)}, {"entries", balanceOf(partition.entries)}};
  if (machine) {
    const StepTime time = expectedTime(partition, *machine);
    json["expected_seconds"] = {{"alone", time.alone},
                                {"compute", time.compute},
                                {"exchange", time.exchange},
                                {"reduce", time.reduce},
                                {"step", time.step}};
  }
  return json.dump() + "\n";
}

} // namespace spc::driver
