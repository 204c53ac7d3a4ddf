// Matrix Market and .tns files: what is read, what is refused, and that what is written reads back.
#include "tensor/files/files.h"

#include "support/render.h"
#include "tensor/files/text_reader.h"

#include <catch2/catch.hpp>

#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <unistd.h>

namespace spc::tensor {

using Catch::Matchers::Contains;
using Shape = std::optional<std::vector<int64_t>>;
using Ints = std::vector<int64_t>;
using Doubles = std::vector<double>;

namespace {

const std::string kBanner = "%%MatrixMarket matrix coordinate real general\n";

/// A file that is gone with the end of the test, and what reading it reported.
class DataFile {
public:
  DataFile(const std::string &name, const std::string &text)
      : path(std::filesystem::temp_directory_path() / ("spc-tensor-" + std::to_string(::getpid()) + "-" + name)) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~DataFile() { std::filesystem::remove(path); }

  std::optional<Coordinates> read(const Shape &shape = std::nullopt) {
    return readTensor(path.string(), shape, diagnostics);
  }

  std::string messages() const {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics.all())
      text += diagnostic.message + " [" + std::string(diagnostic.kind.id) + "]\n";
    return text;
  }

  std::filesystem::path path;
  Diagnostics diagnostics;
};

Coordinates read(const std::string &name, const std::string &text, const Shape &shape = std::nullopt) {
  DataFile file(name, text);
  std::optional<Coordinates> entries = file.read(shape);
  INFO(file.messages());
  REQUIRE(entries);
  return *entries;
}

std::string refusal(const std::string &name, const std::string &text, const Shape &shape = std::nullopt) {
  DataFile file(name, text);
  INFO(text);
  CHECK_FALSE(file.read(shape));
  REQUIRE(file.diagnostics.all().size() == 1);
  CHECK(file.diagnostics.all().front().path == file.path.string());
  return file.messages();
}

std::string gzipped(const std::string &text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef *>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

} // namespace

TEST_CASE("coordinate files") {
  Coordinates entries = read("a.mtx", kBanner + "% a comment\n\n  3 4\t3 \n1 1 1.5\n\n% more\n3 4 -2e1\n2 1 +7\n");
  CHECK(entries.shape == Ints{3, 4});
  CHECK(entries.coordinates == Ints{0, 0, 2, 3, 1, 0});
  CHECK(entries.values == Doubles{1.5, -20, 7});
}

TEST_CASE("line breaks of other systems and a missing last one") {
  Coordinates entries = read("a.mtx", "%%MatrixMarket matrix coordinate real general\r\n2 2 1\r\n2 1 4\r");
  CHECK(entries.coordinates == Ints{1, 0});
  CHECK(read("a.mtx", kBanner + "2 2 1\n2 1 4").values == Doubles{4});
  CHECK(read("a.mtx", "%%matrixmarket MATRIX Coordinate INTEGER General\n1 1 1\n1 1 -3\n").values == Doubles{-3});
}

TEST_CASE("patterns, symmetric and skew-symmetric matrices") {
  Coordinates pattern = read("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n");
  CHECK(pattern.coordinates == Ints{1, 0, 0, 1, 2, 2});
  CHECK(pattern.values == Doubles{1, 1, 1});
  Coordinates skew = read("a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 2\n");
  CHECK(skew.coordinates == Ints{2, 0, 0, 2});
  CHECK(skew.values == Doubles{2, -2});
}

TEST_CASE("complex and Hermitian matrices") {
  Coordinates general = read("a.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 0\n2 1 3 -4\n");
  CHECK(general.values == Doubles{1, 3});
  CHECK(general.imaginary == Doubles{0, -4});
  Coordinates hermitian = read("a.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 3 -4\n");
  CHECK(hermitian.coordinates == Ints{1, 0, 0, 1});
  CHECK(hermitian.imaginary == Doubles{-4, 4});
  Coordinates skew = read("a.mtx", "%%MatrixMarket matrix array complex skew-symmetric\n2 2\n3 -4\n");
  CHECK(skew.values == Doubles{3, -3});
  CHECK(skew.imaginary == Doubles{-4, 4});
  for (bool dense : {false, true}) {
    Coordinates again = read("a.mtx", writeMatrixMarket(hermitian, {.isDense = dense}));
    sortAndSum(again);
    CHECK(again.coordinates == Ints{0, 1, 1, 0});
    CHECK(again.values == Doubles{3, 3});
    CHECK(again.imaginary == Doubles{4, -4});
  }
}

TEST_CASE("array files are by column, without zeros") {
  Coordinates entries = read("a.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n0\n3\n4\n5\n-0\n");
  CHECK(entries.shape == Ints{2, 3});
  CHECK(entries.coordinates == Ints{0, 0, 0, 1, 1, 1, 0, 2});
  CHECK(entries.values == Doubles{1, 3, 4, 5});
  Coordinates symmetric = read("a.mtx", "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n");
  CHECK(symmetric.coordinates == Ints{0, 0, 1, 0, 0, 1, 1, 1});
  Coordinates skew = read("a.mtx", "%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n");
  CHECK(skew.values == Doubles{2, -2});
  CHECK(read("a.mtx", "%%MatrixMarket matrix array real general\n0 9223372036854775807\n").size() == 0);
}

TEST_CASE("explicit zeros and repeats of coordinate files stay") {
  Coordinates entries = read("a.mtx", kBanner + "2 2 3\n1 1 0\n2 2 1\n2 2 1\n");
  CHECK(entries.size() == 3);
}

TEST_CASE("numbers at the limits of a double") {
  Coordinates entries = read("a.mtx", kBanner + "1 1 5\n1 1 1e-400\n1 1 4.9e-324\n1 1 inf\n1 1 -nan\n1 1 .5\n");
  CHECK(entries.values[0] == 0);
  CHECK(entries.values[1] == std::numeric_limits<double>::denorm_min());
  CHECK(std::isinf(entries.values[2]));
  CHECK(std::isnan(entries.values[3]));
  CHECK(entries.values[4] == 0.5);
}

TEST_CASE("shapes that are given") {
  std::string text = kBanner + "3 1 1\n2 1 4\n";
  CHECK(read("a.mtx", text, Ints{5, 2}).shape == Ints{5, 2});
  Coordinates vector = read("a.mtx", text, Ints{3});
  CHECK(vector.shape == Ints{3});
  CHECK(vector.coordinates == Ints{1});
  CHECK_THAT(refusal("a.mtx", text, Ints{2, 1}), Contains("extent 3 in dimension 1") && Contains("[tensor-range]"));
  CHECK_THAT(refusal("a.mtx", text, Ints{3, 1, 1}), Contains("shape of order 3"));
  CHECK_THAT(refusal("a.mtx", kBanner + "3 2 0\n", Ints{3}), Contains("shape of order 1"));
  CHECK(read("a.tns", "1 2 5\n", Ints{5, 4}).shape == Ints{5, 4});
  CHECK(read("a.tns", "# nothing\n", Ints{5, 4}).size() == 0);
  CHECK_THAT(refusal("a.tns", "1 2 5\n", Ints{5}), Contains("2 coordinates, the given shape has 1"));
  CHECK_THAT(refusal("a.tns", "1 2 5\n", Ints{5, 1}), Contains("a.tns:1: coordinate 2 2 is not between 1 and 1"));
}

TEST_CASE("tns files") {
  Coordinates entries = read("a.tns", "# FROSTT\n\n1 2 3 1.5\r\n  4\t1 1 -2\n");
  CHECK(entries.shape == Ints{4, 2, 3});
  CHECK(entries.coordinates == Ints{0, 1, 2, 3, 0, 0});
  CHECK(entries.values == Doubles{1.5, -2});
}

TEST_CASE("a byte order mark is no part of a data file") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(read("a.tns", mark + "1 2 5\n").coordinates == Ints{0, 1});
  CHECK(read("a.mtx", mark + kBanner + "2 2 1\n2 1 1\n").coordinates == Ints{1, 0});
}

