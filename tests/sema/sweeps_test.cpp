// Which steps run together, piece by piece of rows.
#include "sema/check.h"
#include "sema/verify.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace spc;
using namespace spc::sema;
using namespace spc::sema::test;

namespace {

const std::string kAttention = "let E(i,j) = pattern(S(i,j))*Q(i,k)*K(j,k)\n"
                               "let L(i,j) = max(E(i,j), 0.2*E(i,j))\n"
                               "let m(i) = max(j, select(pattern(S(i,j)), L(i,j), -inf))\n"
                               "let P(i,j) = pattern(S(i,j))*exp(L(i,j) - m(i))\n"
                               "let z(i) = P(i,j)\n"
                               "O(i,f) = P(i,j)/z(i)*V(j,f)\n";

/// "L m P z O holding L m P z", a line a sweep.
std::string sweepsOf(const Checked &checked) {
  REQUIRE(checked.kernel);
  const Kernel &kernel = *checked.kernel;
  std::string text;
  for (const Sweep &sweep : kernel.sweeps) {
    for (size_t step = sweep.begin; step < sweep.end; ++step)
      text += kernel.tensors[std::get<Statement>(kernel.steps[step]).target].name + " ";
    text += "holding";
    for (const TensorId held : sweep.held)
      text += " " + kernel.tensors[held].name;
    text += "\n";
  }
  return text;
}

std::string sweepsOf(const std::string &text, const std::vector<std::string> &bindings) {
  return sweepsOf(check(text, bindings));
}

} // namespace

TEST_CASE("steps that read of each other what belongs to the same rows run together") {
  CHECK(sweepsOf(kAttention, {"S=csr"}) == "L m P z O holding L m P z\n");
  CHECK(sweepsOf("let E(i,j) = S(i,j)*x(j)\ny(i) = E(i,j)*E(i,j)\nz(i) = E(i,j)*E(i,j)*y(i)\n", {"S=csr"}) ==
        "E y z holding E\n");
  const Checked blocks =
      check("let t(i,h) = A(i,j)*x(j,h)\nlet u(i,h) = A(i,j)*t(i,h)*t(i,h)\ny(i,h) = A(i,j)*u(i,h)\n", {"A=bsr"},
            /*strict=*/true);
  CHECK(sweepsOf(blocks) == "t u y holding t u\n");
  CHECK(blocks.steps().find("together, piece by piece of blocks of 4 rows of i, in") != std::string::npos);
}

TEST_CASE("rows of one tensor alone may be listed by entries: those of several drive each other out of a cache") {
  const std::string shared = "let E(i,j) = pattern(S(i,j))*X(i,k)*X(j,k)\n"
                             "let P(i,j) = pattern(S(i,j))/(1 + exp(-E(i,j)))\nO(i,k) = P(i,j)*X(j,k)\n";
  CHECK(sweepsOf(shared, {"S=csr"}) == "E P O holding E P\n");
  CHECK(check(shared, {"S=csr"}).kernel->sweeps.front().listsAgain);
  CHECK_FALSE(check(kAttention, {"S=csr"}).kernel->sweeps.front().listsAgain);
  CHECK(sweepsOf("let E(i,j) = pattern(S(i,j))*X(i,k)*X(j,k)\n"
                 "let P(i,j) = pattern(S(i,j))/(1 + exp(-E(i,j)))\nO(i,f) = P(i,j)*V(j,f)\n",
                 {"S=csr"}) == "P O holding P\n");
}

TEST_CASE("a temporary is held where its rows lie next to each other, and nothing else uses it") {
  // The rows that a root lists are not where the entry could work them out.
  CHECK(sweepsOf("let E(i,j,h) = S(i,j)*x(j,h)\nlet m(i,h) = E(i,j,h)*E(i,j,h)\n"
                 "y(i,h) = E(i,j,h)*m(i,h)\n",
                 {"S=dcsr"}) == "E m y holding m\n");
  // Rows of one kind end where columns begin.
  CHECK(sweepsOf("let E(i,j) = S(i,j)*x(j)\ny(i) = E(i,j)*E(i,j)\nz(j) = E(i,j)*E(i,j)\n", {"S=csr"}).empty());
  CHECK(sweepsOf("let E(i,j) = S(i,j)*x(j)\ny(i) = E(i,j)*E(i,j)\n"
                 "w(i) = E(i,j)*y(j)\n",
                 {"S=csr"})
            .empty());
}

