// Dense loops in tiles of vectors: every size from nothing to several tiles, so that each shape of a tile, each rest
// and each overlap occurs.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;
using spc::sema::ValueType;

namespace {

/// Trials whose dimension `dim` takes all sizes up to some vectors, and a few larger ones; the others are small.
std::vector<Trial> sizesOf(int classes, size_t dim) {
  std::vector<Trial> trials;
  for (int64_t size = 0; size <= 200; size += size < 36 ? 1 : size < 70 ? 3 : 13)
    for (const bool padded : {false, true}) {
      std::vector<int64_t> extents(static_cast<size_t>(classes), 4);
      extents[0] = 6;
      extents[dim] = size;
      trials.push_back({extents, size % 5 == 3 ? Fill::StoredZeros : Fill::Random});
      trials.back().padded = padded;
    }
  return trials;
}

void checkSizes(KernelSpec spec, size_t dim, const std::vector<ValueType> &types = {ValueType::F64, ValueType::F32}) {
  for (const ValueType type : types) {
    spec.type = type;
    spec.optLevel = 2;
    const KernelUnderTest kernel(spec);
    INFO(describe(spec) << "\n" << kernel.diagnostics());
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    for (const Trial &trial : sizesOf(kernel.extentClasses(), dim)) {
      INFO(describe(trial));
      REQUIRE(kernel.check(trial) == "");
    }
  }
}

KernelSpec tiledSpecOf(const std::string &statements, const Formats &formats, bool strictFp = false) {
  KernelSpec spec;
  spec.statements = statements;
  spec.formats = formats;
  spec.strictFp = strictFp;
  return spec;
}

} // namespace

// Extent classes are numbered by first appearance, the target's last: of C(i,k) = A(i,j) * B(j,k) i, j, k.
TEST_CASE("a tile of the output in registers", "[register-tiles]") {
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "csr"}}), 2,
             {ValueType::F64, ValueType::F32, ValueType::I32, ValueType::I8});
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "csr"}}, true), 2);
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "dcsr"}}), 2);
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "coo"}}), 2);
}

TEST_CASE("a tile that starts from what the output holds", "[register-tiles]") {
  checkSizes(tiledSpecOf("C(i,k) += A(i,j) * B(j,k)", {{"A", "csr"}}), 2);
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k) + D(i,k)", {{"A", "csr"}}), 2);
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k) - 2 * E(i,j) * B(j,k)", {{"A", "csr"}, {"E", "csr"}}), 2);
}

TEST_CASE("tiles that go through groups of rows", "[register-tiles]") {
  const std::pair<const char *, const char *> cases[] = {{"C(i,k) = A(i,j) * B(j,k)", "csr"},
                                                         {"C(i,k) = A(i,j) * B(j,k)", "dcsr"},
                                                         {"C(i,k) += A(i,j) * B(j,k)", "csr"},
                                                         {"C(i,k) = abs(sum(j, A(i,j) * B(j,k)))", "csr"}};
  for (const auto &[statement, format] : cases) {
    KernelSpec spec = tiledSpecOf(statement, {{"A", format}});
    spec.type = ValueType::F64;
    spec.optLevel = 2;
    const KernelUnderTest kernel(spec);
    INFO(describe(spec) << "\n" << kernel.diagnostics());
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    for (const int64_t rows : {31, 32, 33, 64, 75})
      for (const int64_t size : {40, 130, 300}) {
        const Trial trial{{rows, 9, size}, Fill::Random};
        INFO(describe(trial));
        REQUIRE(kernel.check(trial) == "");
      }
  }
}

TEST_CASE("a tile that goes from row to row of the output", "[register-tiles]") {
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "csc"}}), 2, {ValueType::F64, ValueType::I16});
  checkSizes(tiledSpecOf("C(i,k) += A(i,j) * B(j,k)", {{"A", "csc"}}, true), 2, {ValueType::F32});
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "dia"}}), 2, {ValueType::F32});
  checkSizes(tiledSpecOf("C(i,k) += A(i,j) * B(j,k)", {{"A", "dia-cols"}}), 2, {ValueType::F64});
  checkSizes(tiledSpecOf("M(k,r) = T(i,j,k) * B(i,r) * C(j,r)", {{"T", "csf"}}), 3, {ValueType::F32});
}

