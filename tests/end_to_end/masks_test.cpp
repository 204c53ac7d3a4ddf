// pattern(A), its complement, and what is counted and looked for.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

const std::vector<std::string> kAssembledMasks = {"csr", "coo"};

} // namespace

TEST_CASE("where entries are stored", "[masks]") {
  checkLowering("P(i,j) = pattern(A(i,j))", product({{"A", kSparse}}));
  checkLowering("D(i,j) = pattern(A(i,j)) * x(j)", product({{"A", kSparse}}));
  checkLowering("y(i) = pattern(A(i,j)) * x(j)", product({{"A", {"csr", "coo-dup", "dense"}}}));
  checkLowering("D(i,j) = pattern(M(i,j)) * A(i,k) * B(k,j)", product({{"M", kSparse}}));
  checkLowering("C(i,j) = pattern(M(i,j)) * A(i,k) * B(k,j)",
                product({{"M", {"csr"}}, {"A", {"csr"}}, {"B", {"csr", "csc"}}, {"C", {"csr"}}}));
  checkLowering("D(i,j) = select(pattern(A(i,j)), A(i,j), -1)", product({{"A", kSparse}, {"D", {"dense"}}}));
  checkLowering("D(i,j) = pattern(A(i,j)) xor pattern(B(i,j))",
                product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"D", {"dense", "csr"}}}));
}

TEST_CASE("where no entries are stored", "[masks]") {
  checkLowering("D(i,j) = B(i,j) * (not pattern(M(i,j)))",
                product({{"M", kSparse}, {"B", {"csr"}}, {"D", {"dense", "csr"}}}));
  checkLowering("C(i,j) = (not pattern(M(i,j))) * A(i,k) * B(k,j)",
                product({{"M", {"csr", "dcsr"}}, {"A", {"csr"}}, {"B", {"csr", "csc"}}, {"C", kAssembledMasks}}));
  checkLowering("y(i) = (not pattern(A(i,j))) * x(j)", product({{"A", kSparse}}));
  checkLowering("s = (not pattern(A(i,j))) * B(i,j)", product({{"A", kSparse}, {"B", {"csr"}}}));
  checkLowering("C(i,j) = (not pattern(M(i,j))) * x(i) * z(j)", product({{"M", kSparse}, {"C", {"dense", "csr"}}}));
  checkLowering("C(i,j) = (not pattern(M(i,j))) * (not pattern(N(i,j))) * B(i,j)",
                product({{"M", {"csr"}}, {"N", {"csr", "coo"}}, {"B", {"csr"}}, {"C", {"dense", "csr"}}}));
  checkLowering("D(i,j) = (not pattern(M(i,j))) * B(i,j) + M(i,j)",
                product({{"M", {"csr"}}, {"B", {"csr"}}, {"D", {"dense", "csr"}}}));
  checkLowering("C(i,j) = S(i,j) * (not pattern(S(i,j))) + B(i,j)",
                product({{"S", {"csr", "coo"}}, {"B", {"csr", "dense"}}, {"C", {"csr", "dense"}}}));
  KernelSpec integers;
  integers.statements = "y(i) = -(not pattern(A(i,j))) * x(j)";
  integers.type = spc::sema::ValueType::I32;
  integers.formats["A"] = "csr";
  check(integers);
  checkLowering("C(i,j) += S(i,j) * (not pattern(S(i,j)))", product({{"S", {"csr"}}, {"C", {"csr", "dense"}}}));
  checkLowering("C(i,j) += S(i,j) * (not pattern(S(i,j)))", {{{"S", "csr"}}});
  checkLowering("D(i,j) = (not pattern(A(i,j))) + B(i,j)", product({{"A", {"csr"}}, {"B", {"csr"}}, {"D", {"dense"}}}));
}

