// Every format of the algebra in the kernels that people use it for.
#include "expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<std::string> kMatrices = {
    "dense",  "csr",     "csc",      "dcsr",     "dcsc",    "coo",        "coo-aos",    "dd:1,0",     "cd",
    "ell",    "ell4",    "ell4q",    "ellq",     "ellc",    "ell1",       "csr-len",    "ragged",     "ragged-len",
    "ragged-cols", "lower", "upper", "bsr2x3",   "bsr4x4",  "dbsr",       "tiled",      "bsr-cm",     "block-ell",
    "row-blocks", "dia", "dia-cols", "row-relative", "nm24", "sym-csr",   "sym-upper",  "sym-packed", "sym-coo"};

} // namespace

TEST_CASE("matrix formats in products with a vector", "[format-matrix]") {
  for (const std::string &format : kMatrices) {
    check("y(i) = A(i,j)*x(j)", {{{"A", format}}});
    check("y(j) = A(i,j)*x(i)", {{{"A", format}}});
  }
}

TEST_CASE("matrix formats in sums of all entries", "[format-matrix]") {
  for (const std::string &format : kMatrices)
    check("s = A(i,j)", {{{"A", format}}});
}

} // namespace spc::testing
