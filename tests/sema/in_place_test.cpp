// Which temporaries are in the memory of what is computed of them.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

using Bindings = std::vector<std::string>;

/// What holds a tensor until it is computed; empty where the tensor has memory of its own.
std::string holderOf(const std::string &text, const std::string &name, const Bindings &bindings = {"A=csr"}) {
  const Checked checked = check(text, bindings);
  INFO(text);
  REQUIRE(checked.errors() == "");
  const auto *held = checked.tensor(name).as<Held>();
  return held ? checked.kernel->tensors[held->holder].name : "";
}

const std::string kSum = "let T(i,l) = A(j,i)*C(j,l)\n";

TEST_CASE("what a result is computed of, element by element, is in its memory until then") {
  CHECK(holderOf(kSum + "Y(i,l) = T(i,l)*D(l)", "T") == "Y");
  CHECK(holderOf(kSum + "Y(i,l) = relu(T(i,l)) - T(i,l)*D(l) + A(i,l)", "T") == "Y");
  CHECK(holderOf("let T(i) = A(j,i)\nlet U(i) = exp(T(i))\nU(i) += A(i,j)\ny(i) = U(i)*x(i)", "U") == "y");
  CHECK(check(kSum + "Y(i,l) = T(i,l)*D(l)", {"A=csr"}).steps() == "Y in f64, zeroed first:\n"
                                                                   "  for j+, i, l: Y(i,l) += A(j,i)*C(j,l)\n"
                                                                   "\n"
                                                                   "Y in f64:\n"
                                                                   "  for i, l: Y(i,l) = Y(i,l)*D(l)\n");
  // Of two the one that nothing else reads.
  const std::string two = "let T(i) = A(j,i)\nlet U(i) = A(i,j)*x(j)\ns = T(i)*x(i)\n";
  CHECK(holderOf(two + "y(i) = T(i)*U(i)", "U") == "y");
  CHECK(holderOf(two + "y(i) = U(i)*T(i)", "U") == "y");
  // One that is another one's does not take a step to become it.
  CHECK(check("tensor T(n): f32\ntensor x(n): f64\nlet T(i) = 2*x(i)\ny(i) = T(i)").steps() ==
        "y in f64:\n  for i: y(i) = 2*x(i)\n");
}

TEST_CASE("what is read elsewhere, or otherwise than element by element, has memory of its own") {
  for (const char *reader :
       {"Y(l,i) = T(i,l)*D(l)", "Y(i,l) += T(i,l)*D(l)", "Y(i,l) = T(i,l)*D(l)\nZ(i,l) = T(i,l)*Y(i,l)",
        "y(i) = T(i,l)*D(l)", "Y(i,l) = T(i,l)*D(l) + A(i,k)*T(k,l)", "tensor Y(m,l): f32\nY(i,l) = T(i,l)*D(l)",
        "z(i) = Y(i,l)*D(l)\nY(i,l) = T(i,l)*z(i)", "Y(i,l) = T(i,l)*Y(i,l)"}) {
    CAPTURE(reader);
    CHECK(holderOf(kSum + reader, "T").empty());
  }
}

} // namespace
} // namespace spc::sema::test
