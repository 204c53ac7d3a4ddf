// Memory that ends at each of a kernel's requests: a status comes back, the
// output is as it was, nothing stays behind.
#include "end_to_end/assembly.h"
#include "end_to_end/hand_made_call.h"

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

TEST_CASE("a row without memory leaves nothing to the next one", "[assembly-memory]") {
  constexpr int64_t kColumns = 3000;
  std::vector<StoredEntry> wide;
  for (int64_t k = 0; k < kColumns; ++k)
    wide.push_back({{0, k}, 1});
  for (int64_t k = 100; k < 110; ++k)
    wide.push_back({{1, k}, 1});
  KernelSpec spec;
  spec.statements = "C(i,k) = A(i,j)*B(j,k)";
  spec.formats = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}};
  HandMadeCall call(spec);
  call.passEntries("A", {2, 2}, {{{0, 0}, 1}, {{1, 1}, 1}});
  call.passEntries("B", {2, kColumns}, wide);
  int failures = 0;
  for (int64_t request = 0, status = SPC_ERROR_MEMORY; status != 0; ++request) {
    call.passAssembled("C", {2, kColumns});
    REQUIRE(call.callPhase("_symbolic", nullptr) == 0);
    call.memory().failFrom(request);
    status = call.callPhase("_numeric", nullptr);
    CHECK((status == 0 || status == SPC_ERROR_MEMORY));
    CHECK(call.memory().problem() == "");
    call.memory().failFrom(1'000'000);
    failures += status != 0 ? 1 : 0;
    call.releaseAssembled();
  }
  CHECK(failures > 2);
  CHECK(call.memory().live() == 0);
}

} // namespace spc::testing
