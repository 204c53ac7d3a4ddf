// min=, max=, or= and += into sparse targets, and assembled outputs that later statements read in another order.
#include "end_to_end/expressions.h"
#include "harness/formats.h"

#include <catch2/catch.hpp>

using namespace spc::testing;
using spc::sema::ValueType;

namespace {

const std::vector<std::string> kTakingTargets = {"csr", "csc", "dcsr", "coo", "bsr2x3", "ell4", "dia"};

void checkTyped(const std::string &statements, const Formats &formats, std::initializer_list<ValueType> types,
                const std::map<std::string, std::string> &fills = {}) {
  for (const ValueType type : types) {
    KernelSpec spec = specFor(statements, formats, 0);
    spec.types.clear();
    spec.type = type;
    spec.declares = true;
    spec.fills = fills;
    check(spec);
  }
}

} // namespace

TEST_CASE("what a sparse target takes in at its own indices", "[taking-in]") {
  const std::vector<Formats> both = product({{"A", {"csr", "coo", "dense"}}, {"C", kTakingTargets}});
  checkLowering("C(i,j) min= A(i,j)", both);
  checkLowering("C(i,j) max= A(j,i)", both);
  checkLowering("C(i,j) max= 2*A(i,j) - B(i,j)", product({{"A", {"csr"}}, {"B", {"csc"}}, {"C", {"csr", "coo"}}}));
  checkLowering("C(i,j) max= 0", product({{"C", kTakingTargets}}));
  checkLowering("C(i,j) min= x(j)", product({{"C", {"csr", "coo"}}, {"x", {"sv", "dense"}}}));
  checkLowering("C(i,j) max= A(i,j)\nC(i,j) min= B(i,j)\ny(i) = C(i,j) * x(j)",
                product({{"A", {"csr"}}, {"B", {"coo"}}, {"C", {"csr", "csc"}}}));
  checkLowering("C(i,j) = A(i,k) * B(k,j)\nC(i,j) max= A(i,j)",
                product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
  checkLowering("y(i) min= x(i)", product({{"y", {"sv"}}, {"x", {"sv", "dense"}}}));
}

TEST_CASE("what a sparse target takes in for many values of other variables", "[taking-in]") {
  const std::vector<Formats> all = product({{"A", {"csr", "csc"}}, {"B", {"csr"}}, {"C", {"csr", "coo", "dcsc"}}});
  checkLowering("C(i,j) max= A(i,k) * B(k,j)", all);
  checkLowering("C(i,j) min= min(k, A(i,k) * B(k,j))", all);
  checkLowering("C(i,j) min= A(i,k)", product({{"A", {"csr", "coo"}}, {"C", {"csr"}}}));
  checkLowering("y(i) max= A(i,j) * x(j)", product({{"A", {"csr", "csc", "coo"}}, {"y", {"sv"}}}));
  checkLowering("y(j) min= A(i,j)", product({{"A", {"csr", "csc"}}, {"y", {"sv"}}}));
}

TEST_CASE("sums that a sparse target takes in are listed", "[taking-in]") {
  const std::vector<Formats> all = product({{"A", {"csr"}}, {"B", {"csr", "csc"}}, {"C", {"csr", "csc"}}});
  checkLowering("C(i,j) max= sum(k, A(i,k) * B(k,j))", all);
  checkLowering("C(i,j) min= -2 * sum(k, A(i,k) * B(k,j)) + A(i,j)", all);
  checkLowering("C(i,j) max= abs(sum(k, A(i,k) * B(k,j)))", all);
  checkLowering("C(i,j) max= alpha * sum(k, A(i,k) * B(k,j))",
                product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr"}}}));
  checkLowering("y(i) max= sum(k, A(i,k) * B(k,j))", product({{"A", {"csr"}}, {"B", {"csr"}}, {"y", {"sv"}}}));
  checkLowering("y(i) min= mean(k, A(i,k) * B(k,j))", product({{"A", {"csr"}}, {"B", {"csr"}}, {"y", {"sv"}}}));
}

TEST_CASE("all types that a sparse target may hold take values in", "[taking-in]") {
  const Formats both{{"A", "csr"}, {"C", "csr"}}, three{{"A", "csr"}, {"B", "csr"}, {"C", "coo"}};
  const std::initializer_list<ValueType> ordered = {ValueType::F32, ValueType::F16, ValueType::BF16, ValueType::I8,
                                                    ValueType::I32, ValueType::I64, ValueType::U8,   ValueType::U64};
  checkTyped("C(i,j) min= A(i,j)", both, ordered);
  checkTyped("C(i,j) max= A(i,k) * B(k,j)", three, ordered);
  checkTyped("C(i,j) min= x(j)", {{"C", "csr"}}, {ValueType::U8, ValueType::U64, ValueType::I8});
  checkTyped("C(i,j) min= A(i,j) * x(j)", both, {ValueType::U8});
  checkTyped("C(i,j) min= fmax(x(j), A(k,j))", both, {ValueType::U8, ValueType::I8});
  checkTyped("C(i,j) min= x(j)", {{"C", "csr"}}, {ValueType::Bool});
  checkTyped("C(i,j) min= max(A(i,j), x(j))", both, {ValueType::Bool, ValueType::U16});
  checkTyped("C(i,j) or= A(i,j)", both, {ValueType::Bool});
  checkTyped("C(i,j) or= A(i,k) and B(k,j)", three, {ValueType::Bool});
  checkTyped("C(i,j) max= A(i,j)", both, {ValueType::Bool});
}

TEST_CASE("targets whose missing entries are infinite take values in", "[taking-in]") {
  const Formats three{{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, both{{"A", "csr"}, {"C", "coo"}};
  const std::initializer_list<ValueType> types = {ValueType::F64, ValueType::I32};
  const std::map<std::string, std::string> infinite{{"A", "inf"}, {"C", "inf"}};
  checkTyped("C(i,j) min= A(i,j)", both, types, infinite);
  checkTyped("C(i,j) min= minplus(A(i,k), B(k,j))", three, types, {{"A", "inf"}, {"B", "inf"}, {"C", "inf"}});
  checkTyped("C(i,j) max= A(i,j)", both, types, infinite);
  checkTyped("C(i,j) max= A(i,j)", both, types, {{"C", "inf"}});
  checkTyped("C(i,j) += A(i,j)", both, {ValueType::F64}, {{"C", "inf"}});
  checkTyped("C(i,j) += A(i,k) * B(k,j)", three, {ValueType::F64}, {{"C", "-inf"}});
}

TEST_CASE("assembled outputs that later statements read in another order", "[taking-in]") {
  const std::vector<Formats> four =
      product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr", "csc", "coo", "bsr2x3"}}, {"D", {"csr", "csc", "dense"}}});
  checkLowering("C(i,j) = A(i,k) * B(k,j)\nD(i,j) = C(j,i) + A(i,j)", four);
  checkLowering("C(i,j) = A(i,j) - B(i,j)\nD(i,j) = C(i,k) * C(j,k)", four);
  checkLowering("C(i,j) = A(i,k) * B(k,j)\nD(i,j) = max(C(j,i), A(i,j))\nC(i,j) = D(j,i)\nD(i,j) += C(j,i)",
                product({{"A", {"csr"}}, {"B", {"csr"}}, {"C", {"csr", "coo"}}, {"D", {"csr"}}}));
  checkLowering("T(i,j,k) = X(i,j,l) * A(l,k)\nD(k,j,i) = T(i,j,k) + X(k,j,i)",
                product({{"X", {"csf"}}, {"A", {"csr"}}, {"T", {"csf"}}, {"D", {"csf"}}}));
}
