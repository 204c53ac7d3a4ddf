#include "support/kinds.h"
#include "support/render.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace spc;

namespace {

std::string text(const SourceFile &file, uint32_t begin, uint32_t end) {
  Diagnostics diagnostics;
  return renderText(diagnostics.report(kBroken, {&file, begin, end}, "bad"), false);
}

std::vector<std::string> lines(const std::string &text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    result.push_back(line);
  return result;
}
} // namespace

TEST_CASE("caret, notes, fixes and help") {
  SourceFile file("kernel.tex", "tensor A(m)\ny(i) = B(i)\n");
  Diagnostics diagnostics;
  Diagnostic &diagnostic = diagnostics.report(kBroken, {&file, 19, 23}, "unknown tensor 'B'")
                               .note({&file, 7, 8}, "declared here")
                               .note({}, "nowhere")
                               .fix({&file, 19, 20}, "A")
                               .advise("declare it");
  CHECK(renderText(diagnostic, false) == "kernel.tex:2:8: error: unknown tensor 'B' [broken]\n"
                                         "    2 | y(i) = B(i)\n"
                                         "      |        ^~~~\n"
                                         "kernel.tex:1:8: note: declared here\n"
                                         "    1 | tensor A(m)\n"
                                         "      |        ^\n"
                                         "note: nowhere\n"
                                         "help: did you mean 'A'?\n"
                                         "help: declare it\n");
}

TEST_CASE("fixes that insert, remove, and stand in another line") {
  SourceFile file("k", "a\nbc");
  Diagnostics diagnostics;
  Diagnostic &diagnostic = diagnostics.report(kBroken, {&file, 2, 3}, "bad")
                               .fix({&file, 3, 3}, ")")
                               .fix({&file, 2, 3}, "")
                               .fix({&file, 0, 1}, "z");
  CHECK(renderText(diagnostic, false) == "k:2:1: error: bad [broken]\n    2 | bc\n      | ^\n"
                                         "help: insert ')'\nhelp: remove 'b'\nhelp: did you mean 'z' in line 1?\n");
}

TEST_CASE("help that asks the question already stands for the fix") {
  SourceFile file("k", "ab");
  Diagnostics diagnostics;
  Diagnostic &diagnostic = diagnostics.report(kBroken, {&file, 0, 2}, "bad").fix({&file, 0, 2}, "abc");
  diagnostic.advise("did you mean 'abc'?");
  CHECK(renderText(diagnostic, false) ==
        "k:1:1: error: bad [broken]\n    1 | ab\n      | ^~\nhelp: did you mean 'abc'?\n");
}

TEST_CASE("without a place: the path, or spc; warnings name their option") {
  Diagnostics diagnostics;
  CHECK(renderText(diagnostics.report(kBroken, {}, "bad").at("k.o"), false) == "k.o: error: bad [broken]\n");
  CHECK(renderText(diagnostics.report(kBroken, {}, "bad"), false) == "spc: error: bad [broken]\n");
  CHECK(renderText(diagnostics.report(kReorder, {}, "slow"), false) == "spc: warning: slow [-Wreorder]\n");
  WarningOptions strict;
  strict.apply("error");
  Diagnostics raised(strict);
  CHECK(renderText(raised.report(kReorder, {}, "slow"), false) == "spc: error: slow [-Werror=reorder]\n");
}

TEST_CASE("odd spans") {
  SourceFile file("k", "ab\ncd\n");
  CHECK(text(file, 100, 200) == "k:3:1: error: bad [broken]\n    3 | \n      | ^\n");
  CHECK(text(file, 1, 5) == "k:1:2: error: bad [broken]\n    1 | ab\n      |  ^\n");
  CHECK(text(file, 2, 2) == "k:1:3: error: bad [broken]\n    1 | ab\n      |   ^\n");
  CHECK(text(file, 1, 0) == "k:1:2: error: bad [broken]\n    1 | ab\n      |  ^\n");
  SourceFile empty("e", "");
  CHECK(text(empty, 0, 1) == "e:1:1: error: bad [broken]\n    1 | \n      | ^\n");
  SourceFile crlf("c", "ab\r\ncd");
  CHECK(text(crlf, 2, 4) == "c:1:3: error: bad [broken]\n    1 | ab\n      |   ^\n");
}

