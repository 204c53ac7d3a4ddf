// Loop orders of the kernels that people write, and which operands are copied for them.
#include "format/levels.h"
#include "sema/check.h"
#include "sema/plan/loop_order.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace spc::sema::test {
namespace {

struct StorageCase {
  const char *b, *c, *loops;
  const char *copied; ///< the operand that is copied, or ""
};

TEST_CASE("all sixteen storages of a matrix product have the expected loops") {
  auto expected = GENERATE(values<StorageCase>({
      {"dense", "dense", "i,k,j", ""},
      {"dense", "csr", "i,k,j", ""},
      {"dense", "csc", "i,j,k", ""},
      {"dense", "coo", "i,k,j", ""},
      {"csr", "dense", "i,k,j", ""},
      {"csr", "csr", "i,k,j", ""},
      {"csr", "csc", "i,k,j", "C"},
      {"csr", "coo", "i,k,j", "C"},
      {"csc", "dense", "k,i,j", ""},
      {"csc", "csr", "k,i,j", ""},
      {"csc", "csc", "j,k,i", ""},
      {"csc", "coo", "k,i,j", ""},
      {"coo", "dense", "i,k,j", ""},
      {"coo", "csr", "i,k,j", ""},
      {"coo", "csc", "i,k,j", "C"},
      {"coo", "coo", "i,k,j", "C"},
  }));
  INFO(expected.b << " x " << expected.c);
  Checked product = check("A(i,j) = B(i,k)*C(k,j)", {std::string("B=") + expected.b, std::string("C=") + expected.c});
  CHECK(product.loops() == expected.loops);
  CHECK(product.count("reorder") == (*expected.copied ? 1 : 0));
  if (*expected.copied) {
    const Tensor &copy = product.tensor("C$0_1");
    CHECK(copy.is<Converted>());
    CHECK(sourceOf(copy)->index() == product.statement().terms[0].operands[OperandId(0)].tensor.index() + 1);
    REQUIRE(copy.format.order() == 2);
    CHECK(copy.format.levels[0].isDense());
    CHECK(format::kindOf(copy.format, 1) == format::LevelKind::Compressed);
    CHECK(copy.format.levels[0].dim == 0);
    CHECK(copy.format.levels[0].isFound);
    CHECK(product.the("reorder").help ==
          (std::string(expected.c) == "coo"
               ? "store 'C' as csr to avoid that, where memory holds a pointer for each row"
               : "store 'C' as csr to avoid the copy"));
  }
}

TEST_CASE("all sixteen storages of a matrix sum compile without reordering") {
  const char *formats[] = {"dense", "csr", "csc", "coo"};
  for (const char *b : formats) {
    for (const char *c : formats) {
      INFO(b << " + " << c);
      Checked sum = check("A(i,j) = B(i,j) + C(i,j)", {std::string("B=") + b, std::string("C=") + c});
      CHECK(sum.count("reorder") == 0);
      const bool areDense = std::string(b) == "dense" && std::string(c) == "dense";
      CHECK(sum.statement().terms.size() == (areDense ? 1 : 2));
      bool anyDense = std::string(b) == "dense" || std::string(c) == "dense";
      CHECK(sum.statement().zeroFirst == !anyDense);
      CHECK(sum.statement().terms[0].overwrites == anyDense);
      CHECK(sum.count("densify") == (anyDense ? 0 : 1));
    }
  }
}

TEST_CASE("common kernels") {
  CHECK(check("y(i) = A(i,j)*x(j)", {"csr"}).loops() == "i,j");
  CHECK(check("y(i) = A(i,j)*x(j)", {"csc"}).loops() == "j,i");
  CHECK(check("y(i) = A(i,j)*x(j)", {"coo"}).loops() == "i,j");
  CHECK(check("y(i) = A(j,i)*x(j)", {"csr"}).loops() == "j,i");
  CHECK(check("Y(i,j) = A(i,k)*X(k,j)", {"csr"}).loops() == "i,k,j");
  CHECK(check("D(i,j) = S(i,j)*A(i,k)*B(j,k)", {"csr"}).loops() == "i,j,k");
  CHECK(check("D(i,j) = S(i,j)*A(i,k)*B(j,k)", {"csc"}).loops() == "j,i,k");
  CHECK(check("A(i,j) = T(i,k,l)*B(k,j)*C(l,j)", {"csf"}).loops() == "i,k,l,j");
  CHECK(check("A(i,j) = T(i,k,l)*B(k,j)*C(l,j)", {"csf:201"}).loops() == "l,i,k,j");
  CHECK(check("y(i) = A(i,j)*x(j)").loops() == "i,j");
  CHECK(check("y(i) = A(j,i)*x(j)").loops() == "j,i");
  CHECK(check("B(i,j) = A(j,i)").loops() == "i,j");
  CHECK(check("B(i,j) = A(i,j)", {"B=colmajor", "A=colmajor"}).loops() == "j,i");
  CHECK(check("s = x(i)*y(i)").loops() == "i");
  CHECK(check("s = 2").loops() == "");
}

TEST_CASE("no storage is advised where none would do") {
  for (const char *program : {"s = A(i,j)*A(j,i)", "s = A(i,j)*A(j,k)*A(k,i)"})
    for (const char *format : {"csr", "csc", "coo"}) {
      CAPTURE(program, format);
      CHECK(check(program, {format}).the("reorder").help.empty());
    }
}

TEST_CASE("operands whose levels contradict each other: one is copied") {
  Checked product = check("A(i,j) = B(i,j)*C(i,j)", {"B=csr", "C=csc"});
  CHECK(product.loops() == "i,j");
  CHECK(product.has("C$0_1"));
  Checked self = check("A(i,j) = B(i,j)*B(j,i)", {"B=csr"});
  CHECK(self.loops() == "i,j");
  CHECK(self.has("B$1_0"));
  CHECK(self.statement().terms[0].operands.size() == 2);
}

TEST_CASE("a vector is never copied: the matrix is") {
  const auto product = [](const std::string &format) {
    return checkWith({"--plan=as-written"}, "y(i) = A(i,j)*x(j)", {"A=" + format, "x=vector"});
  };
  CHECK(product("csr").loops() == "j,i");
  CHECK(product("csr").tensor("A$1_0").format.pointers == format::IndexType::I32);
  CHECK(product("csr64").tensor("A$1_0").format.pointers == format::IndexType::I64);
}

TEST_CASE("a vector that lists what rows are merged with is put in an array, where there is memory for one") {
  for (const char *format : {"csr", "csc", "dcsr"})
    CHECK(check("y(i) = A(i,j)*x(j)", {std::string("A=") + format, "x=vector"}).count("reorder") ==
          (std::string(format) == "dcsr"));
  const Checked product = check("y(i) = A(i,j)*x(j)", {"A=csr", "x=vector"});
  CHECK_THAT(product.steps(),
             Catch::Contains("for j: $3(j) += x(j)") && Catch::Contains("for i, j+: y(i) += A(i,j)*$3(j)"));
  // A matrix whose rows are listed may have more columns than there is memory for; the result has as many rows.
  CHECK(check("y(j) = A(i,j)*x(j)", {"A=dcsr", "x=vector"}).count("reorder") == 0);
  CHECK(check("y(j) = x(j)*sum(i, A(i,j))", {"A=dcsr", "x=vector"}).count("reorder") == 0);
  // A sparse result has entries where x has.
  CHECK(check("C(i,j) = A(i,j)*x(j)", {"A=csr", "x=vector", "C=csr"}).count("reorder") > 0);
  CHECK(check("y(i) = A(i,j)*(x(j) + z(j))", {"A=csr", "x=vector"}).count("reorder") == 0);
}

TEST_CASE("copies are shared between terms and statements") {
  Checked shared = check("Y(i,j) = A(i,k)*B(k,j) + 2*A(i,k)*B(k,j)\nZ(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csc"});
  CHECK(shared.count("reorder") == 1);
  int copies = 0;
  for (const Tensor &tensor : shared.kernel->tensors)
    copies += tensor.is<Converted>();
  CHECK(copies == 1);
}

