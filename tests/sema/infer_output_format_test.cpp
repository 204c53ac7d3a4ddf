// Which outputs share an operand's pattern, and which are assembled.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

using Bindings = std::vector<std::string>;

bool isAssembled(const std::string &text, const Bindings &bindings) {
  const Checked checked = check(text, bindings);
  const std::string target = text.substr(0, text.find('('));
  CHECK(checked.tensor(target).isAssembled() != checked.ownerOf(target).has_value());
  return checked.tensor(target).isAssembled();
}

/// Whether A is written where it has entries.
bool keepsOwn(const std::string &text, const Bindings &bindings) {
  const Checked checked = check(text, bindings);
  return checked.tensor("A").isWritten && checked.tensor("A").structure == Structure(Own{});
}

} // namespace

TEST_CASE("a bound sparse output shares a pattern where it has its storage, and is assembled elsewhere") {
  CHECK_FALSE(isAssembled("D(i,j) = 2*S(i,j)", {"S=csr", "D=csr"}));
  CHECK_FALSE(isAssembled("D(j,i) = 2*S(i,j)", {"S=csr", "D=csc"}));
  CHECK_FALSE(isAssembled("D(i,j) = S(i,j)*A(i,k)*B(j,k)", {"S=csr", "D=csr"}));
  CHECK_FALSE(isAssembled("D(i,j) = 2*S(i,j)\nD(i,j) += S(i,j)*x(j)", {"S=csr", "D=csr"}));
  for (const char *format : {"csc", "csr64", "coo", "repeats", "dcsr", "dcsc", "rows", "bsr", "ell"})
    CHECK(isAssembled("D(i,j) = 2*S(i,j)", {"S=csr", std::string("D=") + format}));
  for (const char *text :
       {"D(i,j) = S(i,j) + R(i,j)", "D(i,j) = S(i,k)*R(k,j)", "D(i,j) = S(i,j)*R(i,j)", "D(i,j) = S(i,j) - R(j,i)",
        "D(i,j) = S(i,j) + 1", "D(i,j) = x(i)", "D(i,j) = 2*S(i,j)\nD(i,j) = 2*R(i,j)",
        "D(i,j) = 2*S(i,j)\nD(i,j) += x(j)", "D(i,j) = T(i,j,k)*x(k)", "D(i,j) = 2*S(i,j) + x(i)"}) {
    INFO(text);
    Bindings bindings = {"D=csr"};
    for (const char *operand : {"S", "R"})
      if (std::string(text).find(operand) != std::string::npos)
        bindings.push_back(operand + std::string("=csr"));
    CHECK(isAssembled(text, bindings));
  }
  CHECK(isAssembled("z(i) = B(i,j)*x(j)", {"z=vector", "B=csr"}));
  CHECK(isAssembled("U(i,j,k) = T(i,j,l)*C(l,k)", {"U=csf", "T=csf"}));
}

TEST_CASE("statements that read different tensors of one pattern keep it") {
  const std::string start = "let T(i,j) = 2*S(i,j)\nD(i,j) = S(i,j)*b(i)\n";
  for (const char *kept : {"D(i,k) += T(i,k)", "D(i,k) += T(i,k)*S(i,k)*x(k)"})
    CHECK(check(start + kept, {"S=csr"}).ownerOf("D").has_value());
  for (const char *lost : {"D(i,k) += T(k,i)", "D(i,k) += T(i,k) + x(k)", "D(i,k) += T(i,j)"})
    CHECK_FALSE(check(start + lost, {"S=csr"}).ownerOf("D").has_value());
}

TEST_CASE("what nothing binds is not assembled") {
  CHECK(check("A(i,j) = B(i,k)*C(k,j)", {"B=csr", "C=csr"}).tensor("A").format.isDense());
  Checked declared = check("tensor A(m,n), sparse\nA(i,j) = B(i,k)*C(k,j)", {"B=csr", "C=csr"});
  CHECK(declared.errors() == "unbound-sparse-output");
  CHECK(declared.the("unbound-sparse-output").help.ends_with("--format A=csr"));
}

TEST_CASE("a dense output says how it could be stored where its sums would be listed if it were") {
  const std::string product = "sum(k, A(i,k)*A(k,j))";
  for (const std::string &value :
       {product + "/d(j)", product + "*" + product, "x(i)*" + product + "*2", "0.8*" + product + "*(i != j) + (i == j)",
        product + "/sqrt(sum(k, A(i,k)*A(i,k))*sum(k, A(j,k)*A(j,k)))", product + "/(d(i) + d(j) - " + product + ")"})
    CHECK(check("R(i,j) = " + value, {"A=csr"}).tensor("R").couldBe == "csr");
  for (const std::string &value : {product + " + d(j)", "exp(" + product + ")", "d(j)/" + product, product + " - i"})
    CHECK(check("R(i,j) = " + value, {"A=csr"}).tensor("R").couldBe.empty());
  CHECK(check("y(i) = sum(k, A(i,k)*x(k))/d(i)", {"A=csr"}).tensor("y").couldBe.empty());
}

TEST_CASE("the pattern is decided for all statements that write an output") {
  Checked twice = check("D(i,j) = 2*S(i,j)\nD(i,j) += R(i,j)", {"S=csr", "R=csr", "D=csr"});
  CHECK(twice.steps() == "D in f64, assembled row by row (i), keys (j):\n"
                         "  for i, j: D(i,j) += 2*S(i,j)\n"
                         "\n"
                         "D in f64, assembled row by row (i), keys (j):\n"
                         "  for i, j: D(i,j) += D(i,j) + R(i,j)\n");
  CHECK_FALSE(twice.tensor("D").isRead);
}

