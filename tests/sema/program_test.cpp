// Programs as source text: what is written reads as the same program, with the same plan.
#include "sema/check.h"
#include "sema/program.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

struct Written {
  std::string text;
  std::string plan;
};

Written write(const std::string &text) {
  INFO(text);
  SourceManager sources;
  Diagnostics diagnostics;
  const Options options{.function = "k", .verify = true};
  std::vector<format::Binding> bindings;
  const syntax::Kernel tree = syntax::parse(sources.add("k.tex", text), diagnostics);
  if (text.find("A(i,j") != std::string::npos)
    bindings.push_back({"A", family("csr"), {}});
  const std::optional<Program> program = check(tree, bindings, options, diagnostics);
  REQUIRE(program);
  const std::optional<Kernel> kernel = plan(*program, options, diagnostics);
  REQUIRE(kernel);
  return {toText(*program), describe(*kernel)};
}

const char *const kKernels[] = {
    "y(i) = A(i,j)*x(j)\n",
    "y(i) = a*A(i,j)*x(j) + b*y(i)\n",
    "y(i) += (A(i,j) - (B(i,j) - C(i,j)))*x(j)\n",
    "y(i) = -(x(i)*x(i)) - -x(i)/(x(i)*(x(i) - 2))\n",
    "y(i) max= A(i,j)*x(j)\n",
    "q or= not (x(i) < 3) or x(i) == -inf and y(i) % 2 != 1\n",
    "let t(i) = mean(j, A(i,j)*x(j))\ny(i) = t(i) - (t(i) - 3)*2 + i\n",
    "z(i) = argmin(j, A(i,j) + x(j)) + count(j, A(i,j)) - argmax(j, x(j))\n",
    "z = argmin(i, j, A(i,j) + x(j)) - argmax(j, i, A(i,j))\n",
    "m = mean(i, j, A(i,j)) / mean(i, x(i))\n",
    "y(i) = x(i + 2*k + 1)*w(k)\n",
    "y(i) = A(i,i) + x(2*i)\n",
    "y(i) = select(x(i) > 0, exp(x(i)), min(x(i), y0(i), 2))\n",
    "semiring(min, +)\ntensor A(m, n), sparse\ntensor x(n)\ny(i) = A(i,j)*x(j)\n",
    "semiring(min, +)\ntensor A(m, n): i32, sparse\ntensor x(n): i32\ny(i) = A(i,j)*x(j)\n",
    "type T = f32\ntensor x(n): T\ntensor b(n): bool\ny(i) = T(i) + x(i)*f64(b(i))\n",
    "kernel f(x, A) -> (z, y)\ntensor x(m)\ntensor A(m, 7), sparse, fill 2.5\ny(i) = x(i)\nz(i) = A(i,j)\n",
    "s = sum(i, x(i)*sum(j, A(i,j)*x(j)))\np = prod(i, x(i)) + any(i, x(i))\n",
    "C(i,j) = A(i,j) - B(j,i)*2e-300\n",
    "y(i) = min((i), x(i)) + sum(k, max((i), (k), A(i,k)*k)*max((i), 2))\n",
    "semiring(max, *)\ny(i) = i + x(i) + A(i,j)\n",
    "semiring(max, min)\ny(i) = j*x(j)*A(i,j)\n",
    "y = min(i8, x(i8)) + max(sum, f64, A(sum,f64)) - sum(f32, x(f32))\n",
    "tensor x(n): i32\ntensor y(n): i32\ny(i) = -(inf)*x(i) + -inf*x(i) - -(-inf)*x(i) + --(-(inf))*x(i)\n",
};

TEST_CASE("a program's text reads as the same program") {
  for (const char *text : kKernels) {
    const Written first = write(text);
    const Written second = write(first.text);
    CHECK(second.text == first.text);
    CHECK(second.plan == first.plan);
  }
}

TEST_CASE("a program's text has what was understood") {
  CHECK(write("type T = f32\nkernel k(x) -> (y)\ntensor x(n): T, fill 0\ny(i) = (T((x(i))) + mean(j, x(j)))\n").text ==
        "type T = f32\nkernel k(x) -> (y)\ntensor x(n): T, fill 0\ny(i) = T(x(i)) + mean(j, x(j))\n");
  CHECK(write("q or= ((x(i) < 3) or (x(i) == 4))\n").text == "q or= x(i) < 3 or x(i) == 4\n");
}

} // namespace
} // namespace spc::sema::test