struct AdviceCase {
  const char *kernel, *other, *stored; ///< the formats of the other operand and of A
  const char *copy, *help;
  const char *advised; ///< a format of A that follows the help
};

TEST_CASE("copies are described by the kernel's own names, and following the help avoids them") {
  auto expected = GENERATE(values<AdviceCase>({
      {"y(b,i) = A(b,i,j)*x(j)", "x=vector", "csf", "(j: compressed, b: compressed, i: compressed)",
       "store 'A' as csf:2,0,1 to avoid the copy", "csf:201"},
      {"Y(p,q) = A(p,q,r)*x(q)", "x=vector", "csf", "(q: dense, p: compressed, r: compressed)",
       "store 'A' as csf:1,0,2 to avoid the copy", "csf:102"},
      {"Y(p,q) = A(p,q,r)*x(p)", "x=vector", "csf:201", "(p: dense, r: compressed, q: compressed)",
       "store 'A' as csf:0,2,1 to avoid the copy", "csf:021"},
      {"y(u) = A(u,v)*x(v)", "x=vector", "csr", "(v: dense, u: compressed)", "store 'A' as csc to avoid the copy",
       "csc"},
      {"Y(u,v) = B(u,w)*A(w,v)", "B=csr", "hyb", "(w: dense, v: compressed)",
       "store part 1 of 'A' as csr to avoid the copy", "csr"},
      {"s = A(v,u)*B(u,v)", "B=csf", "dcsr", "(u: compressed, v: compressed)", "store 'A' as dcsc to avoid the copy",
       "dcsc"},
      {"s = A(u,v)*B(u,v)", "B=csr", "lower", "(v: dense, u: compressed)",
       "store both triangles of 'A', as csr, to avoid the copy", "csr"},
  }));
  const auto with = [&](const std::string &stored) {
    return checkWith({"--plan=as-written"}, expected.kernel, {expected.other, "A=" + stored});
  };
  const Checked copied = with(expected.stored);
  INFO(expected.kernel);
  REQUIRE(copied.count("reorder") == 1);
  const Diagnostic &reorder = copied.the("reorder");
  CHECK_THAT(reorder.notes.at(0).message, Catch::StartsWith(std::string("the copy is stored as ") + expected.copy));
  CHECK(reorder.help == expected.help);
  CHECK(with(expected.advised).count("reorder") == 0);
}

