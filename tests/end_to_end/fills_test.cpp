// Missing entries that are not 0, and semirings.
#include "end_to_end/expressions.h"
#include "harness/formats.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

/// One kernel a choice of formats, in floats, with declared fills.
void checkFills(const std::string &statements, const std::map<std::string, std::string> &fills,
                const std::vector<Formats> &assignments) {
  for (size_t k = 0; k < assignments.size(); ++k) {
    KernelSpec spec = specFor(statements, assignments[k], k);
    spec.types.clear();
    spec.type = k % 3 == 2 ? spc::sema::ValueType::F32 : spc::sema::ValueType::F64;
    spec.declares = true;
    spec.fills = fills;
    check(spec);
  }
}

} // namespace

TEST_CASE("shortest paths: min and plus over missing entries that are infinite", "[fills]") {
  checkFills("y(i) = min(k, A(i,k) + x(k))", {{"A", "inf"}}, product({{"A", kSparse}}));
  checkFills("y(i) = min(z(i), min(k, A(i,k) + x(k)))", {{"A", "inf"}}, product({{"A", {"csr", "dcsr"}}}));
  checkFills("y(i) min= A(i,k) + y(k)", {{"A", "inf"}}, product({{"A", {"csr", "csc"}}}));
  checkFills("D(i,j) = min(k, A(i,k) + B(k,j))", {{"A", "inf"}, {"B", "inf"}},
             product({{"A", {"csr", "dcsr"}}, {"B", {"csr", "csc"}}, {"D", {"csr", "coo", "dense"}}}));
  checkFills("D(i,j) = min(k, A(i,k) + B(k,j))", {{"A", "inf"}, {"B", "inf"}},
             product({{"A", {"csc"}}, {"B", {"csr"}}, {"D", {"csr"}}}));
  checkFills("D(i,j) = min(A(i,j), B(i,j))", {{"A", "inf"}, {"B", "inf"}},
             product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"D", {"csr", "dense"}}}));
  checkFills("D(i,j) = min(k, A(i,k) + A(k,j))", {{"A", "inf"}}, product({{"A", {"csr"}}, {"D", {"csr"}}}));
}

TEST_CASE("min-plus and max-plus over operands in every storage", "[fills]") {
  std::vector<std::string> formats = kMatrixFormats;
  std::erase(formats, "cd"); // whole rows, in which nothing says what is missing
  formats.insert(formats.end(), {"csr-dup", "coo-unsorted", "ell4+coo", "csr+coo"});
  const std::map<std::string, std::string> infinite{{"A", "inf"}, {"B", "inf"}};
  checkFills("y(i) = min(k, A(i,k) + x(k))", {{"A", "inf"}}, product({{"A", formats}}));
  checkFills("y(k) = max(i, A(i,k) + x(i))", {{"A", "-inf"}}, product({{"A", formats}}));
  checkFills("D(i,j) = min(k, A(i,k) + B(k,j))", infinite, product({{"A", formats}, {"B", {"csr"}}, {"D", {"csr"}}}));
  checkFills("D(i,j) = min(k, B(i,k) + A(k,j))", infinite, product({{"A", formats}, {"B", {"coo"}}, {"D", {"dense"}}}));
  checkFills("D(i,j) = min(A(i,j), B(i,j))", infinite, product({{"A", formats}, {"B", {"csr"}}, {"D", {"csr"}}}));
}

