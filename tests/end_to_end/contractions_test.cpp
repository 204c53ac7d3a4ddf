// Random products of several factors in several spellings: the sums are taken in whichever order costs least.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"
#include "harness/random_product.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace spc::testing;
using spc::sema::ValueType;

TEST_CASE("random products in two spellings", "[chains]") {
  const auto spellings = GENERATE(Spellings::Orders, Spellings::All);
  std::mt19937 random(productSeed());
  const int products = takesAll() ? 2500 : 40;
  for (int number = 0; number < products; ++number) {
    const RandomProduct product = randomProduct(random, spellings, /*hasDivisor=*/number % 4 == 3);
    for (int spelling = 0; spelling < 2; ++spelling) {
      KernelSpec spec =
          specFor(spellingOf(product, random), product.formats, static_cast<size_t>(2 * number + spelling));
      spec.optLevel = takesAll() ? spec.optLevel : seldomOptimised(static_cast<size_t>(number));
      check(spec);
    }
  }
}

namespace {

struct Chosen {
  const char *statements;
  Formats formats;
};

const Chosen kChosen[] = {
    {"D(i,l) = A(i,j)*B(j,k)*C(k,l)", {}},
    {"y(i) = A(i,j)*B(j,k)*x(k)", {{"A", "csr"}, {"B", "csr"}}},
    {"y(i) = A(i,j)*B(j,k)*x(k)", {{"A", "coo"}, {"B", "csr"}}},
    {"y(i) = A(i,j)*B(j,k)*x(k)", {{"A", "dcsr"}, {"B", "dcsr"}}},
    {"y(i) = A(i,j)*B(j,k)*x(k)", {{"A", "coo-unsorted"}, {"B", "dcsc"}}},
    {"y(i) = A(i,j)*B(j,k)*C(k,l)*x(l)", {{"A", "dcsr"}, {"B", "coo"}, {"C", "dcsr"}}},
    {"C(i,l) = A(i,j)*X(j,k)*W(k,l)", {{"A", "csr"}}},
    {"C(i,l) += A(i,j)*X(j,k)*W(k,l)", {{"A", "csc"}}},
    {"let X(j,k) = exp(Z(j,k))\nD(i,l) = A(i,j)*X(j,k)*C(k,l)\nlet m(i) = max(l, D(i,l))\nE(i,l) = D(i,l)*m(i)", {}},
    {"Y(i,b) = W(i,j)*X(j,b) + P(i,r)*Q(r,j)*X(j,b)", {{"W", "csr"}}},
    {"s = A(i,j)*B(j,k)*C(k,l)*D(l,m)", {{"B", "csr"}}},
    {"D(i,l) = A(i,j)*B(j,k)*C(k,l)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}}},
    {"let D(i,l) = A(i,j)*B(j,k)*C(k,l)\nE(i,l) = D(i,l)*D(i,l) + A(i,l)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}, {"E", "csr"}}},
};

} // namespace

TEST_CASE("each plan among which calls choose computes the same", "[chains]") {
  size_t compilation = 0, plans = 0;
  for (const Chosen &chosen : kChosen) {
    KernelSpec spec = specFor(chosen.statements, chosen.formats, compilation++);
    spec.optLevel = 0;
    check(spec);
    const size_t most = KernelUnderTest(spec).kernel().alternatives.size();
    INFO(chosen.statements);
    CHECK(most >= 2);
    plans += most;
    for (size_t plan = 0; plan < most; ++plan) {
      spec.plan = plan;
      check(spec);
    }
  }
  CHECK(plans >= 28);
}

TEST_CASE("products beside what is assembled before them", "[chains]") {
  const Formats sparse = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}, {"T", "csr"}};
  for (const char *statements : {"D(i,l) = T(i,l)\nD(i,l) += A(i,j)*B(j,k)*C(k,l)",
                                 "let T(i,j) = A(i,k)*B(k,j)\nD(i,l) = T(i,j)*B(j,k)*C(k,l)"}) {
    KernelSpec spec = specFor(statements, sparse, 0);
    spec.optLevel = 0;
    check(spec);
  }
}

