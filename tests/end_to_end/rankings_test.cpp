// The first elements of rows, and their places: formats, types, shapes, fills.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

using sema::ValueType;

std::vector<ValueType> realTypes() {
  std::vector<ValueType> types;
  for (ValueType type : sema::kValueTypes)
    if (!sema::isComplex(type))
      types.push_back(type);
  return types;
}

KernelSpec rankingOf(const std::string &statements, const Formats &formats, size_t number) {
  const std::vector<ValueType> types = realTypes();
  KernelSpec spec = specFor(statements, formats, number);
  spec.type = types[number % types.size()];
  spec.types = {{"P", ValueType::I64}};
  spec.strictFp = false;
  return spec;
}

const std::vector<std::string> kOfMatrices = {
    "V(i,r) = top(r, j, A(i,j))",
    "P(i,r) = argtop(r, j, A(i,j))",
    "V(r,j) = bottom(r, i, A(i,j))",
    "P(j,r) = argbottom(r, i, A(i,j))",
    "P(r) = argtop(r, i, j, A(i,j))",
    "V(r) = bottom(r, j, i, A(i,j))",
    "P(i,r) = argbottom(r, j, A(i,j)*x(j))",
};

} // namespace

TEST_CASE("rows of every format of matrices are ranked", "[rankings]") {
  size_t number = 0;
  for (const std::string &format : kMatrixFormats)
    for (size_t k = 0; k < (takesAll() ? kOfMatrices.size() : 3); ++k) {
      check(rankingOf(kOfMatrices[(number + k) % kOfMatrices.size()], {{"A", format}}, number));
      ++number;
    }
}

TEST_CASE("rows of tensors of higher order, and vectors, are ranked", "[rankings]") {
  size_t number = 0;
  for (const std::string &format : kThirdOrderFormats)
    for (const char *statements : {"V(i,j,r) = top(r, k, A(i,j,k))", "P(r,i) = argtop(r, j, k, A(i,j,k))",
                                   "P(k,r,i) = argbottom(r, j, A(i,j,k))"}) {
      if (takesAll() || number % 3 == number / 3 % 3)
        check(rankingOf(statements, {{"A", format}}, number));
      ++number;
    }
  for (const std::string &format : kVectorFormats)
    for (const char *statements : {"V(r) = top(r, i, A(i))", "P(r) = argbottom(r, i, A(i))"})
      check(rankingOf(statements, {{"A", format}}, number++));
}

TEST_CASE("elements of every type are ranked", "[rankings]") {
  size_t number = 0;
  for (ValueType type : realTypes())
    for (const char *format : {"dense", "csr", "coo"})
      for (const char *statements :
           {"V(i,r) = top(r, j, A(i,j))", "V(i,r) = bottom(r, j, A(i,j))", "P(i,r) = argtop(r, j, A(i,j))",
            "P(i,r) = argbottom(r, j, A(i,j))", "W(r,i) = bottom(r, j, A(i,j))"}) {
        KernelSpec spec = rankingOf(statements, {{"A", format}}, number++);
        spec.type = type;
        spec.types["W"] = sema::isFloat(type) ? ValueType::F32 : ValueType::I64;
        check(spec);
      }
}

TEST_CASE("missing entries take part in rankings as their fill", "[rankings]") {
  size_t number = 0;
  for (const char *fill : {"inf", "-inf", "1"})
    for (const char *format : {"csr", "csc", "dcsr", "coo"})
      for (const char *statements : {"V(i,r) = top(r, j, A(i,j))", "P(i,r) = argtop(r, j, A(i,j))",
                                     "V(i,r) = bottom(r, j, A(i,j))", "P(i,r) = argbottom(r, j, A(i,j))"})
        for (ValueType type : {ValueType::F64, ValueType::I8}) {
          KernelSpec spec = rankingOf(statements, {{"A", format}}, number++);
          spec.type = type;
          spec.fills = {{"A", fill}};
          check(spec);
        }
}

TEST_CASE("what is computed, converted or stored otherwise is ranked", "[rankings]") {
  const std::vector<std::string> programs = {
      "V(i,r) = top(r, j, A(i,j)*B(i,j))",
      "P(i,r) = argtop(r, j, A(i,j) - B(i,j))",
      "P(i,r) = argtop(r, j, select(pattern(A(i,j)), B(i,j), -inf))",
      "V(i,r) = bottom(r, j, sum(k, A(i,k)*B(j,k)))",
      "P(i,r) = argbottom(r, j, sum(k, A(i,k)*B(k,j)))",
      "let T(i,j) = A(i,k)*B(k,j)\nV(i,r) = top(r, j, T(i,j))\nP(i,r) = argtop(r, j, T(i,j))",
      "V(i,r) = top(r, j, A(i,j)*x(j))\nP(i,r) = argtop(r, j, A(i,j)*x(j))\nx(i) = 2*x(i)\n"
      "W(i,r) = top(r, j, A(i,j)*x(j))",
      "let T(i,r) = top(r, j, A(i,j))\ny(i) = sum(r, T(i,r)*w(r))",
      "let T(i,r) = argtop(r, j, A(i,j))\ny(i) = i64(max(j, B(i,j))) + sum(r, T(i,r)*(T(i,r) < 9)*u(r))",
      "V(i,r) = A(i,r)\nV(i,r) = top(r, j, V(i,j))",
      "V(i,r) = top(r, j, x(j)*A(i,j+1) - A(i,j))",
      "V(i,r) = bottom(r, j, A(j,j)*x(i))",
      "P(i,r) = argtop(r, j, sum(k, A(j,k))*x(i))",
      "Y(i,r) = A(i,r)\nY(i,r) = top(r, j, A(i,j))",
  };
  size_t number = 0;
  for (const std::string &statements : programs)
    for (const char *format : {"csr", "csc", "dense"}) {
      KernelSpec spec = rankingOf(statements, {{"A", format}, {"B", number % 2 == 0 ? "csr" : "coo"}}, number);
      if (statements.find("B(") == std::string::npos)
        spec.formats.erase("B");
      if (statements.find("+1") != std::string::npos)
        spec.formats["A"] = "dense";
      spec.type = number % 2 == 0 ? ValueType::F64 : ValueType::I32;
      spec.types = {{"P", ValueType::I64}, {"T", ValueType::I64}, {"u", ValueType::I64}, {"y", ValueType::I64}};
      if (statements.find("argtop(r, j, A(i,j))") == std::string::npos)
        spec.types = {{"P", number % 4 == 1 ? ValueType::I32 : ValueType::I64}};
      ++number;
      check(spec);
    }
  for (const char *format : {"csr", "coo", "csc"}) {
    KernelSpec spec = rankingOf("V(i,r) = top(r, j, A(i,j))", {{"A", "csr"}, {"V", format}}, number++);
    spec.type = ValueType::F64;
    check(spec);
  }
}

} // namespace spc::testing