TEST_CASE("other semirings", "[fills]") {
  checkFills("D(i,j) = max(k, A(i,k) + B(k,j))", {{"A", "-inf"}, {"B", "-inf"}},
             product({{"A", {"csr"}}, {"B", {"csr"}}, {"D", {"csr", "dense"}}}));
  checkFills("y(i) = prod(j, A(i,j))", {{"A", "1"}}, product({{"A", kSparse}}));
  checkFills("D(i,j) = prod(k, A(i,j,k))", {{"A", "1"}}, product({{"A", {"csf"}}, {"D", {"csr", "dense"}}}));
  for (const Formats &formats : product({{"A", {"csr"}}, {"B", {"csr", "csc"}}, {"D", {"csr", "dense"}}})) {
    KernelSpec reached;
    reached.statements = "D(i,j) = any(k, A(i,k) and B(k,j))";
    reached.types["D"] = spc::sema::ValueType::Bool;
    reached.formats = formats;
    check(reached);
  }
  checkFills("D(i,j) = all(k, A(i,j,k))", {{"A", "1"}}, product({{"A", {"csf"}}, {"D", {"dense"}}}));
  KernelSpec integers;
  integers.statements = "y(i) = min(k, A(i,k) * x(k))";
  integers.type = spc::sema::ValueType::I32;
  integers.formats["A"] = "csr";
  check(integers);
}

TEST_CASE("functions of infinite fills", "[fills]") {
  checkFills("y(i) = b(j,i)*a(i)*exp(a(j))", {{"a", "-inf"}}, product({{"a", {"sv"}}}));
  checkFills("D(i,j) = exp(A(i,j))*x(j)", {{"A", "-inf"}}, product({{"A", {"csr"}}, {"D", {"csr", "dense"}}}));
  checkFills("D(i,j) = sigmoid(A(i,j)) + tanh(A(i,j))", {{"A", "-inf"}}, product({{"A", {"csr"}}, {"D", {"dense"}}}));
}

TEST_CASE("a fill of what is asked for its pattern alone", "[fills]") {
  checkFills("C(i,j) = A(i,j)*(not pattern(v(i))) + x(i)*(not pattern(w(i)))", {{"w", "1"}},
             product({{"v", {"sv"}}, {"w", {"sv"}}, {"C", {"csr", "dcsc", "dense"}}}));
}

TEST_CASE("minima and maxima that infinite fills decide", "[fills]") {
  checkFills("y(i) = min(k, max(A(i,k), x(k)))", {{"A", "inf"}}, product({{"A", kSparse}}));
  checkFills("D(i,j) = min(k, max(A(i,k), B(k,j)))", {{"A", "inf"}, {"B", "inf"}},
             product({{"A", {"csr"}}, {"B", {"csr", "csc"}}, {"D", {"csr", "dense"}}}));
  checkFills("D(i,j) = max(A(i,j), B(i,j), x(j))", {{"A", "inf"}, {"B", "inf"}},
             product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"D", {"dense"}}}));
  checkFills("D(i,j) = min(max(A(i,j), x(j)), C(i,j))", {{"A", "inf"}, {"C", "inf"}},
             product({{"A", {"csr"}}, {"C", {"csr", "coo"}}, {"D", {"dense"}}}));
  checkFills("y(i) = max(k, min(A(i,k), x(k)))", {{"A", "-inf"}}, product({{"A", kSparse}}));
}

TEST_CASE("elementwise operations on other fills", "[fills]") {
  checkFills("D(i,j) = A(i,j) + x(j)", {{"A", "inf"}}, product({{"A", kSparse}}));
  checkFills("D(i,j) = A(i,j) * 2", {{"A", "1"}}, product({{"A", kSparse}}));
  checkFills("D(i,j) = A(i,j) + B(i,j)", {{"A", "inf"}, {"B", "inf"}},
             product({{"A", {"csr"}}, {"B", {"csr", "coo"}}, {"D", {"csr", "dense"}}}));
  checkFills("D(i,j) = A(i,j) + B(i,j)", {{"A", "1"}, {"B", "2"}},
             product({{"A", {"csr"}}, {"B", {"csr"}}, {"D", {"csr", "dense"}}}));
  checkFills("D(i,j) = A(i,j) * B(i,j)", {{"A", "1"}}, product({{"A", {"csr"}}, {"B", {"csr"}}, {"D", {"dense"}}}));
  checkFills("D(i,j) = A(j,i)", {{"A", "inf"}}, product({{"A", {"csr"}}, {"D", {"csr", "csc"}}}));
  checkFills("D(i,j) = A(i,j)", {{"A", "3"}}, product({{"A", kSparse}, {"D", {"dense"}}}));
  checkFills("y(i) = A(i,j) * x(j)", {{"A", "1"}}, product({{"A", {"csr", "coo"}}}));
  checkFills("s = A(i,j)", {{"A", "2"}}, product({{"A", {"csr"}}}));
}