TEST_CASE("calls choose by sizes", "[chains]") {
  // (A*B)*C adds 1e308 to itself, A*(B*C) does not.
  const auto productOf = [](int64_t rows) {
    KernelSpec spec;
    spec.statements = "D(i,l) = A(i,j)*B(j,k)*C(k,l)";
    spec.optLevel = 0;
    HandMadeCall call(spec);
    call.passDense("A", {rows, 2}, std::vector<double>(static_cast<size_t>(2 * rows), 1));
    call.passDense("B", {2, 1}, {1e308, 1e308});
    call.passDense("C", {1, 1}, {0.1});
    call.passDense("D", {rows, 1}, std::vector<double>(static_cast<size_t>(rows)));
    CHECK(call.call() == 0);
    return call.values("D").front();
  };
  CHECK(std::isinf(productOf(1)));
  CHECK(productOf(10) == Approx(2e307));
}

TEST_CASE("alternatives leave no memory behind where there is none for them", "[chains]") {
  const Formats sparse = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}};
  const char *vector = "y(i) = A(i,j)*B(j,k)*x(k)";
  for (const auto &[statement, formats] :
       {std::pair("D(i,l) = A(i,j)*B(j,k)*C(k,l)", sparse), std::pair(vector, Formats{{"A", "csr"}, {"B", "csr"}}),
        std::pair(vector, Formats{{"A", "dcsr"}, {"B", "dcsr"}}),
        std::pair(vector, Formats{{"A", "coo"}, {"B", "dcsc"}})}) {
    KernelSpec spec;
    spec.statements = statement;
    spec.formats = formats;
    spec.optLevel = 0;
    const KernelUnderTest kernel(spec);
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    for (const std::vector<int64_t> &extents : {std::vector<int64_t>{2, 20, 20, 20}, {20, 20, 20, 2}})
      for (const bool nonFinite : {false, true}) {
        Trial trial{{extents.begin(), extents.begin() + kernel.extentClasses()}, Fill::Random, nonFinite};
        CHECK(kernel.checkFailures(trial) == "");
      }
  }
}

TEST_CASE("chunks of rows that one list has alone where another one ends", "[chains]") {
  for (const int chunk : {1, 4, 100}) {
    KernelSpec spec;
    spec.statements = "y(l,i) = sum(k, (abs(D(k,i)) + abs(E(k,i)))*B(l,k)*(abs(C(l,k)) + abs(F(l,k)))*A(i,l))";
    spec.formats = {{"A", "coo"}, {"B", "dcsr"}, {"C", "dcsr"}, {"D", "coo"}, {"E", "coo"}, {"F", "csr"}, {"y", "csr"}};
    spec.optLevel = 0;
    spec.chunk = chunk;
    check(spec);
  }
}

TEST_CASE("chunks of a list's rows that loops further in walk once more", "[chains]") {
  for (const std::string statement :
       {"C(i,j) = A(i,k)*A(j,l)*X(k,l)", "C(i,j) = A(i,k)*A(j,k)", "C(i,j) = A(i,k)*A(j,l)*x(k) + A(j,i)",
        "let C(i,j) = A(i,k)*A(j,l)*X(k,l)\ns = C(i,j)*A(i,j)"})
    for (const char *format : {"coo", "dcsr"})
      for (const char *target : {"csr", "coo", "dense"}) {
        KernelSpec spec;
        spec.statements = statement;
        spec.formats = {{"A", format}, {"C", target}};
        spec.optLevel = 0;
        spec.chunk = 4;
        const KernelUnderTest kernel(spec);
        REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
        for (const Fill fill : {Fill::Random, Fill::Full}) {
          Trial trial{std::vector<int64_t>(static_cast<size_t>(kernel.extentClasses()), 9), fill, false};
          trial.chunks = Chunks::Threads;
          INFO(describe(spec) << describe(trial));
          CHECK(kernel.check(trial) == "");
        }
      }
}

