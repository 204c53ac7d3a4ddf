// Functions, comparisons, logic, conversions and index values, of dense and of sparse operands.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

KernelSpec dense(const std::string &statements, spc::sema::ValueType type = spc::sema::ValueType::F64) {
  KernelSpec spec;
  spec.statements = statements;
  spec.type = type;
  return spec;
}

} // namespace

TEST_CASE("every function of one number on dense operands", "[functions]") {
  for (const char *function :
       {"abs",  "sign",  "relu", "floor", "ceil",  "trunc", "roundeven", "round",   "sqrt", "cbrt", "exp",
        "exp2", "expm1", "log",  "log2",  "log1p", "sin",   "cos",       "tan",     "sinh", "cosh", "tanh",
        "asin", "acos",  "atan", "asinh", "acosh", "atanh", "erf",       "sigmoid", "gelu"}) {
    check(dense("y(i) = " + std::string(function) + "(x(i))"));
    check(dense("y(i) = " + std::string(function) + "(x(i))", spc::sema::ValueType::F32));
  }
}

TEST_CASE("functions of several numbers, comparisons and logic on dense operands", "[functions]") {
  for (spc::sema::ValueType type :
       {spc::sema::ValueType::F64, spc::sema::ValueType::F32, spc::sema::ValueType::I32, spc::sema::ValueType::U8}) {
    check(dense("y(i) = min(x(i), z(i), w(i))", type));
    check(dense("y(i) = max(x(i), z(i))", type));
    check(dense("y(i) = fmin(x(i), z(i), w(i)) + fmax(x(i), z(i))", type));
    check(dense("y(i) = x(i) % z(i)", type));
    for (const char *operation : {"==", "!=", "<", "<=", ">", ">="})
      check(dense("y(i) = x(i) " + std::string(operation) + " z(i)", type));
    check(dense("y(i) = x(i) and z(i)", type));
    check(dense("y(i) = x(i) or not z(i)", type));
    check(dense("y(i) = select(x(i) < z(i) and w(i) != 0, x(i), z(i) + w(i))", type));
  }
  check(dense("y(i) = pow(abs(x(i)), z(i))"));
  check(dense("y(i) = atan2(x(i), z(i))"));
  check(dense("y(i) = copysign(x(i), z(i))"));
  check(dense("y(i) = copysign(x(i), z(i)) * exp2(w(i))", spc::sema::ValueType::F32));
}

TEST_CASE("functions of integers", "[functions]") {
  using enum spc::sema::ValueType;
  for (const auto type : {I8, I16, I32, I64, U8, U16, U32, U64}) {
    for (const char *function : {"div", "shl", "shr", "bitand", "bitor", "bitxor"})
      check(dense("y(i) = " + std::string(function) + "(x(i), z(i))", type));
    check(dense("y(i) = shl(x(i), 3 * i) + shr(x(i), i)", type));
    check(dense("y(i) = div(x(i) - z(i), x(i) - x(i)) + div(z(i), w(i) - 1)", type));
  }
  KernelSpec sparse;
  sparse.type = I32;
  for (const char *value : {"div(A(i,j), x(j))", "shl(A(i,j), x(j))", "shr(A(i,j), x(j))", "bitand(A(i,j), x(j))",
                            "bitand(x(j), A(i,j))", "bitxor(A(i,j), B(i,j))", "bitor(A(i,j), B(i,j))",
                            "div(A(i,j), B(i,j))", "div(x(j), A(i,j))", "fmax(A(i,j), B(i,j))"})
    for (const auto &formats : product({{"A", kSparse}, {"B", {"csr"}}})) {
      sparse.statements = "y(i) = sum(j, " + std::string(value) + ")";
      sparse.formats = formats;
      if (sparse.statements.find('B') == std::string::npos)
        sparse.formats.erase("B");
      check(sparse);
    }
}

