// --fp=strict: source order and rounding, so the evaluator's result to the last bit.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

KernelSpec strict(const std::string &statements, const Formats &formats, int optLevel) {
  KernelSpec spec;
  spec.statements = statements;
  spec.formats = formats;
  spec.strictFp = true;
  spec.optLevel = optLevel;
  spec.chunk = 3;
  return spec;
}

void checkExactly(const std::string &statements, const Formats &formats) {
  for (int optLevel : {1, 3}) {
    const KernelSpec spec = strict(statements, formats, optLevel);
    INFO(describe(spec));
    const KernelUnderTest kernel(spec);
    INFO(kernel.diagnostics());
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    for (Trial trial : trialsFor(kernel.extentClasses())) {
      trial.exact = true;
      INFO(describe(trial));
      CHECK(kernel.check(trial) == "");
    }
  }
}

} // namespace

TEST_CASE("strict kernels round as the source says", "[strict-fp]") {
  checkExactly("y(i) = A(i,j) * x(j)", {{"A", "csr"}});
  checkExactly("y(i) = A(i,j) * x(j)", {{"A", "dcsr"}});
  checkExactly("y(i) = A(i,j) * x(j)", {{"A", "coo"}});
  checkExactly("y(i) = A(i,j) * x(j)", {{"A", "dense"}});
  checkExactly("y(i) = A(i,j) * x(j) + z(i) - w(i)", {{"A", "csr"}});
  checkExactly("C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}});
  checkExactly("C(i,j) = A(i,k) * B(k,j)", {});
  checkExactly("t = x(i) * y(i)", {});
  checkExactly("D(i,j) = S(i,j) * A(i,k) * B(j,k)", {{"S", "csr"}});
  checkExactly("y(i) = x(i) * 0.1 * alpha / 3 + x(i) / d(i)", {});
}

TEST_CASE("strict kernels are not multiplied out", "[strict-fp]") {
  checkExactly("y(i) = (A(i,j) + b(i)) * x(j)", {{"A", "csr"}});
  checkExactly("y(i) = (A(i,j) - B(i,j)) * (A(i,j) - b(i))", {{"A", "csr"}, {"B", "csr"}});
}
