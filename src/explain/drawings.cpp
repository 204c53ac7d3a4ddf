// Pictures as SVG: rooflines and spy plots. Colours are those of the page's style.
#include "explain/page.h"
#include "explain/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace spc::explain {
namespace {

constexpr int kBins = 64;

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

std::string label(double x, double y, const std::string &anchor, const std::string &text) {
  return "<text x=\"" + shown(x) + "\" y=\"" + shown(y) + "\" text-anchor=\"" + anchor + "\">" + escaped(text) +
         "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const std::string &kind) {
  return "<line x1=\"" + shown(x1) + "\" y1=\"" + shown(y1) + "\" x2=\"" + shown(x2) + "\" y2=\"" + shown(y2) +
         "\" class=\"" + kind + "\"/>\n";
}

/// A logarithmic axis: numbers from 10^low to 10^high between two places.
struct Axis {
  double low, high, from, to;
  double at(double number) const { return from + (std::log10(number) - low) / (high - low) * (to - from); }
};

} // namespace

std::string rooflineOf(const Explanation &explanation) {
  constexpr double kWidth = 460, kHeight = 300, kLeft = 62, kRight = 14, kTop = 16, kBottom = 44;
  const Roofs &roofs = *explanation.roofs;
  const double intensity = explanation.cost->operations / std::max(1.0, explanation.cost->allBytes());
  const double ridge = roofs.operationsPerSecond / roofs.bytesPerSecond;
  const double rate = std::min(roofs.operationsPerSecond, intensity * roofs.bytesPerSecond);
  const Axis x{std::floor(std::log10(std::min(intensity, ridge) / 4)),
               std::ceil(std::log10(std::max(intensity, ridge) * 4)), kLeft, kWidth - kRight};
  const double leastRate = std::pow(10, x.low) * roofs.bytesPerSecond;
  const Axis y{std::floor(std::log10(leastRate)), std::ceil(std::log10(roofs.operationsPerSecond)), kHeight - kBottom,
               kTop};
  std::string svg = "<svg viewBox=\"0 0 460 300\" role=\"img\" aria-label=\"Roofline\">\n";
  for (int decade = static_cast<int>(x.low); decade <= x.high; ++decade) {
    const double at = x.at(std::pow(10, decade));
    svg += line(at, kTop, at, kHeight - kBottom, "grid") +
           label(at, kHeight - kBottom + 16, "middle", shown(std::pow(10, decade)));
  }
  for (int decade = static_cast<int>(y.low); decade <= y.high; ++decade) {
    const double at = y.at(std::pow(10, decade));
    svg += line(kLeft, at, kWidth - kRight, at, "grid") +
           label(kLeft - 6, at + 4, "end", shown(std::pow(10, decade) / 1e9));
  }
  const double least = std::pow(10, x.low), most = std::pow(10, x.high);
  svg += line(x.at(least), y.at(least * roofs.bytesPerSecond), x.at(ridge), y.at(roofs.operationsPerSecond), "roof");
  svg += line(x.at(ridge), y.at(roofs.operationsPerSecond), x.at(most), y.at(roofs.operationsPerSecond), "roof");
  svg += line(x.at(intensity), y.at(rate), x.at(intensity), kHeight - kBottom, "drop");
  svg += "<circle cx=\"" + shown(x.at(intensity)) + "\" cy=\"" + shown(y.at(rate)) + "\" r=\"5\" class=\"mark\"/>\n";
  const bool isRight = x.at(intensity) > kWidth / 2;
  svg += label(x.at(intensity) + (isRight ? -9 : 9), y.at(rate) + 18, isRight ? "end" : "start",
               explanation.function + ": " + shown(rate / 1e9) + " GFLOP/s at best");
  svg += label((kLeft + kWidth - kRight) / 2, kHeight - 8, "middle", "operations for each byte");
  svg += "<text transform=\"translate(14 " + shown((kTop + kHeight - kBottom) / 2) +
         ") rotate(-90)\" text-anchor=\"middle\">GFLOP/s</text>\n";
  return svg + "</svg>\n";
}

SpyPlot spyPlotOf(const std::string &tensor, const tensor::Coordinates &entries) {
  const int64_t longest = std::max<int64_t>({entries.shape[0], entries.shape[1], 1});
  SpyPlot plot{tensor, entries.shape, static_cast<int>(std::min<int64_t>(kBins, longest)), {}};
  plot.counts.resize(static_cast<size_t>(plot.bins) * static_cast<size_t>(plot.bins));
  const size_t order = entries.shape.size();
  const auto cell = [&](int64_t coordinate) {
    return static_cast<size_t>(static_cast<double>(coordinate) * plot.bins / static_cast<double>(longest));
  };
  for (size_t e = 0; e < entries.size(); ++e)
    ++plot.counts[cell(entries.coordinates[e * order]) * static_cast<size_t>(plot.bins) +
                  cell(entries.coordinates[e * order + 1])];
  return plot;
}

std::string drawn(const SpyPlot &plot) {
  const auto longest = static_cast<double>(std::max<int64_t>({plot.shape[0], plot.shape[1], 1}));
  const double height = plot.bins * static_cast<double>(plot.shape[0]) / longest;
  const double width = plot.bins * static_cast<double>(plot.shape[1]) / longest;
  const double most = std::max(1.0, *std::max_element(plot.counts.begin(), plot.counts.end()));
  std::string svg = "<svg class=\"spy\" viewBox=\"-1 -1 " + shown(width + 2) + " " + shown(height + 2) +
                    "\" role=\"img\" aria-label=\"Where " + escaped(plot.tensor) + " has entries\">\n<rect width=\"" +
                    shown(width) + "\" height=\"" + shown(height) + "\" class=\"sheet\"/>\n";
  for (int row = 0; row < plot.bins; ++row)
    for (int column = 0; column < plot.bins; ++column) {
      const double count =
          plot.counts[static_cast<size_t>(row) * static_cast<size_t>(plot.bins) + static_cast<size_t>(column)];
      if (count > 0)
        svg += "<rect x=\"" + std::to_string(column) + "\" y=\"" + std::to_string(row) +
               "\" width=\"1\" height=\"1\" class=\"cell\" opacity=\"" +
               shown(0.25 + 0.75 * std::log1p(count) / std::log1p(most)) + "\"/>\n";
    }
  return svg + "</svg>\n";
}

} // namespace spc::explain