TEST_CASE("nothing shares a pattern that the kernel builds") {
  for (const std::vector<std::string> &formats :
       {std::vector<std::string>{"S=csr", "D=csr", "E=csr"}, std::vector<std::string>{"S=csr", "D=csr"}}) {
    Checked after = check("D(i,j) = S(i,k)*S(k,j)\nE(i,j) = 2*D(i,j)", formats);
    CHECK(after.errors().empty());
    CHECK(after.tensor("E").isAssembled());
    CHECK_FALSE(after.ownerOf("E"));
  }
  Checked before = check("E(i,j) = 2*D(i,j)\nD(i,j) = S(i,k)*S(k,j)", {"S=csr", "D=csr", "E=csr"});
  CHECK(before.tensor("D").isAssembled());
  CHECK(before.tensor("E").isAssembled());
  Checked declared = check("D(i,j) = S(i,k)*S(k,j)\nE(i,j) = 2*D(i,j)", {"S=csr", "D=csr", "E=of:D"});
  CHECK(declared.errors() == "assembled-output");
}

TEST_CASE("an operand may have the structure that an assembled output had before") {
  CHECK(keepsOwn("A(i,j) += E(i,j)", {"A=csr", "E=of:A"}));
  CHECK(check("A(i,j) = A(i,j)*E(i,j) + B(i,j)", {"A=csr", "B=csr", "E=of:A"}).tensor("A").isAssembled());
  CHECK(check("A(i,j) = B(i,k)*B(k,j)\nD(i,j) = A(i,j)*E(i,j)", {"A=csr", "B=csr", "D=csr", "E=of:A"}).errors() ==
        "assembled-output");
  CHECK(check("A(i,j) += B(i,j)\nE(i,j) = 2*A(i,j)", {"A=csr", "B=csr", "E=of:A"}).errors() == "assembled-output");
}

TEST_CASE("adding to a bound output unites its entries with the operand's") {
  CHECK(check("A(i,j) += B(i,j)", {"A=csr", "B=csr"}).tensor("A").isAssembled());
  CHECK(check("A(i,j) += B(i,j)*x(i)", {"A=csr", "B=csr"}).tensor("A").isAssembled());
  CHECK(check("A(i,j) += B(i,j)", {"B=csr"}).ownerOf("A").has_value());
  CHECK(keepsOwn("A(i,j) += 2*A(i,j)", {"A=csr"}));
  CHECK(check("A(i,j) += B(i,j)", {"A=dia", "B=dia"}).tensor("A").isAssembled());
  CHECK_FALSE(check("A(i,j) += B(i,j)", {"A=triangle", "B=triangle"}).tensor("A").isAssembled());
}

TEST_CASE("every format can be built but a sum of parts") {
  for (const char *format : {"dia", "groups", "lengths", "ragged", "triangle"})
    CHECK(check("A(i,j) = B(i,k)*C(k,j)", {std::string("A=") + format, "B=csr", "C=csr"}).tensor("A").isAssembled());
  for (const char *format : {"lower", "upper"}) {
    const std::string bound = std::string("A=") + format;
    CHECK(check("A(i,j) = B(i,k)*B(j,k)", {bound, "B=csr"}).tensor("A").isAssembled());
    const Checked refused = check("A(i,j) = B(i,k)*C(k,j)", {bound, "B=csr", "C=csr"});
    CHECK(refused.errors() == "not-symmetric");
    const Diagnostic &error = refused.the("not-symmetric");
    CHECK(error.where.begin == 0);
    CHECK(error.where.end == 6);
    REQUIRE(error.notes.size() == 1);
    CHECK(error.notes[0].message ==
          "with 'i' and 'j' exchanged this term is 'B(j,k)*C(k,i)', and none of the right side is the same");
  }
  // They share a pattern all the same.
  for (const char *format : {"lower", "dia", "groups", "lengths", "ragged", "triangle"})
    CHECK_FALSE(isAssembled("D(i,j) = 2*S(i,j)", {std::string("S=") + format, std::string("D=") + format}));
}

TEST_CASE("right sides that are symmetric by their form") {
  const auto isSymmetric = [](const std::string &right, std::vector<std::string> bindings) {
    bindings.push_back("A=lower");
    const Checked checked = check("A(i,j) = " + right, bindings);
    return checked.errors().empty();
  };
  CHECK(isSymmetric("B(j,i) + B(i,j)", {"B=csr"}));
  CHECK(isSymmetric("B(i,k)*d(k)*B(j,k)", {"B=csr"}));
  CHECK(isSymmetric("B(i,k)*S(k,l)*B(j,l)", {"B=csr", "S=upper"}));
  CHECK(isSymmetric("B(i,k)*C(j,k) + C(i,m)*B(j,m)", {"B=csr", "C=csr"}));
  CHECK(isSymmetric("S(i,j)*x(j)*x(i)/(d(i)*d(j))", {"S=upper"}));
  CHECK(isSymmetric("(B(i,j) - B(j,i))*(B(i,j) - B(j,i))", {"B=csr"}));
  CHECK(isSymmetric("abs(B(i,j) - B(j,i))", {"B=csr"}));
  CHECK_FALSE(isSymmetric("B(i,j) - B(j,i)", {"B=csr"}));
  CHECK_FALSE(isSymmetric("B(i,k)*B(k,j)", {"B=csr"}));
  CHECK_FALSE(isSymmetric("2*B(i,j) + B(j,i)", {"B=csr"}));
  CHECK_FALSE(isSymmetric("S(i,j)*x(i)", {"S=upper"}));
}

} // namespace spc::sema::test
