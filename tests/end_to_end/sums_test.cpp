// Sums, differences, where summation loops sit, literals and divisions.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {} // namespace

TEST_CASE("sums of matrices in all storages", "[sums]") {
  const std::vector<std::string> dense = {"dense"};
  check("A(i,j) = B(i,j) + C(i,j)", product({{"B", kFourStorages}, {"C", kFourStorages}, {"A", dense}}));
  check("A(i,j) = B(i,j) - C(j,i)", product({{"B", kFourStorages}, {"C", kFourStorages}, {"A", dense}}));
  check("A(i,j) = B(i,j) + B(j,i)", product({{"B", kMatrix}, {"A", dense}}));
  check("A(i,j) = B(i,j) + C(i,j) - D(i,j)",
        product({{"B", {"csr", "dcsr"}}, {"C", {"csc", "dcsc"}}, {"D", {"coo", "dense"}}, {"A", dense}}));
  check("A(i,j) += B(i,j) - 2 * C(i,j)", product({{"B", kThreeSparse}, {"C", kThreeSparse}, {"A", dense}}));
  check("z(i) = x(i) + y(i)", product({{"x", kVector}, {"y", kVector}, {"z", dense}}));
}

TEST_CASE("each term is summed over its own variables", "[sums]") {
  check("y(i) = A(i,j) * x(j) + z(i) + w(i)", product({{"A", kMatrix}}));
  check("y(i) = A(i,j) * x(j) + z(i) - B(i,k) * w(k)", product({{"A", kThreeSparse}, {"B", kThreeSparse}}));
  check("y(i) = z(i) - (A(i,j) * x(j) - 1.5)", product({{"A", kThreeSparse}}));
  check("y(i) = -(A(i,j) * x(j)) + z(i)", product({{"A", kThreeSparse}, {"z", kVector}}));
  check("t = x(i) * y(i) + A(i,j) * B(i,j) + 3", product({{"A", kThreeSparse}, {"x", kVector}}));
  check("C(i,j) = x(i) + y(j)", product({{"x", kVector}, {"y", kVector}, {"C", {"dense"}}}));
  check("C(i,j) = A(i,k) * B(k,j) + x(i)", product({{"A", kThreeSparse}, {"B", {"dense", "csr"}}}));
}

TEST_CASE("sums below products are multiplied out", "[sums]") {
  check("y(i) = (A(i,j) + b(i)) * x(j)", product({{"A", kThreeSparse}, {"b", kVector}}));
  check("y(i) = (A(i,j) - B(i,j)) * x(j)", product({{"A", kThreeSparse}, {"B", kFourStorages}}));
  check("y(i) = (A(i,j) + B(i,j)) * (x(j) - w(j))", product({{"A", kThreeSparse}, {"B", {"csr"}}, {"x", kVector}}));
  check("t = (x(i) + A(i,j)) * (y(j) - B(i,j))", product({{"A", {"csr", "csc"}}, {"B", {"csr", "coo"}}}));
  check("y(i) = -(A(i,j) + 2) * -x(j)", product({{"A", kThreeSparse}}));
  check("C(i,j) = (A(i,j) + B(i,j)) / (1.25 * s)", product({{"A", kThreeSparse}, {"B", {"csr"}}, {"C", {"dense"}}}));
}

TEST_CASE("explicit sums", "[explicit-sums]") {
  check("y(i) = sum(j, A(i,j) * x(j))", product({{"A", kMatrix}}));
  check("y(i) = z(i) * sum(j, A(i,j) * x(j))", product({{"A", kThreeSparse}, {"z", kVector}}));
  check("y(i) = z(i) / sum(j, A(i,j) * A(i,j) + 1)", product({{"A", kThreeSparse}}));
  check("C(i,j) = A(i,j) / sum(k, A(i,k) * A(i,k) + 1)", product({{"A", kThreeSparse}, {"C", {"dense"}}}));
  check("y(i) = 2 * (sum(j, A(i,j) * x(j)) + z(i))", product({{"A", kThreeSparse}}));
  check("y(i) = sum(j, A(i,j) * x(j)) * sum(j, B(i,j))", product({{"A", kThreeSparse}, {"B", kThreeSparse}}));
  check("t = sum(i, x(i) * sum(j, A(i,j) * y(j)))", product({{"A", kThreeSparse}}));
  check("t = sum(i, j, A(i,j)) * sum(i, x(i))", product({{"A", kThreeSparse}, {"x", kVector}}));
  check("y(i) = sum(j, A(i,j) + z(i))", product({{"A", kThreeSparse}}));
  check("y(i) = sum(j, x(j)) + z(i)", product({{"x", kVector}}));
  check("y(i) = x(i) / sum(j, x(j) * x(j))", kDefaults);
}

