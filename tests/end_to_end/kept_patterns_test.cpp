// Outputs keep operands' patterns by the text: however sums are taken, headers and stored entries are the same.
#include "abi/signature_json.h"
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

#include <regex>

namespace spc::testing {
namespace {

struct Kept {
  const char *statements;
  Formats formats;
  const char *owner; ///< of R's pattern; empty where R is dense or assembled
  std::vector<std::string> order = {};
  bool hasParts = false; ///< R is assembled after a part, so that it has no phases but as written
};

const Kept kKept[] = {
    {"R(i,k) = S(i,k)*A(i,j)*v(j)", {{"S", "csr"}, {"A", "csr"}}, "S", {"i", "j", "k"}},
    {"R(i,k) = S(i,k)*A(i,j)*v(j)", {{"S", "csr"}, {"A", "dcsr"}}, "S", {"i", "k", "j"}},
    {"R(i,k) = S(i,k)*A(i,j)*v(j)", {{"S", "dcsc"}, {"A", "coo-unsorted"}}, "S"},
    {"R(i,k) = S(i,k)*A(i,j)*v(j)", {{"S", "coo"}, {"A", "csc"}}, "S"},
    {"R(i,k) = S(i,k)*A(i,j)*v(j)", {{"S", "csr"}, {"A", "csr"}, {"R", "csr"}}, "", {"i", "j", "k"}, true},
    {"R(i,k) = S(i,k)*A(i,j)*v(j)", {{"S", "bsr2x3"}, {"A", "csr"}}, ""},
    {"R(i,k) = S(i,k)*A(i,j)*v(j)", {{"S", "csr"}}, "S", {"i", "j", "k"}},
    {"R(i,k) = S(i,k)*A(i,j)*B(j,k)", {{"S", "csr"}, {"A", "csr"}, {"B", "dcsr"}}, "S", {"i", "j", "k"}},
    {"R(i,k) = S(i,k)*A(i,j)*B(j,k)", {{"S", "csr"}, {"A", "csc"}, {"B", "csr"}, {"R", "csr"}}, ""},
    {"R(i,k) = S(i,k)*S(i,j)*v(j)", {{"S", "csr"}}, "S"},
    {"R(i,k) = S(i,k)*S(i,j)*v(j)", {{"S", "csc"}}, "S"},
    {"R(i,k) = S(i,k)*S(i,j)*X(j,k)*P(i,l)*Q(k,l)", {{"S", "csr"}}, "S"},
    {"R(i,k) = S(i,k)*S(i,j)*X(j,k)*P(i,l)*Q(k,l)", {{"S", "coo"}}, "S"},
    {"R(i,k) = pattern(S(i,k))*relu(A(i,j))*v(j)", {{"S", "csr"}, {"A", "csr"}}, "S"},
    {"R(i,k) = S(i,k)*A(i,j)*v(j) + 2*S(i,k)", {{"S", "csr"}, {"A", "csr"}}, "S"},
    {"R(i,k) = S(i,k)*(A(i,j) - v(j))*B(j,k)", {{"S", "csr"}, {"A", "csr"}, {"B", "csc"}}, "S"},
    {"R(i,k) = S(i,k)*sum(j, A(i,j))", {{"S", "csr"}, {"A", "csr"}}, "S"},
    {"R(i,k) = S(i,k)*T(i,k)*A(i,j)", {{"S", "csr"}, {"T", "csr"}, {"A", "csr"}}, ""},
    {"R(i) = s(i)*A(i,j)*B(j,k)*v(k)", {{"s", "sv"}, {"A", "csr"}, {"B", "csr"}}, "s"},
    {"R(i) = s(i)*A(i,j)*s(j)", {{"s", "sv"}, {"A", "csr"}}, ""},
    {"let T(i,k,l) = S(i,k)*A(i,j)*B(j,l)\nR(i) = T(i,k,l)*v(k)*w(l)", {{"S", "csc"}, {"A", "csr"}, {"B", "csr"}}, ""},
    {"let T(i,k) = P(i,j)*Q(j,k)\nR(i,k) = T(i,k)*A(i,j)*v(j)",
     {{"P", "csr"}, {"Q", "csr"}, {"T", "csr"}, {"A", "csr"}},
     ""},
};

std::vector<KernelSpec> spellings(const Kept &kept, size_t number) {
  KernelSpec usual = specFor(kept.statements, kept.formats, number);
  usual.optLevel = 0;
  std::vector<KernelSpec> all(4, usual);
  all[1].asWritten = true;
  all[2].strictFp = true;
  all[3].distributes = true;
  if (!kept.order.empty()) {
    all.push_back(usual);
    std::vector<format::Given<std::string>> names;
    for (const std::string &variable : kept.order)
      names.push_back({variable, {}});
    all.back().schedule.order = {names, {}};
  }
  const size_t plans = KernelUnderTest(usual).kernel().alternatives.size();
  for (size_t plan = 0; plan < plans; ++plan) {
    all.push_back(usual);
    all.back().plan = plan;
  }
  return all;
}

/// What callers see, without the hashes of what a kernel computes and how.
std::string headerOf(const KernelSpec &spec) {
  const KernelUnderTest kernel(spec);
  REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
  const std::string text = abi::signatureJson(abi::makeSignature(kernel.kernel()), kernel.kernel());
  return std::regex_replace(text, std::regex("[0-9a-f]{16}"), "");
}

/// Strict sums of floats are not divided: which they are belongs to how a kernel computes.
std::string withoutDivisions(const std::string &header) {
  return std::regex_replace(header, std::regex("\"divide\":.*,\"statuses\""), "");
}

/// … and without the functions of two phases.
std::string withoutPhases(const std::string &header) {
  const std::string text = std::regex_replace(header, std::regex(R"x("(symbolic|numeric)":\{[^}]*\},?)x"), "");
  return withoutDivisions(text);
}

std::string ownerOf(const sema::Kernel &kernel, const std::string &name) {
  for (const sema::Tensor &tensor : kernel.tensors)
    if (tensor.name == name && tensor.shared())
      return kernel.tensors[tensor.shared()->owner].name;
  return "";
}

} // namespace

TEST_CASE("outputs keep patterns by the text", "[kept-patterns]") {
  size_t number = 0;
  for (const Kept &kept : kKept) {
    std::string header;
    for (const KernelSpec &spec : spellings(kept, number++)) {
      INFO(describe(spec) << (spec.asWritten ? "as written" : ""));
      const std::string own = headerOf(spec);
      header = header.empty() ? own : header;
      if (kept.hasParts) {
        CHECK(withoutPhases(own) == withoutPhases(header));
        const bool inOneNest =
            spec.asWritten || spec.strictFp || spec.plan.value_or(0) > 0 || spec.schedule.order.has_value();
        CHECK((own.find("\"symbolic\":") != std::string::npos) == inOneNest);
      } else if (spec.strictFp)
        CHECK(withoutDivisions(own) == withoutDivisions(header));
      else
        CHECK(own == header);
      CHECK(ownerOf(KernelUnderTest(spec).kernel(), "R") == kept.owner);
      if (!spec.distributes)
        check(spec);
    }
  }
}

} // namespace spc::testing
