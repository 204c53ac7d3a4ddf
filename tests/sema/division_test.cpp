// How the work of statements is divided among workers.
#include "sema/check.h"

#include <catch2/catch.hpp>

using namespace spc;
using namespace spc::sema::test;

TEST_CASE("Rows own the elements that loops over them write") {
  CHECK(check("y(i) = A(i,j)*x(j)", {"A=csr"}).divisions() ==
        "divided by rows of i: slices of y, A; what A lists of x\n");
  CHECK(check("C(i,j) = A(i,k)*B(k,j)", {"A=csr"}).divisions() ==
        "divided by rows of i: slices of C, A; what A lists of B\n");
  CHECK(check("D(i,j) = S(i,j)*A(i,k)*B(j,k)", {"S=csr", "D=csr"}).divisions() ==
        "divided by rows of i: slices of D, S, A; what S lists of B\n");
  CHECK(check("C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"}).divisions() ==
        "divided by rows of i: slices of C, A; what A lists of B\n");
  CHECK(check("y(i) = A(i,j)*x(j)", {"A=bsr"}).divisions() ==
        "divided by blocks of 4 rows of i: slices of y, A; what A lists of x\n");
  CHECK(check("y(i) = A(i,j)*x(j)", {"A=dia"}).divisions() ==
        "divided by rows of i that A lists: slices of y; all of A; slices of x\n");
}

TEST_CASE("Rows that a root lists are divided by their coordinates, where these ascend") {
  CHECK(check("y(i) = A(i,j)*x(j)", {"A=dcsr"}).divisions() ==
        "divided by rows of i that A lists: slices of y, A; what A lists of x\n");
  CHECK(check("y(i) = A(i,j)*x(j)", {"A=coo"}).divisions() ==
        "divided by rows of i that A lists: slices of y, A; what A lists of x\n");
  CHECK(check("A(i,j) = B(i,j) + C(i,j)", {"A=csr", "B=dcsr", "C=dcsr"}).divisions() ==
        "divided by rows of i that B lists: slices of A, B, C\n");
}

TEST_CASE("Sums that any row may add to are divided into copies, unless they keep their order") {
  CHECK(check("y(j) = A(i,j)*x(i)", {"A=csr"}).divisions() == "divided by rows of i: copies of y; slices of A, x\n");
  CHECK(check("y(j) = A(i,j)*x(i)", {"A=dcsr"}).divisions() ==
        "divided by positions of A: copies of y; slices of A, x\n");
  CHECK(check("s = x(i)*z(i)", {}).divisions() == "divided by rows of i: copies of s; slices of x, z\n");
  CHECK(check("s = A(i,j)*B(i,j)", {"A=csr", "B=csr"}).divisions() ==
        "divided by rows of i: copies of s; slices of A, B\n");
  CHECK(check("s = A(i,j)*A(j,k)*A(i,k)", {"A=csr"}).divisions() == "divided by rows of i: copies of s; all of A\n");
  CHECK(check("y(j) = A(i,j)*x(i)", {"A=csr"}, /*strict=*/true).divisions() ==
        "not divided: its iterations add to each other's elements, and sums keep their order\n");
}

TEST_CASE("What is not divided says why") {
  CHECK(check("y(j) max= A(i,j)*x(i)", {"A=csr"}).divisions() ==
        "not divided: its iterations write each other's elements, and not in sums of real numbers\n");
  CHECK(check("s = A(i,j)*B(i,j)", {"A=dcsr", "B=dcsr"}).divisions() ==
        "not divided: its iterations write each other's elements, in loops over several lists at once\n");
  CHECK(check("z(i) = x(i) + y(i)", {"x=vector", "y=vector", "z=vector"}).divisions() ==
        "not divided: its entries are collected as a whole\n");
}

TEST_CASE("Terms that write in different ways are divided at the rows that all of them own") {
  CHECK(check("y(i) = A(i,j)*x(j) + B(i,j)*z(j)", {"A=csr", "B=dcsr"}).divisions() ==
        "divided by rows of i that B lists: slices of y, A; what A lists of x; slices of B; what B lists of z\n");
  CHECK(check("y(i) = A(i,j)*x(j) + B(j,i)*z(j)", {"A=csr", "B=csr"}).divisions() ==
        "not divided: its terms write each other's elements, in loops over different items\n");
}
