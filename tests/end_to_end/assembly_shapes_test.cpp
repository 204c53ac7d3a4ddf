// Results in formats whose slots follow from sizes, from a group's width or from
// the last entry of a row: triangles, bands, diagonals, groups, ragged rows.
#include "end_to_end/assembly.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

/// Formats that hold any matrix.
const std::vector<std::string> kOpen = {"csr-len",  "ragged", "ragged-len", "ragged-cols",  "dia",
                                        "dia-cols", "ell",    "block-ell",  "row-relative", "tiled"};

/// Formats that have no place for some entries, or room for a number of them.
const std::vector<std::string> kNarrow = {"lower", "upper", "band", "growing", "nm24", "ell4", "ell4q", "ell1"};

std::vector<std::string> both(std::vector<std::string> first, const std::vector<std::string> &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

} // namespace

TEST_CASE("sums and products come out in every format that holds them", "[assembly-shapes]") {
  checkAssembly("A(i,j) = B(i,j) + C(i,j)", product({{"A", kOpen}, {"B", {"csr", "coo"}}, {"C", {"csr", "csc"}}}), 3);
  checkAssembly("A(i,j) = B(i,k)*C(k,j)", product({{"A", kOpen}, {"B", {"csr", "csc"}}, {"C", {"csr", "dcsr"}}}), 3, 1);
  checkAssembly("A(i,j) = B(j,i)*x(j) - C(i,j)", product({{"A", kOpen}, {"B", {"csr"}}, {"C", {"coo"}}}), 2, 1);
  checkAssembly("A(i,j) = x(i)*y(j)", product({{"A", kOpen}, {"x", {"sv", "dense"}}, {"y", {"sv"}}}), 2);
}

TEST_CASE("results that do not fit their format give a status", "[assembly-shapes]") {
  checkAssembly("A(i,j) = B(i,j) + C(i,j)", product({{"A", kNarrow}, {"B", {"csr", "csc"}}, {"C", {"csr", "coo"}}}), 2);
  checkAssembly("A(i,j) = B(i,k)*C(k,j)", product({{"A", kNarrow}, {"B", {"csr"}}, {"C", {"csr", "csc"}}}), 2, 1);
}

TEST_CASE("results of what lies in a triangle, in groups or on diagonals", "[assembly-shapes]") {
  checkAssembly("A(i,j) = B(i,j) + C(i,j)",
                product({{"A", {"lower", "upper", "ragged", "dia", "csr-len"}},
                         {"B", {"lower", "upper", "band"}},
                         {"C", {"lower", "upper", "csr"}}}),
                2);
  checkAssembly("A(i,j) = B(i,k)*C(k,j)",
                product({{"A", {"lower", "upper", "dia-cols"}}, {"B", {"lower", "upper"}}, {"C", {"lower", "upper"}}}));
  checkAssembly("A(i,j) = B(i,j)*C(i,j)",
                product({{"A", {"nm24", "band", "growing", "ell4"}},
                         {"B", {"nm24", "band", "growing", "ell4"}},
                         {"C", {"csr", "dia"}}}),
                3);
  checkAssembly("A(i,j) = B(j,i)*y(j)", product({{"A", {"lower", "upper", "dia"}}, {"B", {"lower", "upper", "dia"}}}));
}

TEST_CASE("conversions to every shape", "[assembly-shapes]") {
  const std::vector<std::string> shapes = both(kOpen, kNarrow);
  checkAssembly("A(i,j) = B(i,j)", product({{"A", shapes}, {"B", {"csr", "csc", "coo", "bsr2x3", "dense"}}}), 5);
  checkAssembly("A(i,j) = B(i,j)", product({{"A", shapes}, {"B", shapes}}), 17, 3);
  checkAssembly("A(i,j) = B(j,i)", product({{"A", shapes}, {"B", shapes}}), 23, 5);
  checkAssembly("A(i,j) = -B(i,j)", product({{"A", both({"csr"}, kOpen)}, {"B", shapes}}), 19);
}

TEST_CASE("results of every shape are added to, and read again", "[assembly-shapes]") {
  const std::vector<std::string> outputs = {"csr-len", "ragged", "ragged-len", "dia", "dia-cols", "lower", "ell"};
  checkAssembly("A(i,j) += B(i,k)*C(k,j)", product({{"A", outputs}, {"B", {"csr", "lower"}}, {"C", {"csr", "lower"}}}),
                3);
  checkAssembly("A(i,j) = A(i,j) - B(i,j)", product({{"A", outputs}, {"B", {"csr", "dia", "lower"}}}), 3);
  checkAssembly("A(i,j) = A(j,i)", product({{"A", outputs}}));
  checkAssembly("D(i,j) = B(i,j) + C(i,j)\ny(i) = D(i,j)*x(j)",
                product({{"D", outputs}, {"B", {"csr", "lower"}}, {"C", {"csr"}}}), 2);
  checkAssembly("let D(i,j) = B(i,k)*C(k,j)\nE(i,j) = D(i,j) - 2*B(i,j)",
                product({{"D", outputs}, {"E", {"csr", "csr-len", "dia"}}, {"B", {"csr"}}, {"C", {"csr"}}}), 3);
}

TEST_CASE("results that are stored as sums of parts", "[assembly-shapes]") {
  const std::vector<std::string> sums = {"ell1+coo", "ell4q+csr", "nm24+dia", "lower+csc", "csr+coo", "ellc+ell4+coo"};
  checkAssembly("A(i,j) = B(i,k)*C(k,j)", product({{"A", sums}, {"B", {"csr"}}, {"C", {"csr"}}}), 2);
  checkAssembly("A(i,j) = B(j,i) + C(i,j)", product({{"A", sums}, {"B", {"csr"}}, {"C", {"ell4+coo"}}}), 2, 1);
  checkAssembly("A(i,j) = B(i,j)", product({{"A", sums}, {"B", {"coo-dup", "csc", "ell1+coo"}}}), 4);
  checkAssembly("A(i,j) = 2*A(j,i)", product({{"A", sums}}), 3);
  checkAssembly("A(i,j) += B(i,j)", product({{"A", sums}, {"B", {"csr"}}}), 3, 1);
  checkAssembly("D(i,j) = B(i,j) + C(i,j)\ny(i) = D(i,j)*x(j)\nD(i,j) = 3*D(i,j)",
                product({{"D", {"ell1+coo"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
  checkAssembly("A(i,j,k) = B(k,i,j)", product({{"A", {"batched-ell+coo"}}, {"B", {"csf"}}}));
}

TEST_CASE("tensors of order 3 in every shape", "[assembly-shapes]") {
  const std::vector<std::string> outputs = {"batched-ragged", "batched-lower", "batched-ell", "ragged-ell1",
                                            "lower-ell1",     "blocked3",      "batched-bsr"};
  checkAssembly("A(i,j,k) = B(i,j,k) + C(i,j,k)", product({{"A", outputs}, {"B", {"csf", "coo"}}, {"C", {"csf"}}}), 2);
  checkAssembly("A(i,j,k) = B(k,i,j)", product({{"A", outputs}, {"B", {"csf", "batched-lower", "ragged-ell1"}}}), 3);
}

} // namespace spc::testing
