#include "support/source.h"
#include "support/utf8.h"

#include <catch2/catch.hpp>

using namespace spc;

namespace {
void checkPlace(const SourceFile &file, uint32_t offset, uint32_t line, uint32_t column) {
  LineColumn at = file.lineColumn(offset);
  INFO("offset " << offset);
  CHECK(at.line == line);
  CHECK(at.column == column);
}
} // namespace

TEST_CASE("places of bytes") {
  SourceFile file("f", "ab\n\ncd");
  checkPlace(file, 0, 1, 1);
  checkPlace(file, 2, 1, 3);
  checkPlace(file, 3, 2, 1);
  checkPlace(file, 4, 3, 1);
  checkPlace(file, 6, 3, 3);
  checkPlace(file, 4000000000u, 3, 3);
  CHECK(file.lineText(1) == "ab");
  CHECK(file.lineText(2).empty());
  CHECK(file.lineText(3) == "cd");
  CHECK(file.lineText(0).empty());
  CHECK(file.lineText(4).empty());
  CHECK(file.lineStart(3) == 4);
  CHECK(file.lineStart(9) == 6);
}

TEST_CASE("an empty file has one empty line") {
  SourceFile file("f", "");
  checkPlace(file, 0, 1, 1);
  checkPlace(file, 7, 1, 1);
  CHECK(file.lineText(1).empty());
}

TEST_CASE("columns count characters, lines lose their CRLF") {
  SourceFile file("f", "\xC3\xA9\xE2\x82\xAC x\r\ny");
  checkPlace(file, 2, 1, 2);
  checkPlace(file, 5, 1, 3);
  CHECK(file.lineText(1) == "\xC3\xA9\xE2\x82\xAC x");
  CHECK(file.lineText(2) == "y");
}

TEST_CASE("joining spans") {
  SourceFile file("f", "abcdef");
  Span joined = join({&file, 4, 5}, {&file, 1, 2});
  CHECK(joined.begin == 1);
  CHECK(joined.end == 5);
  CHECK(join({}, {&file, 1, 2}).begin == 1);
  const Span part = partOf({&file, 2, 7}, 1, 3);
  CHECK((part.file == &file && part.begin == 3 && part.end == 6));
  CHECK(!partOf({}, 1, 3));
  CHECK(join({&file, 1, 2}, {}).end == 2);
}

TEST_CASE("ill-formed UTF-8 is told from well-formed") {
  auto valid = [](std::string_view text) {
    CodePoint c = decodeUtf8(text, 0);
    return c.valid && c.length == text.size();
  };
  CHECK(valid("a"));
  CHECK(valid("\xC3\xA9"));
  CHECK(valid("\xF0\x9F\x98\x80"));
  CHECK_FALSE(valid("\xC0\x80"));         // overlong
  CHECK_FALSE(valid("\xE0\x80\x80"));     // overlong
  CHECK_FALSE(valid("\xED\xA0\x80"));     // surrogate
  CHECK_FALSE(valid("\xF4\x90\x80\x80")); // past U+10FFFF
  CHECK_FALSE(valid("\xE2\x82"));         // cut off
  CHECK_FALSE(valid("\xE2"
                    "ab"));
  CHECK_FALSE(valid("\x80"));
}

TEST_CASE("what could steer a terminal is spelled out") {
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\x1b[31m") == "\\x1b[31m");
  CHECK(printable("\xC2\x9B") == "<U+009B>");
  CHECK(printable("\xE2\x80\xAE") == "<U+202E>");
  CHECK(printable("\xFF") == "\\xff");
  CHECK(printable("a\nb") == "a\\x0ab");
  CHECK(printable("a\nb", true) == "a\nb");
}