TEST_CASE("a factor's infinities meet no sum without entries", "[chains]") {
  const Formats one = {{"A", "csr"}}, both = {{"A", "csr"}, {"B", "csr"}};
  const std::pair<const char *, Formats> kernels[] = {
      {"C(j,k) = A(i,j)*m(k)", one},
      {"C(j,k) = A(i,j)*m(k) - B(i,k)*n(j)/4 + m(k)*n(j)", both},
      {"C(j,k) = A(i,j)*m(k)*n(k)", one},
      {"y(i) = (A(i,j) + c*(i == j)) * n(j)", one},
      {"y(i) = A(i,j)*x(j)", {{"A", "csr"}, {"x", "sv"}}},
      {"y(i) = x(i)*sum(k, A(k,i))", {{"A", "coo"}, {"x", "sv"}}},
      {"s = A(i,j)*x(j)*z(i)", {{"A", "csr"}, {"x", "sv"}, {"z", "sv"}}},
      {"y(k) = A(i,j)*(x(j) + m(j))*B(i,k)*z(k)", {{"A", "csr"}, {"B", "dcsr"}, {"x", "sv"}, {"z", "sv"}}},
  };
  for (const auto &[statement, formats] : kernels) {
    KernelSpec spec = specFor(statement, formats, 0);
    for (int level : {0, 2}) {
      spec.optLevel = level;
      check(spec);
    }
  }
}

TEST_CASE("columns that a sum or a condition leaves out are no entries", "[chains]") {
  for (const char *statement :
       {"C(i,k) = A(i,k)*B(l,k)*m(k)", "C(i,k) = A(k,i)*sum(l, B(l,k)) - A(i,k)",
        "C(i,k) = (A(i,k) - B(k,i))*m(k)*sum(l, B(l,k))/m(i)",
        "C(i,k) = (B(i,k) + A(i,k))*sum(l, A(l,k))*sum(l, B(l,k)*m(l))", "C(i,k) = where(m(k) > 0, A(i,k)) - 2*B(i,k)",
        "C(i,k) = where(m(k) > m(i), A(i,k)*B(k,i)) + B(i,k)", "C(i,k) = where(m(k) > 0, A(i,j)*B(j,k))"})
    for (const char *format : {"csr", "csc", "coo", "dcsr"})
      for (const char *target : {"csr", "csc"})
        check(specFor(statement, {{"A", format}, {"B", "csr"}, {"C", target}}, 0));
}

TEST_CASE("columns that a sum of integers leaves out are no entries", "[chains]") {
  for (const char *statement :
       {"C(i,k) = (A(i,k) + B(i,k))*sum(l, B(l,k))", "C(i,k) = A(i,k)*sum(l, B(l,k)*x(l))*sum(l, A(l,k))",
        "C(k,i) += (A(k,i) - B(i,k))*sum(l, sum(m, A(l,m))*B(l,k))"})
    for (const ValueType type : {ValueType::I32, ValueType::U8, ValueType::Bool})
      for (const char *target : {"csr", "csc", "coo"}) {
        KernelSpec spec = specFor(statement, {{"A", "csr"}, {"B", "csr"}, {"C", target}}, 0);
        spec.type = type;
        check(spec);
      }
}

TEST_CASE("sums of one sign whose operands are stored in different orders", "[chains]") {
  for (const char *statement : {"C(i,k) = sum(j, (abs(A(i,j)) + abs(B(i,j)))*(abs(B(j,k)) + abs(A(k,j))))",
                                "C(i,k) = (abs(A(i,k)) + abs(B(i,k)))*(abs(B(k,i)) + m(i)*m(i))",
                                "C(i,k) = sum(j, (A(i,j) + D(i,j))*B(k,j)*B(k,i))",
                                "C(i,k) = B(i,k)*sum(j, (A(k,j)*A(k,j) + abs(B(k,j)))*exp(m(j)))"})
    for (const auto &[a, b] : {std::pair("csr", "csc"), {"coo", "csc"}, {"dcsr", "csr"}, {"csc", "dcsr"}})
      for (const char *target : {"dense", "csr"})
        check(specFor(statement, {{"A", a}, {"B", b}, {"C", target}}, 0));
}

TEST_CASE("a factor that adds up sums has entries where one of them has", "[chains]") {
  const Formats matrices = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}},
                vectors = {{"a", "sv"}, {"b", "sv"}, {"c", "sv"}};
  const std::pair<const char *, Formats> kernels[] = {
      {"c(i) = (a(1) + a(i)) * b(i)", vectors},
      {"c(i) = (a(1) * x(i) + a(i)) * b(i) / z(i)", vectors},
      {"c(i) = sum(j, a(j)) * sum(k, b(k)) * a(i) * b(i)", vectors},
      {"C(i,j) = (sum(k, A(k,k)) + A(i,j)) * B(i,j)", matrices},
      {"C(i,j) = (sum(k, A(i,k)) - A(i,j)) * B(i,j) * sum(k, B(k,j))", matrices},
      {"C(i,j) = (sum(k, A(i,k)) + A(i,l)) * B(l,j)", matrices},
      {"C(i,j) += (A(1,1) + A(i,j)) * B(i,j)", matrices},
      {"C(i,j) = A(i,j)\nC(i,j) += (A(1,1) + C(i,j)) * B(i,j)", matrices},
  };
  for (const auto &[statement, formats] : kernels)
    for (int level : {0, 2}) {
      KernelSpec spec = specFor(statement, formats, 0);
      spec.optLevel = level;
      check(spec);
    }
}

