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

TEST_CASE("what nothing binds is not assembled") {
  CHECK(check("A(i,j) = B(i,k)*C(k,j)", {"B=csr", "C=csr"}).tensor("A").format.isDense());
  Checked declared = check("tensor A(m,n), sparse\nA(i,j) = B(i,k)*C(k,j)", {"B=csr", "C=csr"});
  CHECK(declared.errors() == "unbound-sparse-output");
  CHECK(declared.the("unbound-sparse-output").help.ends_with("--format A=csr"));
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
  CHECK_FALSE(check("A(i,j) += B(i,j)", {"A=dia", "B=dia"}).tensor("A").isAssembled());
}

TEST_CASE("formats that cannot be built entry by entry") {
  const auto reason = [](const std::string &format) {
    const Checked refused = check("A(i,j) = B(i,k)*C(k,j)", {"A=" + format, "B=csr", "C=csr"});
    CHECK(refused.errors() == "assembled-output");
    const Diagnostic &error = refused.the("assembled-output");
    CHECK(error.where.begin == 0);
    CHECK(error.where.end == 6);
    CHECK(error.help == "store the output in another format, for instance csr");
    REQUIRE(error.notes.size() == 2);
    CHECK(error.notes[0].message == "this term keeps only what 'B' and 'C' both store");
    const std::string message = error.notes[1].message;
    const std::string start = "such a format cannot be built entry by entry: ";
    REQUIRE(message.starts_with(start));
    return message.substr(start.size());
  };
  CHECK(reason("lower") == "one triangle stands for both");
  CHECK(reason("upper") == "one triangle stands for both");
  CHECK(reason("dia") == "its diagonals are stored whole");
  CHECK(reason("groups") == "its blocks or groups have room for a fixed number of entries");
  CHECK(reason("lengths") == "its fibers are given by their lengths");
  CHECK(reason("ragged") == "its shape is given beforehand");
  CHECK(reason("triangle") == "its shape is given beforehand");
  CHECK(check("A(i,j) = B(i,k)*C(k,j)", {"A=hyb", "B=csr", "C=csr"}).errors() == "sum-output");
  // They share a pattern all the same.
  for (const char *format : {"lower", "dia", "groups", "lengths", "ragged", "triangle"})
    CHECK_FALSE(isAssembled("D(i,j) = 2*S(i,j)", {std::string("S=") + format, std::string("D=") + format}));
}

} // namespace spc::sema::test
