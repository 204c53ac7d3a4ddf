#include "driver/partition/parts.h"

#include "support/quantities.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace spc::driver {
namespace {

constexpr size_t kMostShown = 32; ///< parts of which each has a line, and pairs

/// By part, what it gets from all others.
std::vector<Exchange> received(const Partition &partition) {
  std::vector<Exchange> all(partition.rows.size());
  for (const auto &[pair, exchange] : partition.exchanges) {
    all[static_cast<size_t>(pair.first)].rows += exchange.rows;
    all[static_cast<size_t>(pair.first)].bytes += exchange.bytes;
  }
  return all;
}

/// The largest share over the mean; 1 of nothing.
double balanceOf(const std::vector<int64_t> &counts) {
  const int64_t all = std::accumulate(counts.begin(), counts.end(), int64_t(0));
  const double mean = static_cast<double>(all) / static_cast<double>(counts.size());
  return all == 0 ? 1 : static_cast<double>(*std::max_element(counts.begin(), counts.end())) / mean;
}

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

std::string listOf(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string quoted(const std::string &text) {
  return "\"" + text + "\""; // names of the language
}

std::string quotedList(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + quoted(name);
  return text;
}

std::string member(const std::string &key, int64_t value) {
  return quoted(key) + ": " + std::to_string(value);
}

} // namespace

std::string textOf(const Partition &partition, const sema::IndexDivision &division) {
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
  for (const Share &share : partition.shares)
    text += "\nreduced: the " + share.reduction + " of " + share.name +
            (share.bytes > 0 ? ", " + std::to_string(share.bytes) + " bytes of each part\n" : " of each part\n");
  if (!partition.unknown.empty())
    text += "\nnot counted, as no data are given: bytes of " + listOf(partition.unknown) + "\n";
  return text;
}

std::string jsonOf(const Partition &partition, const sema::IndexDivision &division) {
  const std::vector<Exchange> halos = received(partition);
  std::string parts, pairs, exchanged, shares;
  for (size_t p = 0; p < partition.rows.size(); ++p)
    parts += (p > 0 ? ", " : "") + std::string("{") + member("rows", partition.rows[p]) + ", " +
             member("entries", partition.entries[p]) + ", " + member("halo_rows", halos[p].rows) + ", " +
             member("halo_bytes", halos[p].bytes) + "}";
  for (const auto &[pair, exchange] : partition.exchanges)
    pairs += (pairs.empty() ? "" : ", ") + std::string("{") + member("to", pair.first) + ", " +
             member("from", pair.second) + ", " + member("rows", exchange.rows) + ", " +
             member("bytes", exchange.bytes) + "}";
  for (const ExchangedRows &rows : partition.halos)
    exchanged += (exchanged.empty() ? "" : ", ") + std::string("{\"extent\": ") + quoted(rows.extent) +
                 ", \"rows_of\": [" + quotedList(rows.read) + "], \"shares_of\": [" + quotedList(rows.sentBack) + "]}";
  for (const Share &share : partition.shares)
    shares += (shares.empty() ? "" : ", ") + std::string("{\"argument\": ") + quoted(share.name) +
              ", \"part\": " + quoted(share.reduction) + ", " + member("bytes", share.bytes) + "}";
  return "{\"index\": " + quoted(division.index) + ", \"parts\": [" + parts + "], \"pairs\": [" + pairs +
         "], \"exchanged\": [" + exchanged + "], \"reduced\": [" + shares + "], \"not_counted\": [" +
         quotedList(partition.unknown) + "], \"largest_to_mean\": {\"rows\": " + decimal(balanceOf(partition.rows)) +
         ", \"entries\": " + decimal(balanceOf(partition.entries)) + "}}\n";
}

} // namespace spc::driver
