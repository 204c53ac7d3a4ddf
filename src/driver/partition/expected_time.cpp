#include "driver/partition/parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spc::driver {

std::vector<Exchange> received(const Partition &partition) {
  std::vector<Exchange> all(partition.rows.size());
  for (const auto &[pair, exchange] : partition.exchanges) {
    all[static_cast<size_t>(pair.first)].rows += exchange.rows;
    all[static_cast<size_t>(pair.first)].bytes += exchange.bytes;
  }
  return all;
}

double balanceOf(const std::vector<int64_t> &counts) {
  const int64_t all = std::accumulate(counts.begin(), counts.end(), int64_t(0));
  const double mean = static_cast<double>(all) / static_cast<double>(counts.size());
  return all == 0 ? 1 : static_cast<double>(*std::max_element(counts.begin(), counts.end())) / mean;
}

StepTime expectedTime(const Partition &partition, const Machine &machine) {
  const size_t parts = partition.rows.size();
  std::vector<double> got(parts), sent(parts), messages(parts);
  for (const auto &[pair, exchange] : partition.exchanges) {
    const auto to = static_cast<size_t>(pair.first), from = static_cast<size_t>(pair.second);
    got[to] += static_cast<double>(exchange.bytes);
    sent[from] += static_cast<double>(exchange.bytes);
    ++messages[to];
    ++messages[from];
  }
  StepTime time;
  for (size_t p = 0; p < parts; ++p) {
    const double compute = static_cast<double>(partition.entries[p]) / machine.rate,
                 exchange = messages[p] * machine.latency + std::max(got[p], sent[p]) / machine.bandwidth;
    time.alone += compute;
    time.compute = std::max(time.compute, compute);
    time.exchange = std::max(time.exchange, exchange);
    time.step = std::max({time.step, compute, exchange});
  }
  const double rounds = std::ceil(std::log2(static_cast<double>(parts)));
  for (const Share &share : partition.shares)
    time.reduce += 2 * rounds * machine.latency +
                   2 * static_cast<double>(share.bytes) * (1 - 1 / static_cast<double>(parts)) / machine.bandwidth;
  time.step += time.reduce;
  return time;
}

} // namespace spc::driver