TEST_CASE("functions that keep zeros run on stored entries alone", "[functions]") {
  for (const char *function : {"abs", "sign", "relu", "floor", "trunc", "roundeven", "sqrt", "cbrt", "expm1", "log1p",
                               "sin", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "erf", "gelu"})
    check("D(i,j) = " + std::string(function) + "(A(i,j))",
          {{{"A", "csr"}, {"D", "csr"}}, {{"A", "coo"}, {"D", "coo"}}, {{"A", "csc"}, {"D", "dense"}}});
  check("y(i) = relu(A(i,j)) * x(j)", product({{"A", kSparse}}));
  check("y(i) = A(i,j) * exp(x(j))", product({{"A", kSparse}}));
  check("C(i,k) = tanh(A(i,j)) * B(j,k)", product({{"A", kSparse}}));
  check("D(i,j) = A(i,j) * sigmoid(x(i) + z(j))", product({{"A", kSparse}}));
  check("D(i,j) = A(i,j) % B(i,j)", product({{"A", {"csr", "coo"}}}));
  check("D(i,j) = select(x(i) < 0, 2, -1) * A(i,j)", product({{"A", kSparse}}));
}

TEST_CASE("functions of missing entries that are not 0 fill the result", "[functions]") {
  check("D(i,j) = exp(A(i,j))", product({{"A", kSparse}, {"D", kDense}}));
  check("D(i,j) = cos(A(i,j)) * x(j)", product({{"A", kSparse}, {"D", kDense}}));
  check("D(i,j) = exp2(A(i,j)) + cosh(A(i,j)) * acos(A(i,j))", product({{"A", kSparse}, {"D", kDense}}));
  check("D(i,j) = copysign(A(i,j), B(i,j)) + fmin(A(i,j), 1)",
        product({{"A", kSparse}, {"B", {"csr"}}, {"D", kDense}}));
  check("D(i,j) = sigmoid(A(i,j) + x(i))", product({{"A", kSparse}, {"D", kDense}}));
  check("y(i) = sum(j, exp(A(i,j)))", product({{"A", kSparse}}));
  check("y(i) = max(A(i,j), x(i)) * z(j)", product({{"A", kSparse}}));
  check("D(i,j) = x(j) / A(i,j)", product({{"A", kSparse}, {"D", kDense}}));
  check("D(i,j) = not A(i,j)", product({{"A", kSparse}, {"D", kDense}}));
}

TEST_CASE("the angle of what is missing is 0", "[functions]") {
  check("y(i) = atan2(v(i), v(i)) * x(i)", product({{"v", {"sv"}}}));
  check("y(i) = atan2(v(i), 2) * x(i)", product({{"v", {"sv"}}}));
  check("D(i,j) = atan2(A(i,j), B(i,j))", product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"D", {"dense", "csr"}}}));
  check("D(i,j) = atan2(A(i,j), X(i,j)) + log(abs(A(i,j)) + 1)", product({{"A", {"csr"}}, {"D", {"dense"}}}));
}

TEST_CASE("functions of two sparse operands visit entries of either or of both", "[functions]") {
  const std::vector<std::string> two = {"csr", "coo", "dcsr"};
  check("D(i,j) = max(A(i,j), B(i,j))", product({{"A", two}, {"B", two}, {"D", kDense}}));
  check("D(i,j) = min(A(i,j), B(i,j), C(i,j))", product({{"A", two}, {"B", {"csr"}}, {"C", {"csr"}}, {"D", kDense}}));
  check("D(i,j) = max(A(i,j), B(i,j)) * x(j)", product({{"A", two}, {"B", two}, {"D", kDense}}));
  check("D(i,j) = A(i,j) and B(i,j)", product({{"A", two}, {"B", two}, {"D", kDense}}));
  check("D(i,j) = A(i,j) or B(i,j)", product({{"A", two}, {"B", two}, {"D", kDense}}));
  check("D(i,j) = A(i,j) / B(i,j)", product({{"A", two}, {"B", two}, {"D", kDense}}));
  check("D(i,j) = A(i,j) * exp(B(i,j))", product({{"A", two}, {"B", two}, {"D", kDense}}));
  check("D(i,j) = A(i,j) * (B(i,j) > C(i,j))", product({{"A", two}, {"B", two}, {"C", {"csr"}}, {"D", kDense}}));
  check("D(i,j) = select(A(i,j) < B(i,j), C(i,j), 0)",
        product({{"A", two}, {"B", {"csr"}}, {"C", {"csr"}}, {"D", kDense}}));
  check("D(i,j) = max(A(i,j) * B(i,j), C(i,j))", product({{"A", two}, {"B", {"csr"}}, {"C", {"csr"}}, {"D", kDense}}));
  check("y(i) = sum(j, max(A(i,j), B(i,j)) * x(j))", product({{"A", two}, {"B", two}}));
  check("D(i,j) = max(A(i,j), B(j,i))", {{{"A", "csr"}, {"B", "csc"}, {"D", "dense"}}});
}

