// Tensors of order 3 and up: the kernels of tensor decompositions, and orders to 8.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

TEST_CASE("matricized tensor times Khatri-Rao product", "[tensors]") {
  check("A(i,r) = B(i,j,k) * C(j,r) * D(k,r)", product({{"B", kThirdOrder}}));
  check("A(j,r) = B(i,j,k) * C(i,r) * D(k,r)", product({{"B", kThirdOrder}}));
  check("A(k,r) = B(i,j,k) * C(i,r) * D(j,r)", product({{"B", kThirdOrder}}));
  check("A(i,r) = B(i,j,k,l) * C(j,r) * D(k,r) * E(l,r)", product({{"B", {"csf", "coo", "csf:3,1,0,2"}}}));
  check("A(i,r) = B(i,j,k,l,m) * C(j,r) * D(k,r) * E(l,r) * F(m,r)", product({{"B", {"csf", "coo"}}}));
  check("A(i,r) = B(i,j,k) * C(j,r) * D(k,r)", product({{"B", {"csf", "coo"}}, {"C", {"csr", "csc"}}, {"D", {"csr"}}}));
}

TEST_CASE("tensor times vector and matrix", "[tensors]") {
  check("A(i,j) = B(i,j,k) * x(k)", product({{"B", kThirdOrder}}));
  check("A(i,k) = B(i,j,k) * x(j)", product({{"B", kThirdOrder}}));
  check("A(j,k) = B(i,j,k) * x(i)", product({{"B", kThirdOrder}}));
  check("A(i,j) = B(i,j,k) * x(k)", product({{"B", {"csf", "coo"}}, {"x", {"sv"}}}));
  check("A(i,j,r) = B(i,j,k) * C(k,r)", product({{"B", kThirdOrder}}));
  check("A(r,j,k) = B(i,j,k) * C(r,i)", product({{"B", {"csf", "coo", "ddc"}}, {"C", {"dense", "csr"}}}));
  check("y(i) = B(i,j,k) * x(j) * w(k)", product({{"B", kThirdOrder}}));
}

TEST_CASE("third-order tensors reduced and permuted", "[tensors]") {
  check("t = B(i,j,k)", product({{"B", kThirdOrder}}));
  check("t = B(i,j,k) * C(i,j,k)", product({{"B", {"csf", "coo"}}, {"C", {"csf", "coo:1,0,2", "dense"}}}));
  check("A(k,i,j) = B(i,j,k)", product({{"B", kThirdOrder}, {"A", {"dense"}}}));
  check("A(i,j,k) = B(i,j,k) + C(k,j,i)",
        product({{"B", {"csf", "coo"}}, {"C", {"csf", "coo", "dense"}}, {"A", {"dense"}}}));
  check("A(i,j) = B(i,k,l) * C(l,k,j)", product({{"B", {"csf", "coo", "dense"}}, {"C", {"csf", "csf:1,0,2"}}}));
}

TEST_CASE("fourth-order tensors", "[tensors]") {
  check("A(i,j) = B(i,j,k,l) * C(k,l)",
        product({{"B", {"csf", "coo", "csf:3,2,1,0", "ddcc"}}, {"C", {"dense", "csr"}}}));
  check("A(l,k,j,i) = B(i,j,k,l)", product({{"B", {"csf", "coo", "csf:2,0,3,1"}}, {"A", {"dense"}}}));
  check("D(i,j,k,l) = B(i,j,k,l) * x(j) * y(l)", product({{"B", {"csf", "coo"}}}));
}

TEST_CASE("orders up to eight", "[tensors]") {
  check("y(i) = T(i,j,k,l,m) * x(m)", product({{"T", {"csf", "coo", "csf:4,3,2,1,0"}}}));
  check("t = T(a,b,c,d,e,f,g,h)", product({{"T", {"csf", "coo", "dense"}}}));
  check("y(h) = T(a,b,c,d,e,f,g,h) * x(a)", product({{"T", {"csf", "coo", "csf:7,6,5,4,3,2,1,0"}}}));
  check("D(a,b,c,d,e,f,g,h) = T(a,b,c,d,e,f,g,h) * x(c)", product({{"T", {"csf", "coo"}}}));
  check("A(a,b,c,d,e,f,g,h) = 2 * T(a,b,c,d,e,f,g,h)", product({{"T", {"csf", "coo", "dense"}}, {"A", {"dense"}}}));
}
