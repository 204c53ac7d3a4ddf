// Sparse outputs of order 3 in every order of modes, and those of order 2 that
// come from tensors of order 3.
#include "end_to_end/assembly.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<std::string> kModeOrders = {"0,1,2", "0,2,1", "1,0,2", "1,2,0", "2,0,1", "2,1,0"};

/// CSF and COO in all orders of modes, and mixtures with dense levels.
std::vector<std::string> outputs() {
  std::vector<std::string> result = {"ddc", "dcc", "ccd", "coo3-aos", "batched-coo"};
  for (const char *name : {"csf:", "coo:"})
    for (const std::string &modes : kModeOrders)
      result.push_back(name + modes);
  return result;
}

const std::vector<std::string> kMatrixOutputs = {"csr", "csc", "dcsr", "dcsc", "coo", "coo:1,0", "bsr2x3"};
const std::vector<std::string> kTensorOperands = {"csf", "coo", "csf:2,0,1", "ddc"};

/// Of all kernels a run takes one in so many: a number that shares no factor
/// with the lists' lengths.
constexpr size_t kStride = 17;

} // namespace

TEST_CASE("tensor times matrix", "[assembly-tensors]") {
  const Choices choices = {{"A", outputs()}, {"B", kTensorOperands}, {"C", {"dense", "csr", "csc"}}};
  checkAssembly("A(i,j,r) = B(i,j,k)*C(k,r)", product(choices), kStride);
  checkAssembly("A(i,r,k) = B(i,j,k)*C(j,r)", product(choices), kStride, 1);
  checkAssembly("A(r,j,k) = B(i,j,k)*C(r,i)", product(choices), kStride, 2);
}

TEST_CASE("tensor times vector", "[assembly-tensors]") {
  const Choices choices = {{"A", kMatrixOutputs}, {"B", kTensorOperands}, {"x", {"dense", "sv"}}};
  checkAssembly("A(i,j) = B(i,j,k)*x(k)", product(choices), 5);
  checkAssembly("A(i,k) = B(i,j,k)*x(j)", product(choices), 5, 1);
  checkAssembly("A(k,j) = B(i,j,k)*x(i)", product(choices), 5, 2);
}

TEST_CASE("sums of tensors", "[assembly-tensors-sums]") {
  const Choices choices = {{"A", outputs()}, {"B", {"csf", "coo", "ddc"}}, {"C", {"csf", "csf:2,1,0", "coo", "dense"}}};
  checkAssembly("A(i,j,k) = B(i,j,k) + C(i,j,k)", product(choices), kStride);
  checkAssembly("A(k,i,j) = B(i,j,k) - 2*C(i,j,k)", product(choices), kStride, 1);
  checkAssembly("A(i,j,k) = B(i,j,k) + C(k,i,j)", product(choices), kStride, 2);
}

TEST_CASE("elementwise products of tensors", "[assembly-tensors-products]") {
  const Choices choices = {{"A", outputs()}, {"B", {"csf", "coo", "ddc"}}, {"C", {"csf", "csf:2,1,0", "coo", "dense"}}};
  checkAssembly("A(i,j,k) = B(i,j,k)*C(i,j,k)", product(choices), kStride);
  checkAssembly("A(j,k,i) = B(i,j,k)*C(i,j,k)", product(choices), kStride, 1);
  checkAssembly("A(i,j,k) = B(i,j,k)*C(j,k,i)", product(choices), kStride, 2);
}

TEST_CASE("contractions, outer products and orders above three", "[assembly-tensors]") {
  checkAssembly("A(i,j) = B(i,k,l)*C(l,k,j)",
                product({{"A", kMatrixOutputs}, {"B", {"csf", "coo"}}, {"C", {"csf", "csf:1,0,2"}}}), 2);
  checkAssembly("A(i,j,k) = B(i,j)*x(k)",
                product({{"A", {"csf", "coo", "csf:2,1,0"}}, {"B", {"csr", "csc"}}, {"x", {"sv", "dense"}}}), 2);
  checkAssembly("A(i,j,k,l) = B(i,j,k,l) + C(l,k,j,i)",
                product({{"A", {"csf", "coo", "csf:3,1,0,2"}}, {"B", {"csf", "coo"}}, {"C", {"csf"}}}));
  checkAssembly("A(i,l) = B(i,j,k,l)*x(j)*y(k)",
                product({{"A", {"csr", "dcsc"}}, {"B", {"csf", "coo"}}, {"x", {"dense"}}, {"y", {"sv"}}}));
}

} // namespace spc::testing
