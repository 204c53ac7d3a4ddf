// Factors that addends share are put before these.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

using Bindings = std::vector<std::string>;

size_t lastTerms(const std::string &text, const Bindings &bindings) {
  return check(text, bindings).last().terms.size();
}

} // namespace

TEST_CASE("a product that addends share is computed once") {
  const Bindings bindings = {"A=csr", "B=csr"};
  const std::string steps = check("y(i) = A(i,j)*B(j,k)*u(k) + B(j,k)*A(i,j)*v(k)", bindings).steps();
  CHECK(steps.find("$5(j) += B(j,k)*(u(k) + v(k))\n") != std::string::npos);
  CHECK(steps.find("y(i) += A(i,j)*$5(j)\n") != std::string::npos);
  // The names of what is summed over do not matter, nor how many addends there are, nor their signs.
  CHECK(lastTerms("C(i,k) = sum(j, A(i,j)*B(j,k))*d(k) - 2*sum(l, B(l,k)*A(i,l))*e(k) - "
                  "A(i,m)*B(m,k)*f(k)/3",
                  {"A=csr", "B=dense"}) == 1);
  CHECK(lastTerms("y(i) = A(i,j)*B(j,k)*u(k) + A(i,j)*B(j,k)", bindings) == 1);
  // Sums of two in both of two factors were four products.
  CHECK(check("y(i) = D(i,j)*abs(u(i))*abs(v(j)) + D(i,j)*abs(w(i))*abs(v(j)) + "
              "D(i,j)*abs(u(i))*abs(z(j)) + D(i,j)*abs(w(i))*abs(z(j))")
            .last()
            .terms.size() == 1);
}

TEST_CASE("temporaries are products that other addends may share factors with") {
  const std::string text = "tensor A(n, n), sparse\ntensor B(n, n)\ntensor u(n)\ntensor v(n)\n"
                           "let T(j) = sum(k, B(j,k)*u(k))\n"
                           "y(i) = A(i,j)*T(j) + A(i,j)*B(j,k)*v(k)";
  CHECK(check(text, {"A=csr"}).steps().find("B(j,k1)*(u(k1) + v(k1))") != std::string::npos);
  // One that is read twice is computed once for both.
  CHECK(check(text + "\nz(i) = T(i)", {"A=csr"}).steps().find("u(k1) + v(k1)") == std::string::npos);
}

TEST_CASE("what addends have of their own is added up where loops run anyway, and rounds no more") {
  // Loops over k alone would read two rows at a time.
  CHECK(lastTerms("Y(i,k) = A(i,j)*X(j,k) + A(i,j)*Z(j,k)", {"A=csr"}) == 2);
  // Two factors are two.
  CHECK(lastTerms("y(i,l) = A(i,j)*B(j,l)*u(l)*w(i) + A(i,j)*B(j,l)*v(l)*x(i)", {"A=csr"}) == 2);
  // Sums of f32 would round as those of f64 do not.
  const std::string declared = "tensor A(n, n), sparse\ntensor B(n, n)\n";
  const std::string sum = "y(i,l) = A(i,j)*B(j,l)*u(l) + A(i,j)*B(j,l)*v(l)";
  CHECK(lastTerms(declared + "tensor u(n)\ntensor v(n)\n" + sum, {"A=csr"}) == 1);
  CHECK(lastTerms(declared + "tensor u(n): f32\ntensor v(n): f32\n" + sum, {"A=csr"}) == 2);
  // Dimensions of other lengths are added up by loops of their own.
  CHECK(lastTerms("y(i) = sum(j, A(i,j)*u(i)) + sum(k, A(i,k)*v(i)) + sum(j, B(i,j)*u(i))", {"A=csr", "B=csr"}) == 2);
}

