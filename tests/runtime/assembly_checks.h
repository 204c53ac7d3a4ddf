// What an assembled output must be like.
#pragma once

#include "assembly_player.h"

#include <string>

namespace spc::runtime::test {

struct Format {
  std::string name;
  std::vector<LevelSpec> levels;
  bool isInterleaved = false;
  bool isPadded = false;
};

extern const std::vector<Format> kMatrices;
extern const std::vector<Format> kCubes;
extern const std::vector<Format> kVectors;

/// Structure and values; where the format pads, `expected` and zeros besides.
void checkOutput(const Output &output, const Entries &expected, bool isPadded);

/// The three phases: values and pattern at once, the pattern, values for it.
void checkPhases(const Format &format, const std::vector<int64_t> &shape, Plan plan, const std::vector<RunData> &runs,
                 Widths widths = {}, ValueType type = {});

} // namespace spc::runtime::test
