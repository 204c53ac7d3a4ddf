// Kernels at points where their differences tell no slope: rounding swallows them, or an angle lies on its cut.
#include "grad/gradient_check.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

constexpr uint64_t kSeeds = 60;

/// Checks a kernel at many points. At some of them there has to be a slope.
void checkEverywhere(const GradientCase &given) {
  const GradientUnderTest kernel(given);
  INFO(given.text << kernel.diagnostics() << kernel.refusal().problem);
  REQUIRE(kernel.isWritten());
  bool isSmooth = false;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const GradientOutcome outcome = kernel.check(seed);
    INFO("seed " << seed);
    CHECK(outcome.problem == "");
    isSmooth |= outcome.isSmooth;
  }
  CHECK(isSmooth);
}

} // namespace

TEST_CASE("values next to a pole are too large for differences") {
  // A missing entry is an angle of pi/2, whose tangent is 1.6e16: other elements are below its last digit.
  checkEverywhere({"tensor A(m): f64\ntensor S(m): f64, sparse\ny(i) = tan(atan2(A(i), S(i)))\n",
                   {{"S", "sv"}},
                   {"y"},
                   {"A", "S"}});
}

TEST_CASE("a zero has no sign where an angle is on its cut") {
  // Of a row with a missing entry the product is 0 or -0, and the angle beside a negative number pi or -pi.
  checkEverywhere({"tensor T(m, n): f64, sparse\ntensor b(m): f64\ntensor c(m): f64\n"
                   "y(i) = c(i) * atan2(prod(j, T(i,j)), b(i))\n",
                   {{"T", "csr"}},
                   {"y"},
                   {"c", "T"}});
}