TEST_CASE("what is missing makes products within functions 0, whatever else is in them", "[functions]") {
  check("D(i,j) = exp(A(i,j) * x(j))", product({{"A", kSparse}, {"D", kDense}}));
  check("D(i,j) = max(A(i,j) * x(j), B(i,j) * z(i))", product({{"A", {"csr", "coo"}}, {"B", {"csr"}}, {"D", kDense}}));
  check("y(i) = sum(j, cos(A(i,j) / x(j)))", product({{"A", {"csr"}}}));
  check("D(i,j) = cos(A(i,j) * B(i,j) * x(j) + C(i,j))",
        product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}, {"D", kDense}}));
}

TEST_CASE("sparse operands of functions that lack each other's loops", "[functions]") {
  check("y(j,k) = sum(i, A(j,k) * (not B(i,k)))", product({{"A", {"csr", "coo"}}, {"B", {"csr", "csc"}}}));
  check("D(i,j) = max(A(i,j), x(i))", product({{"A", {"csr", "coo"}}, {"x", {"sv"}}, {"D", kDense}}));
  check("D(i,j) = max(x(i), z(j))", product({{"x", {"sv"}}, {"z", {"sv"}}, {"D", kDense}}));
  check("C(i,j) = max(A(i,j), x(i))", {{{"A", "csr"}, {"x", "sv"}, {"C", "csr"}}});
  check("D(i,j) = max(A(i,j) * x(i), B(i,j) * z(j))",
        product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"x", {"sv"}}, {"z", {"sv"}}, {"D", kDense}}));
}

