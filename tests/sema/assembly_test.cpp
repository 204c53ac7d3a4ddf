// Assembled outputs: how their entries are collected, what is merged, copied or converted for them.
#include "format/levels.h"
#include "sema/check.h"
#include "sema/two_phases.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace spc::sema::test {
namespace {

using Bindings = std::vector<std::string>;

/// The collecting order of a statement, its row in parentheses: "(i)j".
std::string collecting(const Checked &checked, size_t step = 0) {
  const Statement &statement = checked.statement(step);
  REQUIRE(statement.collecting);
  std::string text = "(";
  for (int k = 0; k < static_cast<int>(statement.collecting->dims.size()); ++k) {
    const Term &term = statement.terms.front();
    text += k == statement.collecting->rowOrder ? ")" : "";
    text += term.loops[term.target[statement.collecting->dims[k]].terms.front().loop].variable;
  }
  return text;
}

TEST_CASE("a right side that is one sparse operand of the output's type is converted") {
  CHECK(check("A(i,j) = B(i,j)", {"A=csc", "B=csr"}).steps() == "A(i,j) is converted from B(i,j)\n");
  CHECK(check("A(i,j) = B(j,i)", {"A=csr", "B=csr"}).steps() == "A(i,j) is converted from B(j,i)\n");
  CHECK(check("A(i,j) = B(i,j)", {"A=csr", "B=repeats"}).steps() == "A(i,j) is converted from B(i,j)\n");
  CHECK(check("A(i,j) = B(i,j)", {"A=ell", "B=bsr"}).steps() == "A(i,j) is converted from B(i,j)\n");
  CHECK(check("A(i,j) = A(j,i)", {"A=csr"}).steps() == "A(i,j) is converted from A(j,i)\n");
  CHECK(check("tensor B(n,n)\nA(i,j) = B(j,i)", {"A=csr", "B=csr"}).steps() == "A(i,j) is converted from B(j,i)\n");
  Checked cube = check("U(k,i,j) = T(i,j,k)", {"U=csf", "T=csf"});
  CHECK(cube.steps() == "U(k,i,j) is converted from T(i,j,k)\n");
  CHECK(std::get<Conversion>(cube.kernel->steps[0]).dims == std::vector<int>{1, 2, 0});
  CHECK(cube.count("reorder") == 0);
}

TEST_CASE("what computes, or rounds, is no conversion") {
  const auto isStatement = [](const std::string &text, const Bindings &bindings) {
    return check(text, bindings).statement().collecting.has_value();
  };
  CHECK(isStatement("A(i,j) = 2*B(i,j)", {"A=csc", "B=csr"}));
  CHECK(isStatement("A(i,j) = -B(i,j)", {"A=csc", "B=csr"}));
  CHECK(isStatement("A(i,j) += B(i,j)", {"A=csc", "B=csr"}));
  CHECK(isStatement("A(i,j) = B(i,j)", {"A=csr", "B=dense"}));
  CHECK(isStatement("A(i,j) = B(i,j)", {"A=csr", "B=lower"}));
  CHECK(isStatement("A(i,j) = B(i,j)", {"A=csr", "B=hyb"}));
  CHECK(isStatement("A(i,j) = T(i,j,k)", {"A=csr", "T=csf"}));
  CHECK(isStatement("tensor A(m,n): f32\ntensor B(m,n): f64\nA(i,j) = B(i,j)", {"A=csc", "B=csr"}));
}

TEST_CASE("terms over the output's own indices become one that is merged") {
  CHECK(check("A(i,j) = B(i,j) + C(i,j)*x(j)", {"A=csr", "B=csr", "C=csr"}).steps() ==
        "A in f64, assembled row by row (i), keys (j):\n  for i, j: A(i,j) += B(i,j) + C(i,j)*x(j)\n");
  CHECK(check("A(i,j) = C(i,k)*D(k,j) + B(i,j)", {"A=csr", "B=csr", "C=csr", "D=csr"}).steps() ==
        "A in f64, assembled row by row (i), keys (j):\n"
        "  for i, j: A(i,j) += B(i,j)\n"
        "  for i, k+, j: A(i,j) += C(i,k)*D(k,j)\n");
  // Three terms, four sparse operands: more would make too many loop bodies.
  CHECK(check("A(i,j) = B(i,j) + C(i,j) + D(i,j) - E(i,j)", {"A=csr", "B=csr", "C=csr", "D=csr", "E=csr"}).steps() ==
        "A in f64, assembled row by row (i), keys (j):\n"
        "  for i, j: A(i,j) += B(i,j) + C(i,j) + D(i,j)\n"
        "  for i, j: A(i,j) += -E(i,j)\n");
  CHECK(check("A(i,j) = B(i,j)*C(i,j)*D(i,j) + E(i,j)*F(i,j) + G(i,j)",
              {"A=csr", "B=csr", "C=csr", "D=csr", "E=csr", "F=csr", "G=csr"})
            .steps() == "A in f64, assembled row by row (i), keys (j):\n"
                        "  for i, j: A(i,j) += B(i,j)*C(i,j)*D(i,j) + G(i,j)\n"
                        "  for i, j: A(i,j) += E(i,j)*F(i,j)\n");
}

TEST_CASE("terms that cannot be merged have loops of their own") {
  const auto terms = [](const std::string &text, const Bindings &bindings) {
    const Checked checked = check(text, bindings);
    REQUIRE(checked.kernel);
    return checked.statement(checked.kernel->steps.size() - 1).terms.size();
  };
  CHECK(terms("A(i,j) = B(i,j) + D(i,j)", {"A=csr", "B=csr"}) == 2); // every element of D
  CHECK(terms("A(i,j) = B(i,j) + 1", {"A=csr", "B=csr"}) == 2);
  CHECK(terms("A(i,j) = B(i,j) + x(i)*C(k,j)", {"A=csr", "B=csr", "C=csr"}) == 2);
  CHECK(terms("A(i,j) = B(i,j) + x(i)*y(j)", {"A=csr", "B=csr", "x=vector", "y=vector"}) == 2);
  CHECK(terms("A(i,j) = B(i,j) + B(i,j)*C(i,j)", {"A=csr", "B=csr", "C=csr"}) == 2);
  CHECK(terms("A(i,j) = B(i,j) + C(i,j)", {"A=csr", "B=lower", "C=csr"}) == 2); // B's mirror image
  // An integer times a literal may be folded, and its pattern with it.
  const std::string integers = "tensor B(m,n): i32\ntensor C(m,n): i32\n";
  CHECK(terms(integers + "A(i,j) = B(i,j) + C(i,j)", {"A=csr", "B=csr", "C=csr"}) == 1);
  CHECK(terms(integers + "A(i,j) = B(i,j) + 2*C(i,j)", {"A=csr", "B=csr", "C=csr"}) == 2);
}

TEST_CASE("a difference needs no negation") {
  const std::string head = "A in f64, assembled row by row (i), keys (j):\n  for i, j: A(i,j) += ";
  const Bindings bindings = {"A=csr", "B=csr", "C=csr"};
  CHECK(check("A(i,j) = B(i,j) - C(i,j)", bindings).steps() == head + "B(i,j) - C(i,j)\n");
  CHECK(check("A(i,j) = -B(i,j) + C(i,j)", bindings).steps() == head + "C(i,j) - B(i,j)\n");
  CHECK(check("A(i,j) = -B(i,j) - C(i,j)", bindings).steps() == head + "-B(i,j) - C(i,j)\n");
}

TEST_CASE("strictly, terms are added in the order of the source") {
  const Bindings bindings = {"A=csr", "B=csr", "C=csr", "D=csr"};
  const std::string head = "A in f64, assembled row by row (i), keys (j):\n";
  CHECK(check("A(i,j) = -B(i,j) + C(i,j)", {"A=csr", "B=csr", "C=csr"}, true).steps() ==
        head + "  for i, j: A(i,j) += -B(i,j) + C(i,j)\n");
  CHECK(check("A(i,j) = C(i,k)*D(k,j) + B(i,j)", bindings, true).steps() ==
        head + "  for i, k+, j: A(i,j) += C(i,k)*D(k,j)\n  for i, j: A(i,j) += B(i,j)\n");
  CHECK(check("A(i,j) = B(i,j) + C(i,j) + D(i,k)*D(k,j)", bindings, true).statement().terms.size() == 3);
  CHECK(check("A(i,j) = B(i,j) + C(i,j) + D(i,k)*D(k,j)", bindings).statement().terms.size() == 2);
  CHECK(check("A(i,j) = (B(i,j) + C(i,j))*x(j)", {"A=csr", "B=csr", "C=csr"}, true).steps() ==
        head + "  for i, j: A(i,j) += (B(i,j) + C(i,j))*x(j), where B or C\n");
}

struct ProductCase {
  const char *a, *b, *c;
  const char *loops, *collecting;
  const char *copied; ///< operands, and "A" where the result is reordered
};

TEST_CASE("matrix products collect row by row or column by column") {
  const auto expected = GENERATE(values<ProductCase>({
      {"csr", "csr", "csr", "i,k,j", "(i)j", ""},
      {"csc", "csc", "csc", "j,k,i", "(j)i", ""},
      {"csr", "csc", "csc", "i,k,j", "(i)j", "BC"},
      {"csc", "csr", "csr", "j,k,i", "(j)i", "BC"},
      {"coo", "csr", "csr", "i,k,j", "(i)j", ""},
      {"dcsr", "coo", "csr", "i,k,j", "(i)j", ""},
      {"dcsc", "csc", "csc", "j,k,i", "(j)i", ""},
      {"bsr", "csr", "csr", "i,k,j", "(i)j", ""},
      {"ell", "dcsr", "dcsr", "i,k,j", "(i)j", "C"},
      {"csr", "csr", "csc", "i,k,j", "(i)j", "C"},
      {"csr", "csc", "csr", "i,k,j", "(i)j", "B"},
      {"csr", "bsr", "csr", "i,k,j", "(i)j", "B"},
      {"csr", "csr", "repeats", "i,k,j", "(i)j", "C"},
      {"csr", "csr", "dense", "i,k,j", "(i)j", ""},
      {"csr", "dense", "csr", "i,k,j", "(i)j", ""},
      {"csc", "dense", "csr", "j,k,i", "(j)i", "C"},
      {"csr", "dense", "dense", "i,j,k", "(i)j", ""},
  }));
  INFO(expected.a << " = " << expected.b << " * " << expected.c);
  const Checked product =
      check("A(i,j) = B(i,k)*C(k,j)",
            {std::string("A=") + expected.a, std::string("B=") + expected.b, std::string("C=") + expected.c});
  CHECK(product.loops() == expected.loops);
  CHECK(collecting(product) == expected.collecting);
  const std::string copied = expected.copied;
  CHECK(product.count("reorder") == static_cast<int>(copied.size()));
  const auto &tensors = product.kernel->tensors;
  CHECK(std::count_if(tensors.begin(), tensors.end(), [](const Tensor &t) { return sourceOf(t).has_value(); }) ==
        std::count_if(copied.begin(), copied.end(), [](char name) { return name != 'A'; }));
  if (copied.size() == 1)
    CHECK(product.the("reorder").message.find(copied == "A" ? "the result is reordered" : "'" + copied + "'") == 0);
}

TEST_CASE("the advice against a reordered result works") {
  struct Case {
    const char *text;
    Bindings operands;
    const char *target;
  };
  const Case cases[] = {{"A(i,j) = M(i,j)*B(i,k)*C(k,j)", {"M=csr", "B=csr", "C=csr"}, "csc"},
                        {"A(i,j) = B(i,j) + C(i,j)", {"B=csc", "C=csc"}, "csr"},
                        {"A(i,j) = T(i,j,k)*x(k)", {"T=csf"}, "dcsc"},
                        {"A(i,j,k) = T(i,j,l)*C(l,k)", {"T=csf"}, "csf:210"},
                        {"A(i,j,k) = T(i,j,k)*S(i,j,k)", {"T=csf:120", "S=csf:120"}, "csf"}};
  for (const Case &each : cases) {
    INFO(each.text << " " << each.target);
    Bindings bindings = each.operands;
    bindings.push_back(std::string("A=") + each.target);
    const Checked reordered = check(each.text, bindings);
    REQUIRE(reordered.count("reorder") == 1);
    CHECK(reordered.steps().find(", then reordered:\n") != std::string::npos);
    const std::string help = reordered.the("reorder").help;
    REQUIRE(help.starts_with("store 'A' as "));
    std::string advised = help.substr(13, help.find(" to avoid") - 13);
    std::erase(advised, ',');
    bindings.back() = "A=" + advised;
    const Checked followed = check(each.text, bindings);
    CHECK(followed.count("reorder") == 0);
    CHECK(followed.loops() == reordered.loops());
    CHECK(collecting(followed) == collecting(reordered));
    CHECK(followed.steps().find("reordered") == std::string::npos);
  }
}

TEST_CASE("sums of matrices whose orders disagree copy as little as they can") {
  const auto copies = [](const std::string &a, const std::string &b, const std::string &c) {
    const Checked sum = check("A(i,j) = B(i,j) + C(i,j)", {"A=" + a, "B=" + b, "C=" + c});
    std::string names;
    for (const Tensor &tensor : sum.kernel->tensors)
      names += sourceOf(tensor) ? sum.kernel->tensors[*sourceOf(tensor)].name : "";
    return names + (sum.steps().find("reordered") == std::string::npos ? "" : "A");
  };
  CHECK(copies("csr", "csr", "csr").empty());
  CHECK(copies("csr", "csr", "coo").empty());
  CHECK(copies("csr", "csr", "csc") == "C");
  CHECK(copies("csr", "csc", "csr") == "B");
  CHECK(copies("csr", "csc", "csc") == "A");
  CHECK(copies("csc", "csr", "csr") == "A");
  CHECK(copies("csc", "csr", "dcsc") == "B");
  CHECK(copies("csr", "bsr", "csr") == "B");
  CHECK(copies("csr", "bsr", "repeats") == "BC");
  CHECK(copies("csr", "dense", "csc") == "C");
}

TEST_CASE("which of many operands are copied does not depend on their order") {
  std::vector<std::string> factors = {"A(k,i)", "B(k,i)", "C(k,i)", "D(i,j)", "E(i,k)", "F(k,i)"};
  for (size_t turn = 0; turn < factors.size(); ++turn) {
    std::rotate(factors.begin(), factors.begin() + 1, factors.end());
    std::string product;
    for (const std::string &factor : factors)
      product += (product.empty() ? "" : "*") + factor;
    INFO(product);
    const Checked checked =
        check("y(k,j) = " + product, {"A=csr", "B=csr", "C=csc", "D=csr", "E=csr", "F=csr", "y=csr"});
    std::set<std::string> copied;
    for (const Tensor &tensor : checked.kernel->tensors)
      if (sourceOf(tensor))
        copied.insert(checked.kernel->tensors[*sourceOf(tensor)].name);
    CHECK(copied == std::set<std::string>{"C", "E"});
    CHECK(collecting(checked) == "(k)j");
  }
}

TEST_CASE("products with a cube, all mode orders of the output") {
  struct Case {
    const char *modes, *loops, *collecting;
    bool isReordered;
  };
  const Case cases[] = {{"012", "i,j,l,k", "(ij)k", false}, {"021", "i,k,j,l", "(ik)j", false},
                        {"102", "i,j,l,k", "(ij)k", true},  {"120", "i,j,l,k", "(ij)k", true},
                        {"201", "k,i,j,l", "(ki)j", false}, {"210", "i,j,l,k", "(ij)k", true}};
  for (const Case &each : cases) {
    INFO(each.modes);
    const Checked product = check("U(i,j,k) = T(i,j,l)*C(l,k)", {std::string("U=csf:") + each.modes, "T=csf"});
    CHECK(product.loops() == each.loops);
    CHECK(collecting(product) == each.collecting);
    CHECK(product.count("reorder") == (each.isReordered ? 1 : 0));
  }
  CHECK(collecting(check("U(i,j,k) = T(i,j,l)*C(l,k)", {"U=coo", "T=csf", "C=csr"})) == "(ij)k");
  // The operand has its own order: then the output's is another.
  CHECK(collecting(check("U(i,j,k) = T(j,l,i)*C(l,k)", {"U=csf:102", "T=csf:021"})) == "(ji)k");
}

TEST_CASE("a reduction between the target's loops leaves fewer of them to the row") {
  CHECK(collecting(check("U(i,j,k) = T(i,l,j)*C(l,k)", {"U=csf", "T=csf"})) == "(i)jk");
  CHECK(check("U(i,j,k) = T(i,l,j)*C(l,k)", {"U=csf", "T=csf"}).loops() == "i,l,j,k");
  CHECK(collecting(check("z(i) = B(i,j)*x(j)", {"z=vector", "B=csr"})) == "()i");
  CHECK(check("z(j) = B(i,j)*x(i)", {"z=vector", "B=csr"}).steps() ==
        "z in f64, assembled as a whole, keys (j):\n  for i+, j: z(j) += B(i,j)*x(i)\n");
}

TEST_CASE("an assembled output that is added to is an operand of its own statement") {
  Checked product = check("A(i,j) += B(i,k)*C(k,j)", {"A=csr", "B=csr", "C=csr"});
  CHECK(product.steps() == "A in f64, assembled row by row (i), keys (j):\n"
                           "  for i, j: A(i,j) += A(i,j)\n"
                           "  for i, k+, j: A(i,j) += B(i,k)*C(k,j)\n");
  CHECK(product.tensor("A").isRead);
  CHECK(product.tensor("A").isWritten);
  CHECK(check("A(i,j) += B(i,j)", {"A=csr", "B=dcsr"}).steps() ==
        "A in f64, assembled row by row (i), keys (j):\n  for i, j: A(i,j) += A(i,j) + B(i,j)\n");
  CHECK_FALSE(check("A(i,j) = B(i,k)*C(k,j)", {"A=csr", "B=csr", "C=csr"}).tensor("A").isRead);
}

TEST_CASE("an assembled output may be read anywhere in its own statement") {
  CHECK(check("A(i,j) = A(i,k)*A(k,j)", {"A=csr"}).steps() ==
        "A in f64, assembled row by row (i), keys (j):\n  for i, k+, j: A(i,j) += A(i,k)*A(k,j)\n");
  CHECK(check("A(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr"}).steps() ==
        "A in f64, assembled row by row (i), keys (j):\n  for i, j: A(i,j) += A(i,j) + B(i,j)\n");
  Checked both = check("A(i,j) += A(j,i)", {"A=csr"});
  CHECK(both.steps() == "A in f64, assembled row by row (i), keys (j):\n  for i, j: A(i,j) += A(i,j) + A$1_0(i,j)\n");
  // No storage of A would do.
  CHECK(both.the("reorder").help.empty());
  CHECK(check("A(i,j) = A(i,k)*A(k,j)", {"A=coo"}).the("reorder").help ==
        "store 'A' as csr to avoid that, where memory holds a pointer for each row");
  CHECK(check("y(i) = A(i,j)*x(j)\nA(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr"}).errors() == "");
}