TEST_CASE("malformed Matrix Market files are reported with path and line") {
  const std::string array = "%%MatrixMarket matrix array real general\n";
  const std::vector<std::pair<std::string, const char *>> refusals = {
      {"", "a.mtx:1: a Matrix Market file starts with"},
      {"1 1 1\n", "a.mtx:1: a Matrix Market file starts with"},
      {"%%MatrixMarket\n", ":1: Matrix Market object '' is not supported"},
      {"%%MatrixMarket vector coordinate real general\n", "object 'vector'"},
      {"%%MatrixMarket matrix ellpack real general\n", ":1: 'ellpack' is no Matrix Market format"},
      {"%%MatrixMarket matrix coordinate quaternion general\n", "'quaternion' is no Matrix Market field"},
      {"%%MatrixMarket matrix coordinate real hermitian\n", "only a complex matrix is Hermitian"},
      {"%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 2\n",
       "a Hermitian matrix has a real diagonal"},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1\n",
       "expected a value, found the end of the line"},
      {"%%MatrixMarket matrix coordinate real odd\n", "'odd' is no symmetry"},
      {"%%MatrixMarket matrix coordinate real general again\n", "unexpected 'again' at the end of the line"},
      {"%%MatrixMarket matrix array pattern general\n1 1\n", "it cannot be a pattern"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", "pattern cannot be skew"},
      {kBanner, "sizes is missing"},
      {kBanner + "2 2\n", ":2: expected the number of entries, an integer, found the end of the line [tensor-syntax]"},
      {kBanner + "2 2 x\n", "found 'x'"},
      {kBanner + "2 -2 1\n", "a size is negative [tensor-range]"},
      {kBanner + "2 99999999999999999999 1\n", "is too large [tensor-range]"},
      {kBanner + "2 2 1 1\n", "unexpected '1'"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "as many rows as columns"},
      {kBanner + "2 2 2\n1 1 1\n", ":4: the file ends after 1 of 2 entries"},
      {kBanner + "2 2 9223372036854775807\n1 1 1\n", "the file ends after 1 of 9223372036854775807 entries"},
      {kBanner + "2 2 1\n1 1 1\n2 2 2\n", ":4: unexpected text after the last"},
      {kBanner + "2 2 1\n% fine\n0 1 1\n", ":4: row is 0, but they count from 1: add 1"},
      {kBanner + "2 2 1\n1 3 1\n", "column 3 is not between 1 and 2"},
      {kBanner + "0 2 1\n1 1 1\n", "row 1 is in a dimension without elements"},
      {kBanner + "2 2 1\n1.5 1 1\n", "expected row, an integer, found '1.5'"},
      {kBanner + "2 2 1\n1 1\n", "expected a value, found the end of the line"},
      {kBanner + "2 2 1\n1 1 one\n", "expected a value, found 'one'"},
      {kBanner + "2 2 1\n1 1 1e999\n", "too large for a double"},
      {kBanner + "2 2 1\n1 1 1 1\n", "unexpected '1' at the end of the line"},
      {kBanner + "2 2 1\n1 1 ++1\n", "found '++1'"},
      {kBanner + "2 2 1\n1 1 " + std::string(1000, 'q') + "\n", "qqq...'"},
      {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "expected a value, an integer"},
      {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", "unexpected '1'"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 3\n", "has no diagonal"},
      {array + "2 2\n1\n2\n3\n", "the file ends after 3 values of a matrix of 2 x 2"},
      {array + "9223372036854775807 9223372036854775807\n1\n", "the file ends after 1 values"},
      {array + "1 1\n1\n2\n", "unexpected text after the last"},
      {array + "2 1\n1 2\n", "unexpected '2'"},
  };
  for (const auto &[text, message] : refusals)
    CHECK_THAT(refusal("a.mtx", text), Contains(message));
}

