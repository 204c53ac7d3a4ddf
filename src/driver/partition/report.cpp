#include "driver/partition/parts.h"

#include "support/quantities.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace spc::driver {
namespace {

constexpr size_t kMostShown = 32; ///< parts of which each has a line, and pairs

std::string decimal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", number);
  return text;
}

std::string right(const std::string &text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string line(const std::vector<std::string> &cells) {
  std::string text = " ";
  for (const std::string &cell : cells)
    text += " " + right(cell, 13);
  return text + "\n";
}

Exchange sumOf(const std::vector<Exchange> &all) {
  Exchange sum;
  for (const Exchange &one : all) {
    sum.rows += one.rows;
    sum.bytes += one.bytes;
  }
  return sum;
}

std::string exchangesOf(const Partition &partition) {
  std::string text;
  for (const ExchangedRows &rows : partition.halos) {
    text += "\nexchanged along " + rows.extent + ":";
    if (!rows.read.empty())
      text += " rows of " + listOf(rows.read) + (rows.sentBack.empty() ? "" : ";");
    if (!rows.sentBack.empty())
      text += " shares of rows of " + listOf(rows.sentBack) + ", sent back to the part that has these";
    text += "\n";
  }
  if (!partition.exchanges.empty())
    text += line({"part", "from part", "rows", "bytes"});
  size_t shown = 0;
  for (const auto &[pair, exchange] : partition.exchanges)
    if (shown++ < kMostShown)
      text += line({std::to_string(pair.first), std::to_string(pair.second), std::to_string(exchange.rows),
                    std::to_string(exchange.bytes)});
  if (shown > kMostShown)
    text += "  and " + std::to_string(shown - kMostShown) + " more pairs, which --json has\n";
  return text;
}

std::string timesOf(const StepTime &time, const Machine &machine, size_t parts) {
  std::string text = "\nexpected, at " + numberText(machine.rate) + " entries a second, " + timeText(machine.latency) +
                     " a message and " + byteText(machine.bandwidth) + " a second:\n";
  text += "  computing " + timeText(time.compute) + ", exchanging " + timeText(time.exchange) + " meanwhile" +
          (time.reduce > 0 ? ", reducing " + timeText(time.reduce) : "") + ", each of the part that takes longest\n";
  text += "  a step " + timeText(time.step) + " on " + std::to_string(parts) + " processes, " + timeText(time.alone) +
          " on one";
  return text + (time.step > 0 ? ": " + decimal(time.alone / time.step) + " times as fast\n" : "\n");
}

} // namespace

std::string listOf(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string textOf(const Partition &partition, const sema::IndexDivision &division,
                   const std::optional<Machine> &machine) {
  const std::vector<Exchange> halos = received(partition);
  const size_t parts = partition.rows.size();
  std::string text = "divided by " + division.index + ", " + std::to_string(parts) + " parts\n" +
                     line({"part", "rows", "entries", "halo rows", "halo bytes"});
  for (size_t p = 0; p < std::min(parts, kMostShown); ++p)
    text += line({std::to_string(p), std::to_string(partition.rows[p]), std::to_string(partition.entries[p]),
                  std::to_string(halos[p].rows), std::to_string(halos[p].bytes)});
  if (parts > kMostShown)
    text += "  and " + std::to_string(parts - kMostShown) + " more, which --json has\n";
  const Exchange all = sumOf(halos);
  text += line({"all", std::to_string(std::accumulate(partition.rows.begin(), partition.rows.end(), int64_t(0))),
                std::to_string(std::accumulate(partition.entries.begin(), partition.entries.end(), int64_t(0))),
                std::to_string(all.rows), std::to_string(all.bytes)}) +
          line({"largest/mean", decimal(balanceOf(partition.rows)), decimal(balanceOf(partition.entries))});
  text += exchangesOf(partition);
  for (const Share &share : partition.shares)
    text += "\nreduced: the " + share.reduction + " of " + share.name +
            (share.bytes > 0 ? ", " + std::to_string(share.bytes) + " bytes of each part\n" : " of each part\n");
  if (!partition.unknown.empty())
    text += "\nnot counted, as no data are given: bytes of " + listOf(partition.unknown) + "\n";
  if (machine)
    text += timesOf(expectedTime(partition, *machine), *machine, parts);
  return text;
}

} // namespace spc::driver