TEST_CASE("reductions other than sums over what has no entries", "[masks]") {
  using spc::sema::ValueType;
  KernelSpec spec;
  const auto checkTypes = [&](const char *statements, std::initializer_list<ValueType> types) {
    spec.statements = statements;
    for (const char *format : {"csr", "dcsc", "coo"})
      for (const ValueType type : types) {
        spec.formats["A"] = format;
        spec.type = type;
        check(spec);
      }
  };
  const auto real = {ValueType::F64, ValueType::F16, ValueType::I32, ValueType::U8};
  checkTypes("y(i) = min(j, select(not pattern(A(i,j)), x(j), inf))", real);
  checkTypes("y(i) max= select(not pattern(A(i,j)), x(j), -inf)", real);
  checkTypes("y(j) max= (not pattern(A(i,j)))", {ValueType::U16});
  checkTypes("y(i) = prod(j, select(not pattern(A(i,j)), x(j), 1))", {ValueType::F32, ValueType::I64});
  for (const char *statements :
       {"y(i) = all(j, select(not pattern(A(i,j)), x(j), 1 > 0))", "y(i) = any(j, (not pattern(A(i,j))) * x(j))",
        "y(i) or= x(j) * (not pattern(A(i,j)))", "y(i) = max(j, x(j) and not pattern(A(i,j)))"})
    checkTypes(statements, {ValueType::Bool});
}

TEST_CASE("where one operand has entries, or another one has none", "[masks]") {
  checkLowering("C(i,j) = A(i,j) * max(b(j), not pattern(b(j)))",
                product({{"A", {"csr", "coo", "dcsc"}}, {"b", {"sv"}}, {"C", {"csr", "dense"}}}));
  checkLowering("C(i,j) = A(i,j) * select(b(i) == (not pattern(b(i))), x(j), 2)",
                product({{"A", {"csr", "coo", "dcsc"}}, {"b", {"sv"}}, {"C", {"csr", "dense"}}}));
  checkLowering("C(i,j) = A(i,j) * max(c(j), not pattern(b(j)))",
                product({{"A", {"csr", "coo"}}, {"b", {"sv"}}, {"c", {"sv"}}, {"C", {"csr", "coo", "dense"}}}));
  checkLowering("y(i) = A(i,j) * max(c(j), not pattern(b(j)), not pattern(c(i)))",
                product({{"A", {"csr", "coo"}}, {"b", {"sv"}}, {"c", {"sv"}}}));
  const Formats vectors = {{"A", "csr"}, {"b", "sv"}, {"c", "sv"}};
  const std::vector<std::pair<std::string, Formats>> others = {
      {"b(j))), A(i,j)*(not pattern(c(i)))", vectors},
      {"b(j))), A(i,j)*(not pattern(c(j)))", vectors},
      {"b(i))), A(i,j)*(not pattern(c(i)))", vectors},
      {"b(j))), B(i,j)", {{"A", "csr"}, {"B", "csr"}, {"b", "sv"}}},
      {"C(i,j))), B(i,j)", {{"A", "csr"}, {"B", "coo"}, {"C", "csr"}}},
      {"C(i,j))), B(i,j)*(not pattern(C(i,j)))", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
      {"C(i,j))), B(i,j)*(not pattern(E(i,j)))", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"E", "coo"}}}};
  for (const auto &[other, formats] : others) {
    const std::string larger = "max(A(i,j)*(not pattern(" + other + ")";
    checkLowering("y(i) = sum(j, " + larger + ")", {formats});
    for (const char *target : {"dense", "csr", "coo"}) {
      Formats all = formats;
      all["D"] = target;
      checkLowering("D(i,j) = " + larger, {all});
    }
  }
}

TEST_CASE("a sum of which a part is nowhere", "[masks]") {
  KernelSpec spec;
  spec.fills = {{"B", "inf"}};
  spec.formats = {{"a", "sv"}, {"B", "csc"}, {"C", "dcsc"}};
  spec.statements = "C(i,k) = a(k)*(not pattern(a(k))) + a(i)*B(i,k)";
  check(spec);
  spec.statements = "C(i,k) = a(k)*(not pattern(a(k)))*2 + 3*pattern(a(i))*B(i,k)";
  check(spec);
  checkLowering("s = (not pattern(T(u,v)))*T(u,v)*x(i,v)*y(j)", product({{"T", {"csr", "coo"}}, {"x", {"csr"}}}));
}

TEST_CASE("terms that are nowhere, and terms that fold to 0, of assembled results", "[masks]") {
  checkLowering("C(i,j) = A(j,i)*(not pattern(A(j,i)))",
                product({{"A", {"csr", "coo"}}, {"C", {"csr", "coo", "dcsc"}}}));
  checkLowering("C(i,j) = A(i,k)*(not pattern(A(i,k)))*B(k,j)", product({{"A", {"csr"}}, {"C", {"csr"}}}));
  KernelSpec integers;
  integers.type = spc::sema::ValueType::U32;
  integers.formats = {{"a", "sv"}, {"y", "sv"}};
  integers.statements = "y(j) = x(j)*(z(0) != z(0)) + (not pattern(a(j)))";
  check(integers);
  integers.type = spc::sema::ValueType::I32;
  integers.statements = "y(j) = x(j)*0 + (not pattern(a(j)))";
  check(integers);
}