// Of 16 rows and more where rows are long, of 2048 numbers else; a chunk of rows may end in any of them.
TEST_CASE("diagonals by blocks of rows", "[register-tiles]") {
  const auto check = [](const KernelSpec &spec, const std::vector<int64_t> &extents) {
    const KernelUnderTest kernel(spec);
    INFO(describe(spec) << "\n" << kernel.diagnostics());
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    for (const Chunks chunks : {Chunks::Serial, Chunks::Threads}) {
      Trial trial{extents, Fill::Random};
      trial.chunks = chunks;
      INFO(describe(trial));
      REQUIRE(kernel.check(trial) == "");
      std::swap(trial.extents[0], trial.extents[1]);
      REQUIRE(kernel.check(trial) == "");
    }
  };
  for (const char *statement : {"C(i,k) = A(i,j) * B(j,k)", "C(i,k) += A(i,j) * B(j,k)"}) {
    KernelSpec spec = tiledSpecOf(statement, {{"A", "dia"}});
    spec.optLevel = 2;
    spec.chunk = 64;
    check(spec, {35, 6, 130});
  }
  check(tiledSpecOf("y(i) = A(i,j) * x(j) + 2", {{"A", "dia"}}), {2100, 3});
}

TEST_CASE("a tile along the first dimension", "[register-tiles]") {
  checkSizes(tiledSpecOf("C(k,i) = A(i,j) * B(k,j)", {{"A", "csr"}, {"B", "dense:1,0"}, {"C", "dense:1,0"}}), 2);
}

TEST_CASE("a tile for each level of a tree", "[register-tiles]") {
  checkSizes(tiledSpecOf("M(i,r) = T(i,j,k) * B(j,r) * C(k,r)", {{"T", "csf"}}), 3);
  checkSizes(tiledSpecOf("Y(i,j,r) = T(i,j,k) * B(k,r)", {{"T", "csf"}}), 3);
  checkSizes(tiledSpecOf("M(i,r) = T(i,j,k,l) * B(j,r) * C(k,r) * D(l,r)", {{"T", "csf"}}), 4);
  checkSizes(tiledSpecOf("y(r) = A(i,j) * B(j,r)", {{"A", "csr"}}), 2);
}

TEST_CASE("a tile under a merge", "[register-tiles]") {
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * E(i,j) * B(j,k)", {{"A", "csr"}, {"E", "csr"}}), 2);
}

TEST_CASE("tiles of mixed types are as long as the widest has lanes", "[register-tiles]") {
  KernelSpec spec = tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "csr"}});
  spec.types = {{"B", ValueType::F32}};
  checkSizes(spec, 2, {ValueType::F64});
  spec.types = {{"C", ValueType::F64}};
  checkSizes(spec, 2, {ValueType::F32});
}

TEST_CASE("tiles of half floats", "[register-tiles]") {
  checkSizes(tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "csr"}}), 2, {ValueType::F16, ValueType::BF16});
  checkSizes(tiledSpecOf("C(i,k) += A(i,j) * B(j,k)", {{"A", "csr"}}, true), 2, {ValueType::F16});
  checkSizes(tiledSpecOf("D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", "csr"}}), 2, {ValueType::BF16});
  KernelSpec spec = tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "csc"}});
  spec.types = {{"C", ValueType::F32}};
  checkSizes(spec, 2, {ValueType::F16});
  spec = tiledSpecOf("D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", "csr"}});
  spec.types = {{"D", ValueType::F32}};
  checkSizes(spec, 2, {ValueType::F16});
}

