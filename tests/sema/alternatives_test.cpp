// Plans among which calls choose by their sizes.
#include "sema/alternatives.h"
#include "sema/check.h"
#include "sema/shared_bodies.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace spc::sema::test {
namespace {

/// Sizes by names; of a tensor its entries.
CostSizes sizes(const Kernel &kernel, const std::map<std::string, double> &given) {
  return {[&kernel, given](ExtentId id) { return given.at(kernel.extents[id].name); },
          [&kernel, given](TensorId id) -> std::optional<double> {
            const auto own = given.find(kernel.tensors[id].name);
            return own == given.end() ? std::nullopt : std::optional(own->second);
          }};
}

std::vector<std::string> costs(const Checked &checked) {
  INFO(checked.errors());
  REQUIRE(checked.kernel);
  std::vector<std::string> lines;
  const std::string plan = describe(*checked.kernel);
  for (size_t at = plan.find("  cost"); at != std::string::npos; at = plan.find("\n  cost", at)) {
    at = plan.find(": ", at) + 2;
    lines.push_back(plan.substr(at, plan.find('\n', at) - at));
  }
  return lines;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("orders that cost more or less by sizes become alternatives") {
  CHECK(costs(check("D(i,l) = A(i,j)*B(j,k)*C(k,l)")) ==
        Lines{"i*j*k for $4; i*k*l for D", "j*k*l for $5; i*j*l for D"});
  CHECK(costs(check("y(i) = A(i,j)*B(j,k)*x(k)", {"A=csr", "B=csr"})) ==
        Lines{"nnz(B) for $4; nnz(A) for y; i for $5", "nnz(A)*nnz(B)/j for y"});
  CHECK(costs(check("Y(i,b) = W(i,j)*X(j,b) + P(i,r)*Q(r,j)*X(j,b)")).size() == 2);
}

TEST_CASE("orders that differ by less than an order of cost are no alternatives") {
  CHECK(costs(check("y(i) = A(i,j)*x(j)", {"A=csr"})).size() == 1);
  CHECK(costs(check("D(i,j) = S(i,j)*P(i,k)*Q(j,k)", {"S=csr"})).size() == 1);
  CHECK(costs(check("M(i,r) = B(i,j,k)*C(j,r)*D(k,r)", {"B=csf"})).size() == 1);
  CHECK(costs(check("y(j) = A(i,j)*A(i,k)*x(k)", {"A=csr"})).size() == 1);
  CHECK(costs(check("s = x(i)*y(j)*z(k)")).size() == 1);
}

TEST_CASE("declared sizes decide at once") {
  const std::string declared = "tensor A(m,n)\ntensor B(n,4)\ntensor C(4,p)\n";
  CHECK(costs(check("tensor A(1000,1000)\ntensor B(1000,1000)\ntensor C(1000,1)\nD(i,l) = A(i,j)*B(j,k)*C(k,l)")) ==
        Lines{"1000*1000*1 for $4, D"});
  CHECK(costs(check(declared + "D(i,l) = A(i,j)*B(j,k)*C(k,l)")).size() == 1);
}

TEST_CASE("a call takes the alternative with the fewest steps") {
  const Checked chain = check("D(i,l) = A(i,j)*B(j,k)*C(k,l)");
  const Kernel &kernel = *chain.kernel;
  CHECK(alternativeFor(kernel, sizes(kernel, {{"i", 2}, {"j", 1000}, {"k", 1000}, {"l", 1000}})) == 0);
  CHECK(alternativeFor(kernel, sizes(kernel, {{"i", 1000}, {"j", 1000}, {"k", 1000}, {"l", 2}})) == 1);
  CHECK(alternativeFor(kernel, sizes(kernel, {{"i", 7}, {"j", 7}, {"k", 7}, {"l", 7}})) == 0);
  CHECK(alternativeFor(kernel, sizes(kernel, {{"i", 0}, {"j", 0}, {"k", 0}, {"l", 0}})) == 0);
  const Checked vector = check("y(i) = A(i,j)*B(j,k)*x(k)", {"A=csr", "B=csr"});
  const std::map<std::string, double> large = {{"i", 1e3}, {"j", 1e3}, {"k", 1e3}, {"A", 1e4}, {"B", 1e5}};
  std::map<std::string, double> few = large;
  few["A"] = 10;
  CHECK(alternativeFor(*vector.kernel, sizes(*vector.kernel, large)) == 0);
  CHECK(alternativeFor(*vector.kernel, sizes(*vector.kernel, few)) == 1);
}

TEST_CASE("what the text has before and behind a product is computed once for all alternatives") {
  const Checked checked =
      check("let X(j,k) = exp(Z(j,k))\nD(i,l) = A(i,j)*X(j,k)*C(k,l)\nlet m(i) = max(l, D(i,l))\nE(i,l) = D(i,l)*m(i)");
  REQUIRE(checked.kernel);
  const Kernel &kernel = *checked.kernel;
  REQUIRE(kernel.alternatives.size() == 2);
  CHECK(kernel.alternatives[0].begin == 1);
  CHECK(kernel.alternatives[1].end + 2 == kernel.steps.size());
  CHECK(alternativeOf(kernel, 0) == std::nullopt);
  CHECK(alternativeOf(kernel, kernel.steps.size() - 1) == std::nullopt);
  CHECK(runs(kernel, 1, 0));
  CHECK(!runs(kernel, 1, 1));
}

TEST_CASE("plans share the bodies of steps with the same loops") {
  const Checked chain = check("D(i,l) = A(i,j)*B(j,k)*C(k,l)");
  const Kernel &kernel = *chain.kernel;
  REQUIRE(kernel.steps.size() == 4);
  CHECK(!lentBody(kernel, 0));
  CHECK(!lentBody(kernel, 1)); // D += C*$4 multiplies them the other way round
  const std::optional<LentBody> first = lentBody(kernel, 2), second = lentBody(kernel, 3);
  REQUIRE((first && second));
  CHECK(first->step == 0);
  CHECK(second->step == 0);
  const auto name = [&](TensorId id) { return kernel.tensors[id].name; };
  for (const auto &[lenders, own] : second->tensors)
    CHECK((name(lenders) == "A" ? name(own) == "A" : name(lenders) == "B" ? name(own) == "$5" : name(own) == "D"));
}

TEST_CASE("steps over tensors of other types, other formats, or with other numbers have bodies of their own") {
  const std::string floats = "tensor A(m,n)\ntensor B(n,p): f32\ntensor C(p,q)\ntensor D(m,q)\n";
  const auto borrowing = [](const Checked &checked) {
    size_t count = 0;
    for (size_t k = 0; k < checked.kernel->steps.size(); ++k)
      count += lentBody(*checked.kernel, k).has_value();
    return count;
  };
  CHECK(borrowing(check(floats + "D(i,l) = A(i,j)*B(j,k)*C(k,l)")) == 0);
  CHECK(borrowing(check("D(i,l) = A(i,j)*B(j,k)*C(k,l)", {"B=colmajor"})) == 0);
  CHECK(borrowing(check("y(i) = A(i,j)*x(j)\nz(i) = A(i,j)*w(j)", {"A=csr"})) == 0); // each call runs both
}

TEST_CASE("plans of many steps find each other's bodies at once") {
  const Checked checked = check("D(i,l) = A(i,j)*B(j,k)*C(k,l) + E(i,m)*F(m,n)*G(n,l) + H(i,o)*K(o,p)*L(p,l)"
                                " + M(i,q)*N(q,r)*O(r,l) + P(i,s)*Q(s,t)*R(t,l) + S(i,u)*T(u,v)*U(v,l)");
  REQUIRE(checked.kernel);
  size_t own = 0;
  for (size_t k = 0; k < checked.kernel->steps.size(); ++k)
    own += lentBody(*checked.kernel, k) ? 0 : 1;
  CHECK(checked.kernel->steps.size() >= 14);
  CHECK(own < checked.kernel->steps.size());
}

TEST_CASE("products of sparse matrices are ordered by what their parts may have") {
  const Checked chain = check("C(i,l) = A(i,j)*B(j,k)*D(k,l)", {"A=csr", "B=csr", "C=csr", "D=csr"});
  const Kernel &kernel = *chain.kernel;
  CHECK(costs(chain) ==
        Lines{"nnz(A)*nnz(B)/j for $4; nnz($4)*nnz(D)/k for C", "nnz(B)*nnz(D)/k for $5; nnz(A)*nnz($5)/j for C"});
  std::map<std::string, double> given = {{"i", 1e3}, {"j", 1e3}, {"k", 1e3}, {"l", 1e3}, {"A", 1e5}, {"B", 1e5}};
  given["D"] = 10;
  CHECK(alternativeFor(kernel, sizes(kernel, given)) == 1);
  given["D"] = 1e5;
  given["A"] = 10;
  CHECK(alternativeFor(kernel, sizes(kernel, given)) == 0);
  // What is assembled in one product may be so in two phases, which have one plan.
  CHECK(costs(check("C(i,l) = A(i,j)*B(j,l)", {"A=csr", "B=csr", "C=csr"})).size() == 1);
}

TEST_CASE("nothing is chosen by how many entries a tensor has that is computed before") {
  const std::vector<std::string> all = {"A=csr", "B=csr", "C=csr", "D=csr", "T=csr"};
  CHECK(costs(check("D(i,l) = T(i,l)\nD(i,l) += A(i,j)*B(j,k)*C(k,l)", all)).size() == 1);
  CHECK(costs(check("let T(i,j) = A(i,k)*B(k,j)\nD(i,l) = T(i,j)*B(j,k)*C(k,l)", all)).size() == 1);
}

TEST_CASE("plans make copies of operands of their own, which are counted") {
  const std::string text = "y(i) = A(i,j)*B(j,k)*x(k)";
  const Checked chosen = check(text, {"A=dcsr", "B=dcsr"});
  CHECK(costs(chosen) ==
        Lines{"nnz(B) for $4; nnz(A) for y; i for $5", "nnz(B)*nnz(A)/j for y; nnz(A) for copies to A$$1_0"});
  CHECK(chosen.tensor("A$$1_0").alternative == 1);
  CHECK(chosen.count("reorder") == 0);
  CHECK(checkWith({"--plan=1"}, text, {"A=dcsr", "B=dcsr"}).count("reorder") == 0);
  CHECK(checkWith({"--plan=2"}, text, {"A=dcsr", "B=dcsr"}).count("reorder") == 1);
  const Kernel &kernel = *chosen.kernel;
  std::map<std::string, double> given = {{"i", 10}, {"j", 2e9}, {"k", 10}, {"A", 40}, {"B", 40}};
  CHECK(alternativeFor(kernel, sizes(kernel, given)) == 1);
  given["j"] = 100; // an entry that is copied takes longer than an element that is set
  CHECK(alternativeFor(kernel, sizes(kernel, given)) == 0);
  // What all plans read is copied whichever runs.
  const Checked common = check("w(i) = abs(R(i,j))*z(j)\nD(i,l) = P(i,j)*Q(j,k)*C(k,l)", {"R=repeats"});
  REQUIRE(common.kernel);
  CHECK(common.kernel->alternatives.size() == 2);
  CHECK(common.count("reorder") == 1);
  for (const Tensor &tensor : common.kernel->tensors)
    if (const auto *copy = tensor.as<Converted>())
      CHECK((copy->isCanonical && !tensor.alternative));
}

TEST_CASE("results that are put in order cost what they may have") {
  const auto cost = [](const char *text, const std::vector<std::string> &formats) {
    const Checked checked = checkWith({"--plan=1"}, text, formats);
    const std::vector<StatementCost> costs = costOf(*checked.kernel, Alternative{0, checked.kernel->steps.size()});
    return describe(costs.back().copied, *checked.kernel) + (costs.back().isSorted ? "all" : "");
  };
  CHECK(cost("C(i,j) = M(i,j)*A(i,k)*B(k,j)", {"M=csr", "A=csr", "B=csr", "C=csc"}) == "nnz(M)");
  CHECK(cost("C(i,j) = A(i,j) + B(i,j)", {"A=csc", "B=csc", "C=csr"}) == "nnz(A) + nnz(B)");
  CHECK(cost("C(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr", "C=csr"}) == "");
  CHECK(cost("U(i,j) = T(i,j,k)*x(k)", {"T=csf", "U=csc"}) == "");
  CHECK(cost("y(k,l) = D(k,i)*C(j,l)*B(i,l)*a(i)", {"D=coo", "C=csc", "B=csc", "y=csr"}) == "all");
}

TEST_CASE("arrays along what lists alone have are plans for where memory holds them") {
  const Checked vector = check("y(i) = A(i,j)*T(j)", {"A=coo", "T=vector"});
  CHECK(costs(vector) ==
        Lines{"nnz(T)*nnz(A)/j for y; nnz(A) for copies to A$$1_0", "nnz(T) for $6, $5; j for $6; nnz(A) for y"});
  std::map<std::string, double> given = {{"i", 1e3}, {"j", 1e3}, {"A", 1e4}, {"T", 10}};
  CHECK(alternativeFor(*vector.kernel, sizes(*vector.kernel, given)) == 1);
  given["j"] = 0x1p60;
  CHECK(alternativeFor(*vector.kernel, sizes(*vector.kernel, given)) == 0);
  const std::string columns = "C(i,j) = A(i,j)*sum(k, B(k,j))";
  for (const std::string list : {"coo", "dcsr"}) {
    const Checked lists = check(columns, {"A=" + list, "B=coo", "C=csr"});
    REQUIRE(costs(lists).size() == 2);
    given = {{"i", 1e3}, {"j", 1e3}, {"k", 1e3}, {"A", 1e4}, {"B", 1e4}};
    CHECK(alternativeFor(*lists.kernel, sizes(*lists.kernel, given)) == 1);
    given["j"] = 0x1p60;
    CHECK(alternativeFor(*lists.kernel, sizes(*lists.kernel, given)) == 0);
  }
  // What gains nothing from arrays keeps its phases.
  CHECK(costs(check("C(i,j) = A(i,k)*B(k,j)", {"A=coo", "B=coo", "C=csr"})).size() == 1);
}

TEST_CASE("strict sums and orders of schedules leave no choice") {
  CHECK(costs(check("D(i,l) = A(i,j)*B(j,k)*C(k,l)", {}, true)).size() == 1);
  CHECK(costs(checkWith({"--plan=as-written"}, "D(i,l) = A(i,j)*B(j,k)*C(k,l)")).size() == 1);
}

TEST_CASE("one plan is compiled alone where its number is given") {
  CHECK(costs(checkWith({"--plan=1"}, "D(i,l) = A(i,j)*B(j,k)*C(k,l)")) == Lines{"i*j*k for $4; i*k*l for D"});
  CHECK(costs(checkWith({"--plan=2"}, "D(i,l) = A(i,j)*B(j,k)*C(k,l)")) == Lines{"j*k*l for $4; i*j*l for D"});
  CHECK(checkWith({"--plan=3"}, "D(i,l) = A(i,j)*B(j,k)*C(k,l)").errors() == "no-such-plan");
  CHECK(checkWith({"--plan=2"}, "y(i) = A(i,j)*x(j)").errors() == "no-such-plan");
}

TEST_CASE("sums without entries are taken for 0, and results that show an infinity beside one are computed again") {
  const Checked checked = check("y(i) = A(i,j)*B(j,k)*C(k,l)*x(l)", {"A=csr", "B=csr", "C=csr"});
  REQUIRE(checked.kernel);
  const Kernel &kernel = *checked.kernel;
  REQUIRE(kernel.recomputation);
  CHECK(kernel.tensors[kernel.recomputation->count].type == ValueType::I64);
  CHECK(checkWith({"--plan=1"}, "y(i) = A(i,j)*B(j,k)*x(k)", {"A=csr", "B=csr"}).steps() ==
        "$4 in f64, zeroed first:\n"
        "  for j, k+: $4(j) += B(j,k)*x(k)\n"
        "\n"
        "y in f64, zeroed first:\n"
        "  for i, j+: y(i) += A(i,j)*$4(j)\n"
        "\n"
        "$5 in i64, zeroed first:\n"
        "  for i+: $5 += i64(!=(y(i), y(i)))\n"
        "\n"
        "where $5 is not 0, once more:\n"
        "\n"
        "$8 in f64, zeroed first:\n"
        "  for j, k+: $8(j) += B(j,k)*x(k)\n"
        "\n"
        "$7 in bool, zeroed first:\n"
        "  for j, k+: $7(j) += pattern(B(j,k)), where B\n"
        "\n"
        "$8 in f64:\n"
        "  for j: $8(j) = select($7(j), $8(j), -0)\n"
        "\n"
        "y in f64, zeroed first:\n"
        "  for i, j+: y(i) += select(pattern($8(j)), A(i,j), 0)*$8(j), where A\n");
}

TEST_CASE("infinities are looked for in a factor where that has fewer dimensions than the result") {
  const auto counted = [](const std::string &text, const std::vector<std::string> &bindings = {"A=csr"}) {
    const Checked checked = checkWith({"--plan=1", "--fp=distribute"}, text, bindings);
    INFO(text << ": " << checked.errors());
    REQUIRE(checked.kernel);
    REQUIRE(checked.kernel->recomputation);
    const std::string steps = checked.steps();
    const size_t end = steps.find("\n\nwhere $"), begin = steps.rfind("zeroed first:\n", end) + 14;
    return steps.substr(begin, end - begin);
  };
  CHECK(counted("C(j,k) = A(i,j)*m(k)") == "  for k+: $4 += i64(!=(m(k) - m(k), m(k) - m(k)))");
  // Of two, the product, which either order gives.
  CHECK(counted("C(j,k) = A(i,j)*m(k)*n(k)") ==
        "  for k+: $5 += i64(!=(m(k)*n(k) - m(k)*n(k), m(k)*n(k) - m(k)*n(k)))");
  CHECK(counted("C(j,k) = b(j)*c(k) - A(i,j)*m(k)/max(count(i, A(i,j)), 1)").find("m(k) - m(k)") != std::string::npos);
  CHECK(counted("C(j,k) = A(i,j)*m(k) - B(i,k)*n(j)/4", {"A=csr", "B=csr"}) ==
        "  for k+: $7 += i64(!=(m(k) - m(k), m(k) - m(k)))\n"
        "  for j+: $7 += i64(!=(n(j) - n(j), n(j) - n(j)))");
  CHECK(counted("y(i) = A(i,j)*B(j,k)*x(k)", {"A=csr", "B=csr"}).find("y(i)") != std::string::npos);
}

TEST_CASE("sums are asked for entries at once where infinities would not show, or nothing can be computed again") {
  const auto recomputes = [](const std::string &text, const std::vector<std::string> &bindings) {
    const Checked checked = check(text, bindings);
    INFO(text << ": " << checked.errors());
    REQUIRE(checked.kernel);
    return checked.kernel->recomputation.has_value();
  };
  const std::vector<std::string> both = {"A=csr", "B=csr"};
  CHECK(recomputes("y(i) = A(i,j)*B(j,k)*x(k)", both));
  CHECK(!recomputes("y(i) += A(i,j)*B(j,k)*x(k)", both));
  CHECK(!recomputes("y(i) = y(i) + A(i,j)*B(j,k)*x(k)", both));
  CHECK(!recomputes("tensor A(m,n): i64, sparse\ntensor B(n,p): i64, sparse\ntensor x(p): i64\n"
                    "y(i) = A(i,j)*B(j,k)*x(k)",
                    both));
  CHECK(
      !recomputes("tensor A(m,n): cf64, sparse\ntensor B(n,p), sparse\ntensor x(p)\ny(i) = A(i,j)*B(j,k)*x(k)", both));
  CHECK(recomputes("y(i) = b(i)*sum(j, A(i,j))*sum(j, B(i,j))", both));
  CHECK(!recomputes("D(i,j) = S(i,j)*b(i)*sum(k, A(i,k))*sum(k, B(j,k))", {"A=csr", "B=csr", "S=csr", "D=csr"}));
  // Of the plans among which a call might choose, those that list a part's entries cannot be followed.
  CHECK(recomputes("s = x(i)*A(i,j)*B(j,k)*C(k,l)*D(l,m)*z(m)", {"A=csr", "B=csr", "C=csr", "D=csr"}));
  // Nor are those with other steps than statements and copies, or where a list saves an array.
  CHECK(check("let t(i,j) = S(i,j)*E(i,j)\nO1(i,f) = sum(l, t(i,l))*V(j,f)*t(i,j)\nO2(f) = S(i,j)*W(j,f)", {"S=csc"})
            .kernel);
  CHECK(costs(check("s = x(i)*A(i,j)*B(j,k)*C(k,l)*D(l,m)*z(m)", {"A=csr", "B=dcsr", "C=csr", "D=dcsr"})).size() == 2);
  // Three finite factors may make an infinity in one order and not in another, and so may a small divisor, and two of
  // as many dimensions as the result take as long to look at. To look for these in the result takes more steps than to
  // ask.
  CHECK(!recomputes("C(j,k) = A(i,j)*m(k)*n(k)*o(k)", {"A=csr"}));
  CHECK(!recomputes("C(j,k) = A(i,j)*m(k)*n(j)", {"A=csr"}));
  CHECK(!recomputes("C(j,k) = A(i,j)*m(k)/0.5", {"A=csr"}));
  CHECK(recomputes("C(j,k) = A(i,j)*m(k)", {"A=csr"}));
  CHECK(recomputes("C(j,k) = A(i,j)*m(k)*n(k)", {"A=csr"}));
  // A statement before it is not computed again.
  const Checked two = check("y(i) = z(i)\ny(i) += A(i,j)*B(j,k)*x(k)", both);
  CHECK(!two.kernel->recomputation);
}

} // namespace spc::sema::test
