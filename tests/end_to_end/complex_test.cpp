// Functions of complex numbers, and Hermitian matrices.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <complex>

using namespace spc::testing;
using enum spc::sema::ValueType;

namespace {

KernelSpec complexSpecOf(const std::string &statements, spc::sema::ValueType type) {
  KernelSpec spec;
  spec.statements = statements;
  spec.type = type;
  return spec;
}

using Number = std::complex<double>;

/// The same parts; a NaN is as any other.
bool isSame(Number a, Number b) {
  const auto areSame = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return areSame(a.real(), b.real()) && areSame(a.imag(), b.imag());
}

const std::vector<Number> kNumbers = {{kInf, 0}, {3, -kInf}};

/// Checks what y is where x is kNumbers, w the floats 2 and -inf, and A has entries on its diagonal, 1 and 1.
void checkParts(const std::string &statements, const std::vector<Number> &expected) {
  const auto reads = [&](const char *tensor) { return statements.find(tensor) != std::string::npos; };
  for (const char *format : {"csr", "csc", "coo", "dcsr"})
    for (const int level : {0, 3}) {
      KernelSpec spec = complexSpecOf(statements, F64);
      spec.types = {{"y", CF64}};
      spec.optLevel = level;
      if (reads("x("))
        spec.types["x"] = CF64;
      if (reads("A("))
        spec.formats["A"] = format;
      INFO(describe(spec));
      HandMadeCall call(spec);
      std::vector<Number> x = kNumbers, y(2, {7, 7});
      call.passMemory("y", {2}, y.data());
      if (reads("x("))
        call.passMemory("x", {2}, x.data());
      if (reads("w("))
        call.passDense("w", {2}, {2, -kInf});
      if (reads("A("))
        call.passEntries("A", {2, 2}, {{{0, 0}, 1}, {{1, 1}, 1}});
      REQUIRE(call.call(call.context()) == SPC_OK);
      for (size_t i = 0; i < y.size(); ++i) {
        INFO("y(" << i << ") is " << y[i] << ", expected " << expected[i]);
        CHECK(isSame(y[i], expected[i]));
      }
      if (!reads("A("))
        return;
    }
}

} // namespace

TEST_CASE("a real factor or divisor multiplies or divides both parts", "[complex]") {
  const std::vector<Number> scaled = {{kInf, 0}, {-kInf, kInf}}; // w(i) * x(i)
  for (const char *statements :
       {"y(i) = A(i,k) * x(k)", "y(i) = x(k) * A(i,k)", "y(i) = cf64(pattern(A(i,k))) * x(k)",
        "y(i) = x(k) * cf64(A(i,k))", "y(i) = x(k) * A(i,k) * bool(w(k))", "y(i) = 1 * x(i)",
        "y(i) = A(i,j) * A(j,k) * x(k)", "y(i) = x(k) * A(i,k) / A(i,k)", "y(i) = x(k) * (k == i)"})
    checkParts(statements, kNumbers);
  for (const char *statements :
       {"y(i) = w(i) * x(i)", "y(i) = A(i,k) * w(k) * x(k)", "y(i) = x(k) * w(k) * (k == i)",
        "y(i) = sum(k, A(i,k) * w(k)) * x(i)", "y(i) = select(w(i) > 0, 2, w(i)) * x(i)",
        "let t(i) = A(i,k) * w(k)\ny(i) = t(i) * x(i)", "y(i) = A(i,j) * sum(k, A(j,k) * w(k)) * x(j)",
        "y(i) = (A(i,k) + A(i,k)) * w(k) * x(k) / 2"})
    checkParts(statements, scaled);
  checkParts("y(i) = x(i) * 2", {{kInf, 0}, {6, -kInf}});
  checkParts("y(i) = x(i) / 2", {{kInf, 0}, {1.5, -kInf}});
  checkParts("y(i) = A(i,k) * x(k) / 2", {{kInf, 0}, {1.5, -kInf}});
  checkParts("y(i) = x(i) / w(i)", {{kInf, 0}, {0, NAN}});
  checkParts("y(i) = x(i) * (i == 1)", {{0, 0}, {3, -kInf}});
  checkParts("y(i) = mean(k, x(i) * bool(w(k)))", kNumbers);
  checkParts("y(i) = sum(k, x(i) * bool(w(k)))", {{kInf, 0}, {6, -kInf}});
}

TEST_CASE("what is computed of real numbers alone has no imaginary part", "[complex]") {
  checkParts("y(i) = w(i) * w(i)", {{4, 0}, {kInf, 0}});
  checkParts("y(i) = A(i,k) * w(k) * w(k)", {{4, 0}, {kInf, 0}});
  checkParts("y(i) = w(i) * w(i) + x(i)", {{kInf, 0}, {kInf, -kInf}});
  checkParts("y(i) = x(k) * A(i,k) + w(k) * A(i,k) * w(k)", {{kInf, 0}, {kInf, -kInf}});
  checkParts("y(i) = prod(k, w(k) * (i + 1))", {{-kInf, 0}, {-kInf, 0}});
  checkParts("y(i) = prod(k, w(k)) * A(i,j) + x(j) * A(i,j)", {{NAN, 0}, {-kInf, -kInf}});
}

