// The command line of the programs that compare contenders, and the inputs it names.
#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

struct Options {
  int rounds = 11;
  std::vector<int> threads;           ///< 1 and one for each core, where none is named
  int64_t entries = int64_t(1) << 19; ///< of inputs that are made
  std::vector<std::string> only;      ///< kernels; empty: all
  std::vector<int64_t> widths;        ///< of dense operands; empty: each kernel's own
  std::string csv;                    ///< empty: none
  bool least = false;                 ///< times are the rounds' least, not their medians
  bool defaultMalloc = false;         ///< memory that is freed goes back to the system as malloc does it by default
  bool allVariants = false;           ///< every variant of a contender is listed, not the fastest alone
  std::vector<std::string> inputs;    ///< files and kinds that are made; all kinds where none is named

  /// Whether the kernel is to run.
  bool wants(const std::string &kernel) const;
};

/// Reads the command line; ends the program with a word on usage where it is wrong or names none of `kernels`.
Options parseOptions(int argc, char **argv, const std::vector<std::string> &kernels);

/// An input by its name: a kind that is made, or a Matrix Market or FROSTT file. Entries are sorted and distinct, their
/// values drawn at random: those of a graph are all the same, which GraphBLAS stores as one. Ends the program where it
/// cannot be read.
spc::tensor::Coordinates loadInput(const std::string &name, int64_t entries);

/// "cora_A" of "data/cora_A.mtx.gz"
std::string shortName(const std::string &input);
