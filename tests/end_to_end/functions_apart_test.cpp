// Functions of a sparse operand's entries that several products share, or that loops over further variables repeat.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<Formats> kStorages = {
    {{"S", "csr"}}, {{"S", "csc"}}, {{"S", "coo"}}, {{"S", "dcsr"}}, {{"S", "dense"}}};

} // namespace

TEST_CASE("products with functions of entries and a further dimension", "[functions-apart]") {
  for (const char *text : {"O(i,f) = S(i,j) * exp(E(i,j)) * V(j,f)", "O(i,f) = V(j,f) / z(i) * (S(i,j) * exp(E(i,j)))",
                           "O(i,f) += -(exp(E(i,j)) * V(j,f) * pattern(S(i,j)) * tanh(E(i,j)))",
                           "O(i,f) = S(i,j) * exp(S(i,j)) * V(j,f) - E(i,f)"})
    checkLowering(text, kStorages);
  checkLowering("O(i,f) = S(i,j) * exp(T(i,j)) * V(j,f)", {{{"S", "csr"}, {"T", "csr"}}, {{"S", "coo"}, {"T", "csc"}}});
}

TEST_CASE("products that share functions of entries", "[functions-apart]") {
  const char *const scores = "sum(k, Q(i,k) * K(j,k))";
  const std::string weights = std::string("S(i,j) * exp(") + scores + ")";
  checkLowering("O(i,f) = sum(j, " + weights + " * V(j,f)) / sum(j, " + weights + ")", kStorages);
  checkLowering(std::string("let E(i,j) = pattern(S(i,j)) * ") + scores +
                    "\nO(i,f) = V(j,f) * exp(E(i,j)) * S(i,j) / sum(j, exp(E(i,j)) * S(i,j))",
                kStorages);
  checkLowering("s = S(i,j) * log(2 + abs(E(i,j))) * x(j) - sum(i, j, log(2 + abs(E(i,j))) * S(i,j) * y(i))",
                kStorages);
  // Sums that stand elsewhere, too, are shared with that, and what is written in between is read anew.
  checkLowering(std::string("s = ") + weights + " + " + weights + " * x(j) + pattern(S(i,j)) * " + scores, kStorages);
  checkLowering("let E(i,j) = D(i,j) * 2\ny(i) = S(i,j) * exp(E(i,j)) * x(j)\nE(i,j) = D(i,j)\n"
                "z(i) = S(i,j) * exp(E(i,j)) * x(j)",
                kStorages);
}

} // namespace spc::testing