TEST_CASE("entries of real numbers in complex results", "[complex]") {
  for (const char *statements :
       {"C(i,j) = A(i,j) * x(j)", "C(i,k) = A(i,j) * D(j,k)", "C(i,j) = A(i,j) + D(i,j)", "C(i,j) = A(i,j) * w(j)",
        "C(i,j) = A(i,j) * w(j) + A(j,i)", "C(i,j) = (A(i,j) + D(i,j)) * w(j)", "C(i,j) = D(i,j) / A(i,j)"}) {
    KernelSpec spec = complexSpecOf(statements, CF64);
    spec.types = {{"A", F64}};
    if (spec.statements.find('w') != std::string::npos)
      spec.types["w"] = F64;
    spec.formats = {{"A", "csr"}, {"C", "csr"}};
    if (spec.statements.find('D') != std::string::npos)
      spec.formats["D"] = "csr";
    check(spec);
  }
}

TEST_CASE("functions of complex numbers on dense operands", "[complex]") {
  for (const auto type : {CF64, CF32, F64, F32}) {
    check(complexSpecOf("y(i) = conj(x(i)) * z(i)", type));
    check(complexSpecOf("y(i) = conj(x(i) + z(i)) - x(i) * conj(z(i))", type));
    for (const char *function : {"real", "imag", "abs", "arg"}) {
      KernelSpec spec = complexSpecOf("y(i) = " + std::string(function) + "(x(i))", type);
      spec.types["y"] = type == CF32 || type == F32 ? F32 : F64;
      check(spec);
      spec.statements = "y(i) = 2 * " + std::string(function) + "(x(i) * z(i)) + 1";
      check(spec);
    }
    check(complexSpecOf("y(i) = abs(x(i)) * z(i) + real(z(i))", type));
  }
}

TEST_CASE("functions of complex numbers on sparse operands", "[complex]") {
  for (const char *format : {"csr", "csc", "coo", "coo-dup", "dcsr", "bsr2x3", "ell"})
    for (const char *statements : {"y(i) = conj(A(j,i)) * x(j)", "y(i) = sum(j, abs(A(i,j)) * x(j))",
                                   "D(i,j) = real(A(i,j)) + imag(A(i,j))", "C(i,k) = conj(A(i,j)) * B(j,k)",
                                   "y(i) = sum(j, arg(A(i,j)))", "y(i) = sum(j, abs(A(i,j) - conj(A(i,j))))"}) {
      KernelSpec spec = complexSpecOf(statements, CF64);
      spec.formats = {{"A", format}};
      check(spec);
    }
  KernelSpec assembled = complexSpecOf("C(i,j) = conj(A(j,i))", CF32);
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
      KernelSpec spec = complexSpecOf(statements, type);
      spec.types["y"] = type == F32 ? CF32 : CF64;
      check(spec);
    }
  check(complexSpecOf("y(i) = real(complex(x(i), z(i)) * complex(z(i), x(i)))", F64));
  for (const char *format : {"csr", "csc", "coo", "dcsr", "bsr2x3", "ell"})
    for (const char *statements :
         {"y(i) = sum(j, complex(A(i,j), B(i,j)) * x(j))", "y(i) = sum(j, complex(A(i,j), 1) * x(j))",
          "y(i) = sum(j, complex(0, A(i,j)))", "y(i) = sum(j, complex(x(j), A(i,j)))"}) {
      KernelSpec spec = complexSpecOf(statements, F64);
      spec.types["y"] = CF64;
      spec.formats = {{"A", format}, {"B", "csr"}};
      if (spec.statements.find('B') == std::string::npos)
        spec.formats.erase("B");
      check(spec);
    }
  KernelSpec assembled = complexSpecOf("C(i,j) = complex(A(i,j), B(i,j))", F32);
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
        KernelSpec spec = complexSpecOf(statements, type);
        spec.formats = {{"A", format}};
        check(spec);
      }
}

TEST_CASE("what is assembled of a Hermitian matrix", "[complex]") {
  for (const char *format : {"herm-csr", "herm-bsr", "herm-coo"})
    for (const char *statements :
         {"C(i,j) = A(i,j)", "C(i,j) = A(j,i) * x(i)", "C(i,k) = A(i,j) * A(j,k)", "C(i,j) = A(i,j) + B(i,j)"}) {
      KernelSpec spec = complexSpecOf(statements, CF64);
      spec.formats = {{"A", format}, {"C", "csr"}};
      if (spec.statements.find('B') != std::string::npos)
        spec.formats["B"] = "csr";
      check(spec);
    }
}
