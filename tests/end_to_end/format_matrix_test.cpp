// Every format of the algebra in the kernels that people use it for.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

using Names = std::vector<std::string>;

void checkEach(const std::string &statements, const Names &formats, const Formats &others = {}) {
  std::vector<Formats> assignments;
  for (const std::string &format : formats) {
    assignments.push_back(others);
    assignments.back()["A"] = format;
  }
  check(statements, assignments);
}

/// No operand is copied.
void checkInPlace(const std::string &statements, const Names &formats) {
  for (const std::string &format : formats) {
    KernelSpec spec;
    spec.statements = statements;
    spec.formats["A"] = format;
    spec.optLevel = 0; // none runs
    const KernelUnderTest kernel(spec);
    INFO(describe(spec) << "\n" << kernel.diagnostics());
    CHECK(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    CHECK_FALSE(kernel.reported("reorder"));
  }
}

} // namespace

TEST_CASE("the only sparse operand of a term is read as it is stored", "[format-in-place]") {
  for (const std::string statements : {"y(i) = A(i,j)*x(j)", "y(j) = A(i,j)*x(i)", "Y(i,k) = A(i,j)*X(j,k)"}) {
    checkInPlace(statements, kMatrixFormats);
    checkInPlace(statements, kLooseMatrixFormats);
  }
  for (const std::string statements :
       {"s = A(i,j,k)", "Y(i,j) = A(i,j,k)*x(k)", "Y(i,r) = A(i,j,k)*B(j,r)*C(k,r)", "y(j) = A(i,j,k)*x(k)*z(i)"})
    checkInPlace(statements, kThirdOrderFormats);
  checkInPlace("Y(i,r) = A(i,j,k,l)*B(j,r)*C(k,r)*D(l,r)", kFourthOrderFormats);
}

TEST_CASE("matrix formats times a vector", "[format-products]") {
  checkEach("y(i) = A(i,j)*x(j)", kMatrixFormats);
  checkEach("y(j) = A(i,j)*x(i)", kMatrixFormats);
}

TEST_CASE("matrix formats times a matrix", "[format-matmul]") {
  checkEach("Y(i,k) = A(i,j)*X(j,k)", kMatrixFormats);
  checkEach("s = A(i,j)*X(i,j)", kMatrixFormats);
  checkEach("Y(i,j) = A(i,j)*X(j,i)", kMatrixFormats, {{"Y", "dense"}});
}

TEST_CASE("sums of all entries", "[format-sums]") {
  checkEach("s = A(i)", kVectorFormats);
  checkEach("s = A(i,j)", kMatrixFormats);
  checkEach("s = A(i,j,k)", kThirdOrderFormats);
  checkEach("s = A(i,j,k,l)", kFourthOrderFormats);
}

TEST_CASE("scaling with a shared pattern", "[format-scaling]") {
  checkEach("D(i) = alpha*A(i)", kVectorFormats);
  checkEach("D(i,j) = alpha*A(i,j)", kMatrixFormats);
  checkEach("D(i,j,k) = alpha*A(i,j,k)", kThirdOrderFormats);
  checkEach("D(i,j,k,l) = alpha*A(i,j,k,l)", kFourthOrderFormats);
}

TEST_CASE("sums with another matrix", "[format-additions]") {
  checkEach("D(i,j) = A(i,j) + B(i,j)", kMatrixFormats, {{"B", "csr"}, {"D", "dense"}});
  checkEach("D(i,j) = A(i,j) - B(j,i)", kMatrixFormats, {{"B", "coo"}, {"D", "dense"}});
  checkEach("D(i,j,k) = A(i,j,k) + B(i,j,k)", kThirdOrderFormats, {{"B", "csf"}, {"D", "dense"}});
  checkEach("D(i) = A(i) + B(i)", kVectorFormats, {{"B", "sv"}, {"D", "dense"}});
}

TEST_CASE("sampled products keep every pattern", "[format-sddmm]") {
  Names general;
  for (const std::string &format : kMatrixFormats)
    if (!format.starts_with("sym"))
      general.push_back(format);
  checkEach("D(i,j) = A(i,j)*B(i,k)*C(j,k)", general);
}

TEST_CASE("tensor formats times vectors and matrices", "[format-tensors]") {
  checkEach("Y(i,j) = A(i,j,k)*x(k)", kThirdOrderFormats);
  checkEach("Y(i,r) = A(i,j,k)*B(j,r)*C(k,r)", kThirdOrderFormats);
  checkEach("Y(i,r) = A(i,j,k,l)*B(j,r)*C(k,r)*D(l,r)", kFourthOrderFormats);
  checkEach("s = A(i)*x(i)", kVectorFormats);
}

TEST_CASE("coordinates of blocks around another operand's list", "[format-pairs]") {
  const Names formats = {"coo-blocks", "coo", "dia", "dia-cols"};
  check("R(i,l,k) = v(i)*z(k)*A(l,i)", product({{"A", formats}, {"v", {"sv"}}, {"R", {"dense"}}}));
  check("y(l) = v(i)*z(k)*A(l,i)", product({{"A", formats}, {"v", {"sv"}}}));
}

TEST_CASE("products of a matrix with itself", "[format-squares]") {
  checkEach("D(i,j) = A(i,k)*A(k,j)", kMatrixFormats, {{"D", "dense"}});
  checkEach("D(i,j) = A(i,k)*A(j,k)", kMatrixFormats, {{"D", "dense"}});
  checkEach("D(i,j) = A(i,j)*A(j,i)", kMatrixFormats, {{"D", "dense"}});
  checkEach("s = A(i,j)*A(i,j)", kMatrixFormats);
}

TEST_CASE("products of two sparse operands in different formats", "[format-pairs]") {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"bsr2x3", "csr"},      {"csr", "bsr2x3"},   {"bsr2x3", "bsr4x4"},  {"ell", "bsr2x3"},
      {"dia", "csr"},         {"csr", "dia"},      {"dia", "dia"},        {"ragged", "coo"},
      {"nm24", "csc"},        {"sym-csr", "csr"},  {"csc", "sym-coo"},    {"lower", "upper"},
      {"ellq", "csr"},        {"ellq", "ell4q"},   {"ell", "ell"},        {"coo-aos", "ragged"},
      {"block-ell", "csr"},   {"dbsr", "dbsr"},    {"row-blocks", "csr"}, {"csr-len", "csr-len"},
      {"tiled", "csr"},       {"dia-cols", "coo"}, {"dia", "coo-aos"},    {"coo-blocks", "bsr2x3"},
      {"row-relative", "csr"}};
  std::vector<Formats> toVector, toDense;
  for (const auto &[a, b] : pairs) {
    toVector.push_back({{"A", a}, {"B", b}});
    toDense.push_back({{"A", a}, {"B", b}, {"D", "dense"}});
  }
  check("D(i,j) = A(i,k)*B(k,j)", toDense);
  check("D(i,j) = A(i,j)*B(i,j)", toDense);
  check("y(i) = A(i,j)*B(j,i)", toVector);
}

} // namespace spc::testing
