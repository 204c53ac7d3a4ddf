// Products of one sparse tensor and dense ones, and of two and more matrices.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {} // namespace

TEST_CASE("sparse matrix times vector", "[products]") {
  check("y(i) = A(i,j) * x(j)", product({{"A", kMatrix}}));
  check("y(j) = A(i,j) * x(i)", product({{"A", kMatrix}}));
  check("y(i) = A(j,i) * x(j)", product({{"A", kMatrix}}));
  check("y(i) += A(i,j) * x(j)", product({{"A", kMatrix}}));
  check("y(i) = alpha * A(i,j) * x(j) + beta * y(i)", product({{"A", {"csr", "csc", "coo", "dcsr"}}}));
}

TEST_CASE("sparse matrix times sparse vector", "[products]") {
  check("y(i) = A(i,j) * x(j)", product({{"A", {"csr", "csc", "dcsr", "dcsc", "coo"}}, {"x", {"sv"}}}));
  check("y(j) = A(i,j) * x(i)", product({{"A", {"csr", "csc", "dcsr", "coo"}}, {"x", {"sv"}}}));
}

TEST_CASE("matrix times matrix in all storages", "[matmul]") {
  check("A(i,j) = B(i,k) * C(k,j)", product({{"B", kFourStorages}, {"C", kFourStorages}}));
  check("A(i,j) = B(i,k) * C(k,j)", product({{"B", {"dcsr", "dcsc"}}, {"C", {"dcsr", "dcsc", "csr", "coo"}}}));
}

TEST_CASE("matrix products with transposes", "[matmul]") {
  check("A(i,j) = B(k,i) * C(k,j)", product({{"B", {"csr", "csc", "coo"}}, {"C", {"dense", "csr", "csc"}}}));
  check("A(i,j) = B(i,k) * C(j,k)", product({{"B", {"csr", "csc", "coo"}}, {"C", {"dense", "csr", "csc"}}}));
  check("A(j,i) = B(i,k) * C(k,j)", product({{"B", {"csr", "csc", "coo"}}, {"C", {"dense", "csr"}}}));
  check("A(i,j) += B(i,k) * C(k,j)", product({{"B", {"csr", "csc", "coo"}}, {"C", {"dense", "csr"}}}));
}

TEST_CASE("sparse matrix times dense matrices of both orders", "[matmul]") {
  check("C(i,j) = A(i,k) * B(k,j)",
        product({{"A", kMatrix}, {"B", {"dense", "dense:1,0"}}, {"C", {"dense", "dense:1,0"}}}));
}

TEST_CASE("a matrix with itself", "[matmul]") {
  const std::vector<std::string> storages = {"csr", "csc", "coo", "dcsr", "dense"};
  check("C(i,j) = A(i,k) * A(k,j)", product({{"A", storages}}));
  check("C(i,j) = A(i,k) * A(j,k)", product({{"A", storages}}));
  check("C(i,j) = A(k,i) * A(k,j)", product({{"A", storages}}));
  check("C(i,j) = A(i,j) * A(j,i)", product({{"A", storages}, {"C", {"dense"}}}));
  check("C(i,j) = A(i,j) * A(i,j)", product({{"A", storages}, {"C", {"dense"}}}));
}

TEST_CASE("chains of matrices", "[chains]") {
  check("A(i,l) = B(i,j) * C(j,k) * D(k,l)",
        product({{"B", {"csr", "coo"}}, {"C", {"csr", "csc"}}, {"D", {"csr", "dense"}}}));
  check("y(i) = A(i,j) * B(j,k) * x(k)", product({{"A", {"csr", "csc", "coo"}}, {"B", {"csr", "csc", "dense"}}}));
  check("t = x(i) * A(i,j) * y(j)", product({{"A", kMatrix}}));
  check("t = x(i) * A(i,j) * y(j)", product({{"A", {"csr", "csc", "coo"}}, {"x", kVector}, {"y", {"sv"}}}));
  check("t = A(i,j) * B(j,k) * C(k,i)", product({{"A", {"csr"}}, {"B", {"csr", "dense"}}, {"C", {"csr", "csc"}}}));
}

TEST_CASE("inner and outer products", "[products]") {
  check("t = x(i) * y(i)", product({{"x", kVector}, {"y", kVector}}));
  check("t += x(i) * y(i)", product({{"x", kVector}, {"y", kVector}}));
  check("A(i,j) = x(i) * y(j)", product({{"x", kVector}, {"y", kVector}}));
  check("t = A(i,j) * B(i,j)", product({{"A", {"csr", "csc", "coo", "dcsr"}}, {"B", {"csr", "csc", "dense"}}}));
  check("t = A(i,j)", product({{"A", kMatrix}}));
  check("t = x(i)", product({{"x", kVector}}));
  check("T(i,j,k) = x(i) * y(j) * z(k)", product({{"x", kVector}, {"z", kVector}}));
}

TEST_CASE("row and column sums", "[products]") {
  check("y(i) = A(i,j)", product({{"A", kMatrix}}));
  check("y(j) = A(i,j)", product({{"A", kMatrix}}));
}

TEST_CASE("products whose sums are taken one by one", "[chains]") {
  const Choices pair = {{"A", {"csr", "csc", "coo", "bsr2x3"}}, {"B", {"csr", "dcsr", "ell"}}};
  checkLowering("y(i) = A(i,j) * B(j,k) * x(k)", product(pair));
  checkLowering("y(i) = -A(i,j) * B(j,k) / d(k) * x(k) + A(i,j) * z(k)", product(pair));
  checkLowering("C(i,l) = A(i,j) * B(j,k) * X(k,l)", product(pair));
  checkLowering("y(j) = A(i,j) * A(i,k) * x(k)", product({{"A", {"csr", "csc", "coo", "coo-dup", "lower"}}}));
  checkLowering(
      "D(i,l) = A(i,j) * B(j,k) * C(k,l)",
      product({{"A", {"csr", "dcsr"}}, {"B", {"csr"}}, {"C", {"csr", "coo"}}, {"D", {"csr", "dcsr", "dense"}}}));
  checkLowering("t = A(i,j) * A(j,k) * A(k,l) * A(l,i)", product({{"A", {"csr", "csc"}}}));
  checkLowering("D(i,j) = S(i,j) * P(i,k) * Q(j,k) * U(i,f) * V(j,f)", product({{"S", {"csr", "coo", "csc", "dia"}}}));
  checkLowering("Y(i,k) = (A(i,j) - m(j)) * X(j,k)", product({{"A", {"csr", "csc", "bsr2x3"}}}));
  checkLowering("G(r,s) = T(i,j,k) * A(i,r) * B(j,s) * w(k)", product({{"T", {"csf", "coo"}}}));
}

TEST_CASE("dense products alone", "[products]") {
  check("A(i,j) = B(i,k) * C(k,j)", product({{"B", {"dense", "dense:1,0"}}, {"C", {"dense", "dense:1,0"}}}));
  check("y(i) = A(i,j) * x(j)", product({{"A", {"dense", "dense:1,0"}}}));
  check("T(i,j) = A(i,k,l) * B(l,k,j)", product({{"A", {"dense", "dense:2,0,1"}}}));
}
