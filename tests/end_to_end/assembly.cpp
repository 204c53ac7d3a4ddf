#include "end_to_end/assembly.h"

#include "syntax/parser.h"

#include <catch2/catch.hpp>

namespace spc::testing {

std::vector<Trial> assemblyTrials(int extentClasses) {
  std::vector<Trial> trials = trialsFor(extentClasses);
  const std::vector<int64_t> generic = trials.front().extents;
  static constexpr Fill kPairs[][2] = {{Fill::Full, Fill::Empty},         {Fill::Empty, Fill::Full},
                                       {Fill::Random, Fill::Full},        {Fill::StoredZeros, Fill::Diagonal},
                                       {Fill::OneRow, Fill::OneColumn},   {Fill::OneColumn, Fill::OneRow},
                                       {Fill::EmptyRows, Fill::Diagonal}, {Fill::Diagonal, Fill::StoredZeros}};
  for (const auto &pair : kPairs) {
    trials.push_back({generic, pair[0]});
    trials.back().otherFill = pair[1];
  }
  // Multiples of every block.
  trials.push_back({std::vector<int64_t>(generic.size(), generic.size() > 3 ? 6 : 12), Fill::Random});
  if (extentClasses <= 3)
    trials.push_back({std::vector<int64_t>(generic.size(), extentClasses == 3 ? 24 : 90), Fill::Random});
  static constexpr Chunks kChunks[] = {Chunks::Serial, Chunks::Backwards, Chunks::Threads, Chunks::Backwards};
  for (size_t trial = 0; trial < trials.size(); ++trial) {
    trials[trial].seed = trial + 1;
    trials[trial].chunks = kChunks[trial % std::size(kChunks)];
  }
  return trials;
}

Tally checkAssembly(const std::string &statements, const std::vector<Formats> &assignments, size_t stride,
                    size_t first) {
  Diagnostics ignored;
  const SourceFile file("statements", statements);
  const std::vector<Trial> trials = assemblyTrials(findExtentClasses(syntax::parse(file, ignored)).count);
  Tally tally;
  int64_t tried = 0;
  for (size_t assignment = 0; assignment < assignments.size(); ++assignment) {
    const size_t number = first + assignment;
    if (!takesAll() && number % stride != 0)
      continue;
    ++tried;
    KernelSpec spec = specFor(statements, assignments[assignment], number);
    if (!takesAll())
      spec.optLevel = seldomOptimised(number);
    const int dataSets = check(spec, trials);
    tally.kernels += dataSets > 0 ? 1 : 0;
    tally.dataSets += dataSets;
  }
  CHECK(tally.kernels == tried);
  return tally;
}

} // namespace spc::testing