TEST_CASE("a sum that is added up with others has entries where it has some", "[chains]") {
  const Formats sparse = {{"A", "csr"}, {"B", "csf"}, {"a", "sv"}, {"C", "csr"}};
  for (const char *statement : {
           "C(i,k) = sum(l, A(i,i) + A(i,l))",
           "C(i,k) = d(k) * sum(l, A(i,i) + A(i,l))",
           "C(i,k) = A(i,l) * d(k) * sum(l, B(i,l,k) + B(i,i,l))",
           "C(i,k) = d(k) * sum(l, a(1) + A(i,l))",
           "C(i,k) = (A(i,i) + A(i,k)) * d(k)",
           "C(i,k) = (a(1) - A(i,k)) * d(k)",
           "C(i,k) = d(k) * sum(l, sum(m, A(l,m)) + A(i,l))",
           "C(i,k) = d(k) * mean(l, a(2) - A(i,l)) / e(i)",
       })
    for (const std::string &target : {"csr", "dense"})
      for (const ValueType type : {ValueType::F64, ValueType::I32}) {
        if (type == ValueType::I32 && std::string(statement).find('/') != std::string::npos)
          continue;
        KernelSpec spec;
        spec.statements = statement;
        spec.type = type;
        for (const auto &[name, format] : sparse)
          if (spec.statements.find(name + "(") != std::string::npos)
            spec.formats[name] = name == "C" ? target : format;
        check(spec);
      }
}

TEST_CASE("sums of nothing beside other terms", "[chains]") {
  const Formats sparse = {{"A", "csr"}, {"B", "coo"}, {"a", "sv"}};
  for (const std::string statement : {"C(i,j) = x(k) * w(i) + B(i,j)", "C(i,j) = (x(k) + A(k,j)) * a(0) + B(i,j)",
                                      "C(i,j) = E(i,k) * G(k,l) * H(l,j) - B(i,j)"})
    for (const std::string target : {"dense", "csr", "coo"})
      for (const ValueType type : {ValueType::F64, ValueType::U16, ValueType::CF32}) {
        KernelSpec spec;
        spec.statements = statement;
        spec.type = type;
        for (const auto &[name, format] : sparse)
          if (statement.find(name + "(") != std::string::npos)
            spec.formats[name] = format;
        spec.formats["C"] = target;
        const KernelUnderTest kernel(spec);
        REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
        for (size_t none = 0; none <= static_cast<size_t>(kernel.extentClasses()); ++none)
          for (const bool nonFinite : {false, true}) {
            Trial trial{std::vector<int64_t>(static_cast<size_t>(kernel.extentClasses()), 3), Fill::Random, nonFinite};
            if (none < trial.extents.size())
              trial.extents[none] = 0;
            INFO(describe(spec) << describe(trial));
            CHECK(kernel.check(trial) == "");
          }
      }
}

TEST_CASE("a result is set to 0 before the term that would set it first, and is a sum of nothing", "[chains]") {
  for (const std::string statement :
       {"y(i) = A(j,l)*B(l,i) + v(l)*D(l,i)", "Y(i,k) = A(j,l)*B(l,i)*w(k) - D(l,i)*D(l,k)"})
    for (const std::string format : {"csr", "coo", "dense"}) {
      KernelSpec spec;
      spec.statements = statement;
      spec.formats = {{"A", format}, {"B", "csc"}};
      const KernelUnderTest kernel(spec);
      REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
      for (size_t none = 0; none <= static_cast<size_t>(kernel.extentClasses()); ++none) {
        Trial trial{std::vector<int64_t>(static_cast<size_t>(kernel.extentClasses()), 5), Fill::Random, false};
        if (none < trial.extents.size())
          trial.extents[none] = 0;
        INFO(describe(spec) << describe(trial));
        CHECK(kernel.check(trial) == "");
      }
    }
}
