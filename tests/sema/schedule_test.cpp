// What schedules do to a kernel's loops, and what is said of those that do not fit.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

using Catch::Matchers::Contains;
using format::Given;

format::Schedule inOrder(const std::vector<std::string> &variables) {
  format::Schedule schedule;
  schedule.order.emplace();
  for (const std::string &variable : variables)
    schedule.order->value.push_back({variable, {}});
  return schedule;
}

format::Schedule inParallel(const std::string &variable) {
  format::Schedule schedule;
  schedule.parallel = Given<std::string>{variable, {}};
  return schedule;
}

Checked scheduled(const format::Schedule &schedule, const std::string &text, const std::vector<std::string> &bindings) {
  return check(text, bindings, false, schedule);
}

TEST_CASE("terms with the order's variables have it, others keep theirs") {
  Checked product =
      scheduled(inOrder({"j", "i", "k"}), "C(i,j) = A(i,k)*B(k,j) + D(i,j); y(i) = A(i,j)*x(j)", {"A=csr"});
  REQUIRE(product.kernel);
  const Statement &sum = product.statement();
  REQUIRE(sum.terms.size() == 2);
  const size_t first = sum.terms[0].loops.size() == 3 ? 0 : 1;
  CHECK(product.loops(first) == "j,i,k");
  CHECK(product.loops(1 - first) == "i,j");
  CHECK(product.loops(0, 1) == "i,j");
  CHECK(product.kernel->schedule.order == std::vector<std::string>{"j", "i", "k"});
  CHECK(product.steps() != scheduled({}, "C(i,j) = A(i,k)*B(k,j) + D(i,j); y(i) = A(i,j)*x(j)", {"A=csr"}).steps());
}

TEST_CASE("a variable that is stored in blocks is where its blocks are") {
  CHECK(scheduled(inOrder({"j", "i", "k"}), "C(i,j) = A(i,k)*B(k,j)", {"A=bsr"}).loops() ==
        "j,i / 4,k / 8,i % 4,k % 8");
  CHECK(scheduled(inOrder({"j", "i"}), "y(i) = A(i,j)*x(j)", {"A=dia"}).loops() == "j - i,i");
}

TEST_CASE("the parts of a sum have the order") {
  Checked parts = scheduled(inOrder({"j", "i", "k"}), "C(i,j) = A(i,k)*B(k,j)", {"A=hyb"});
  CHECK(parts.loops(0) == "j,i,k");
  CHECK(parts.loops(1) == "j,i,k");
}

TEST_CASE("a symmetric matrix has the order as it is stored, its mirror image keeps its own") {
  Checked lower = scheduled(inOrder({"i", "j", "k"}), "C(i,j) = A(i,k)*B(k,j)", {"A=lower"});
  CHECK(lower.loops(0) == "i,j,k");
  CHECK(lower.loops(1) == "k,i,j");
  CHECK(scheduled(inOrder({"k", "i", "j"}), "C(i,j) = A(i,k)*B(k,j)", {"A=lower"}).errors() == "schedule-order");
}

TEST_CASE("an order against the storage is refused with the reason and one that would do") {
  Checked refused = scheduled(inOrder({"k", "i", "j"}), "C(i,j) = A(i,k)*B(k,j)", {"A=csr"});
  CHECK(refused.errors() == "schedule-order");
  const Diagnostic &why = refused.the("schedule-order");
  CHECK_THAT(why.message, Contains(R"(in the order ["k", "i", "j"])"));
  REQUIRE(why.notes.size() == 2);
  CHECK_THAT(why.notes[1].message,
             Contains("'A' is stored as (i: dense, k: compressed)") && Contains("'k' inside of 'i'"));
  CHECK_THAT(why.help, Contains(R"("order": ["i", "k", "j"])"));
  CHECK(scheduled(inOrder({"i", "k", "j"}), "C(i,j) = A(i,k)*B(k,j)", {"A=csr"}).errors() == "");
}

