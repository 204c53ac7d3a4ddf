// Functions of complex numbers, and Hermitian matrices.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;
using enum spc::sema::ValueType;

namespace {

KernelSpec specOf(const std::string &statements, spc::sema::ValueType type) {
  KernelSpec spec;
  spec.statements = statements;
  spec.type = type;
  return spec;
}

} // namespace

TEST_CASE("functions of complex numbers on dense operands", "[complex]") {
  for (const auto type : {CF64, CF32, F64, F32}) {
    check(specOf("y(i) = conj(x(i)) * z(i)", type));
    check(specOf("y(i) = conj(x(i) + z(i)) - x(i) * conj(z(i))", type));
    for (const char *function : {"real", "imag", "abs", "arg"}) {
      KernelSpec spec = specOf("y(i) = " + std::string(function) + "(x(i))", type);
      spec.types["y"] = type == CF32 || type == F32 ? F32 : F64;
      check(spec);
      spec.statements = "y(i) = 2 * " + std::string(function) + "(x(i) * z(i)) + 1";
      check(spec);
    }
    check(specOf("y(i) = abs(x(i)) * z(i) + real(z(i))", type));
  }
}

TEST_CASE("functions of complex numbers on sparse operands", "[complex]") {
  for (const char *format : {"csr", "csc", "coo", "coo-dup", "dcsr", "bsr2x3", "ell"})
    for (const char *statements : {"y(i) = conj(A(j,i)) * x(j)", "y(i) = sum(j, abs(A(i,j)) * x(j))",
                                   "D(i,j) = real(A(i,j)) + imag(A(i,j))", "C(i,k) = conj(A(i,j)) * B(j,k)",
                                   "y(i) = sum(j, arg(A(i,j)))", "y(i) = sum(j, abs(A(i,j) - conj(A(i,j))))"}) {
      KernelSpec spec = specOf(statements, CF64);
      spec.formats = {{"A", format}};
      check(spec);
    }
  KernelSpec assembled = specOf("C(i,j) = conj(A(j,i))", CF32);
  assembled.formats = {{"A", "csr"}, {"C", "csr"}};
  check(assembled);
  assembled.statements = "C(i,k) = A(i,j) * conj(B(k,j))";
  assembled.formats["B"] = "csr";
  check(assembled);
}

TEST_CASE("complex numbers of their parts", "[complex]") {
  for (const auto type : {F64, F32})
    for (const char *statements : {"y(i) = complex(x(i), z(i))", "y(i) = complex(x(i) * z(i), 1) * complex(0, z(i))",
                                   "y(i) = conj(complex(x(i), 2)) * x(i)", "y(i) = complex(i, x(i))"}) {
      KernelSpec spec = specOf(statements, type);
      spec.types["y"] = type == F32 ? CF32 : CF64;
      check(spec);
    }
  check(specOf("y(i) = real(complex(x(i), z(i)) * complex(z(i), x(i)))", F64));
  for (const char *format : {"csr", "csc", "coo", "dcsr", "bsr2x3", "ell"})
    for (const char *statements :
         {"y(i) = sum(j, complex(A(i,j), B(i,j)) * x(j))", "y(i) = sum(j, complex(A(i,j), 1) * x(j))",
          "y(i) = sum(j, complex(0, A(i,j)))", "y(i) = sum(j, complex(x(j), A(i,j)))"}) {
      KernelSpec spec = specOf(statements, F64);
      spec.types["y"] = CF64;
      spec.formats = {{"A", format}, {"B", "csr"}};
      if (spec.statements.find('B') == std::string::npos)
        spec.formats.erase("B");
      check(spec);
    }
  KernelSpec assembled = specOf("C(i,j) = complex(A(i,j), B(i,j))", F32);
  assembled.types["C"] = CF32;
  assembled.formats = {{"A", "csr"}, {"B", "csc"}, {"C", "csr"}};
  check(assembled);
}

TEST_CASE("one triangle of a Hermitian matrix", "[complex]") {
  for (const auto type : {CF64, CF32, F64})
    for (const char *format : {"herm-csr", "herm-upper", "herm-packed", "herm-bsr", "herm-dia", "herm-coo"})
      for (const char *statements :
           {"y(i) = A(i,j) * x(j)", "y(j) = A(i,j) * x(i)", "C(i,k) = A(i,j) * B(j,k)", "D(i,j) = A(i,j)",
            "D(j,i) = 2 * A(i,j) * x(j)", "s = A(i,j) * A(i,j)", "y(i) = sum(j, abs(A(i,j)))", "y(i) = A(i,i)",
            "y(i) = A(2,i)", "y(i) = conj(A(i,j)) * x(j)", "y(i) = sum(j, pattern(A(i,j)) * x(j))",
            "D(i,j) = A(i,j) + A(j,i)"}) {
        KernelSpec spec = specOf(statements, type);
        spec.formats = {{"A", format}};
        check(spec);
      }
}

TEST_CASE("what is assembled of a Hermitian matrix", "[complex]") {
  for (const char *format : {"herm-csr", "herm-bsr", "herm-coo"})
    for (const char *statements :
         {"C(i,j) = A(i,j)", "C(i,j) = A(j,i) * x(i)", "C(i,k) = A(i,j) * A(j,k)", "C(i,j) = A(i,j) + B(i,j)"}) {
      KernelSpec spec = specOf(statements, CF64);
      spec.formats = {{"A", format}, {"C", "csr"}};
      if (spec.statements.find('B') != std::string::npos)
        spec.formats["B"] = "csr";
      check(spec);
    }
}