TEST_CASE("what steps read of other rows ends a sweep") {
  // All of W for each row: a product of dense matrices is better computed for many rows at once.
  CHECK(sweepsOf("let H(i,k) = A(i,j)*X(j,k)\nY(i,f) = H(i,k)*W(k,f)\n", {"A=csr"}).empty());
  CHECK(sweepsOf("let H(j,f) = X(j,k)*W(k,f)\nY(i,f) = A(i,j)*H(j,f)\n", {"A=csr"}).empty());
  // A view of what is written: the row before.
  CHECK(sweepsOf("let T(i,k) = A(i,j)*X(j,k)\nU(i,k) = T(i,k)*T(i,k)*A(i,j)\nY(i,k) = T(i,k)*T(i,k)\n"
                 "Z(p,k) = T(p + 1,k)*T(p,k)\n",
                 {"A=csr"})
            .find("Z") == std::string::npos);
}

TEST_CASE("steps run apart where that is asked for") {
  CHECK(sweepsOf(checkWith({"--plan=as-written"}, kAttention, {"S=csr"})).empty());
  format::Schedule schedule;
  schedule.chunk = {100, {}};
  CHECK(sweepsOf(check(kAttention, {"S=csr"}, false, schedule)).empty());
  CHECK(sweepsOf(check(kAttention, {"S=csr"}, /*strict=*/true)) == "L m P z O holding L m P z\n");
}

TEST_CASE("the plan says which steps run together") {
  const std::string steps = check(kAttention, {"S=csr"}).steps();
  CHECK(steps.find("\n\ntogether, piece by piece of rows of i, in memory for a piece of L, m, P, z:\n\nL in f64") !=
        std::string::npos);
  const std::string then = check("let E(i,j) = S(i,j)*x(j)\ny(i) = E(i,j)*E(i,j)\nz(i) = E(i,j)*E(i,j)*y(i)\n"
                                 "s = z(i)*z(i)\n",
                                 {"S=csr"})
                               .steps();
  CHECK(then.find("\n\nthen:\n\ns in f64") != std::string::npos);
}

TEST_CASE("verify names what is broken of a sweep") {
  const auto brokenBy = [](const std::function<void(Kernel &)> &damage) {
    Checked checked = check(kAttention, {"S=csr"});
    REQUIRE(checked.kernel);
    CHECK_FALSE(brokenInvariant(*checked.kernel));
    damage(*checked.kernel);
    return brokenInvariant(*checked.kernel).value_or("");
  };
  const auto idOf = [](const Kernel &kernel, const std::string &name) {
    for (const TensorId id : kernel.tensors.ids())
      if (kernel.tensors[id].name == name)
        return id;
    return TensorId();
  };
  CHECK(brokenBy([](Kernel &kernel) { kernel.sweeps.front().end = 99; }) == "sweeps have no steps, or steps in common");
  CHECK(brokenBy([](Kernel &kernel) { kernel.sweeps.push_back(kernel.sweeps.front()); }) ==
        "sweeps have no steps, or steps in common");
  CHECK(brokenBy([](Kernel &kernel) { kernel.sweeps.front().end -= 1; }) ==
        "tensor 'P': is held by a sweep, and used outside of it");
  CHECK(brokenBy([&](Kernel &kernel) { kernel.sweeps.front().held.push_back(idOf(kernel, "O")); }) ==
        "tensor 'O': is held by a sweep, and no temporary");
  CHECK(brokenBy([&](Kernel &kernel) { kernel.sweeps.front().held.push_back(idOf(kernel, "E")); }) ==
        "tensor 'E': is held by a sweep, and used outside of it");
  // Of a square matrix, y of the column.
  Checked square = check("let E(i,j) = S(i,j)*x(j)\ny(i) = E(i,j)*E(i,j)\nz(i) = E(i,j)*E(i,j)*x(i)*y(i)\n", {"S=csr"});
  REQUIRE(square.kernel);
  CHECK_FALSE(brokenInvariant(*square.kernel));
  for (Operand &operand : std::get<Statement>(square.kernel->steps.back()).terms.front().operands)
    if (square.kernel->tensors[operand.tensor].name == "y")
      operand.indices.front().terms.front().loop = LoopId(1);
  CHECK(brokenInvariant(*square.kernel) == "tensor 'y': is written in a sweep, and used there in other rows");
}
