// Bytes by pair of parts, as a picture.
#include "driver/partition/parts.h"

#include "support/quantities.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace spc::driver {
namespace {

constexpr int kSide = 720, kMargin = 60; ///< in pixels

std::string rectangle(double x, double y, double side, const std::string &color, const std::string &title) {
  char place[128];
  std::snprintf(place, sizeof place, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"", x, y, side,
                side);
  return place + color + "\"><title>" + title + "</title></rect>\n";
}

/// White to dark blue by the logarithm of a share of the most bytes, which spans four decades.
std::string colorOf(double share) {
  constexpr double kDecades = 4;
  const double depth = std::clamp(1 + std::log10(share) / kDecades, 0.08, 1.0);
  const auto mix = [&](int from, int to) { return static_cast<int>(std::lround(from + depth * (to - from))); };
  char color[32];
  std::snprintf(color, sizeof color, "#%02x%02x%02x", mix(255, 8), mix(255, 48), mix(255, 107));
  return color;
}

std::string text(int x, int y, const std::string &words, const std::string &more = "") {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + more + ">" + words + "</text>\n";
}

} // namespace

std::string pictureOf(const Partition &partition, const sema::IndexDivision &division) {
  const size_t parts = partition.rows.size();
  const double side = static_cast<double>(kSide) / static_cast<double>(parts);
  int64_t most = 0, all = 0;
  for (const auto &[pair, exchange] : partition.exchanges) {
    most = std::max(most, exchange.bytes);
    all += exchange.bytes;
  }
  const int whole = kSide + 2 * kMargin;
  std::string picture =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(whole) + "\" height=\"" +
      std::to_string(whole) + "\" font-family=\"sans-serif\" font-size=\"14\">\n" +
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
      text(kMargin, 24,
           std::to_string(parts) + " parts by " + division.index + ", " + byteText(static_cast<double>(all)) +
               " in all, at most " + byteText(static_cast<double>(most)) + " for a pair") +
      text(kMargin, 46, "from part 0 to " + std::to_string(parts - 1)) +
      text(20, kMargin + kSide, "to part 0 to " + std::to_string(parts - 1),
           " transform=\"rotate(-90 20 " + std::to_string(kMargin + kSide) + ")\"");
  for (const auto &[pair, exchange] : partition.exchanges)
    if (exchange.bytes > 0)
      picture += rectangle(kMargin + side * pair.second, kMargin + side * pair.first, side,
                           colorOf(static_cast<double>(exchange.bytes) / static_cast<double>(most)),
                           "to " + std::to_string(pair.first) + " from " + std::to_string(pair.second) + ": " +
                               std::to_string(exchange.rows) + " rows, " + std::to_string(exchange.bytes) + " bytes");
  return picture + "<rect x=\"" + std::to_string(kMargin) + "\" y=\"" + std::to_string(kMargin) + "\" width=\"" +
         std::to_string(kSide) + "\" height=\"" + std::to_string(kSide) +
         "\" fill=\"none\" stroke=\"black\"/>\n</svg>\n";
}

} // namespace spc::driver
