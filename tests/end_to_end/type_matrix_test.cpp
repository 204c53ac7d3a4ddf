// Every type of values and every width of pointers and indices, with every format.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

using format::IndexType;
using sema::ValueType;

constexpr IndexType kIndexTypes[] = {IndexType::U8, IndexType::U16, IndexType::I32, IndexType::I64};

/// Formats of one order with the kernels that each of them is tried with.
struct Group {
  std::vector<std::string> formats;
  std::vector<std::string> kernels;
};

/// A function: the lists are globals of another file, which may be initialised later than those of this one.
std::vector<Group> groups() {
  return {
      {kMatrixFormats,
       {"y(i) = A(i,j)*x(j)", "D(i,j) = alpha*A(i,j)", "s = A(i,j)", "D(i,j) = A(i,j) + B(i,j)",
        "y(j) += A(i,j)*x(i)"}},
      {kThirdOrderFormats, {"Y(i,j) = A(i,j,k)*x(k)", "D(i,j,k) = alpha*A(i,j,k)", "s = A(i,j,k)"}},
      {kFourthOrderFormats, {"D(i,j,k,l) = alpha*A(i,j,k,l)", "s = A(i,j,k,l)"}},
      {kVectorFormats, {"s = A(i)*x(i)", "D(i) = alpha*A(i)"}},
  };
}

KernelSpec specFor(const std::string &statements, const std::string &format, size_t index) {
  KernelSpec spec;
  spec.statements = statements;
  spec.formats = {{"A", format}};
  spec.index = {kIndexTypes[index % 4], kIndexTypes[index / 4 % 4]};
  return spec;
}

/// The level of one of the kernels that are tried with many types: see expressions.h.
int levelFor(size_t number) {
  return takesAll() ? 1 : seldomOptimised(number);
}

/// Every format of the groups with `count` variants, each with one of the kernels; `vary` makes the spec a variant.
template <typename Vary> void checkVariants(size_t count, Vary vary) {
  for (const Group &group : groups()) {
    REQUIRE_FALSE(group.formats.empty());
    for (size_t f = 0; f < group.formats.size(); ++f) {
      for (size_t variant = 0; variant < count; ++variant) {
        const std::string &statements = group.kernels[(f + variant) % group.kernels.size()];
        KernelSpec spec = specFor(statements, group.formats[f], 3 * f + variant);
        if (statements.find("B(") != std::string::npos)
          spec.formats["B"] = "csr";
        vary(spec, variant);
        spec.optLevel = levelFor(5 * f + variant); // each variant meets each level
        check(spec);
      }
    }
  }
}

} // namespace

TEST_CASE("every value type in every format", "[value-types]") {
  checkVariants(std::size(sema::kValueTypes),
                [](KernelSpec &spec, size_t variant) { spec.type = sema::kValueTypes[variant]; });
}

TEST_CASE("every pair of widths of pointers and indices in every format", "[index-types]") {
  checkVariants(
      16, [](KernelSpec &spec, size_t variant) { spec.index = {kIndexTypes[variant % 4], kIndexTypes[variant / 4]}; });
}

TEST_CASE("whole numbers whose factor is always 0", "[value-types]") {
  for (ValueType type : {ValueType::Bool, ValueType::I8, ValueType::U32, ValueType::I64}) {
    for (const char *format : {"csr", "csc", "coo", "dcsr", "ell4", "bsr2x3", "dia", "sym-csr", "lower"}) {
      const auto checkFor = [&](const std::string &statements) {
        KernelSpec spec = specFor(statements, format, 2);
        spec.type = type;
        check(spec);
      };
      checkFor("D(i,j) = 0*A(i,j)");
      checkFor("y(i) += 0*A(i,j)*x(j)");
      checkFor("s = A(i,j)*0 + 1");
      if (type != ValueType::Bool)
        checkFor("y(i) = (x(j) - x(j))*A(i,j)");
    }
  }
}

TEST_CASE("operands of different value types", "[mixed-types]") {
  size_t number = 0;
  for (ValueType a : sema::kValueTypes) {
    for (ValueType x : sema::kValueTypes) {
      KernelSpec spec = specFor("y(i) = A(i,j)*x(j)", kMatrixFormats[number % kMatrixFormats.size()], number);
      spec.type = sema::widest(a, x);
      spec.types = {{"A", a}, {"x", x}};
      spec.optLevel = levelFor(number);
      check(spec);
      ++number;
    }
  }
}

TEST_CASE("types by type parameters and from outside", "[mixed-types]") {
  size_t number = 0;
  for (ValueType type : sema::kValueTypes) {
    for (const char *statements : {"y(i) = A(i,j)*x(j)", "y(i) += Type(A(i,j))*x(j)", "D(i,j) = A(i,j)*Type(1)",
                                   "let t(i) = Type(A(i,j))*x(j)\ny(i) = t(i) + x(i)"}) {
      KernelSpec spec = specFor(statements, kMatrixFormats[number % kMatrixFormats.size()], number);
      spec.type = type;
      spec.typesAreGiven = true;
      spec.optLevel = levelFor(number + number / 4); // each of the four statements meets each level
      if (number % 2 == 0)
        spec.types = {{"A", ValueType::Bool}};
      // The evaluator's functions are of real numbers.
      if (!sema::isComplex(type) || !spec.types.empty() || spec.statements.find("Type(A") == std::string::npos)
        check(spec);
      ++number;
    }
  }
}

/// y(i) = 50*A(i,j)*x(j) and kernels like it, operands of one type and results of another.
static void checkWidened(ValueType operands, ValueType result) {
  for (const char *format : {"csr", "csc", "coo", "bsr2x3", "dense"})
    for (const char *statements :
         {"y(i) = 50*A(i,j)*x(j)", "y(i) += 50*A(i,j)*x(j)", "y(i) = sum(j, A(i,j)*50*x(j))"}) {
      KernelSpec spec;
      spec.statements = statements;
      spec.formats = {{"A", format}};
      spec.type = operands;
      spec.types = {{"y", result}};
      check(spec);
    }
}

TEST_CASE("i8 times i8 is computed and summed in i32 where the result is", "[mixed-types]") {
  checkWidened(ValueType::I8, ValueType::I32);
  checkWidened(ValueType::U8, ValueType::I32);
  checkWidened(ValueType::I16, ValueType::I64);
}

TEST_CASE("bf16 times bf16 is computed and summed in f32 where the result is", "[mixed-types]") {
  checkWidened(ValueType::BF16, ValueType::F32);
  checkWidened(ValueType::F16, ValueType::F32);
  checkWidened(ValueType::F32, ValueType::F64);
}

TEST_CASE("integers wrap around", "[mixed-types]") {
  for (const ValueType type : {ValueType::I8, ValueType::U8, ValueType::I16, ValueType::U16, ValueType::I32}) {
    KernelSpec spec;
    spec.statements = "y(i) = 100*A(i,j)*x(j)*100*z(i)*100";
    spec.formats = {{"A", "csr"}};
    spec.type = type;
    check(spec);
  }
}

} // namespace spc::testing