TEST_CASE("stored entries are counted", "[masks]") {
  checkLowering("y(i) = count(j, A(i,j))", product({{"A", kSparse}}));
  checkLowering("n = count(i, j, A(i,j))", product({{"A", {"csr", "coo", "dense"}}}));
  checkLowering("y(i) = A(i,j) * x(j) / count(j, A(i,j))", product({{"A", {"csr"}}}));
}

TEST_CASE("means, and places of extremes", "[masks]") {
  checkLowering("y(i) = mean(j, A(i,j))", product({{"A", {"csr", "coo", "ell", "dense"}}}));
  checkLowering("s = mean(i, j, A(i,j) * x(j))", product({{"A", {"csr", "dense"}}}));
  checkLowering("y(i) = argmax(j, A(i,j))", product({{"A", {"csr", "coo", "dense"}}}));
  checkLowering("y(i) = argmin(j, A(i,j))", product({{"A", {"csr", "csc", "dense"}}}));
  checkLowering("s = argmax(i, select(pattern(v(i)), v(i), -inf))", {{{"v", "sv"}}, {{"v", "dense"}}});
  checkLowering("s = argmin(i, j, A(i,j))", product({{"A", kSparse}}));
  checkLowering("s = argmax(j, i, A(i,j))", product({{"A", {"csr", "csc", "coo", "bsr2x3", "dense"}}}));
  checkLowering("y(i) = argmin(k, j, A(i,j) * B(j,k)) * x(i)", product({{"A", {"csr", "dense"}}, {"B", {"csc"}}}));
}

TEST_CASE("the largest stored entry of a row, also of an empty one", "[masks]") {
  checkLowering("m(i) = max(j, select(pattern(A(i,j)), A(i,j), -inf))", product({{"A", kSparse}}));
  checkLowering("m(i) = min(j, select(pattern(A(i,j)), A(i,j) + x(j), inf))", product({{"A", kSparse}}));
}

TEST_CASE("choices by negated patterns", "[masks]") {
  const std::vector<std::string> formats = {"csr", "csc", "coo", "bsr2x3", "dcsr", "coo-dup"};
  for (const char *statements : {"y(i) = max(j, select(not pattern(A(i,j)), -inf, A(i,j)))",
                                 "y(i) = max(j, select(pattern(A(i,j)) == false, -inf, A(i,j)))",
                                 "y(i) = max(j, select(not pattern(A(i,j)) or x(j) > 0, -inf, A(i,j)))",
                                 "D(i,j) = select(not pattern(A(i,j)), 5, A(i,j)) * x(j)"})
    checkLowering(statements, product({{"A", formats}}));
  for (const char *statements :
       {"D(i,j) = select(not pattern(A(i,j)), B(i,j), 0)", "D(i,j) = where(not pattern(A(i,j)), B(i,j))",
        "D(i,j) = select(not pattern(A(i,j)), B(i,j), A(i,j))"})
    checkLowering(statements, product({{"A", formats}, {"B", {"csr", "coo"}}, {"D", {"dense", "csr"}}}));
  checkLowering("y(i) = sum(j, select(not pattern(A(i,j)), B(i,j), 0) * x(j))",
                product({{"A", formats}, {"B", {"csr"}}}));
}

TEST_CASE("values are taken in", "[masks]") {
  checkLowering("y(i) min= A(i,j)", product({{"A", {"csr", "dense"}}}));
  checkLowering("y(i) max= A(i,j) * x(j)", product({{"A", {"csr", "csc"}}}));
  checkLowering("y(i) max= max(j, A(i,j))", product({{"A", {"csr"}}}));
  checkLowering("s min= v(i)", {{{"v", "sv"}}, {{"v", "dense"}}});
  checkLowering("y(i) min= v(i)", {{{"v", "sv"}}, {{"v", "dense"}}});
  checkLowering("y(i) min= select(pattern(A(i,j)), A(i,j) + y(j), inf)", product({{"A", {"csr"}}}));
  KernelSpec spec;
  spec.statements = "y(i) or= A(i,j) * x(j)";
  spec.types["y"] = spc::sema::ValueType::Bool;
  spec.formats["A"] = "csr";
  check(spec);
}