TEST_CASE("malformed tns files are reported with path and line") {
  const std::vector<std::pair<std::string, const char *>> refusals = {
      {"", "a.tns:1: a file without entries has no shape"},
      {"# only a comment", "has no shape"},
      {"\n5\n", "a.tns:2: a line holds coordinates and a value"},
      {"1 1 1 1 1 1 1 1 1 5\n", "more than 8 dimensions are not supported"},
      {"1 1 5\n1 1\n", ":2: expected a value, found the end of the line"},
      {"1 1 5\n1 1 1 5\n", ":2: unexpected '5'"},
      {"1 0 5\n", "coordinate 2 is 0, but they count from 1: add 1"},
      {"1 -1 5\n", "coordinate 2 -1 is less than 1"},
      {"2 3\n2 2\n1 1 2.5\n", ":3: '2.5' stands where the line ends in those before it"},
      {"3 1\n2 2 2\n1 1 1 2.5\n", ":2: '2' stands where the line ends in those before it"},
      {"\xFF\xFE"
       "1 1 2.5\n",
       "it is text of UTF-16: save it as UTF-8"},
      {"1 1e0 5\n", "expected coordinate 2, an integer, found '1e0'"},
      {"1 1 NaNa\n", "expected a value"},
  };
  for (const auto &[text, message] : refusals)
    CHECK_THAT(refusal("a.tns", text), Contains(message));
}