TEST_CASE("an assembled output is copied in another order for a later statement") {
  Checked later = check("D(i,j) = S(i,k)*S(k,j)\nE(i,j) = D(j,i) + S(i,j)", {"D=csr", "E=csr", "S=csr"});
  CHECK(later.errors() == "");
  CHECK(later.count("reorder") == 1);
  REQUIRE(later.kernel->steps.size() == 3);
  CHECK(std::holds_alternative<RefreshCopy>(later.kernel->steps[1]));
  CHECK(check("D(i,j) = S(i,k)*S(k,j)\nE(i,j) = D(j,i)", {"D=csr", "E=csr", "S=csr"}).errors() == "");
  CHECK(check("D(i,j) = S(i,k)*S(k,j)\ny(i) = D(j,i)*x(j)", {"D=csr", "S=csr"}).errors() == "");
}

TEST_CASE("operands whose entries do not come in order are copied") {
  for (const char *format : {"repeats", "bsr", "ell", "dia", "groups"}) {
    INFO(format);
    const Checked scaled = check("A(i,j) = 2*B(i,j)", {"A=csr", std::string("B=") + format});
    CHECK(scaled.steps().ends_with("  for i, j: A(i,j) += 2*B$0_1(i,j)\n"));
    CHECK(scaled.count("reorder") == 1);
  }
  CHECK(check("A(i,j) = 2*B(i,j)", {"A=csr", "B=dcsr"}).count("reorder") == 0);
  // A vector's copy lists its entries, so that those that are missing stay so.
  const Checked vectors = check("z(i) = 2*v(i) + w(i)", {"z=vector", "v=repeats", "w=vector"});
  CHECK(vectors.steps().ends_with("  for i: z(i) += 2*v$0(i) + w(i)\n"));
  CHECK(format::kindOf(vectors.tensor("v$0").format, 0) == format::LevelKind::Compressed);
  CHECK(vectors.the("reorder").help == "store 'v' as sparse-vector to avoid the copy");
  // One that is stored so stays, however the loops are.
  for (const char *text : {"A(i,j) = v(j)*B(i,j)", "A(i,j) = B(i,k)*v(k)*B(k,j)"}) {
    INFO(text);
    const Checked lists = check(text, {"A=csr", "B=csr", "v=vector"});
    CHECK(lists.errors() == "");
    CHECK_FALSE(lists.has("v$0"));
  }
  CHECK_FALSE(check("A(i,j) = v(i)*w(j)", {"A=csr", "v=vector", "w=vector"}).has("v$0"));
}

