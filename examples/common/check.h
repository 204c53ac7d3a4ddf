// Compares a kernel's result with a plain loop's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

/// Says whether all elements agree up to rounding, and gives the program's exit code.
inline int check(const char *what, const std::vector<double> &result, const std::vector<double> &expected) {
  double worst = result.size() == expected.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < std::min(result.size(), expected.size()); ++k) {
    double error = std::fabs(result[k] - expected[k]) / std::max(1.0, std::fabs(expected[k]));
    worst = error <= worst ? worst : error;
  }
  bool fine = worst <= 1e-12;
  std::printf("%s: %zu values, greatest difference from the plain loop %.1e: %s\n", what, result.size(), worst,
              fine ? "ok" : "WRONG");
  return fine ? 0 : 1;
}