TEST_CASE("factors are shared only where a number other than 0 is left of numbers") {
  const Bindings bindings = {"A=csr"};
  CHECK(lastTerms("Y(i,k) = 2*A(i,j)*B(j,k) + 3*A(i,j)*B(j,k)", bindings) == 1);
  // The entries would be gone, and what an infinity makes of them.
  CHECK(lastTerms("y(i) = A(i,j)*B(j,k)*u(k) - B(j,k)*A(i,j)*u(k)", bindings) == 2);
  CHECK(lastTerms("Y(i,l) = sum(j, 2*A(i,j)*B(j,l)) - sum(k, A(i,k)*2*B(k,l))", bindings) == 2);
  CHECK(lastTerms("y(i) = 0*A(i,j)*B(j,k) + A(i,j)*B(j,k)*u(k)", bindings) == 2);
  CHECK(lastTerms("Y(i,k) = A(i,j)*B(j,k) + A(i,j)*B(j,k) - 2*A(i,j)*B(j,k)", bindings) == 2);
  // Integers wrap around.
  const std::string bytes = "tensor A(n, n): u8, sparse\ntensor B(n, n): u8\n";
  CHECK(lastTerms(bytes + "Y(i,k) = 60*A(i,j)*B(j,k) + 100*A(i,j)*B(j,k)", bindings) == 1);
  CHECK(lastTerms(bytes + "Y(i,k) = 120*A(i,j)*B(j,k) + 136*A(i,j)*B(j,k)", bindings) == 2);
}

TEST_CASE("factors are shared only where loops are not slower, and targets have the same entries") {
  // Two lists in place of one are merged, but for a vector's beside an array.
  CHECK(lastTerms("y(i) = A(i,j)*B(j,k)*S(i,j) + A(i,j)*B(j,k)*u(j)", {"A=csr", "B=csr", "S=csr"}) == 2);
  CHECK(lastTerms("y(i) = A(i,j)*B(j,k)*w(j) + A(i,j)*B(j,k)*u(j)", {"A=csr", "B=csr", "w=vector"}) == 1);
  CHECK(lastTerms("y(i) = A(i,j)*B(j,k)*w(j) + A(i,j)*B(j,k)*u(j)", {"A=csr", "B=csr", "w=vector", "y=vector"}) == 2);
  // A function would be called for each entry.
  CHECK(lastTerms("Y(i,k) = A(i,j)*B(j,k)*exp(u(i)) + A(i,j)*B(j,k)*v(i)", {"A=csr"}) == 2);
  CHECK(lastTerms("Y(i,k) = A(i,j)*B(j,k)*abs(u(i)) + A(i,j)*B(j,k)*v(i)", {"A=csr"}) == 1);
  // A temporary that is an array makes all of a result's places entries.
  const std::string text = "let T(j) = A(i,j)\ny(j) = T(j) + A(b,j)";
  CHECK(check(text, {"A=csr"}).steps().find('T') == std::string::npos);
  CHECK(check(text, {"A=csr", "y=vector"}).steps().find("T(j) += A(i,j)") != std::string::npos);
}

TEST_CASE("what is not summed is computed as it is written") {
  CHECK(lastTerms("A(i,j) = B(i,j) + B(i,j)*C(i,j)", {"A=csr", "B=csr", "C=csr"}) == 2);
  CHECK(check("y(i) = x(i)*z(i) + x(i)*w(i)").steps() == "y in f64:\n  for i: y(i) = x(i)*z(i) + x(i)*w(i)\n");
}

TEST_CASE("factors stay where the order of operations is the user's") {
  const std::string text = "y(i,l) = A(i,j)*B(j,l)*u(j) + A(i,j)*B(j,l)*v(i)";
  const Bindings bindings = {"A=csr"};
  CHECK(lastTerms(text, bindings) == 1);
  CHECK(check(text, bindings, true).last().terms.size() == 2);
  CHECK(checkWith({"--plan=as-written"}, text, bindings).last().terms.size() == 2);
}

TEST_CASE("what an explicit sum is multiplied by stays outside of it") {
  const std::string steps = check("y(i) = sum(j, A(i,j)*x(j))*d(i) + sum(k, A(i,k)*z(k))*d(i)", {"A=csr"}).steps();
  CHECK(steps.find("A(i,j)*(x(j) + z(j))") != std::string::npos);
  CHECK(steps.find("d(i)*A") == std::string::npos);
  CHECK(steps.find("A(i,j)*d(i)") == std::string::npos);
}

} // namespace spc::sema::test
