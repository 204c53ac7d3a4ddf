// Min-plus and max-plus on integers: the sums that absorb, and products of sparse operands that visit their entries.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

using namespace spc::testing;
using spc::sema::ValueType;

namespace {

constexpr ValueType kIntegers[] = {ValueType::I8, ValueType::I16, ValueType::I32, ValueType::I64,
                                   ValueType::U8, ValueType::U16, ValueType::U32, ValueType::U64};

/// Each assignment with the type whose turn it is, or with all of them.
void checkIntegers(const std::string &statements, const std::map<std::string, std::string> &fills,
                   const std::vector<Formats> &assignments, size_t turn = 0) {
  for (const Formats &formats : assignments)
    for (size_t k = 0; k < (takesAll() ? std::size(kIntegers) : 2); ++k) {
      KernelSpec spec;
      spec.statements = statements;
      spec.formats = formats;
      spec.fills = fills;
      spec.type = kIntegers[turn++ % std::size(kIntegers)];
      spec.optLevel = seldomOptimised(turn);
      check(spec);
    }
}

/// The sum by other means: the overflow of the machine's addition.
template <typename T> T absorbingSum(bool isMin, T a, T b) {
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  const T absorbing = isMin ? most : least;
  if (a == absorbing || b == absorbing)
    return absorbing;
  T sum;
  if (__builtin_add_overflow(a, b, &sum))
    sum = a > 0 ? most : least;
  return isMin ? std::min<T>(sum, static_cast<T>(most - 1)) : std::max<T>(sum, static_cast<T>(least + 1));
}

/// All pairs of some numbers.
template <typename T> void checkPairs(ValueType type, std::vector<T> numbers, int optLevel) {
  KernelSpec spec;
  spec.statements = "C(i,j) = minplus(x(i), y(j))\nD(i,j) = maxplus(x(i), y(j))";
  spec.type = type;
  spec.optLevel = optLevel;
  HandMadeCall kernel(spec);
  const auto size = static_cast<int64_t>(numbers.size());
  std::vector<T> others = numbers, lesser(numbers.size() * numbers.size()), greater(lesser.size());
  kernel.passMemory("x", {size}, numbers.data());
  kernel.passMemory("y", {size}, others.data());
  kernel.passMemory("C", {size, size}, lesser.data());
  kernel.passMemory("D", {size, size}, greater.data());
  REQUIRE(kernel.call() == SPC_OK);
  size_t wrong = 0;
  for (size_t i = 0; i < numbers.size(); ++i)
    for (size_t j = 0; j < numbers.size(); ++j) {
      const size_t at = i * numbers.size() + j;
      wrong += lesser[at] != absorbingSum<T>(true, numbers[i], numbers[j]);
      wrong += greater[at] != absorbingSum<T>(false, numbers[i], numbers[j]);
    }
  INFO(spc::sema::spelling(type) << " -O" << optLevel);
  CHECK(wrong == 0);
}

template <typename T> std::vector<T> allNumbers() {
  std::vector<T> numbers(256);
  std::iota(numbers.begin(), numbers.end(), std::numeric_limits<T>::min());
  return numbers;
}

/// Around the ends, around 0, and halfway.
template <typename T> std::vector<T> edges() {
  std::vector<T> numbers;
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  for (int k = 0; k < 4; ++k)
    for (const T from :
         {most, static_cast<T>(least + 3), static_cast<T>(most / 2), static_cast<T>(least / 2 + 3), T(3)})
      numbers.push_back(static_cast<T>(from - static_cast<T>(k)));
  if (std::numeric_limits<T>::is_signed)
    numbers.insert(numbers.end(), {static_cast<T>(-1), static_cast<T>(-2), static_cast<T>(-most)});
  return numbers;
}

} // namespace

TEST_CASE("sums that absorb, over all pairs of numbers", "[semirings]") {
  for (int optLevel : {0, 3}) {
    checkPairs<int8_t>(ValueType::I8, allNumbers<int8_t>(), optLevel);
    checkPairs<uint8_t>(ValueType::U8, allNumbers<uint8_t>(), optLevel);
    checkPairs<int16_t>(ValueType::I16, edges<int16_t>(), optLevel);
    checkPairs<uint16_t>(ValueType::U16, edges<uint16_t>(), optLevel);
    checkPairs<int32_t>(ValueType::I32, edges<int32_t>(), optLevel);
    checkPairs<uint32_t>(ValueType::U32, edges<uint32_t>(), optLevel);
    checkPairs<int64_t>(ValueType::I64, edges<int64_t>(), optLevel);
    checkPairs<uint64_t>(ValueType::U64, edges<uint64_t>(), optLevel);
  }
}

