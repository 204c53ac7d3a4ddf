// What a format with padding stores as 0 is no entry of what is assembled from
// it. The harness asks for it in every kernel; here are all formats.
#include "end_to_end/assembly.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<std::string> kPaddedStorages = {"dia",   "dia-cols",  "ell",        "ell4q",     "bsr2x3", "dbsr",
                                                  "tiled", "block-ell", "nm24",       "ragged",    "lower",  "upper",
                                                  "band",  "growing",   "row-blocks", "ragged-len"};

} // namespace

TEST_CASE("padding is no entry of what it is converted to", "[assembly-padding]") {
  checkAssembly("A(i,j) = B(i,j)", product({{"A", {"csr", "csc", "coo", "csf", "dia", "ell"}}, {"B", kPaddedStorages}}),
                7);
  checkAssembly("A(i,j) = B(j,i)", product({{"A", {"csr", "bsr2x3", "ragged"}}, {"B", kPaddedStorages}}), 7, 3);
}

TEST_CASE("padding is no entry of what is computed with it", "[assembly-padding]") {
  checkAssembly("A(i,j) = 2*B(i,j)", product({{"A", {"csr"}}, {"B", kPaddedStorages}}), 3);
  checkAssembly("A(i,j) = B(i,j) + C(i,j)",
                product({{"A", {"csr", "coo"}}, {"B", kPaddedStorages}, {"C", {"csr", "dia"}}}), 13);
  checkAssembly("A(i,j) = S(i,j)", product({{"A", {"csr"}}, {"S", {"sym-bsr", "sym-dia", "sym-packed"}}}), 2);
}

TEST_CASE("what pads a result is no entry to who reads it", "[assembly-padding]") {
  checkAssembly("let D(i,j) = B(i,k)*C(k,j)\nE(i,j) = D(i,j) - 2*B(i,j)",
                product({{"D", {"dia", "ell", "bsr2x3"}}, {"E", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}}), 2);
  checkAssembly("D(i,j) += B(i,j)", product({{"D", {"dia", "ell"}}, {"B", {"csr"}}}), 2);
}

} // namespace spc::testing
