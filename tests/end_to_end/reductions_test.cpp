// Reductions other than sums, of dense and of sparse operands.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {} // namespace

// The greatest i64 is no double, which is what the evaluator computes with.
TEST_CASE("reductions of dense operands", "[reductions]") {
  for (const char *reduction : {"min", "max", "prod", "any", "all"}) {
    const std::string name = reduction;
    for (spc::sema::ValueType type : {spc::sema::ValueType::F64, spc::sema::ValueType::F32}) {
      KernelSpec spec;
      spec.type = type;
      spec.statements = "y(i) = " + name + "(j, D(i,j))";
      check(spec);
      spec.statements = "s = " + name + "(i, j, D(i,j))";
      check(spec);
      spec.statements = "y(i) = x(i) + 2 * " + name + "(j, D(i,j) - x(i))";
      check(spec);
    }
  }
  for (spc::sema::ValueType type : {spc::sema::ValueType::I8, spc::sema::ValueType::U16, spc::sema::ValueType::I32})
    for (const char *reduction : {"min", "max", "any", "all"}) {
      KernelSpec spec;
      spec.type = type;
      spec.statements = "y(i) = " + std::string(reduction) + "(j, D(i,j))";
      check(spec);
    }
}

TEST_CASE("missing entries take part in reductions as zeros", "[reductions]") {
  for (const char *reduction : {"min", "max", "prod", "any", "all"}) {
    const std::string name = reduction;
    check("y(i) = " + name + "(j, A(i,j))", product({{"A", kSparse}}));
    check("y(j) = " + name + "(i, A(i,j))", product({{"A", kSparse}}));
    check("s = " + name + "(i, j, A(i,j))", product({{"A", {"csr", "coo"}}}));
    check("y(i) = " + name + "(j, A(i,j) * x(j))", product({{"A", {"csr", "coo"}}}));
    check("y(i) = " + name + "(j, A(i,j) + x(j))", product({{"A", {"csr"}}}));
  }
  check("y(i) = any(j, A(i,j) > x(j))", product({{"A", {"csr", "coo"}}}));
  check("y(i) = any(j, A(i,j) and B(i,j))", product({{"A", {"csr", "coo"}}, {"B", {"csr"}}}));
  check("D(i,j) = max(k, A(i,k) * B(k,j))", product({{"A", {"csr", "csc"}}, {"D", {"dense"}}}));
  check("D(i,j) = min(k, A(i,k) + B(k,j))", product({{"A", {"csr"}}, {"D", {"dense"}}}));
}

TEST_CASE("what is in comparisons, casts and logic is reduced in types of its own", "[reductions]") {
  check("y(i) = max(j, A(i,j)) > 1.5", product({{"A", {"csr"}}}));
  check("y(i) = 2 * (sum(j, A(i,j)) > x(i)) + f64(i64(2 * sum(j, 0.4 * A(i,j))))", product({{"A", {"csr"}}}));
  check("y(i) = select(any(j, max(k, B(j,k)) > A(i,j)), x(i), 1)", product({{"A", {"csr"}}}));
  KernelSpec spec;
  spec.statements = "y(i) = sum(j, A(i,j)) > 2";
  spec.formats = {{"A", "csr"}};
  spec.type = spc::sema::ValueType::I32;
  spec.types = {{"y", spc::sema::ValueType::I8}};
  check(spec);
}

TEST_CASE("reductions within expressions and statements", "[reductions]") {
  check("y(i) = A(i,j) * x(j) + max(j, A(i,j))", product({{"A", {"csr", "coo"}}}));
  check("D(i,j) = exp(A(i,j) - max(k, A(i,k)))", product({{"A", {"csr"}}, {"D", {"dense"}}}));
  check("D(i,j) = A(i,j) / max(k, abs(A(i,k)))", product({{"A", {"csr", "coo"}}}));
  check("y(i) += max(j, A(i,j))", product({{"A", {"csr"}}}));
  check("y(i) = max(j, A(i,j) * y(j))", product({{"A", {"csr"}}}));
  check("m(i) = max(j, A(i,j))\ny(i) = sum(j, exp(A(i,j) - m(i)))", product({{"A", {"csr"}}}));
}

TEST_CASE("reductions over variables around those of the result", "[reductions]") {
  checkLowering("y(j) = max(i, k, A(i,j,k))", product({{"A", {"csf", "dense"}}}));
  checkLowering("y(j) = prod(i, k, select(pattern(A(i,j,k)), A(i,j,k), 1))", product({{"A", {"csf"}}}));
  checkLowering("y(j) = min(i, k, select(pattern(A(i,j,k)), A(i,j,k), inf))", product({{"A", {"csf"}}}));
  checkLowering("y(k) = any(i, j, A(i,j,k) > 0)", product({{"A", {"csf", "dense"}}}));
}

// The shapes of the suite have extents of 0.
TEST_CASE("the mean of nothing is 0", "[reductions]") {
  for (bool strictFp : {false, true})
    for (const char *expression : {"exp(mean(j, D(i,j)))", "max(mean(j, D(i,j)), 1)", "mean(j, D(i,j)) + 1",
                                   "x(i) / mean(j, D(i,j))", "mean(j, exp(D(i,j)))"})
      for (spc::sema::ValueType type : {spc::sema::ValueType::F64, spc::sema::ValueType::BF16}) {
        KernelSpec spec;
        spec.statements = "y(i) = " + std::string(expression);
        spec.strictFp = strictFp;
        spec.type = type;
        check(spec);
      }
  KernelSpec spec;
  spec.statements = "y(i) = mean(j, D(i,j)) + 1";
  spec.type = spc::sema::ValueType::CF32;
  check(spec);
}

TEST_CASE("an addend is counted for each value of what it lacks, whose extents differ", "[reductions]") {
  for (const char *statement :
       {"y(i) = mean(j, k, D(j,i) * x(k) - z(i))", "y(i) = sum(j, k, D(j,i) + x(k) - z(i))",
        "y(i) = mean(j, k, D(j,i) + x(k) - z(i))", "y(i) = mean(j, D(j,i) * x(j)) * mean(k, E(k,i))"})
    for (const char *format : {"sv", "dense"}) {
      KernelSpec spec;
      spec.statements = statement;
      spec.formats["x"] = format;
      check(spec);
    }
}