TEST_CASE("plans keep places where rows, and what is in them, are the same whatever the values") {
  const auto kept = [](const std::string &text, const Bindings &bindings) {
    const Checked checked = check(text, bindings);
    INFO(text << ": " << checked.errors());
    REQUIRE(checked.kernel);
    return keepsPlaces(*checked.kernel, checked.statement(0));
  };
  CHECK(kept("A(i,j) = B(i,k)*B(k,j)", {"A=csr", "B=csr"}));
  CHECK(kept("A(i,j) = B(i,k)*B(k,j)", {"A=csc", "B=csc"}));
  CHECK(kept("A(i,j) = B(i,k)*B(k,j)", {"A=coo", "B=csr"}));
  CHECK(kept("A(i,j) = B(i,k)*B(k,j)", {"A=dcsr", "B=dcsr"}));
  CHECK(kept("v(j) = w(i)*B(i,j)", {"v=vector", "w=vector", "B=csr"}));
  CHECK_FALSE(kept("A(i,j) = B(i,k)*B(k,j)", {"A=bsr", "B=csr"}));
  CHECK_FALSE(kept("A(i,j) = B(i,k)*C(k,j)", {"A=csr", "B=bsr", "C=csr"})); // values say what is padding
  CHECK_FALSE(kept("A(i,j) += B(i,k)*B(k,j)", {"A=csr", "B=csr"}));
}

