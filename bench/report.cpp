#include "report.h"

#include "harness.h"

#include <algorithm>
#include <cmath>

namespace {

double medianRatio(const std::vector<double> &peer, const std::vector<double> &first) {
  std::vector<double> ratios;
  for (size_t round = 0; round < std::min(peer.size(), first.size()); ++round)
    ratios.push_back(peer[round] / first[round]);
  return median(std::move(ratios));
}

double least(const std::vector<double> &times) {
  return *std::min_element(times.begin(), times.end());
}

double geometricMean(const std::vector<double> &ratios) {
  double logarithms = 0;
  for (double ratio : ratios)
    logarithms += std::log(ratio);
  return std::exp(logarithms / double(ratios.size()));
}

} // namespace

Report::Report(const std::string &csv, bool least) : least_(least) {
  if (!csv.empty()) {
    csv_ = std::fopen(csv.c_str(), "w");
    check(csv_, ("cannot write " + csv).c_str());
    std::fprintf(csv_, "kernel,case,matrix,rows,cols,entries,type,threads,contender,median_seconds,"
                       "median_ratio_to_spc,flops,bytes,faults,huge_bytes,round_seconds\n");
  }
  std::printf("%-8s %-11s %-20s %-4s %7s  milliseconds ~quartiles, and peer / first\n", "kernel", "case", "matrix",
              "type", "threads");
}

Report::~Report() {
  if (csv_)
    std::fclose(csv_);
}

void Report::add(const Row &row) {
  std::printf("%-8s %-11s %-20s %-4s %7d ", row.kernel.c_str(), row.variant.c_str(), row.matrix.c_str(),
              row.type.c_str(), row.threads);
  for (size_t c = 0; c < row.contenders.size(); ++c) {
    const std::string &name = row.contenders[c];
    const std::vector<double> &times = row.measured[c].seconds, &first = row.measured[0].seconds;
    const double seconds = least_ ? least(times) : median(times);
    const double ratio = least_ ? seconds / least(first) : medianRatio(times, first);
    std::printf(" %s %.3f ~%.0f%%", name.c_str(), seconds * 1e3, 100 * quartileSpread(times));
    if (c > 0) {
      std::printf(" (%.2f)", ratio);
      ratios_[{row.kernel, row.variant, row.type, row.threads, name}].push_back(ratio);
    }
    if (csv_)
      write(row, c, seconds, ratio);
  }
  std::printf("\n");
  std::fflush(stdout);
  if (csv_)
    std::fflush(csv_);
}

void Report::write(const Row &row, size_t contender, double seconds, double ratio) {
  const Measured &measured = row.measured[contender];
  std::fprintf(csv_, "%s,%s,%s,%lld,%lld,%lld,%s,%d,%s,%.9f,%.4f,%.0f,%.0f,%.1f,%.0f,", row.kernel.c_str(),
               row.variant.c_str(), row.matrix.c_str(), static_cast<long long>(row.rows),
               static_cast<long long>(row.columns), static_cast<long long>(row.entries), row.type.c_str(), row.threads,
               row.contenders[contender].c_str(), seconds, ratio, row.flops, row.bytes, measured.faults,
               measured.hugeBytes);
  for (size_t round = 0; round < measured.seconds.size(); ++round)
    std::fprintf(csv_, "%s%.3g", round ? " " : "", measured.seconds[round]);
  std::fprintf(csv_, "\n");
}

void Report::printSummary() const {
  std::printf("\n%-8s %-11s %-4s %7s %-14s %6s %10s %8s %8s %8s %10s\n", "kernel", "case", "type", "threads", "peer",
              "inputs", "geo. mean", "least", "greatest", "below 1", "spc/hand");
  for (const auto &[key, ratios] : ratios_) {
    const auto &[kernel, variant, type, threads, peer] = key;
    const double mean = geometricMean(ratios);
    std::printf("%-8s %-11s %-4s %7d %-14s %6zu %10.2f %8.2f %8.2f %8zu", kernel.c_str(), variant.c_str(), type.c_str(),
                threads, peer.c_str(), ratios.size(), mean, *std::min_element(ratios.begin(), ratios.end()),
                *std::max_element(ratios.begin(), ratios.end()),
                size_t(std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio < 1; })));
    if (peer == "hand")
      std::printf(" %10.2f", 1 / mean);
    std::printf("\n");
  }
}