TEST_CASE("tabs, wide characters and control bytes keep the caret in place") {
  SourceFile file("k", std::string("\t\0\xC3\xA9\xFF\xE6\xBC\xA2x", 9));
  std::vector<std::string> shown = lines(text(file, 8, 9));
  REQUIRE(shown.size() == 3);
  CHECK(shown[0] == "k:1:6: error: bad [broken]");
  CHECK(shown[1] == "    1 |     \\x00\xC3\xA9\\xff\xE6\xBC\xA2x");
  CHECK(shown[2] == "      | " + std::string(4 + 4 + 1 + 4 + 2, ' ') + "^");
  CHECK(lines(text(file, 1, 2))[2] == "      |     ^~~~");
}

TEST_CASE("a span that starts inside a character, and one in a text of continuation bytes") {
  SourceFile file("k", "\xC3\xA9x");
  CHECK(lines(text(file, 1, 3))[1] == "    1 | \xC3\xA9x");
  SourceFile garbage("g", std::string(5000, '\x80'));
  CHECK(lines(text(garbage, 2500, 2501))[1].size() < 150);
}

// Work in proportion to the square of ten megabytes would not end.
TEST_CASE("long lines are cut around the span") {
  SourceFile file("k", std::string(5000000, 'a') + "BAD" + std::string(5000000, 'c'));
  const std::vector<std::string> shown = lines(text(file, 5000000, 5000003));
  REQUIRE(shown.size() == 3);
  CHECK(shown[1].size() < 130);
  CHECK(shown[1].find("    1 | ...aaa") == 0);
  CHECK(shown[1].substr(shown[1].size() - 6) == "ccc...");
  CHECK(shown[1].substr(shown[2].find('^'), 3) == "BAD");
  CHECK(shown[2].substr(shown[2].find('^')) == "^~~");
  std::vector<std::string> all = lines(text(file, 0, 10000003));
  CHECK(all[1].size() < 130);
  CHECK(all[2].size() < 130);
  std::vector<std::string> last = lines(text(file, 10000003, 10000003));
  CHECK(last[2].find('^') == last[1].size());
}

TEST_CASE("color only adds escapes") {
  SourceFile file("k", "ab");
  Diagnostics diagnostics;
  std::string colored = renderText(diagnostics.report(kBroken, {&file, 0, 1}, "bad"), true);
  CHECK(colored.find("\x1b[1;31merror: \x1b[0m") != std::string::npos);
  std::string plain;
  for (size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b')
      i = colored.find('m', i);
    else
      plain += colored[i];
  }
  CHECK(plain == text(file, 0, 1));
}

TEST_CASE("a message cannot smuggle escapes") {
  Diagnostics diagnostics;
  std::string shown = renderText(diagnostics.report(kBroken, {}, "bad '\x1b[2J'").at("a\nb"), false);
  CHECK(shown == "a\\x0ab: error: bad '\\x1b[2J' [broken]\n");
}

TEST_CASE("JSON has one line with every field") {
  SourceFile file("k", "\xC3\xA9\nabc");
  Diagnostics diagnostics;
  Diagnostic &diagnostic = diagnostics.report(kBroken, {&file, 4, 6}, "bad\n\"x\"")
                               .note({&file, 0, 2}, "n")
                               .fix({&file, 4, 5}, "z")
                               .advise("h");
  std::string line = renderJson(diagnostic);
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  auto json = nlohmann::json::parse(line);
  CHECK(json["id"] == "broken");
  CHECK(json["severity"] == "error");
  CHECK(json["message"] == "bad\n\"x\"");
  CHECK(json["file"] == "k");
  CHECK(json["line"] == 2);
  CHECK(json["column"] == 2);
  CHECK(json["endLine"] == 2);
  CHECK(json["endColumn"] == 4);
  CHECK(json["notes"][0]["message"] == "n");
  CHECK(json["notes"][0]["line"] == 1);
  CHECK(json["fixes"][0]["text"] == "z");
  CHECK(json["help"] == "h");
}

TEST_CASE("JSON of invalid UTF-8, and without a place") {
  Diagnostics diagnostics;
  auto json = nlohmann::json::parse(renderJson(diagnostics.report(kBroken, {}, "bad \xFF\x80").at("p\xFF")));
  CHECK(json["message"] == "bad \xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(json["file"] == "p\xEF\xBF\xBD");
  CHECK(json["line"].is_null());
  CHECK(nlohmann::json::parse(renderJson(diagnostics.report(kReorder, {}, "w")))["file"].is_null());
}
