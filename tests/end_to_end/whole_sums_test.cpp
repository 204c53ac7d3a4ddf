// Sums over all of a matrix, whose rows are gone through in one loop.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

/// Optimised, strictly in one chunk and else in several, with gaps between the rows of arrays and without.
void checkWholeSums(const std::string &statement, const Formats &formats) {
  const std::vector<std::vector<int64_t>> extents = {{5, 4, 3},  {1, 1, 1}, {17, 1, 2}, {9, 16, 4},
                                                     {3, 40, 2}, {0, 4, 3}, {4, 0, 2}};
  for (const bool isStrict : {false, true}) {
    KernelSpec spec;
    spec.statements = statement;
    spec.formats = formats;
    spec.optLevel = 2;
    spec.strictFp = isStrict;
    if (!isStrict)
      spec.chunk = 3;
    std::vector<Trial> trials;
    for (Trial trial : trialsOn(extents)) {
      trial.chunks = Chunks::Backwards;
      for (const bool padded : {false, true}) {
        trial.padded = padded;
        trials.push_back(trial);
      }
    }
    CHECK(check(spec, trials) > 0);
  }
}

} // namespace

TEST_CASE("sums over all entries of a matrix", "[whole-sums]") {
  for (const char *storage : {"csr", "csc", "dcsr", "coo"})
    for (const char *text : {"s = A(i,j)*A(i,j)", "s += A(i,j)*x(j)"})
      checkWholeSums(text, {{"A", storage}});
  for (const char *storage : {"csf", "dcc", "ddc"})
    checkWholeSums("s = T(i,j,k)*T(i,j,k)*x(k)", {{"T", storage}});
  checkWholeSums("s = max(i, j, A(i,j)*2)", {{"A", "csr"}});
  checkWholeSums("s = A(i,j)*2\nt = A(i,j)*x(i)", {{"A", "csr"}});
}

TEST_CASE("sums over all elements of arrays", "[whole-sums]") {
  for (const char *text :
       {"s = (P(i,c) - T(i,c))*(P(i,c) - T(i,c))", "s = P(i,c)*2", "s += -(P(i,c)*T(c,i))", "s = P(i,c)*x(c)",
        "s = max(i, c, abs(P(i,c)))", "s = P(i,c)*(i < 3)", "s = P(i,2)*T(i,c)", "s = sum(i, mean(c, P(i,c)))",
        "s = U(i,c,k)*U(i,c,k)", "let R(i,c) = P(i,c)*x(c)\ns = R(i,c)*R(i,c)*P(i,c)"})
    checkWholeSums(text, {});
}

} // namespace spc::testing