TEST_CASE("assembled outputs store what functions give for stored entries", "[functions]") {
  check("C(i,j) = max(A(i,j), B(i,j))", product({{"A", {"csr", "coo"}}, {"B", {"csr"}}, {"C", {"csr", "coo"}}}));
  check("C(i,j) = A(i,j) * (B(i,j) > 0)", product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"C", {"csr"}}}));
  check("C(i,j) = A(i,j) and B(i,j)", product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"C", {"csr"}}}));
  check("C(i,j) = relu(A(i,k)) * B(k,j)", product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
  check("C(i,j) = relu(A(i,j)) + abs(B(i,j))", product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
}

TEST_CASE("integers that fold to 0 are stored in an assembled output all the same", "[functions]") {
  KernelSpec spec;
  spec.type = spc::sema::ValueType::I32;
  for (const char *format : {"sv", "@0=u0"}) {
    spec.formats = {{"y", format}};
    spec.statements = "y(i) = x(i) * (x(i) - x(i))";
    check(spec);
    spec.statements = "y(i) = x(i) * (z(i) != z(i))";
    check(spec);
  }
  spec.formats = {{"C", "csr"}};
  spec.statements = "C(i,j) = A(j,i) * (x(i) != x(i))";
  check(spec);
}

TEST_CASE("integers that fold to 0 are stored in an output that shares an operand's structure", "[functions]") {
  KernelSpec spec;
  spec.statements = "C(i,j) = x(i) * (not pattern(z(j))) * A(i,j)";
  for (const auto type : {spc::sema::ValueType::U16, spc::sema::ValueType::Bool, spc::sema::ValueType::F32})
    for (const std::vector<std::string> &formats : {kMatrixFormats, kLooseMatrixFormats})
      for (const std::string &format : formats) {
        spec.type = type;
        spec.formats = {{"A", format}};
        check(spec);
      }
}

TEST_CASE("what an assembled output stores does not depend on sums that fold to 0", "[functions]") {
  KernelSpec spec;
  for (const char *factor : {"min(a(1), B(i,l))*C(l,j)", "(not pattern(a(j)))*B(i,l)", "(a(j) and 1 > 2)*B(i,l)"})
    for (const auto type : {spc::sema::ValueType::U16, spc::sema::ValueType::Bool, spc::sema::ValueType::F64}) {
      spec.statements = std::string("R(l,i) = A(l,j)*") + factor;
      spec.formats = {{"A", "dcsr"}, {"B", "csr"}, {"R", "csc"}};
      spec.type = type;
      check(spec);
      spec.formats["A"] = "dense";
      check(spec);
    }
}

TEST_CASE("values of index variables", "[functions]") {
  check(dense("y(i) = x(i) * i"));
  check(dense("D(i,j) = 10 * i + j + 0 * B(i,j)"));
  check("y(i) = A(i,j) * j", product({{"A", kSparse}}));
  check("D(i,j) = A(i,j) * (j <= i)", product({{"A", kSparse}}));
  check("y(i) = sum(j, select(j > i, A(i,j), 0) * x(j))", product({{"A", kSparse}}));
}

TEST_CASE("sums of what is chosen where indices are equal", "[functions]") {
  using enum spc::sema::ValueType;
  for (const auto type : {F64, F32, F16, I32, CF64}) {
    check(dense("y(q) = sum(i, p, select(q == i + p + 1, w(p) * x(i), 0)) + z(q)", type));
    check(dense("y(q) += z(q) - 2 * sum(i, select(2 * i == q + 3, x(i), 0))", type));
  }
  check(dense("D(u,v) = sum(i, j, p, q, select(u == 3*i + 2*p and v == j + q, K(p,q) * B(i,j), 0))"));
  check(dense("y(i) = sum(j, select(i == j and x(j) > 0, x(j), 0)) + sum(j, k, select(j == k, x(j) * z(k), 0))"));
  check(dense("s = sum(i, j, select(i + j == 3 and i == 2, x(i) * z(j), 0))"));
  check("y(q) = sum(i, p, select(q == 2*i + p, A(i,p) * x(i), 0))", product({{"A", kSparse}}));
}

TEST_CASE("index values in assembled results", "[functions]") {
  check("C(i,j) = A(i,j) * (j > i)", product({{"A", {"csr", "coo"}}, {"C", {"csr", "coo"}}}));
  check("C(i,j) = A(j,i) * i + B(i,j)", product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
}

TEST_CASE("index values beside formats that do not list coordinates", "[functions]") {
  check("D(i,j) = A(i,j) * (i - j)", product({{"A", {"lower", "upper", "ell", "bsr2x3", "dia"}}, {"D", kDense}}));
  check("y(i) = sum(j, A(i,j) * (2 * i - j))", product({{"A", {"sym-csr", "sym-packed", "lower"}}}));
  check("D(i,j) = A(i,j) * (i < j)", product({{"A", {"sym-csr"}}}));
}

TEST_CASE("functions of blocks and padding", "[functions]") {
  for (const char *other : {"pattern(b(i))", "(not pattern(b(i)))", "select(2 > 1, 3, b(i))"}) {
    check(std::string("s = a(i)*") + other, product({{"a", {"blocked-vector", "sv"}}}));
    check(std::string("y(k) += a(i)*x(k)*") + other, product({{"a", {"blocked-vector", "@0/2=u2,0%2=d"}}}));
  }
  check("D(i,j) = relu(A(i,j))", product({{"A", {"bsr2x3", "ell", "ell4q", "dia", "csr-dup"}}}));
  check("y(i) = relu(A(i,j)) * x(j)", product({{"A", {"bsr2x3", "ell", "dia", "csr-dup", "coo-unsorted"}}}));
}

TEST_CASE("conversions", "[functions]") {
  check(dense("y(i) = f32(x(i)) * z(i)"));
  check(dense("y(i) = f64(i32(x(i)))"));
  check(dense("y(i) = f16(x(i))"));
  check(dense("y(i) = bool(x(i)) + 0"));
  check("y(i) = f64(bool(A(i,j))) * x(j)", product({{"A", kSparse}}));
}