TEST_CASE("plans of elementwise statements say where operands have entries") {
  const auto kind = [](const std::string &text, Bindings bindings = {"A=csr", "B=csr", "C=csr"}) {
    const Checked checked = check(text, bindings);
    INFO(text << ": " << checked.errors());
    REQUIRE(checked.kernel);
    return mergePlan(*checked.kernel, checked.statement(0));
  };
  CHECK(kind("A(i,j) = B(i,j) + 2*C(i,j)") == MergePlan::Places);
  CHECK(kind("A(i,j) = B(i,j)*x(i) - C(i,j)*y(j)/2") == MergePlan::Places);
  CHECK(kind("A(i,j) = B(i,j) + 2*C(i,j)", {"A=csc", "B=csc", "C=csc"}) == MergePlan::Places);
  CHECK(kind("v(i) = w(i) + u(i)", {"v=vector", "w=vector", "u=vector"}) == MergePlan::Places);
  CHECK(kind("A(i,j) = max(B(i,j), C(i,j))") == MergePlan::Masks);
  // Not all entries of the operands are the target's.
  CHECK(kind("A(i,j) = B(i,j)*C(i,j)") == MergePlan::None);
  CHECK(kind("A(i,j) = B(i,j) + C(i,j)*B(i,j)") == MergePlan::None);
  CHECK(kind("A(i,j) = B(i,k)*C(k,j)") == MergePlan::None);
  CHECK(kind("A(i,j) = B(i,j) + C(i,j)", {"A=csr", "B=bsr", "C=csr"}) == MergePlan::None);
}