TEST_CASE("compressed files") {
  std::string text = kBanner + "2 2 1\n2 1 4\n";
  std::string bytes = gzipped(text);
  CHECK(read("a.mtx.gz", bytes).values == Doubles{4});
  CHECK(read("a.mtx.gz", text).values == Doubles{4});
  CHECK(read("a.tns.gz", gzipped("1 2 3\n") + gzipped("2 2 5\n")).values == Doubles{3, 5});
  for (size_t cut = 2; cut < bytes.size(); ++cut)
    CHECK_THAT(refusal("a.mtx.gz", bytes.substr(0, cut)), Contains("data ends early [tensor-file]"));
  std::string damaged = bytes;
  damaged[bytes.size() - 6] ^= 1;
  CHECK_THAT(refusal("a.mtx.gz", damaged), Contains("data is damaged"));
  CHECK_THAT(refusal("a.mtx.gz", bytes + "x"), Contains("cannot decompress"));
  std::string long_ = "1 1 1\n";
  while (long_.size() < 1000000)
    long_ += long_;
  CHECK(read("a.tns.gz", gzipped(long_)).size() == long_.size() / 6);
}

TEST_CASE("comments, blanks and empty lines of any length are passed over") {
  const std::string most(3 * kLongestLine + 7, 'c'), blanks(2 * kLongestLine, ' ');
  const std::string lines = "#" + most + "\n" + blanks + "\n" + std::string(1000000, '\n') + blanks + "1 1 1\n#" + most;
  CHECK(read("a.tns", lines).size() == 1);
  CHECK(read("a.tns.gz", gzipped(lines)).size() == 1);
  // Where the error is counts them all.
  CHECK_THAT(refusal("a.tns", lines + "\n0 1 1\n"), Contains("a.tns:1000005: "));
  const std::string matrix = kBanner + "%" + most + "\n1 1 1\n" + blanks + "%" + most + "\n1 1 1\n" + blanks + "\n";
  CHECK(read("a.mtx", matrix).size() == 1);
}

TEST_CASE("lines are found wherever the pieces of a file end") {
  for (size_t comment : {kLongestLine, 4 * kLongestLine, 5 * kLongestLine}) {
    for (size_t shift = 0; shift < 20; ++shift) {
      const std::string text = "#" + std::string(comment - shift, 'c') + "\n12 34 5.5\n7 8 9.25";
      const Coordinates entries = read("a.tns", text);
      CHECK(entries.coordinates == Ints{11, 33, 6, 7});
      CHECK(entries.values == Doubles{5.5, 9.25});
    }
  }
}

TEST_CASE("a line that is too long is refused, in bounded memory") {
  const std::string digits(kLongestLine + (size_t{1} << 20), '1');
  CHECK_THAT(refusal("a.tns", "1 1 1\n" + digits + " 1 1\n"),
             Contains("a.tns:2: the line is longer than 65536 bytes [tensor-syntax]"));
  CHECK_THAT(refusal("a.mtx", digits), Contains("'%%MatrixMarket matrix' [tensor-syntax]") || Contains("longer than"));
  CHECK_THAT(refusal("a.tns", "1" + std::string(digits.size(), ' ') + "1 1"), Contains("longer than"));
}

TEST_CASE("what a file decompresses to is limited") {
  const std::string bomb = gzipped("1 1 1\n#" + std::string(size_t{65} << 20, 'c') + "\n");
  CHECK_THAT(refusal("a.tns.gz", bomb), Contains("more than 200 times its size [input-limit]"));
  DataFile allowed("b.tns.gz", bomb), plain("c.tns", "1 1 1\n2 2 2\n");
  CHECK(readTensor(allowed.path.string(), std::nullopt, allowed.diagnostics, uint64_t{1} << 30));
  CHECK(readTensor(plain.path.string(), std::nullopt, plain.diagnostics, 12));
  CHECK_FALSE(readTensor(plain.path.string(), std::nullopt, plain.diagnostics, 11));
  CHECK_THAT(plain.messages(), Contains("it holds more than 11 bytes of text [input-limit]"));
}

TEST_CASE("what a header announces costs nothing") {
  for (const char *sizes : {"1000000000 1000000000 5", "3 3 9223372036854775807",
                            "9223372036854775807 9223372036854775807 9223372036854775807"})
    CHECK_THAT(refusal("a.mtx", kBanner + sizes + "\n1 1 1\n"), Contains("the file ends after 1 of "));
  CHECK_THAT(refusal("a.mtx", "%%MatrixMarket matrix array real general\n9223372036854775807 3\n1\n"),
             Contains("the file ends after 1 values"));
}