TEST_CASE("sums among addends", "[explicit-sums]") {
  const std::string low = "sum(k, U(i,k) * V(k,j))";
  check("y(i) = (A(i,j) - " + low + ") * x(j)", product({{"A", kMatrix}}));
  check("y(j) = sum(i, (" + low + " / 2 + A(i,j)) * z(i))", product({{"A", kThreeSparse}}));
  check("C(i,l) = (A(i,j) - U(i,j) * w(j) + " + low + ") * Z(j,l)", product({{"A", kThreeSparse}}));
  check("t = sum(i, sum(j, A(i,j) * A(i,j) - " + low + "))", product({{"A", kThreeSparse}}));
  check("let R(i,j) = A(i,j) + z(i) * " + low + "\ny(i) = R(i,j) * x(j)", product({{"A", kThreeSparse}}));
  check("let R(i,j) = U(i,k) * B(k,j)\nC(i,l) = (A(i,j) - R(i,j)) * Z(j,l)",
        product({{"A", kThreeSparse}, {"B", {"csr", "dense"}}}));
}

TEST_CASE("sums among addends that several statements read", "[explicit-sums]") {
  const std::vector<Formats> formats = product({{"A", kThreeSparse}});
  check("let R(i,j) = A(i,j) - U(i,k) * V(k,j)\nC(i,l) = R(i,j) * V(l,j)\ny(j) = R(i,j) * z(i)", formats);
  check("let R(i,j) = U(i,k) * V(k,j)\ny(j) = (A(i,j) - R(i,j)) * z(i)\nx(i) = (R(i,j) + A(i,j)) * w(j)", formats);
}

TEST_CASE("sums beside sums within products", "[explicit-sums]") {
  const std::vector<Formats> formats = product({{"A", kThreeSparse}, {"B", {"csr", "csc"}}});
  check("y(j) = sum(i, (A(i,j) - z(j)) * sum(k, (B(i,k) - w(k)) * x(k)))", formats);
  check("y(j) = (A(i,j) - B(i,j)) * sum(k, (B(i,k) - w(k)) * x(k)) / d(i)", formats);
}

TEST_CASE("literals, negation and scalars", "[arithmetic]") {
  check("B(i,j) = 2.5e-1 * A(i,j)", product({{"A", kMatrix}, {"B", {"dense"}}}));
  check("B(i,j) = -A(i,j)", product({{"A", kMatrix}, {"B", {"dense"}}}));
  check("B(i,j) = alpha * -A(i,j) * -beta", product({{"A", kThreeSparse}, {"B", {"dense"}}}));
  check("y(i) = 1", kDefaults);
  check("y(i) = alpha", kDefaults);
  check("y(i) = -x(i) + 2 * alpha - 1e3", product({{"x", kVector}, {"y", {"dense"}}}));
  check("t = 2 * alpha + beta / 3 - -1", kDefaults);
  check("y(i) += alpha * x(i)", product({{"x", kVector}}));
}

TEST_CASE("divisions", "[arithmetic]") {
  check("B(i,j) = A(i,j) / alpha", product({{"A", kMatrix}, {"B", {"dense"}}}));
  check("B(i,j) = A(i,j) / d(i)", product({{"A", kMatrix}, {"B", {"dense"}}}));
  check("B(i,j) = A(i,j) / (d(i) * e(j) + 5)", product({{"A", kThreeSparse}, {"B", {"dense"}}}));
  // Of empty rows, 0 / 0: padding is no entry.
  check("let z(i) = A(i,j)\nB(i,j) = A(i,j) / z(i)", product({{"A", kMatrix}}));
  check("let z(i) = A(i,j)\ny(j) = x(i) * A(i,j) / z(i)", product({{"A", kMatrix}}));
  check("let z(i) = A(i,j)\ny(j) = x(i) / z(i) * A(i,j)", product({{"A", kMatrix}}));
  check("y(i) = A(i,j) * x(j) / d(i) / 2", product({{"A", kThreeSparse}, {"x", kVector}}));
  check("y(i) = A(i,j) / d(j) * x(j)", product({{"A", kThreeSparse}}));
  check("y(i) = x(i) / d(i)", product({{"x", kVector}, {"y", {"dense"}}}));
  check("y(i) = 1 / d(i)", kDefaults);
  check("C(i,j) = B(i,j) / (x(i) + y(j)) - 1 / x(i)", kDefaults);
}

TEST_CASE("broadcasts", "[arithmetic]") {
  check("C(i,j) = x(i)", product({{"x", kVector}, {"C", {"dense"}}}));
  check("C(i,j) = x(j)", product({{"x", kVector}, {"C", {"dense", "dense:1,0"}}}));
  check("T(i,j,k) = A(i,k) * y(j)", product({{"A", kThreeSparse}}));
  check("T(i,j,k) = A(k,i)", product({{"A", {"csr", "csc", "coo", "dense"}}, {"T", {"dense"}}}));
}
