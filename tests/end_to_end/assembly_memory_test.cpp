// Memory that ends at each of a kernel's requests: a status comes back, the
// output is as it was, nothing stays behind.
#include "end_to_end/assembly.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

void checkFailures(const std::string &statements, const std::vector<Formats> &assignments) {
  size_t number = 0;
  for (const Formats &formats : assignments) {
    const KernelSpec spec = specFor(statements, formats, number++);
    INFO(describe(spec));
    const KernelUnderTest kernel(spec);
    INFO(kernel.diagnostics());
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    uint64_t seed = 0;
    for (const Chunks chunks : {Chunks::Serial, Chunks::Backwards, Chunks::Threads}) {
      Trial trial;
      trial.extents.assign(static_cast<size_t>(kernel.extentClasses()), 12);
      trial.chunks = chunks;
      trial.seed = ++seed;
      INFO(describe(trial));
      CHECK(kernel.checkFailures(trial) == "");
    }
  }
}

} // namespace

TEST_CASE("assembling kernels survive the end of memory", "[assembly-memory]") {
  checkFailures("A(i,j) = B(i,k)*C(k,j)",
                product({{"A", {"csr", "csc", "coo", "dcsr", "bsr2x3"}}, {"B", {"csr", "csc"}}, {"C", {"csr"}}}));
  checkFailures("A(i,j) = B(i,j) - C(j,i)",
                product({{"A", {"csr", "csc", "coo", "dcsr"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
  checkFailures("A(i,j) += B(i,j)", product({{"A", {"csr", "csc", "coo"}}, {"B", {"csr", "csc"}}}));
  checkFailures("A(i,j) = A(i,k)*A(k,j)", product({{"A", {"csr", "csc", "coo"}}}));
  checkFailures("A(i,j) = B(i,j)",
                product({{"A", {"csr", "csc", "coo", "ell", "bsr2x3"}}, {"B", {"csc", "coo-unsorted"}}}));
  checkFailures("A(i,j) = B(i,j)", product({{"A", {"ell1+coo"}}, {"B", {"csc"}}}));
  checkFailures("A(i,j,k) = B(i,j,k) + C(i,j,k)",
                product({{"A", {"csf", "coo:2,0,1"}}, {"B", {"csf"}}, {"C", {"coo"}}}));
}

TEST_CASE("kernels with several assembled outputs survive the end of memory", "[assembly-memory]") {
  checkFailures("D(i,k) = B(i,j)*C(j,k)\nE(i,j) = B(i,j) + C(i,j)",
                product({{"D", {"csr", "coo"}}, {"E", {"csr", "csc"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
}

} // namespace spc::testing