TEST_CASE("files of no known kind, folders, devices and missing files") {
  CHECK_THAT(refusal("a.txt", "1 1 1\n"), Contains("what kind of file it is [tensor-file]"));
  CHECK(read("a.txt", kBanner + "1 1 0\n").shape == Ints{1, 1});
  for (const char *path : {"/", "/no/such/file.mtx", "/dev/zero"}) {
    Diagnostics diagnostics;
    CHECK_FALSE(readTensor(path, std::nullopt, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all().front().path == path);
  }
  CHECK(isMatrixMarket("x.mtx"));
  CHECK(isMatrixMarket("x.mtx.gz"));
  CHECK_FALSE(isMatrixMarket("x.tns"));
}

TEST_CASE("what is written reads back as the same numbers") {
  std::mt19937_64 random(3);
  Coordinates entries{{6, 4}, {}, {}};
  for (int64_t row = 0; row < 6; ++row)
    for (int64_t column = 0; column < 4; ++column) {
      entries.coordinates.insert(entries.coordinates.end(), {row, column});
      double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 1900) - 1000);
      entries.values.push_back(random() % 2 ? value : -value);
    }
  Coordinates sparse = read("a.mtx", writeMatrixMarket(entries));
  CHECK(sparse.shape == entries.shape);
  CHECK(sparse.coordinates == entries.coordinates);
  CHECK(sparse.values == entries.values);
  Coordinates dense = read("a.mtx", writeMatrixMarket(entries, {.isDense = true}));
  sortAndSum(dense);
  CHECK(dense.coordinates == entries.coordinates);
  CHECK(dense.values == entries.values);
  Coordinates tns = read("a.tns", writeTns(entries));
  CHECK(tns.coordinates == entries.coordinates);
  CHECK(tns.values == entries.values);
}

TEST_CASE("texts that are written") {
  Coordinates vector{{3}, {0, 2}, {0.1, -2}};
  CHECK(writeMatrixMarket(vector) == kBanner + "3 1 2\n1 1 0.1\n3 1 -2\n");
  CHECK(writeMatrixMarket(vector, {.isDense = true}) == "%%MatrixMarket matrix array real general\n3 1\n0.1\n0\n-2\n");
  CHECK(writeMatrixMarket({{2, 0}, {}, {}}, {.isDense = true}) == "%%MatrixMarket matrix array real general\n2 0\n");
  CHECK(writeTns({{2, 3, 4}, {1, 2, 3}, {1e100}}) == "2 3 4 1e+100\n");
  CHECK(writeTns({{}, {}, {2.5}}) == "2.5\n");
}

TEST_CASE("random bytes and mutated data files never get past diagnostics") {
  std::mt19937 random(5);
  const std::vector<std::pair<std::string, std::string>> valid = {
      {"a.mtx", kBanner + "3 4 3\n1 1 1.5\n3 4 -2e1\n2 1 7\n"},
      {"a.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"},
      {"a.tns", "1 2 3 1.5\n4 1 1 -2\n"},
      {"a.mtx.gz", gzipped(kBanner + "3 4 1\n1 1 1.5\n")}};
  const std::string pieces = "0129 \n\t-+.e%#x\r";
  for (int round = 0; round < 4000; ++round) {
    auto [name, text] = valid[round % valid.size()];
    if (round % 17 == 0)
      for (char &byte : text)
        byte = static_cast<char>(random());
    for (unsigned edits = random() % 3 + 1; edits > 0 && !text.empty(); --edits) {
      size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, random() % 6 + 1);
      else if (random() % 2)
        text[at] = static_cast<char>(random());
      else
        text.insert(at, 1, pieces[random() % pieces.size()]);
    }
    DataFile file(name, text);
    INFO(text);
    std::optional<Coordinates> entries = file.read();
    CHECK(entries.has_value() != file.diagnostics.hasErrors());
    if (entries) {
      REQUIRE(entries->coordinates.size() == entries->size() * entries->shape.size());
      for (size_t at = 0; at < entries->coordinates.size(); ++at)
        CHECK(entries->coordinates[at] < entries->shape[at % entries->shape.size()]);
    }
  }
}

} // namespace spc::tensor
