// The table, the CSV file and the summary that the programs which compare contenders share.
#pragma once

#include "harness.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <vector>

/// One kernel on one input.
struct Row {
  std::string kernel;  ///< "spmm"
  std::string variant; ///< what distinguishes inputs of one kernel: "K=32"; may be empty
  std::string matrix, type;
  int threads = 1;
  int64_t rows = 0, columns = 0, entries = 0;
  double flops = 0;                    ///< operations that no way to compute it can do without
  double bytes = 0;                    ///< of operands and results, each counted once
  std::vector<std::string> contenders; ///< the first is the one that the others are compared with
  std::vector<Measured> measured;      ///< by contender
};

class Report {
public:
  /// Prints the table's head; `csv` names the file to write, none where it is empty. Ends the program where that cannot
  /// be opened. `least`: the rounds' least times are compared, not their medians.
  Report(const std::string &csv, bool least);
  Report(const Report &) = delete;
  ~Report();

  /// Prints and writes a row: median times, the distance of their quartiles, and the median of the rounds' ratios, a
  /// peer's time to the first one's.
  void add(const Row &row);

  /// For each kernel, variant, type, number of threads and peer the geometric mean of the ratios over the inputs, the
  /// least, the greatest, how many are below 1, and for the hand-written peer the first one's time in its terms.
  void printSummary() const;

private:
  void write(const Row &row, size_t contender, double seconds, double ratio);

  using Key = std::tuple<std::string, std::string, std::string, int, std::string>;
  std::map<Key, std::vector<double>> ratios_; ///< by kernel, variant, type, threads and peer
  bool least_;
  std::FILE *csv_ = nullptr;
};
