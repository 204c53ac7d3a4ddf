#include "syntax_test_support.h"

#include <array>
#include <random>

using namespace spc;
using namespace spc::syntax;

namespace {

// Parses, renders and prints; any text may be refused, none may crash, hang or be refused without a reason.
void survive(const std::string &text) {
  Parsed parsed(text);
  for (const Diagnostic &diagnostic : parsed.diagnostics.all()) {
    REQUIRE(diagnostic.where);
    REQUIRE(diagnostic.where.begin <= diagnostic.where.end);
    REQUIRE(diagnostic.where.end <= text.size());
    REQUIRE_FALSE(renderText(diagnostic, true).empty());
    REQUIRE(renderJson(diagnostic).back() == '\n');
  }
  REQUIRE(parsed.diagnostics.all().size() <= 51);
  print(parsed.kernel);
  for (const Statement &statement : parsed.kernel.statements) {
    std::string source = toSource(statement);
    Parsed again(source);
    if (parsed.diagnostics.all().empty() && again.diagnostics.all().empty())
      REQUIRE(toSource(again.kernel.statements.at(0)) == source);
  }
}

std::string repeat(const std::string &text, size_t bytes) {
  std::string all;
  while (all.size() < bytes)
    all += text;
  return all;
}

} // namespace

TEST_CASE("random bytes") {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::string text(random() % 200, ' ');
    for (char &c : text)
      c = static_cast<char>(random());
    survive(text);
  }
}

TEST_CASE("random tokens") {
  constexpr std::array<std::string_view, 42> kTokens{
      "tensor", "sum", "y",  "A",  "i",  "j",  "sparse",   "f32", "min", "exp", "(",  ")",     "(",    ")",
      ",",      ",",   ":",  ";",  "+",  "-",  "*",        "/",   "=",   "+=",  "=",  "\n",    "\n",   "1",
      "2.5",    "1e9", "==", "*=", "1e", "#c", "\xC3\x97", "?",   "let", " ",   "\r", "(i,j)", "type", "type T = f32"};
  std::mt19937 random(2);
  for (int round = 0; round < 10000; ++round) {
    std::string text;
    for (unsigned count = random() % 60; count > 0; --count) {
      text += kTokens[random() % kTokens.size()];
      if (random() % 2)
        text += ' ';
    }
    survive(text);
  }
}

TEST_CASE("damaged kernels") {
  const std::string whole = "type T = f32\ntensor S(m, n): T, sparse\ntensor A(m, k): f32\n"
                            "D(i, j) = S(i, j) * (A(i, k) + 1.5e-3) * sum(l, B(l, j)) # note\ny(i) += -x(i)/2\n";
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::string text = whole;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      size_t at = random() % text.size();
      if (random() % 2)
        text.erase(at, 1 + random() % 5);
      else
        text.insert(at, 1, whole[random() % whole.size()]);
    }
    survive(text);
  }
}

// That these two end is what they test: work in proportion to the square of such lengths would not.
TEST_CASE("a line of ten megabytes") {
  for (std::string unit : {"?\x01", "x", "a+", "A(i,"})
    survive(std::string("y = ") + repeat(unit, 10000000));
}

TEST_CASE("long repetitions") {
  constexpr size_t kSize = 1000000;
  for (std::string unit :
       {"\x01\xFE?", "?", "x", "1", "(",  ")",       "-",       "a ", "A(",       "A(i,",       "a+", "\n",    "(\n",
        "\n(",       ";", "#", "=", "y=", "tensor ", "y = (\n", "1.", "\xC3\xA9", "y = sum(a,", ": ", "A(i)\n"}) {
    INFO(unit);
    survive(repeat(unit, kSize));
    survive(std::string("y = ") + repeat(unit, kSize));
    survive(std::string("y = (") + repeat(unit, kSize));
  }
}
