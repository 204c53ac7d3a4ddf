#include "runtime/assembly/count_products.h"

#include <catch2/catch.hpp>

#include <vector>

namespace spc::runtime::test {
namespace {

/// A has the rows {0, 2}, {} and {1, 1, 3}; B has 3, 0, 5 and 1 entries in its rows.
template <typename P, typename I> struct Matrices {
  std::vector<P> first{0, 2, 2, 5}, second{0, 3, 3, 8, 9};
  std::vector<I> columns{0, 2, 1, 1, 3};

  Factors factors() const {
    return {{first.data(), sizeof(P)}, columns.data(), sizeof(I), {second.data(), sizeof(P)}, first.back()};
  }
};

} // namespace

TEMPLATE_TEST_CASE("the products of two matrices are counted", "", int32_t, int64_t) {
  const Matrices<TestType, TestType> matrices;
  CHECK(countProducts(matrices.factors(), 0, 3, 100, 100) == 9);
  CHECK(countProducts(matrices.factors(), 0, 1, 100, 100) == 8);
  CHECK(countProducts(matrices.factors(), 0, 2, 100, 100) == 8);
  CHECK(countProducts(matrices.factors(), 0, 0, 100, 100) == 0);
  CHECK(countProducts(matrices.factors(), 1, 3, 100, 100) == 1);
}

TEST_CASE("no row has more entries than it is wide") {
  CHECK(countProducts(Matrices<int32_t, int32_t>().factors(), 0, 3, 4, 100) == 5);
}

TEST_CASE("products are counted up to a limit, where both matrices have one type") {
  CHECK(countProducts(Matrices<int32_t, int32_t>().factors(), 0, 3, 100, 7) > 7);
  CHECK(countProducts(Matrices<int64_t, int32_t>().factors(), 0, 3, 100, 100) > 100);
  const Matrices<int32_t, int32_t> narrow;
  const Matrices<int64_t, int64_t> wide;
  Factors mixed = narrow.factors();
  mixed.second = wide.factors().second;
  CHECK(countProducts(mixed, 0, 3, 100, 100) > 100);
}

TEMPLATE_TEST_CASE("the products of all entries are counted, in rows or not", "", int32_t, int64_t) {
  const Matrices<TestType, uint8_t> matrices;
  Factors factors = matrices.factors();
  CHECK(countAllProducts(factors, 9) == 9);
  CHECK(countAllProducts(factors, 8) > 8);
  CHECK(countAllProducts(factors, 4) > 4);
  factors.first.array = nullptr;
  CHECK(countAllProducts(factors, 100) == 9);
  factors.count = 0;
  CHECK(countAllProducts(factors, 100) > 100);
}

TEST_CASE("what lies ahead of a slice of rows is not looked at") {
  Matrices<int32_t, int32_t> matrices;
  matrices.columns[0] = matrices.columns[1] = -1000000;
  Factors factors = matrices.factors();
  factors.first.array = matrices.first.data() + 1;
  CHECK(countAllProducts(factors, 100) == 1);
}

} // namespace spc::runtime::test