TEST_CASE("rows of a copy are looked up where another operand lists them, and nothing has all of them") {
  const auto findsRows = [](const Checked &checked) {
    return std::any_of(checked.kernel->tensors.begin(), checked.kernel->tensors.end(), [](const Tensor &tensor) {
      return !tensor.format.levels.empty() && tensor.format.levels.front().isFound;
    });
  };
  const std::string product = "C(i,j) = A(i,k)*B(k,j)";
  CHECK(findsRows(check(product, {"A=dcsr", "B=dcsr", "C=dcsr"})));
  CHECK(findsRows(check(product, {"A=csr", "B=csc", "C=csr"})));
  CHECK(!findsRows(check(product + "*x(k)", {"A=dcsr", "B=dcsr", "C=dcsr", "x=vector"})));
  CHECK(!findsRows(check("tensor A(n,n): f64\ntensor C(n,n): f64\nC(i,j) = A(i,k)*A(k,j)", {"A=dcsr", "C=csr"})));
  // Where A has no entry, B may have one: loops run over all k.
  const Checked either = check("C(i,j) = max(k, S(i,j)*max(A(i,k), B(k,j)))", {"S=dcsr", "A=dcsr", "B=dcsr"});
  CHECK(either.errors() == "");
  CHECK(!findsRows(either));
}

TEST_CASE("an output of an earlier statement is copied once it is written") {
  const auto refreshes = [](const Checked &checked) {
    return std::count_if(checked.kernel->steps.begin(), checked.kernel->steps.end(),
                         [](const Step &step) { return std::holds_alternative<RefreshCopy>(step); });
  };
  CHECK(refreshes(check("D(i,j) = 2*S(i,j)\nY(i,j) = B(i,k)*D(k,j)", {"S=csc", "B=csr"})) == 1);
  CHECK(refreshes(check("S(i,j) = 2*S(i,j)\nY(i,j) = B(i,k)*S(k,j)", {"S=csc", "B=csr"})) == 1);
  CHECK(refreshes(check("Y(i,j) = B(i,k)*S(k,j)\nS(i,j) = 2*S(i,j)", {"S=csc", "B=csr"})) == 0);
  // A copy of what it was before is not good for what it is now; one that is current serves twice.
  Checked again =
      check("C(i,j) = A(i,j) + P(j,i)\nP(i,j) = 2*A(i,j)\nD(i,j) = A(i,j) + P(j,i)\nE(i,j) = A(i,j) + P(j,i)",
            {"P=csr", "A=csr", "C=csr", "D=csr", "E=csr"});
  CHECK(again.errors() == "");
  CHECK(refreshes(again) == 1);
  CHECK(check("P(i,j) = 2*P(i,j) + P(j,i)\nD(i,j) = P(i,j)", {"P=csr", "D=csr"}).errors() == "");
}

