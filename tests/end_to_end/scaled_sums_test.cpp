// An explicit sum that is multiplied or divided: its terms are added up first, whatever the storage. Terms that were
// scaled would be infinities of both signs.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace spc::testing;

namespace {

constexpr double kHuge = 1e300;

/// 5 by 4; the row before the last one has no entry.
const std::vector<StoredEntry> kEntries = {{{0, 0}, kHuge}, {{0, 1}, -kHuge}, {{1, 0}, 3},  {{1, 1}, 4},
                                           {{2, 0}, -1},    {{2, 3}, 2},      {{4, 1}, -1}, {{4, 2}, 4}};
constexpr size_t kScaledRows = 5, kScaledColumns = 4;

GivenTensor matrixIn(const std::string &format) {
  std::vector<StoredEntry> entries = kEntries;
  if (format == "csc" || format == "dcsc")
    std::stable_sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) { return a.at[1] < b.at[1]; });
  if (format != "dense")
    return givenEntries({kScaledRows, kScaledColumns}, entries);
  GivenTensor dense{{kScaledRows, kScaledColumns}, {}, std::vector<double>(kScaledRows * kScaledColumns, 0)};
  for (const StoredEntry &entry : entries)
    dense.values[static_cast<size_t>(entry.at[0]) * kScaledColumns + static_cast<size_t>(entry.at[1])] = entry.value;
  return dense;
}

/// What y is, by row and then by column of X where it has some, of a sum over rows of A. Where A has no entry the sum
/// is missing, and `dense` says what a row of zeros gives in place of 0.
struct ScaledCase {
  std::string text;
  std::vector<double> wanted;
  double dense = 0;
  size_t columns = 1;
};

void checkScaled(const ScaledCase &given, const std::string &format) {
  KernelSpec spec;
  spec.statements = given.text;
  if (format != "dense")
    spec.formats = {{"A", format}};
  const auto reads = [&](const std::string &tensor) { return given.text.find(tensor) != std::string::npos; };
  std::map<std::string, GivenTensor> tensors = {{"A", matrixIn(format)}};
  if (reads("d(i)"))
    tensors["d"] = givenVector({1e-10, 2, 0, 0, kInf});
  if (reads("x(j)"))
    tensors["x"] = givenVector({1, 1, 1, 1});
  if (reads("c(i)")) // of which the square is infinite where A has no entry
    tensors["c"] = givenVector({1, 2, 3, 1e200, 4});
  if (reads("b(i)"))
    tensors["b"] = givenVector({1, 1, 1, 1, 1});
  if (reads("s*"))
    tensors["s"] = {{}, {}, {kInf}};
  if (reads("X(j,k)"))
    tensors["X"] = {{kScaledColumns, static_cast<int64_t>(given.columns)},
                    {},
                    std::vector<double>(kScaledColumns * given.columns, 1)};
  const bool isMatrix = reads("y(i,k)");
  tensors["y"] = isMatrix ? GivenTensor{{kScaledRows, static_cast<int64_t>(given.columns)},
                                        {},
                                        std::vector<double>(kScaledRows * given.columns, 0)}
                          : givenVector(std::vector<double>(given.wanted.size(), 0));
  for (const bool isStrict : {false, true}) {
    spec.strictFp = isStrict;
    const std::vector<double> result = resultOf(spec, tensors);
    INFO(describe(spec) << "\nresult: " << Catch::Detail::stringify(result));
    for (size_t n = 0; n < result.size(); ++n) {
      const size_t row = n / given.columns;
      const double wanted = row == 3 && format == "dense" ? given.dense : given.wanted[row];
      CHECK((std::isnan(wanted) ? std::isnan(result[n]) : result[n] == wanted));
    }
  }
}

const std::vector<std::string> kScaledFormats = {"dense", "csr", "csc", "coo", "dcsr", "dcsc"};

} // namespace

TEST_CASE("a sum over rows is scaled once it is added up", "[explicit-sums]") {
  const std::vector<double> quotient = {0, 3.5, kInf, 0, 0}, product = {0, 14, 0, 0, kInf};
  for (const std::string &format : kScaledFormats) {
    checkScaled({"y(i) = sum(j, A(i,j)) / d(i)", quotient, kNaN}, format);
    checkScaled({"y(i) = sum(j, A(i,j)*x(j)) / d(i)", quotient, kNaN}, format);
    checkScaled({"y(i) = -(sum(j, A(i,j)*x(j)) / d(i))", {0, -3.5, -kInf, 0, 0}, kNaN}, format);
    checkScaled({"y(i) = d(i) * sum(j, A(i,j))", product}, format);
    checkScaled({"y(i) = b(i) - d(i) * sum(j, A(i,j))", {1, -13, 1, 1, -kInf}, 1}, format);
    checkScaled({"y(i) = s*sum(j, A(i,j))*b(i)", {kNaN, kInf, kInf, 0, kInf}, kNaN}, format);
    checkScaled({"y(i) = 2*sum(j, A(i,j)*x(j))/sqrt(d(i)*d(i))*2", {0, 14, kInf, 0, 0}, kNaN}, format);
  }
}

TEST_CASE("a sum over rows of a product of matrices is scaled once it is added up", "[explicit-sums]") {
  // 1 column and 3 fill no vector; 20 fill some and leave a rest.
  for (const size_t columns : {1, 3, 20})
    for (const std::string &format : kScaledFormats) {
      checkScaled({"y(i,k) = sum(j, A(i,j)*X(j,k)) / d(i)", {0, 3.5, kInf, 0, 0}, kNaN, columns}, format);
      checkScaled({"y(i,k) = d(i) * sum(j, A(i,j)*X(j,k)) * d(i)", {0, 28, 0, 0, kInf}, 0, columns}, format);
      if (format != "dense")
        checkScaled({"y(i,k) = c(i) * sum(j, A(i,j)*X(j,k)) * c(i)", {0, 28, 9, 0, 48}, 0, columns}, format);
    }
}

TEST_CASE("a sum over all entries is scaled once it is added up", "[explicit-sums]") {
  for (const std::string &format : kScaledFormats) {
    KernelSpec spec;
    spec.statements = "y(l) = s*sum(i, j, A(i,j)) * b(l)";
    if (format != "dense")
      spec.formats = {{"A", format}};
    CHECK(resultOf(
              spec,
              {{"A", matrixIn(format)}, {"s", {{}, {}, {kInf}}}, {"b", givenVector({1})}, {"y", givenVector({0})}}) ==
          std::vector<double>{kInf});
  }
}