TEST_CASE("an order makes no copy that the cheapest order does not make, though it may save one") {
  CHECK(scheduled(inOrder({"i", "j", "k"}), "C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr"}).errors() == "schedule-order");
  Checked inner = scheduled(inOrder({"i", "j", "k"}), "C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csc"});
  CHECK(inner.loops() == "i,j,k");
  CHECK(inner.count("reorder") == 0);
  CHECK(inner.count("slow-order") == 1);
  Checked rows = scheduled(inOrder({"i", "k", "j"}), "C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csc"});
  CHECK(rows.count("reorder") == 1);
  CHECK(rows.count("slow-order") == 0);
}

TEST_CASE("orders that cost a constant factor at most are no reason to warn") {
  for (const std::vector<std::string> &order :
       {std::vector<std::string>{"i", "k", "j"}, {"i", "j", "k"}, {"j", "i", "k"}})
    CHECK(scheduled(inOrder(order), "C(i,j) = A(i,k)*B(k,j)", {"A=csr"}).count("slow-order") == 0);
  Checked outer = scheduled(inOrder({"k", "i", "j"}), "C(i,j) = A(i,k)*B(k,j)", {"C=csr", "A=csc", "B=csr"});
  CHECK(outer.loops() == "k,i,j");
  CHECK_THAT(outer.the("slow-order").message, Contains(R"(["i", "k", "j"])"));
}

TEST_CASE("an order of no term's variables says what it lacks and what is spare") {
  const auto message = [](const std::vector<std::string> &order, const std::string &text) {
    Checked checked = scheduled(inOrder(order), text, {"A=csr"});
    CHECK(checked.errors() == "schedule-variable");
    return checked.the("schedule-variable").message;
  };
  const std::string two = "C(i,j) = A(i,k)*B(k,j); y(i) = A(i,l)*x(l)";
  CHECK_THAT(message({"i", "k"}, two), Contains("it lacks 'j'"));
  CHECK_THAT(message({"i", "k", "j", "l"}, two), Contains("no term with the others has 'l'"));
  CHECK_THAT(message({"i", "m"}, two), Contains("no index variable 'm'"));
}

TEST_CASE("only the outermost loop of some term runs in chunks") {
  CHECK(scheduled(inParallel("i"), "y(i) = A(i,j)*x(j)", {"A=csr"}).errors() == "");
  CHECK(scheduled(inParallel("i"), "y(i) = A(i,j)*x(j)", {"A=bsr"}).errors() == "");
  CHECK(scheduled(inParallel("none"), "y(i) = A(i,j)*x(j)", {"A=csr"}).errors() == "");
  Checked inner = scheduled(inParallel("j"), "y(i) = A(i,j)*x(j)", {"A=csr"});
  CHECK(inner.errors() == "schedule-parallel");
  REQUIRE(inner.the("schedule-parallel").notes.size() == 1);
  CHECK_THAT(inner.the("schedule-parallel").notes[0].message, Contains("over 'i'"));
  CHECK(scheduled(inParallel("ii"), "y(i) = A(i,j)*x(j)", {"A=csr"}).errors() == "schedule-variable");
  CHECK(scheduled(inParallel("i"), "C(i,j) = A(j,i)", {"A=csr", "C=csr"}).errors() == "schedule-parallel");
}

TEST_CASE("a plan shows the schedule") {
  format::Schedule schedule = inOrder({"i", "j"});
  schedule.tile = {8, {}};
  schedule.unroll = {2, {}};
  schedule.prefetch = {0, {}};
  schedule.chunk = {99, {}};
  schedule.workspace = {format::WorkspaceKind::Hash, {}};
  schedule.parallel = {"none", {}};
  Checked all = scheduled(schedule, "y(i) = A(i,j)*x(j)", {"A=csr"});
  REQUIRE(all.kernel);
  CHECK_THAT(
      describe(*all.kernel),
      Contains("  schedule: tile 8, unroll 2, prefetch 0, chunk 99, workspace hash, order (i,j), parallel none\n"));
  CHECK_THAT(describe(*scheduled({}, "y(i) = A(i,j)*x(j)", {"A=csr"}).kernel), !Contains("schedule"));
}

} // namespace
} // namespace spc::sema::test