TEST_CASE("loops respect the levels of every sparse operand") {
  for (const char *b : {"csr", "csc", "coo", "dcsr", "rows", "dense"}) {
    for (const char *c : {"csr", "csc", "coo", "dcsr", "rows", "dense"}) {
      for (const char *text : {"A(i,j) = B(i,k)*C(k,j)", "A(i,j) = B(i,j)*C(j,i)", "y(i) = B(i,j)*C(i,j)*x(j)",
                               "A(i,j) = B(k,i)*C(j,k)", "s = B(i,j)*C(j,k)"}) {
        INFO(text << " " << b << " " << c);
        Checked checked = check(text, {std::string("B=") + b, std::string("C=") + c});
        REQUIRE(checked.kernel);
        for (const Term &term : checked.statement().terms)
          for (const Operand &operand : term.operands) {
            const format::Format &format = checked.kernel->tensors[operand.tensor].format;
            for (int k = 1; !format.isDense() && k < format.order(); ++k)
              CHECK(operand.indices[k - 1].terms.front().loop < operand.indices[k].terms.front().loop);
          }
      }
    }
  }
}

TEST_CASE("operands that add to others narrow no loop") {
  const auto nestOfThree = [](const char *text, const std::vector<std::string> &formats) -> std::string {
    Checked checked = check(text, formats);
    REQUIRE(checked.kernel);
    for (const Step &step : checked.kernel->steps)
      if (const auto *statement = std::get_if<Statement>(&step))
        for (const Term &term : statement->terms)
          if (const auto &loops = term.loops; loops.size() == 3)
            return loops[LoopId(0)].variable + loops[LoopId(1)].variable + loops[LoopId(2)].variable;
    return "none";
  };
  // Of each row of A that k has all rows of C would be searched, since B + P has every element.
  CHECK(nestOfThree("s = (B(k,l) + P(k,l))*C(j,l)*A(j,k)", {"A=coo", "B=coo", "C=csc"}) == "kjl");
}

// Orders of 16 loops and choices among 24 copies are too many to try them all.
TEST_CASE("large loop problems are planned in few tries") {
  const LoopProblem dense{std::vector<double>(8, kUnknownExtent),
                          {},
                          {{{0, 1, 2, 3, 4, 5, 6, 7}, 2}, {{7, 6, 5, 4, 3, 2, 1, 0}, 1}},
                          std::vector<bool>(8)};
  LoopProblem sparse{std::vector<double>(16, kUnknownExtent), {}, {}, std::vector<bool>(16)};
  for (int operand = 0; operand < 24; ++operand) {
    SparseUse use;
    for (int level = 0; level < 8; ++level)
      use.levels.push_back({{(operand * 5 + level * 7) % 16}, level == 0, kFiberLength});
    sparse.sparse.push_back(use);
  }
  LoopProblem five = sparse;
  five.sparse.resize(5);
  for (const LoopProblem &whole : {dense, five, sparse}) {
    int tries = 0;
    const std::vector<bool> mayBeCopied(whole.sparse.size(), true);
    std::optional<LoopPlan> plan = chooseLoops(mayBeCopied, [&](const std::vector<bool> &copied) {
      ++tries;
      LoopProblem problem = whole;
      for (size_t k = 0; k < copied.size(); ++k)
        problem.sparse[k].isCopied = copied[k];
      return std::optional(problem);
    });
    REQUIRE(plan);
    CHECK(static_cast<int>(plan->order.size()) == whole.loopCount());
    CHECK(tries <= 100);
  }
}

TEST_CASE("more than sixteen loops are refused") {
  CHECK(check("s = A(a,b,c,d,e,f,g,h)*B(i,j,k,l,m,n,o,p)").errors() == "");
  CHECK(check("s = A(a,b,c,d,e,f,g,h)*B(i,j,k,l,m,n,o,p)*x(q)").errors() == "too-many-loops");
}

} // namespace
} // namespace spc::sema::test
