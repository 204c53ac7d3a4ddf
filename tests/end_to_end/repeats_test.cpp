// Entries that really repeat, sorted or in any sequence, of every order. The packer adds repeats up, so the arrays are
// made by hand.
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace spc::testing {
namespace {

/// About `count` entries with small whole numbers, every third of which stands there once more, or twice.
std::vector<StoredEntry> entriesOf(const std::vector<int64_t> &shape, size_t count, bool sorted, uint64_t seed) {
  Random random(seed);
  std::vector<StoredEntry> entries;
  while (entries.size() < count) {
    StoredEntry entry;
    for (int64_t extent : shape)
      entry.at.push_back(random.below(extent));
    for (int64_t times = random.below(3) == 0 ? 2 + random.below(2) : 1; times > 0; --times) {
      entry.value = static_cast<double>(1 + random.below(9));
      entries.push_back(entry);
    }
  }
  if (sorted)
    std::stable_sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) { return a.at < b.at; });
  else
    for (size_t n = entries.size(); n > 1; --n)
      std::swap(entries[n - 1], entries[static_cast<size_t>(random.below(static_cast<int64_t>(n)))]);
  return entries;
}

std::vector<double> wholeNumbers(int64_t count) {
  std::vector<double> numbers;
  for (int64_t n = 0; n < count; ++n)
    numbers.push_back(static_cast<double>(n % 7 - 3));
  return numbers;
}

struct Dense {
  std::string tensor;
  std::vector<int64_t> shape;
};

/// Sums of small whole numbers are exact in any order, so results are compared to the last bit.
void checkRepeats(const std::string &statements, const std::vector<int64_t> &shape, const std::vector<Dense> &dense) {
  for (const std::string format : {"coo-dup", "coo-unsorted"}) {
    for (size_t count : {0, 1, 2, 40, 400}) {
      KernelSpec spec;
      spec.statements = statements;
      spec.formats = {{"A", format}};
      for (const Dense &operand : dense)
        if (!operand.shape.empty())
          spec.formats[operand.tensor] = "dense";
      spec.optLevel = count == 40 ? 3 : 1;
      INFO(describe(spec) << "\n" << count << " entries");
      HandMadeCall call(spec);
      call.passEntries("A", shape, entriesOf(shape, count, format == "coo-dup", count + 1));
      for (const Dense &operand : dense) {
        int64_t elements = 1;
        for (int64_t extent : operand.shape)
          elements *= extent;
        call.passDense(operand.tensor, operand.shape, wholeNumbers(elements));
      }
      CHECK(call.check() == "");
    }
  }
}

} // namespace

TEST_CASE("repeated entries of vectors add up", "[repeats]") {
  checkRepeats("s = A(i)*x(i)", {17}, {{"x", {17}}, {"s", {}}});
  checkRepeats("y(i) = 2*A(i) + x(i)", {17}, {{"x", {17}}, {"y", {17}}});
}

TEST_CASE("repeated entries of matrices add up", "[repeats]") {
  checkRepeats("y(i) = A(i,j)*x(j)", {9, 7}, {{"x", {7}}, {"y", {9}}});
  checkRepeats("y(j) += A(i,j)*x(i)", {9, 7}, {{"x", {9}}, {"y", {7}}});
  checkRepeats("Y(i,k) = A(i,j)*X(j,k)", {9, 7}, {{"X", {7, 5}}, {"Y", {9, 5}}});
  checkRepeats("Y(i,j) = A(i,j)*X(i,j)", {9, 7}, {{"X", {9, 7}}, {"Y", {9, 7}}});
}

TEST_CASE("repeated entries of tensors of orders 3 and 4 add up", "[repeats]") {
  checkRepeats("s = A(i,j,k)", {5, 4, 3}, {{"s", {}}});
  checkRepeats("Y(i,j) = A(i,j,k)*x(k)", {5, 4, 3}, {{"x", {3}}, {"Y", {5, 4}}});
  checkRepeats("Y(i,r) = A(i,j,k)*B(j,r)*C(k,r)", {5, 4, 3}, {{"B", {4, 6}}, {"C", {3, 6}}, {"Y", {5, 6}}});
  checkRepeats("s = A(i,j,k,l)", {3, 4, 2, 3}, {{"s", {}}});
  checkRepeats("Y(k,i) = A(i,j,k,l)*x(l)*z(j)", {3, 4, 2, 3}, {{"x", {3}}, {"z", {4}}, {"Y", {2, 3}}});
}

TEST_CASE("repeated entries that several addends multiply add up", "[repeats]") {
  checkRepeats("y(i) = A(i,j)*x(j) - 2*A(i,j)*z(i)", {9, 7}, {{"x", {7}}, {"z", {9}}, {"y", {9}}});
  checkRepeats("y(j) += (A(i,j) + A(i,j)*x(j))*z(i)", {9, 7}, {{"x", {7}}, {"z", {9}}, {"y", {7}}});
  checkRepeats("y(i) = A(i,j)*x(j) + A(i,j)*A(i,j)", {9, 7}, {{"x", {7}}, {"y", {9}}});
  checkRepeats("s = A(i,j,k)*x(k) + A(i,j,k)*z(j)", {5, 4, 3}, {{"x", {3}}, {"z", {4}}, {"s", {}}});
}

TEST_CASE("repeated entries beside functions add up, and before functions of them", "[repeats]") {
  checkRepeats("y(i) = A(i,j)*relu(x(j))", {9, 7}, {{"x", {7}}, {"y", {9}}});
  checkRepeats("y(j) = -A(i,j)*max(x(j), z(i))/2", {9, 7}, {{"x", {7}}, {"z", {9}}, {"y", {7}}});
  checkRepeats("Y(i,j) = 2*A(i,j)*select(x(j) > 0, 3, 1)", {9, 7}, {{"x", {7}}, {"Y", {9, 7}}});
  checkRepeats("Y(i,k) = A(i,j,k)*abs(X(j,k))", {5, 4, 3}, {{"X", {4, 3}}, {"Y", {5, 3}}});
  checkRepeats("y(i) = sum(j, relu(A(i,j) - 9)*x(j))", {9, 7}, {{"x", {7}}, {"y", {9}}});
  checkRepeats("y(i) = sum(j, A(i,j)*max(A(i,j), x(j)))", {9, 7}, {{"x", {7}}, {"y", {9}}});
  checkRepeats("y(i) = sum(j, (A(i,j) + x(j))*abs(x(j)))", {9, 7}, {{"x", {7}}, {"y", {9}}});
}

} // namespace spc::testing
