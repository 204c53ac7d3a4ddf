// Results of which one triangle is computed and stored.
#include "end_to_end/assembly.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<std::string> kSymmetric = {"sym-csr", "sym-upper", "sym-packed", "sym-coo", "sym-bsr", "sym-dia"};

} // namespace

TEST_CASE("right sides that are symmetric by their form", "[assembly-symmetric]") {
  const std::vector<std::string> operands = {"csr", "csc", "coo", "bsr2x3"};
  checkAssembly("A(i,j) = B(i,j) + B(j,i)", product({{"A", kSymmetric}, {"B", operands}}), 5);
  checkAssembly("A(i,j) = B(i,k)*B(j,k)", product({{"A", kSymmetric}, {"B", operands}}), 5, 1);
  checkAssembly("A(i,j) = B(k,j)*B(k,i)*d(k)", product({{"A", kSymmetric}, {"B", operands}, {"d", {"dense"}}}), 7, 2);
  checkAssembly("A(i,j) = B(i,k)*C(k,j) + C(k,i)*B(j,k)",
                product({{"A", kSymmetric}, {"B", {"csr", "dense"}}, {"C", {"csr", "csc"}}}), 7);
  checkAssembly("A(i,j) = B(i,k)*S(k,l)*B(j,l)",
                product({{"A", kSymmetric}, {"B", {"csr"}}, {"S", {"sym-csr", "sym-packed"}}}), 7);
  checkAssembly("A(i,j) = max(B(i,j), B(j,i)) - abs(B(i,j) - B(j,i))", product({{"A", kSymmetric}, {"B", {"csr"}}}), 3);
  checkAssembly("A(i,j) = x(i)*x(j)", product({{"A", kSymmetric}, {"x", {"sv", "dense"}}}), 2);
}

TEST_CASE("symmetric operands of a symmetric result", "[assembly-symmetric]") {
  checkAssembly("A(i,j) = S(i,j)", product({{"A", kSymmetric}, {"S", kSymmetric}}), 5);
  checkAssembly("A(i,j) = S(j,i)*x(i)*x(j) - T(i,j)/2",
                product({{"A", kSymmetric}, {"S", {"sym-csr", "sym-upper"}}, {"T", {"sym-csr", "sym-upper"}}}), 7);
  checkAssembly("A(i,j) = S(i,k)*S(k,j)", product({{"A", kSymmetric}, {"S", kSymmetric}}), 7);
  checkAssembly("A(i,j) = max(S(i,j), T(j,i))",
                product({{"A", {"sym-csr", "sym-packed"}}, {"S", {"sym-csr"}}, {"T", {"sym-csr", "sym-upper"}}}));
  checkAssembly("A(i,j) = S(i,j)*S(i,j)", product({{"A", kSymmetric}, {"S", {"sym-csr", "sym-upper"}}}), 5);
}

TEST_CASE("symmetric results are added to, and read again", "[assembly-symmetric]") {
  checkAssembly("A(i,j) += B(i,k)*B(j,k)", product({{"A", kSymmetric}, {"B", {"csr", "csc"}}}), 5);
  checkAssembly("A(i,j) = A(i,k)*A(k,j)", product({{"A", {"sym-csr", "sym-packed"}}}));
  checkAssembly(
      "let T(i,j) = B(i,k)*B(j,k)\nA(i,j) = T(i,j)*S(i,j) + T(j,i)",
      product({{"A", {"sym-csr", "sym-upper"}}, {"T", {"csr", "sym-csr"}}, {"B", {"csr"}}, {"S", {"sym-csr"}}}), 2);
  checkAssembly("A(i,j) = B(i,j) + B(j,i)\ny(i) = A(i,j)*x(j)", product({{"A", kSymmetric}, {"B", {"csr"}}}), 3);
}

TEST_CASE("right sides that are not symmetric are refused", "[assembly-symmetric]") {
  const auto isRefused = [](const std::string &statements) {
    KernelSpec spec;
    spec.statements = statements;
    for (const std::string tensor : {"A", "B", "C", "S"})
      if (statements.find(tensor + "(") != std::string::npos)
        spec.formats[tensor] = tensor == "A" || tensor == "S" ? "sym-csr" : "csr";
    const KernelUnderTest kernel(spec);
    INFO(describe(spec) << kernel.diagnostics());
    CHECK(kernel.firstError() == "not-symmetric");
  };
  isRefused("A(i,j) = B(i,j)");
  isRefused("A(i,j) = B(i,j) - B(j,i)");
  isRefused("A(i,j) = B(i,k)*C(j,k)");
  isRefused("A(i,j) = S(i,j)*x(i)");
  isRefused("A(i,j) = S(i,k)*B(k,j)");
  isRefused("A(i,j) = B(i,j) + B(j,i) + B(i,j)");
  isRefused("A(i,j) = select(i < j, B(i,j), 2*B(j,i))");
  isRefused("A(i,j) = B(i,j) + B(j,i)\nA(i,j) += B(i,j)");
  isRefused("let T(i,j) = B(i,j)*x(i)\nA(i,j) = T(i,j)*S(i,j)");
}

} // namespace spc::testing