TEST_CASE("differences that are 0 of missing entries", "[fills]") {
  const std::vector<Formats> assignments = product({{"a", {"sv"}}, {"b", {"sv"}}, {"D", {"csr", "coo", "dense"}}});
  checkFills("D(i,j) = (a(i) - a(j))*b(j)", {{"a", "1"}, {"b", "2"}}, assignments);
  checkFills("D(i,j) = (a(i) - 2)*a(j)*b(j)", {{"a", "2"}}, assignments);
  checkFills("D(i,j) = (a(i) - 2)*x(j) + b(j)", {{"a", "2"}}, assignments);
  checkFills("y(i) = exp((a(i) - 2)*x(i))", {{"a", "2"}}, {{{"a", "sv"}}});
}

TEST_CASE("sums with single entries of what has a fill", "[fills]") {
  const std::vector<Formats> assignments =
      product({{"A", {"csr", "csc", "coo"}}, {"v", {"sv", "@0=c*"}}, {"D", {"dense", "csr"}}});
  checkFills("D(i,j) = A(i,j) - v(2)", {{"v", "1"}}, assignments);
  checkFills("D(i,j) = -(x(i) + A(i,j)/2 - v(0))", {{"v", "1"}}, assignments);
  checkFills("D(i,j) = A(i,j)*v(2) + a(i)", {{"v", "1"}},
             product({{"A", {"csr", "coo"}}, {"a", {"sv"}}, {"v", {"sv"}}, {"D", {"dense", "csr"}}}));
  checkFills("y(i) = a(i) - v(2)", {{"v", "1"}}, product({{"a", {"sv"}}, {"v", {"sv", "@0=c*"}}}));
  checkFills("y(i) = x(i) + a(i)*alpha - v(2)", {{"v", "1"}}, product({{"a", {"sv"}}, {"v", {"sv", "@0=c*"}}}));
}

TEST_CASE("what missing entries are made, stored in a target with another fill", "[fills]") {
  const std::vector<Formats> formats = product({{"A", {"csr", "coo"}}, {"B", {"csc"}}, {"D", {"csr", "dense"}}});
  checkFills("D(i,j) = max(A(i,j), B(i,j))", {{"D", "inf"}}, formats);
  checkFills("D(i,j) = exp(A(i,j)) * max(A(i,j), B(i,j))", {{"D", "-inf"}}, formats);
}

TEST_CASE("temporaries with fills of their own", "[fills]") {
  checkFills("let P(i,j) = exp(A(i,j))\ny(i) = P(i,j) * x(j)", {}, product({{"A", kSparse}}));
  checkFills("let P(i,j) = min(k, A(i,k) + A(k,j))\nD(i,j) = min(A(i,j), P(i,j))", {{"A", "inf"}},
             product({{"A", {"csr"}}, {"P", {"csr"}}, {"D", {"csr", "dense"}}}));
}

TEST_CASE("sums that are numbers beside infinite fills", "[fills]") {
  checkFills("y(i) min= (v(k) - 1)*mean(j, A(k,j)*x(i))", {{"v", "inf"}}, product({{"v", {"sv"}}, {"A", kSparse}}));
  checkFills("y(i) = v(i)*abs(sum(j, A(i,j)))", {{"v", "inf"}}, product({{"v", {"sv"}}, {"A", kSparse}}));
  checkFills("y(i) = v(i)*sum(j, A(i,j))", {{"v", "inf"}}, product({{"v", {"sv"}}, {"A", kSparse}}));
}