TEST_CASE("sums of complex numbers", "[register-tiles]") {
  checkSizes(tiledSpecOf("D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", "csr"}}), 2, {ValueType::CF64, ValueType::CF32});
  checkSizes(tiledSpecOf("y(i) = A(i,j) * x(j) / 2", {{"A", "csr"}}), 1, {ValueType::CF64, ValueType::CF32});
  checkSizes(tiledSpecOf("y(i) += alpha * A(i,j) * x(j) * x(j)", {{"A", "csr"}}, true), 1, {ValueType::CF64});
}

TEST_CASE("factors of a tile that a reduction does not touch", "[register-tiles]") {
  checkSizes(tiledSpecOf("D(i,k) = alpha * B(i,k) + A(i,j) * X(j,k) * Y(i,k)", {{"A", "csr"}}), 1);
  checkSizes(tiledSpecOf("C(i,k) = alpha * A(i,j) * B(j,k)", {{"A", "csr"}}), 2);
}

TEST_CASE("dense dot products of several entries together", "[register-tiles]") {
  checkSizes(tiledSpecOf("D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", "csr"}}), 2);
  checkSizes(tiledSpecOf("D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", "coo"}}), 2);
  checkSizes(tiledSpecOf("y(i) = S(i,j) * A(i,k) * B(j,k)", {{"S", "csr"}}), 2);
  checkSizes(tiledSpecOf("C(i,j) = A(i,k) * B(j,k)", {}), 1);
  checkSizes(tiledSpecOf("D(i,j) += S(i,j) * (A(i,k) - B(j,k)) * A(i,k)", {{"S", "csr"}, {"D", "dense"}}), 2);
}

// Large enough that the operand leaves the second-level cache and rows are sampled; columns are drawn at random.
TEST_CASE("operand rows asked for beforehand", "[register-tiles]") {
  for (const char *statements : {"C(i,k) = A(i,j) * B(j,k)", "D(i,j) = A(i,j) * E(i,k) * B(j,k)"})
    for (const ValueType type : {ValueType::F64, ValueType::F32}) {
      KernelSpec spec = tiledSpecOf(statements, {{"A", "csr"}});
      spec.type = type;
      spec.optLevel = 2;
      const KernelUnderTest kernel(spec);
      REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
      for (const Fill fill : {Fill::Random, Fill::EmptyRows, Fill::OneRow, Fill::OneColumn}) {
        const Trial trial{{90, 3000, 65}, fill};
        INFO(describe(spec) << "\n" << describe(trial));
        REQUIRE(kernel.check(trial) == "");
      }
    }
}

TEST_CASE("operand rows asked for beforehand where rows are equally long", "[register-tiles]") {
  const KernelUnderTest kernel([] {
    KernelSpec spec = tiledSpecOf("C(i,k) = A(i,j) * B(j,k)", {{"A", "ell"}});
    spec.optLevel = 2;
    return spec;
  }());
  REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
  REQUIRE(kernel.check({{33, 1010, 65}, Fill::Random}) == "");
}

TEST_CASE("gathered sums of rows of every length", "[register-tiles]") {
  for (const auto &[statement, format] : std::map<std::string, std::string>{
           {"y(i) = A(i,j) * x(j)", "csr"}, {"y(i) += A(i,j) * x(j)", "dcsr"}, {"D(i,j) = T(i,j,k) * x(k)", "csf"}}) {
    KernelSpec spec = tiledSpecOf(statement, {{statement[0] == 'D' ? "T" : "A", format}});
    spec.optLevel = 2;
    for (const ValueType type : {ValueType::F64, ValueType::F32}) {
      spec.type = type;
      const KernelUnderTest kernel(spec);
      REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
      for (int64_t length = 0; length <= 70; ++length) {
        std::vector<int64_t> extents(static_cast<size_t>(kernel.extentClasses()), 2);
        extents.back() = length;
        const Trial trial{extents, Fill::Full};
        INFO(describe(spec) << "\n" << describe(trial));
        REQUIRE(kernel.check(trial) == "");
      }
    }
  }
}
