// Kernels under schedules compute what they compute without.
#include "end_to_end/assembly.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

using namespace spc::testing;

namespace {

using spc::format::Given;
using spc::format::Schedule;
using spc::format::WorkspaceKind;

struct Example {
  const char *statements;
  Formats formats;
};

/// One of each shape that passes look for: sparse dot products, dense rows inside of sparse loops, nested reductions,
/// patterns that are kept, several statements, assembled outputs.
const std::vector<Example> &examples() {
  static const std::vector<Example> kExamples = {
      {"y(i) = A(i,j) * x(j)", {{"A", "csr"}}},
      {"y(i) = A(i,j) * x(j)", {{"A", "bsr2x3"}}},
      {"y(j) += A(i,j) * x(i)", {{"A", "coo"}}},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}}},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "bsr2x3"}}},
      {"C(i,j) = alpha * A(i,k) * B(k,j) + beta * C(i,j)", {{"A", "csc"}}},
      {"D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", "csr"}}},
      {"Y(i,r) = T(i,j,k) * B(j,r) * C(k,r)", {{"T", "csf"}}},
      {"y(i) = A(i,j) * x(j); z(j) = A(i,j) * y(i); s = z(j) * z(j)", {{"A", "csr"}}},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
      {"C(i,j) = A(i,k) * B(k,j) + A(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
      {"C(i,j) = A(i,j) + B(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
  };
  return kExamples;
}

void checkWith(const Schedule &schedule) {
  for (size_t k = 0; k < examples().size(); ++k) {
    KernelSpec spec = specFor(examples()[k].statements, examples()[k].formats, k);
    spec.schedule = schedule;
    const bool isAssembled = spec.formats.contains("C");
    INFO(describe(spec));
    const KernelUnderTest kernel(spec);
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    CHECK(check(spec, isAssembled ? assemblyTrials(kernel.extentClasses()) : trialsFor(kernel.extentClasses())) > 0);
  }
}

void checkNumbers(std::optional<Given<int64_t>> Schedule::*key, const std::vector<int64_t> &numbers) {
  for (const int64_t number : numbers) {
    INFO("scheduled: " << number);
    Schedule schedule;
    schedule.*key = Given<int64_t>{number, {}};
    checkWith(schedule);
  }
}

std::vector<Given<std::string>> namesOf(const std::string &letters) {
  std::vector<Given<std::string>> names;
  for (const char letter : letters)
    names.push_back({std::string(1, letter), {}});
  return names;
}

struct OrderedExample {
  const char *statements;
  Formats formats;
  std::string variables; ///< sorted
  std::string allowed;   ///< the orders that are no errors, sorted, with blanks between
};

/// The orders that are compiled, all of which are right.
std::string ordersOf(const OrderedExample &example) {
  std::string allowed, order = example.variables;
  size_t number = 0;
  do {
    KernelSpec spec = specFor(example.statements, example.formats, number++);
    spec.schedule.order = {namesOf(order), {}};
    INFO("in the order " << order);
    const KernelUnderTest kernel(spec);
    INFO(describe(spec) << "\n" << kernel.diagnostics());
    if (kernel.outcome() != KernelUnderTest::Outcome::Compiled) {
      CHECK(kernel.outcome() == KernelUnderTest::Outcome::Refused);
      CHECK(kernel.firstError() == "schedule-order");
      continue;
    }
    check(spec, assemblyTrials(kernel.extentClasses()));
    allowed += (allowed.empty() ? "" : " ") + order;
  } while (std::next_permutation(order.begin(), order.end()));
  return allowed;
}

} // namespace

TEST_CASE("tiles of every size", "[schedule]") {
  checkNumbers(&Schedule::tile, {0, 3, 8, 1024});
}

TEST_CASE("sparse dot products of one to sixteen accumulators", "[schedule]") {
  checkNumbers(&Schedule::unroll, {1, 7, 16});
}

TEST_CASE("prefetching from never to far ahead", "[schedule]") {
  checkNumbers(&Schedule::prefetch, {0, 1, 64});
}

TEST_CASE("chunks of one entry, and larger than the tensors", "[schedule]") {
  checkNumbers(&Schedule::chunk, {1, 5, 1 << 30});
}

TEST_CASE("dense and hashed workspaces", "[schedule]") {
  for (const WorkspaceKind kind : {WorkspaceKind::Auto, WorkspaceKind::Dense, WorkspaceKind::Hash}) {
    Schedule schedule;
    schedule.workspace = Given<WorkspaceKind>{kind, {}};
    checkWith(schedule);
  }
}

TEST_CASE("no loop in chunks", "[schedule]") {
  Schedule schedule;
  schedule.parallel = Given<std::string>{"none", {}};
  checkWith(schedule);
}

TEST_CASE("every order of the loops is right, or an error", "[schedule]") {
  const std::vector<OrderedExample> kOrdered = {
      {"y(i) = A(i,j) * x(j)", {{"A", "dense"}}, "ij", "ij ji"},
      {"y(i) = A(i,j) * x(j)", {{"A", "csr"}}, "ij", "ij"},
      {"y(i) = A(i,j) * x(j)", {{"A", "bsr2x3"}}, "ij", "ij"},
      {"y(i) = A(i,j) * x(j)", {{"A", "dia"}}, "ij", "ji"},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}}, "ijk", "ijk ikj jik"},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "bsr2x3"}}, "ijk", "ijk ikj jik"},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csc"}}, "ijk", "jki kij kji"},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "sym-csr"}}, "ijk", "ijk ikj jik"},
      {"C(i,j) += A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csc"}}, "ijk", "ijk ikj jik"},
      {"D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", "csr"}}, "ijk", "ijk ikj kij"},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, "ijk", "ikj"},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csc"}, {"B", "csr"}, {"C", "csr"}}, "ijk", "ikj kij kji"},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "dense"}, {"C", "csr"}}, "ijk", "ijk ikj jik"},
      {"Y(i,r) = T(i,j,k) * B(j,r) * C(k,r)", {{"T", "csf"}}, "ijkr", "ijkr ijrk irjk rijk"},
  };
  for (const OrderedExample &example : kOrdered) {
    INFO(example.statements);
    CHECK(ordersOf(example) == example.allowed);
  }
}