TEST_CASE("a kernel that is one assembling step has two phases") {
  const auto kernel = [](const std::string &text) {
    Checked checked = check(text, {"A=csr", "B=csr"});
    INFO(text << ": " << checked.errors());
    REQUIRE(checked.kernel);
    return std::move(*checked.kernel);
  };
  CHECK(hasPhases(kernel("A(i,j) = B(i,k)*B(k,j)")));
  CHECK(hasPhases(kernel("A(i,j) = B(j,i)")));
  CHECK_FALSE(hasPhases(kernel("A(i,j) = 2*B(i,j)")));
  // The pattern is to be had without the old values being lost.
  CHECK_FALSE(hasPhases(kernel("A(i,j) += B(i,k)*B(k,j)")));
  CHECK_FALSE(hasPhases(kernel("A(i,j) = A(i,j) + B(i,j)")));
  CHECK_FALSE(hasPhases(kernel("A(i,j) = B(i,k)*B(k,j)\ny(i) = A(i,j)")));
  CHECK_FALSE(hasPhases(kernel("A(i,j) = B(i,k)*B(k,j)/sum(l, x(l))")));
  // Which places of blocks are entries, only values say, and the symbolic phase reads none.
  const auto masked = [](const std::string &mask, const std::string &format) {
    Checked checked = check("A(i,j) = " + mask + "*C(i,j)", {"A=csr", "B=" + format, "C=csr"});
    INFO(mask << ": " << checked.errors());
    REQUIRE(checked.kernel);
    return hasPhases(*checked.kernel);
  };
  CHECK(masked("(not pattern(B(i,j)))", "csr"));
  CHECK(masked("pattern(B(i,j))", "bsr"));
  CHECK_FALSE(masked("(not pattern(B(i,j)))", "bsr"));
  CHECK_FALSE(masked("(not pattern(B(j,i)))", "ell"));
  const Kernel two = kernel("A(i,j) = B(i,k)*B(k,j)\ny(i) = A(i,j)");
  REQUIRE(two.steps.size() == 2);
  CHECK(assemblingStatement(two.steps[0]) != nullptr);
  CHECK(assemblingStatement(two.steps[1]) == nullptr);
  CHECK(bodyName(two, 0) == "kernel");
  CHECK(bodyName(two, 1) == "kernel.1");
  CHECK(patternBodyName(two, 0) == "kernel.pattern");
}

TEST_CASE("keys are as wide as the indices that they become") {
  const auto bits = [](const std::string &text, const Bindings &bindings) {
    const Checked checked = check(text, bindings);
    return keyBits(checked.kernel->tensors[checked.statement().target], *checked.statement().collecting);
  };
  CHECK(bits("A(i,j) = B(i,k)*C(k,j)", {"A=csr", "B=csr", "C=csr"}) == 32);
  CHECK(bits("A(i,j) = B(i,k)*C(k,j)", {"A=bsr", "B=csr", "C=csr"}) == 64);  // a column is no index of a block
  CHECK(bits("A(i,j) = B(i,k)*C(k,j)", {"A=rows", "B=csr", "C=csr"}) == 64); // columns are not listed
  CHECK(bits("U(i,j,k) = T(i,l,j)*C(l,k)", {"U=csf", "T=csf"}) == 64);       // two coordinates in one key
}

} // namespace
} // namespace spc::sema::test
