#include "driver/run/bench.h"

#include "host/call_memory.h"
#include "machine/roofs.h"
#include "support/quantities.h"
#include "tune/choice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace spc::driver {

namespace {

/// With three digits that count and a unit: "1.23 ms".
std::string withUnit(double number, const std::vector<std::pair<double, const char *>> &units) {
  const auto unit = std::find_if(units.begin(), units.end() - 1, [&](const auto &one) { return number >= one.first; });
  char text[48];
  std::snprintf(text, sizeof text, "%.4g %s", number / unit->first, unit->second);
  return text;
}

std::string secondsText(double seconds) {
  return withUnit(seconds, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

std::string threadsText(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string rate(double number, const char *unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.4g %s/s", number / 1e9, unit);
  return text;
}

/// With as many digits as it takes to read back the same number; of what is none, null.
std::string jsonNumber(double number) {
  char text[48];
  std::snprintf(text, sizeof text, "%.17g", number);
  return std::isfinite(number) ? text : "null";
}

} // namespace

std::vector<double> placeMedians(const host::Measurement &measurement) {
  std::vector<std::vector<double>> seconds(measurement.places);
  for (size_t round = 0; round < measurement.seconds.size(); ++round)
    seconds[round % measurement.places].push_back(measurement.seconds[round]);
  std::vector<double> medians;
  for (std::vector<double> &place : seconds)
    medians.push_back(tune::median(std::move(place)));
  return medians;
}

std::string memoryLine(const host::Measurement &measurement) {
  std::string text = "memory:  " + host::memoryText(measurement.memory);
  std::vector<double> medians = placeMedians(measurement);
  std::sort(medians.begin(), medians.end());
  if (medians.size() > 1)
    text += "; in " + std::to_string(medians.size()) + " places of memory the medians are " +
            secondsText(medians.front()) + " to " + secondsText(medians.back());
  return text + "\n";
}

std::string timeLine(const host::Measurement &measurement, int threads) {
  std::vector<double> sorted = measurement.seconds;
  std::sort(sorted.begin(), sorted.end());
  const double median = tune::median(sorted);
  const double lower = sorted[sorted.size() / 4], upper = sorted[sorted.size() * 3 / 4];
  const std::string calls = std::to_string(measurement.callsARound);
  return "time:    " + secondsText(median) + " a call on " + threadsText(threads) + ", the median of " +
         std::to_string(sorted.size()) + " rounds of " + calls + (measurement.callsARound == 1 ? " call" : " calls") +
         "; quartiles " + secondsText(lower) + " to " + secondsText(upper) + " (" + percent((upper - lower) / median) +
         " apart), least " + secondsText(sorted.front()) + "\n";
}

Rates ratesOf(const host::Measurement &measurement, const Work &work, int threads) {
  const double seconds = tune::median(measurement.seconds);
  Rates rates{work, threads, std::nullopt, std::nullopt, work.bytes / seconds, std::nullopt};
  if (work.operations)
    rates.operations = *work.operations / seconds;
  if (work.operations && work.isFloat)
    rates.mostOperations = work.isSingle ? machine::peakRate<float>(threads) : machine::peakRate<double>(threads);
  const size_t each =
      std::min(static_cast<size_t>(work.bytes) / static_cast<size_t>(threads), machine::bytesInMemory(threads));
  const double roof = std::max(machine::readBandwidth(threads, each), machine::triadBandwidth(threads, each));
  if (roof > 0)
    rates.mostBytes = roof;
  return rates;
}

std::string rateLines(const Rates &rates) {
  std::string text = "work:    ";
  if (!rates.operations)
    text += "unknown: it depends on entries that the call works out";
  else
    text += roughText(*rates.work.operations) + " operations, " +
            rate(*rates.operations, rates.work.isFloat ? "GFLOP" : "Gop");
  if (rates.mostOperations)
    text += ", " + percent(*rates.operations / *rates.mostOperations) + " of " + rate(*rates.mostOperations, "GFLOP") +
            ", the multiply-adds of " + (rates.work.isSingle ? "f32" : "f64");
  text += "\ntraffic: " + withUnit(rates.work.bytes, {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "bytes"}}) +
          " of operands and results, each once, " + rate(rates.bytes, "GB");
  if (rates.mostBytes)
    text += ", " + percent(rates.bytes / *rates.mostBytes) + " of " + rate(*rates.mostBytes, "GB") +
            ", the bandwidth of arrays as large";
  return text + "\n";
}

std::string benchJson(const host::Measurement &measurement, const Rates &rates) {
  std::string text = "{\"threads\":" + std::to_string(rates.threads) +
                     ",\"median_seconds\":" + jsonNumber(tune::median(measurement.seconds)) + ",\"round_seconds\":[";
  for (size_t round = 0; round < measurement.seconds.size(); ++round)
    text += (round == 0 ? "" : ",") + jsonNumber(measurement.seconds[round]);
  text += "],\"place_median_seconds\":[";
  for (size_t place = 0; const double median : placeMedians(measurement))
    text += (place++ == 0 ? "" : ",") + jsonNumber(median);
  text += "],\"pages\":\"" + std::string(measurement.memory.pages == host::Pages::Huge ? "huge" : "ordinary") +
          "\",\"calls_a_round\":" + std::to_string(measurement.callsARound);
  const auto add = [&text](const char *key, std::optional<double> number) {
    text += std::string(",\"") + key + "\":" + (number ? jsonNumber(*number) : "null");
  };
  add("operations", rates.work.operations);
  add("operations_a_second", rates.operations);
  add("most_operations_a_second", rates.mostOperations);
  add("bytes", rates.work.bytes);
  add("array_bytes", measurement.memory.bytes);
  add("array_bytes_on_large_pages", measurement.memory.onLargePages);
  add("bytes_a_second", rates.bytes);
  add("most_bytes_a_second", rates.mostBytes);
  return text + "}\n";
}

} // namespace spc::driver
