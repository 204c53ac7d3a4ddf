#include "report.h"

#include "harness.h"

#include <algorithm>
#include <cmath>

namespace assembly {
namespace {

double medianRatio(const std::vector<double> &peer, const std::vector<double> &first) {
  std::vector<double> ratios;
  for (size_t round = 0; round < peer.size(); ++round)
    ratios.push_back(peer[round] / first[round]);
  return median(std::move(ratios));
}

} // namespace

Report::Report(const std::string &csv) {
  if (!csv.empty()) {
    csv_ = std::fopen(csv.c_str(), "w");
    check(csv_, ("cannot write " + csv).c_str());
    std::fprintf(
        csv_, "matrix,rows,columns,entries,operation,type,threads,result_entries,contender,median_ms,least_ms,ratio\n");
  }
  std::printf("%-20s %-12s %-4s %7s %11s  milliseconds, and peer / first\n", "matrix", "operation", "type", "threads",
              "result");
}

Report::~Report() {
  if (csv_)
    std::fclose(csv_);
}

void Report::add(const Row &row) {
  std::printf("%-20s %-12s %-4s %7d %11lld ", row.matrix.c_str(), row.operation.c_str(), row.type.c_str(), row.threads,
              static_cast<long long>(row.resultEntries));
  for (size_t c = 0; c < row.contenders.size(); ++c) {
    const std::string &name = row.contenders[c];
    const double milliseconds = median(row.seconds[c]) * 1e3, ratio = medianRatio(row.seconds[c], row.seconds[0]);
    std::printf(" %s %.3f", name.c_str(), milliseconds);
    if (c > 0) {
      std::printf(" (%.2f)", ratio);
      ratios_[{name, row.threads}].push_back(ratio);
    }
    if (csv_)
      std::fprintf(csv_, "%s,%lld,%lld,%lld,%s,%s,%d,%lld,%s,%.6f,%.6f,%.4f\n", row.matrix.c_str(),
                   static_cast<long long>(row.rows), static_cast<long long>(row.columns),
                   static_cast<long long>(row.entries), row.operation.c_str(), row.type.c_str(), row.threads,
                   static_cast<long long>(row.resultEntries), name.c_str(), milliseconds,
                   *std::min_element(row.seconds[c].begin(), row.seconds[c].end()) * 1e3, ratio);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void Report::printSummary() const {
  std::printf("\n%-10s %7s %6s %10s %8s %8s\n", "peer", "threads", "rows", "geo. mean", "least", "below 1");
  for (const auto &[key, ratios] : ratios_) {
    double logarithms = 0;
    for (double ratio : ratios)
      logarithms += std::log(ratio);
    std::printf("%-10s %7d %6zu %10.2f %8.2f %8zu\n", key.first.c_str(), key.second, ratios.size(),
                std::exp(logarithms / double(ratios.size())), *std::min_element(ratios.begin(), ratios.end()),
                size_t(std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio < 1; })));
  }
}

} // namespace assembly
