// Sums over fibers that dense loops multiply out.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

/// `extents` by class, in the order in which the statement names them.
void checkOptimised(const std::string &statement, const Formats &formats,
                    const std::vector<std::vector<int64_t>> &extents) {
  KernelSpec spec;
  spec.statements = statement;
  spec.formats = formats;
  spec.optLevel = 2;
  CHECK(check(spec, trialsOn(extents)) > 0);
}

} // namespace

TEST_CASE("tensors times matrices along two dimensions", "[fiber-sums]") {
  // i, r, s, j, k: rows of a tile, of several, of less than a vector, and of more columns than are added up.
  const std::vector<std::vector<int64_t>> extents = {{5, 3, 16, 6, 7},  {4, 1, 1, 5, 9},   {3, 2, 37, 4, 8},
                                                     {6, 5, 256, 3, 4}, {2, 3, 300, 5, 6}, {1, 4, 7, 1, 20}};
  for (const char *storage : {"csf", "coo", "ddc", "dcc", "csf:0,2,1", "dense"})
    checkOptimised("Y(i,r,s) = T(i,j,k)*B(j,r)*C(k,s)", {{"T", storage}}, extents);
  checkOptimised("Y(i,r,s) += T(i,j,k)*B(j,r)*C(k,s)*a", {{"T", "csf"}}, extents);
  checkOptimised("Y(i,r,s) = -(T(i,j,k)*B(j,r)*C(k,s))", {{"T", "csf"}}, extents);
}

TEST_CASE("tensors times matrices along three dimensions", "[fiber-sums]") {
  checkOptimised("Y(i,q,r,s) = T(i,j,k,l)*B(j,q)*C(k,r)*D(l,s)", {{"T", "csf"}},
                 {{3, 2, 3, 8, 4, 3, 5}, {2, 1, 1, 17, 3, 2, 6}});
  checkOptimised("G(q,r,s) = T(i,j,k)*A(i,q)*B(j,r)*C(k,s)", {{"T", "csf"}}, {{3, 4, 16, 5, 4, 6}, {2, 3, 5, 4, 4, 9}});
}

TEST_CASE("sums whose factors change with the entries and the loops around stay as they are", "[fiber-sums]") {
  checkOptimised("Y(i,r,s) = T(i,j,k)*B(k,r)*C(k,s)", {{"T", "csf"}}, {{5, 3, 16, 6, 7}, {3, 2, 5, 4, 8}});
  checkOptimised("Y(i,r,k,s) = T(i,j,k)*B(j,r)*C(k,s)", {{"T", "csf"}}, {{4, 3, 5, 8, 6}});
}

} // namespace spc::testing
