// The table, the CSV file and the summary of spc_assembly_bench.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace assembly {

/// One operation on one matrix: by contender the seconds of each round.
struct Row {
  std::string matrix, operation, type;
  int threads = 1;
  int64_t rows = 0, columns = 0, entries = 0, resultEntries = 0;
  std::vector<std::string> contenders; ///< the first is the one that the others are compared with
  std::vector<std::vector<double>> seconds;
};

class Report {
public:
  /// Prints the table's head; `csv` names the file to write, none where it is empty. Ends the program where that cannot
  /// be opened.
  explicit Report(const std::string &csv);
  Report(const Report &) = delete;
  ~Report();

  /// Prints and writes a row: median times, and the median of the rounds' ratios, a peer's time to the first one's.
  void add(const Row &row);

  /// For each peer and number of threads the geometric mean of the ratios, the least, and how many are below 1.
  void printSummary() const;

private:
  std::map<std::pair<std::string, int>, std::vector<double>> ratios_; ///< by peer and number of threads
  std::FILE *csv_ = nullptr;
};

} // namespace assembly
