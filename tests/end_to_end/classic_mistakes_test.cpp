// What sparse compilers are known to get wrong, one case each: the right sides are as they are found in reports.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

/// One kernel a choice of formats, with values of one type.
void checkTyped(const std::string &statements, const std::vector<Formats> &assignments, spc::sema::ValueType type,
                const std::map<std::string, spc::sema::ValueType> &types = {}) {
  for (const Formats &formats : assignments) {
    KernelSpec spec;
    spec.statements = statements;
    spec.formats = formats;
    spec.type = type;
    spec.types = types;
    check(spec);
  }
}

} // namespace

TEST_CASE("addends beside a reduction count once, not once a step of it", "[mistakes]") {
  checkLowering("y(i) = z(i) + A(i,j)*x(j) + w(i)", product({{"A", kSparse}, {"z", {"dense", "sv"}}}));
}

TEST_CASE("a factor of a sum of operands multiplies both", "[mistakes]") {
  checkLowering("y(i) = (A(i,j) + B(i,j))*x(j)", product({{"A", kSparse}, {"B", {"csr", "coo", "dense"}}}));
}

TEST_CASE("a repeated index is the diagonal", "[mistakes]") {
  checkLowering("y(i) = A(i,i)", product({{"A", {"csr", "csc", "dcsr", "coo", "dense"}}}));
  checkLowering("t = A(i,i)", product({{"A", {"csr", "csc", "coo", "dense"}}}));
  checkLowering("D(i,j) = A(i,i)*B(i,j)", product({{"A", {"csr"}}, {"B", {"csr"}}, {"D", {"csr", "dense"}}}));
}

TEST_CASE("a transposed addend is added where it belongs", "[mistakes]") {
  checkLowering("D(i,j) = A(i,j) + A(j,i)", product({{"A", kSparse}, {"D", {"dense", "csr"}}}));
  checkLowering("D(i,j) = A(i,j) + B(j,i)", product({{"A", kSparse}, {"B", {"csr", "coo"}}, {"D", {"dense", "csr"}}}));
}

TEST_CASE("dividing by a sparse operand divides by its zeros too", "[mistakes]") {
  checkLowering("D(i,j) = x(j)/A(i,j)", product({{"A", kSparse}, {"D", {"dense"}}}));
  checkLowering("D(i,j) = B(i,j)/A(i,j)", product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"D", {"dense", "csr"}}}));
}

TEST_CASE("reductions within reductions keep their own order", "[mistakes]") {
  checkLowering("y(i) = max(j, sum(k, A(i,j,k)*x(k)))", product({{"A", {"csf", "coo", "dense"}}}));
  checkLowering("s = sum(i, max(j, A(i,j)))", product({{"A", {"csr", "csc", "dense"}}}));
  checkLowering("y(i) = sum(j, A(i,j)*min(k, B(j,k)))", product({{"A", {"csr"}}, {"B", {"csr", "dense"}}}));
  checkLowering("s = prod(i, 1 + sum(j, A(i,j)*x(j)))", product({{"A", {"csr", "dense"}}}));
}

TEST_CASE("real numbers times complex ones are complex", "[mistakes]") {
  using spc::sema::ValueType;
  for (const ValueType type : {ValueType::CF64, ValueType::CF32}) {
    const ValueType real = type == ValueType::CF64 ? ValueType::F64 : ValueType::F32;
    checkTyped("y(i) = A(i,j)*x(j)", product({{"A", {"csr", "csc", "coo"}}}), type, {{"A", real}});
    checkTyped("D(i,j) = A(i,j)*B(i,j)", product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"D", {"dense", "csr"}}}),
               type, {{"B", real}});
  }
}

TEST_CASE("a result on the right side is read as it was before the statement", "[mistakes]") {
  checkLowering("y(i) = 2*y(i) + A(i,j)*x(j)", product({{"A", kSparse}}));
  checkLowering("y(i) = A(i,j)*y(j) + x(i)", product({{"A", kSparse}}));
  checkLowering("D(i,j) = D(j,i) + A(i,j)", product({{"A", {"csr", "coo"}}, {"D", {"dense", "csr"}}}));
}

TEST_CASE("a shortest step from a vertex without edges is infinite", "[mistakes]") {
  for (const Formats &formats : product({{"A", kSparse}})) {
    KernelSpec spec;
    spec.statements = "y(i) = min(k, A(i,k) + x(k))";
    spec.formats = formats;
    spec.fills = {{"A", "inf"}};
    check(spec);
  }
}

TEST_CASE("the largest entry of a row without entries is the fill", "[mistakes]") {
  for (const char *fill : {"-inf", "0", "-1", "1"})
    for (const Formats &formats : product({{"A", kSparse}})) {
      KernelSpec spec;
      spec.statements = "y(i) = max(j, A(i,j))";
      spec.formats = formats;
      spec.fills = {{"A", fill}};
      check(spec);
    }
}