TEST_CASE("shortest and longest paths in integers", "[integer-semirings]") {
  checkIntegers("semiring(min, +)\ny(i) = A(i,k)*x(k)", {{"A", "inf"}}, product({{"A", kSparse}}));
  checkIntegers("semiring(max, +)\ny(i) = A(i,k)*x(k) + z(i)", {{"A", "-inf"}}, product({{"A", kSparse}}), 3);
  checkIntegers("semiring(min, +)\nC(i,j) = A(i,k)*B(k,j)", {{"A", "inf"}, {"B", "inf"}},
                product({{"A", {"csr", "csc"}}, {"B", {"csr", "dcsr"}}, {"C", {"csr", "dense"}}}), 1);
  checkIntegers("semiring(max, +)\nC(i,j) = A(i,k)*B(k,j)", {{"A", "-inf"}, {"B", "-inf"}},
                product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"C", {"csr", "csc", "dense"}}}), 5);
  checkIntegers("semiring(min, +)\nC(i,j) = A(i,j)*B(i,j)*x(j)", {{"A", "inf"}, {"B", "inf"}},
                product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"C", {"csr", "dense"}}}), 2);
  checkIntegers("semiring(min, +)\ny(i) += A(i,k)*y(k)", {{"A", "inf"}}, product({{"A", {"csr", "csc"}}}), 4);
  checkIntegers("semiring(min, +)\nlet B(i,j) = A(i,k)*A(k,j)\nC(i,j) = A(i,j) + B(i,j)", {{"A", "inf"}},
                product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr", "dense"}}}), 6);
}

TEST_CASE("shortest paths in integers, in padded storage", "[integer-semirings]") {
  const std::vector<std::string> padded = {"ell",   "ell4q", "ragged", "lower",     "bsr2x3",  "dbsr",
                                           "tiled", "dia",   "nm24",   "sym-upper", "ell4+coo"};
  checkIntegers("y(i) = min(k, minplus(A(i,k), x(k)))", {{"A", "inf"}}, product({{"A", padded}}));
  checkIntegers("D(i,j) = min(k, minplus(A(i,k), B(k,j)))", {{"A", "inf"}, {"B", "inf"}},
                product({{"A", padded}, {"B", {"csr"}}, {"D", {"csr"}}}), 3);
}

TEST_CASE("absorbing sums spelled out, and fills that do not absorb", "[integer-semirings]") {
  checkIntegers("y(i) = min(k, minplus(A(i,k), x(k)))", {{"A", "inf"}}, product({{"A", {"csr", "coo"}}}));
  checkIntegers("C(i,j) = maxplus(A(i,j), B(i,j))", {}, product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}}), 4);
  checkIntegers("y(i) = min(k, minplus(A(i,k), x(k)))", {{"A", "100"}}, product({{"A", {"csr"}}}), 2);
  checkIntegers("C(i,j) = minplus(A(i,j), 100)", {{"A", "100"}}, product({{"A", {"csr"}}, {"C", {"csr", "dense"}}}));
  checkIntegers("C(i,j) = A(i,j) + 100", {{"A", "inf"}}, product({{"A", {"csr"}}, {"C", {"csr", "dense"}}}), 3);
  checkIntegers("y(i) = min(k, select(pattern(A(i,k)), x(k), inf))", {}, product({{"A", kSparse}}), 5);
  checkIntegers("y(i) = max(k, select(pattern(A(i,k)), x(k), -inf))", {}, product({{"A", kSparse}}), 1);
  checkIntegers("semiring(min, second)\ny(i) = A(i,k)*x(k)", {}, product({{"A", {"csr", "csc"}}}), 6);
  checkIntegers("semiring(min, max)\ny(i) = A(i,k)*x(k)", {{"A", "inf"}}, product({{"A", {"csr", "csc"}}}), 2);
}

TEST_CASE("absorbing sums in floats are sums", "[integer-semirings]") {
  for (const Formats &formats : product({{"A", {"csr", "coo"}}, {"C", {"csr", "dense"}}})) {
    KernelSpec spec;
    spec.statements = "C(i,j) = minplus(A(i,j), x(j))";
    spec.formats = formats;
    spec.fills["A"] = "inf";
    check(spec);
    spec.statements = "C(i,j) = 2*maxplus(A(i,j), A(i,j))";
    spec.fills.clear();
    check(spec);
  }
}

TEST_CASE("a mask of bools beside a semiring's tensors", "[integer-semirings]") {
  for (const Formats &formats : product({{"M", {"csr"}}, {"A", {"csr"}}, {"B", {"csr"}}, {"D", {"csr", "dense"}}})) {
    KernelSpec spec;
    spec.statements = "D(i,j) = min(k, select(M(i,j), minplus(A(i,k), B(k,j)), inf))";
    spec.formats = formats;
    spec.type = ValueType::I32;
    spec.types["M"] = ValueType::Bool;
    spec.fills = {{"A", "inf"}, {"B", "inf"}};
    check(spec);
  }
}

TEST_CASE("maxima of what is never negative", "[integer-semirings]") {
  for (const ValueType type : {ValueType::U8, ValueType::U64, ValueType::Bool})
    for (const Formats &formats : product({{"A", {"csr", "csc"}}})) {
      KernelSpec spec;
      spec.statements = "y(i) = max(j, A(i,j))\ns = max(i, j, A(i,j))\nz(j) max= A(i,j)";
      spec.formats = formats;
      spec.type = type;
      check(spec);
    }
}

TEST_CASE("places of extremes over nothing", "[integer-semirings]") {
  for (const ValueType type : {ValueType::F64, ValueType::I32, ValueType::U8}) {
    KernelSpec spec;
    spec.statements = "p(i) = argmin(j, A(i,j))\nq(i) = argmax(j, A(i,j))";
    spec.formats["A"] = "csr";
    spec.type = type;
    spec.types = {{"p", ValueType::I64}, {"q", ValueType::I64}};
    check(spec);
  }
}
