// Terms of many sparse operands, whose loops walk all of them at once.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

std::string nameOf(int operand) {
  return "A" + std::to_string(operand);
}

/// "A0(i,j), A1(i,j), …", with something else between two.
std::string listOf(int operands, const std::string &between, const std::string &indices = "(i,j)") {
  std::string list;
  for (int k = 0; k < operands; ++k)
    list += (k > 0 ? between : "") + nameOf(k) + indices;
  return list;
}

/// "(A0(i,j) + A1(i,j)) * (A2(i,j) - A3(i,j)) * …"
std::string productOfSums(int sums) {
  std::string product;
  for (int k = 0; k < sums; ++k)
    product += std::string(k > 0 ? " * (" : "(") + nameOf(2 * k) + "(i,j) + " + nameOf(2 * k + 1) + "(i,j))";
  return product;
}

/// The operands' formats, in turn, the first one being number `first`.
Formats inTurn(int operands, const std::vector<std::string> &formats, size_t first = 0) {
  Formats result;
  for (int k = 0; k < operands; ++k)
    result[nameOf(k)] = formats[(first + static_cast<size_t>(k)) % formats.size()];
  return result;
}

Formats with(Formats formats, const std::string &tensor, const std::string &format) {
  formats[tensor] = format;
  return formats;
}

const std::vector<std::string> kListing = {"csr", "dcsr"};
const std::vector<std::string> kAny = {"csr", "coo", "bsr2x3", "dcsr", "csc", "ell", "csr-dup", "coo-unsorted"};

} // namespace

TEST_CASE("unions of many operands", "[wide-merges]") {
  for (int operands : {4, 5, 6, 9, 16}) {
    const std::string least = "C(i,j) = max(" + listOf(operands, ", ") + ")";
    checkLowering(least, {with(inTurn(operands, {"csr"}), "C", "csr"), with(inTurn(operands, kListing), "C", "dcsr"),
                          with(inTurn(operands, kAny, 1), "C", "csc"), with(inTurn(operands, {"dcsr"}), "C", "dense")});
    checkLowering("y(i) = sum(j, min(" + listOf(operands, ", ") + ") * x(j))",
                  {inTurn(operands, {"csr"}), inTurn(operands, kListing), inTurn(operands, kAny, 3)});
  }
}

TEST_CASE("functions of functions of many operands", "[wide-merges]") {
  for (int operands : {6, 11}) {
    std::string nested = "A0(i,j)";
    for (int k = 1; k < operands; ++k)
      nested = nameOf(k) + "(i,j) - abs(" + nested + ")";
    checkLowering("C(i,j) = abs(" + nested + ")",
                  {with(inTurn(operands, {"csr"}), "C", "csr"), with(inTurn(operands, kAny), "C", "coo"),
                   with(inTurn(operands, kListing), "C", "dense")});
  }
  checkLowering("s = sum(i, j, abs(" + listOf(7, " + ") + "))", {inTurn(7, {"csr"}), inTurn(7, {"dcsr"})});
}

TEST_CASE("products of many sums", "[wide-merges]") {
  for (int sums : {4, 5, 8}) {
    checkLowering("C(i,j) = " + productOfSums(sums),
                  {with(inTurn(2 * sums, {"csr"}), "C", "csr"), with(inTurn(2 * sums, kListing), "C", "dcsr"),
                   with(inTurn(2 * sums, kAny), "C", "dense")});
    checkLowering("y(i) = " + productOfSums(sums) + " * x(j)", {inTurn(2 * sums, {"csr"}), inTurn(2 * sums, kAny, 2)});
  }
  const Formats four = {{"A", "csr"}, {"B", "csr"}, {"D", "csr"}, {"E", "dcsr"}, {"C", "csr"}};
  checkLowering("C(i,j) = (A(i,k) + B(i,k) + x(k)) * (D(k,j) + E(k,j) + z(j)) * (A(i,k) - B(i,k))", {four});
  checkLowering(
      "C(i,j) = -(A(i,j) + B(i,j)) * -(A(i,j) - D(i,j)) * (B(i,j) + E(i,j)) / (1 + x(i)*x(i)) * (A(i,j) + E(i,j))",
      {four, with(four, "C", "dense")});
}

TEST_CASE("intersections, lookups and complements beside unions", "[wide-merges]") {
  for (const std::string output : {"csr", "dense"}) {
    const auto formats = [&](int operands) { return with(inTurn(operands, kListing), "C", output); };
    checkLowering("C(i,j) = max(A0(i,j)*A1(i,j), A2(i,j)*A3(i,j), A4(i,j)*A5(i,j), A6(i,j)*A7(i,j), A8(i,j))",
                  {formats(9)});
    checkLowering("C(i,j) = A0(i,j) * exp(A1(i,j) + A2(i,j)) * exp(A3(i,j)) * exp(A4(i,j) * A5(i,j)) * exp(A6(i,j))",
                  {formats(7)});
    checkLowering(
        "C(i,j) = max(A0(i,j), A1(i,j), A2(i,j), A3(i,j), A4(i,j)) * (not pattern(A5(i,j))) * pattern(A6(i,j))",
        {formats(7)});
    checkLowering("C(i,j) = select(A0(i,j) < A1(i,j), A2(i,j), A3(i,j)) or A4(i,j) and A5(i,j) or A6(i,j)",
                  {formats(7)});
    checkLowering("C(i,j) = max(" + listOf(6, ", ") + ") + max(A2(i,j), A6(i,j)) - A0(i,j)", {formats(7)});
  }
}

TEST_CASE("values at every place of many operands", "[wide-merges]") {
  checkLowering("C(i,j) = max(" + listOf(6, ", ") + ", x(j))", {with(inTurn(6, kListing), "C", "dense")});
  checkLowering("y(i) = max(j, " + listOf(6, " + ") + ")", {inTurn(6, kListing), inTurn(6, kAny)});
  checkLowering("y(i) = prod(j, " + listOf(6, " + ") + " + 1)", {inTurn(6, {"csr"})});
}

TEST_CASE("operands of many loops", "[wide-merges]") {
  checkLowering("y(i) = sum(j, k, max(A0(i,j)*A1(j,k), A2(i,j), A3(i,k), A4(j,k), A5(i,j)*A6(i,k)))",
                {inTurn(7, {"csr"}), inTurn(7, kListing)});
  checkLowering("C(i,j) = sum(k, max(" + listOf(4, ", ", "(i,k,j)") + "))",
                {with(inTurn(4, {"csf"}), "C", "csr"), with(inTurn(4, {"csf", "coo"}), "C", "csr"),
                 with(inTurn(4, {"csf"}), "C", "dense")});
  checkLowering("C(i,j,k) = abs(" + listOf(5, " + ", "(i,j,k)") + ")",
                {with(inTurn(5, {"csf", "dcc", "csf:2,1,0"}), "C", "csf"), with(inTurn(5, {"csf"}), "C", "dense")});
  checkLowering("y(i) = max(" + listOf(7, ", ", "(i)") + ")",
                {with(inTurn(7, {"sv"}), "y", "sv"), with(inTurn(7, {"sv"}), "y", "dense")});
}

TEST_CASE("sums of more operands than one nest merges", "[wide-merges]") {
  for (int operands : {5, 9, 16})
    checkLowering("C(i,j) = " + listOf(operands, " - "),
                  {with(inTurn(operands, {"csr"}), "C", "csr"), with(inTurn(operands, kAny), "C", "dcsr")});
  checkLowering("C(i,j,k) = " + listOf(5, " + ", "(i,j,k)"), {with(inTurn(5, {"csf"}), "C", "csf")});
}

} // namespace spc::testing
