// Products of sums on missing entries and infinities: the cases of docs/changelog.md.
#include "end_to_end/hand_made_call.h"
#include "harness/number_types.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace spc::testing;

namespace {

using EntryList = std::vector<StoredEntry>;

/// Which of A's and B's entries, in matrices of 1 by 2, are stored, and what x, m and b hold.
struct CancellingCase {
  const char *text;
  EntryList a, b;
  double dense;
  double wanted;
};

double resultOf(const CancellingCase &given, bool isStrict) {
  KernelSpec spec;
  spec.statements = given.text;
  spec.strictFp = isStrict;
  for (const char *tensor : {"A", "B"})
    if (spec.statements.find(std::string(tensor) + "(") != std::string::npos)
      spec.formats[tensor] = "csr";
  HandMadeCall call(spec);
  if (spec.formats.contains("A"))
    call.passEntries("A", {1, 2}, given.a);
  if (spec.formats.contains("B"))
    call.passEntries("B", {1, 2}, given.b);
  for (const char *vector : {"x", "m"})
    if (spec.statements.find(std::string(vector) + "(j)") != std::string::npos)
      call.passDense(vector, {2}, {given.dense, given.dense});
  if (spec.statements.find("b(i)") != std::string::npos)
    call.passDense("b", {1}, {given.dense});
  call.passDense("y", {1}, {0});
  REQUIRE(call.call() == SPC_OK);
  return call.values("y").front();
}

} // namespace

TEST_CASE("infinities and missing entries in products of sums", "[sums]") {
  const char *difference = "y(i) = (A(i,j) - B(i,j)) * x(j)";
  const char *square = "y(i) = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j))";
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<CancellingCase> cases = {
      {"y(i) = b(i) * sum(j, A(i,j))", {}, {}, kInf, 0},
      {"y(i) = sum(j, A(i,j)) * sum(k, B(i,k))", {{{0, 0}, kInf}}, {}, 0, 0},
      {"y(i) = sum(j, A(i,j)) * sum(k, B(i,k)) * b(i)", {{{0, 0}, 1}}, {}, kInf, 0},
      {"y(i) = sum(j, A(i,j)) * sum(k, B(i,k)) * b(i)", {{{0, 0}, 1}}, {{{0, 1}, 2}}, kInf, kInf},
      {"y(i) = b(i) * (sum(j, A(i,j)) + sum(k, B(i,k)))", {}, {}, kInf, 0},
      {"y(i) = b(i) * (sum(j, A(i,j)) - sum(k, B(i,k)))", {}, {{{0, 1}, 2}}, kInf, -kInf},
      {"y(i) = b(i) * (b(i)*sum(j, A(i,j)) + sum(k, B(i,k)))", {}, {{{0, 1}, 2}}, kInf, kInf},
      {"y(i) = b(i) * (sum(j, A(i,j)) * sum(k, B(i,k)) + sum(k, B(i,k)))", {{{0, 0}, 1}}, {}, kInf, 0},
      {"y(i) = b(i) * (sum(j, A(i,j)) + 0)", {}, {}, kInf, none},
      {"y(i) = b(i) * (A(i,0) + sum(k, B(i,k)))", {}, {}, kInf, 0},
      {"y(i) = (sum(j, A(i,j)) + sum(k, B(i,k))) / b(i)", {}, {}, 0, 0},
      {"y(i) = 3 + b(i) * (sum(j, A(i,j)) + sum(k, B(i,k)))", {}, {}, kInf, 3},
      {difference, {}, {}, kInf, 0},
      {difference, {{{0, 0}, 2}}, {{{0, 0}, 1}}, kInf, kInf},
      {difference, {{{0, 0}, 1}}, {{{0, 0}, 1}}, kInf, none},
      {difference, {{{0, 1}, kInf}}, {}, 1, kInf},
      {"y(i) = (A(i,j) - m(j)) * x(j)", {}, {}, -kInf, -kInf},
      {square, {{{0, 0}, kInf}}, {{{0, 0}, 1}}, 0, kInf},
      {square, {{{0, 0}, -kInf}}, {}, 0, kInf},
      {"y(i) = A(i,j) * (A(i,j) - m(j))", {}, {}, kInf, 0},
      {"y(i) = sum(j, m(j)) + sum(j, A(i,j) - x(j)) / b(i)", {{{0, 0}, 3}}, {}, 0, kInf},
      {"y(i) = b(i) + sum(j, A(i,j) - x(j)) / b(i)", {{{0, 0}, 3}}, {}, 0, kInf},
      {"y(i) = (A(i,j) - B(i,j)) * x(j) * sum(k, 1 + 0*x(k))", {{{0, 0}, 1e16 + 2}}, {{{0, 0}, 1e16}}, 0.1, 0.4},
  };
  for (const CancellingCase &given : cases)
    for (const bool isStrict : {false, true}) {
      INFO(given.text << (isStrict ? ", strict" : ""));
      const double result = resultOf(given, isStrict);
      CHECK((std::isnan(given.wanted) ? std::isnan(result) : result == given.wanted));
    }
}
