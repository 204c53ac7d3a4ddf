// What format files may say, and how what they may not is reported.
#include "workspace.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>

namespace spc::format {

using Catch::Matchers::Contains;

namespace {

struct Refusal {
  const char *json;
  const char *place;   ///< line:column
  const char *message; ///< part of it, id included
};

std::string levels(const std::string &first, const std::string &second) {
  return R"({"dims": ["i", "j"], "levels": [)" + first + ", " + second + "]}";
}

const std::string kDense = R"({"dim": "i", "storage": "dense"})";
const std::string kRows = R"({"dim": "i", "storage": "compressed"})";
const std::string kRepeatedRows = R"({"dim": "i", "storage": "compressed", "unique": false})";
const std::string kColumns = R"({"dim": "j", "storage": "compressed"})";
const std::string kSingleton = R"({"dim": "j", "storage": "compressed", "extent": "fixed", "width": 1})";

} // namespace

TEST_CASE("extents default by storage") {
  Workspace workspace;
  std::optional<Format> format = workspace.formatOfText(levels(kDense, kColumns), 2);
  REQUIRE(format);
  CHECK(format->sameStorage(*workspace.formatOf("csr", 2)));
  CHECK(format->name == "given");
}

TEST_CASE("index types are set one by one") {
  Workspace workspace;
  std::optional<Format> format = workspace.formatOfText(
      R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "compressed"}], "index": {"indices": "i64"}})", 1);
  REQUIRE(format);
  CHECK(format->pointers == IndexType::I32);
  CHECK(format->indices == IndexType::I64);
}

TEST_CASE("levels above a singleton repeat coordinates, entries only where the innermost says so") {
  Workspace workspace;
  std::string singleton = kSingleton;
  singleton.insert(singleton.size() - 1, R"(, "unique": true)");
  CHECK(workspace.formatOfText(levels(kRepeatedRows, singleton), 2)->sameStorage(*workspace.formatOf("coo", 2)));
  CHECK_FALSE(workspace.formatOf("coo", 4)->mayRepeat());
  const std::string repeated = R"({"dims": "any", "levels": {"first": {"storage": "compressed", "unique": false},
          "rest": {"storage": "compressed", "extent": "fixed", "width": 1, "unique": false}}})";
  for (int order : {1, 2, 4}) {
    std::optional<Format> format = workspace.formatOfText(repeated, order);
    REQUIRE(format);
    CHECK(format->mayRepeat());
    for (const Level &level : format->levels)
      CHECK_FALSE(level.unique);
  }
  CHECK(workspace.messages() == "");
}

TEST_CASE("the algebra's levels") {
  Workspace workspace;
  auto matrix = [&](const std::string &first, const std::string &second, const std::string &more = "") {
    std::optional<Format> format = workspace.formatOfText(
        R"({"dims": ["i", "j"], "levels": [)" + first + (second.empty() ? "" : ", " + second) + "]" + more + "}", 2);
    INFO(workspace.messages());
    REQUIRE(format);
    return *format;
  };
  auto column = [](const std::string &storage, const std::string &more) {
    return R"({"dim": "j", "storage": ")" + storage + "\"" + more + "}";
  };
  SECTION("fixed widths") {
    CHECK(matrix(kDense, column("compressed", R"(, "extent": "fixed", "width": 4)")).levels[1].width == 4);
    const Format ell = matrix(kDense, column("compressed", R"(, "extent": "fixed", "width": "w", "unique": false)"));
    CHECK(ell.levels[1].isFixedWidth());
    CHECK_FALSE(ell.levels[1].width.has_value());
    CHECK(ell.mayRepeat());
  }
  SECTION("ragged extents") {
    CHECK(matrix(kDense, column("dense", R"(, "extent": "ragged")")).levels[1].isRaggedDense());
    CHECK(matrix(kDense, column("compressed", R"(, "extent": "ragged-lengths")")).levels[1].extent == Extent::Lengths);
  }
  SECTION("closed forms") {
    const Level lower = matrix(kDense, column("dense", R"(, "extent": "i + 1")")).levels[1];
    CHECK(lower.length == ClosedForm{1, 1, 0});
    CHECK(lower.start == ClosedForm{});
    for (const char *spelled : {"n - i", "size(j) - i", "-i + n", "n-1*i", "0 + n - i"}) {
      const Level upper = matrix(kDense, column("dense", R"(, "extent": ")" + std::string(spelled) + "\"")).levels[1];
      CHECK(upper.length == ClosedForm{0, -1, 1});
      CHECK(upper.start == ClosedForm{0, 1, 0});
    }
    const Level corner = matrix(kDense, column("dense", R"(, "extent": "n - i", "start": "0")")).levels[1];
    CHECK(corner.start == ClosedForm{});
  }
  SECTION("blocks and diagonals") {
    const std::optional<Format> blocks = workspace.formatOfText(
        R"({"dims": ["i", "j"], "levels": [{"dim": "i/4", "storage": "dense"}, {"dim": "j / 8", "storage": "compressed"},
            {"dim": "i % 4", "storage": "dense"}, {"dim": "j%8", "storage": "dense"}]})",
        2);
    REQUIRE(blocks);
    CHECK(describe(*blocks) ==
          "(i / 4: dense, j / 8: compressed, i % 4: dense, j % 8: dense), pointers i32, indices i32");
    const Format diagonals =
        matrix(R"({"dim": "j - i", "storage": "compressed"})", R"({"dim": "i", "storage": "dense"})");
    CHECK(diagonals.levels[0].part == Part::Difference);
    CHECK(diagonals.levels[0].minus == 0);
  }
  SECTION("layouts, symmetry, index types") {
    CHECK(matrix(kRepeatedRows, kSingleton, R"(, "layout": "structs")").interleaved);
    CHECK(matrix(kDense, kColumns, R"(, "symmetric": true)").symmetry == Symmetry::Lower);
    CHECK(matrix(kDense, column("dense", R"(, "extent": "n - i")"), R"(, "symmetric": true)").symmetry ==
          Symmetry::Upper);
    const Format narrow = matrix(kDense, kColumns, R"(, "index": {"pointers": "u16", "indices": "u8"})");
    CHECK(narrow.pointers == IndexType::U16);
    CHECK(narrow.indices == IndexType::U8);
  }
}

TEST_CASE("sums of parts and shared structures") {
  Workspace workspace;
  std::optional<Format> format = workspace.formatOfText(
      R"({"sum": [{"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"},
           {"dim": "j", "storage": "compressed", "extent": "fixed", "width": 2, "unique": false}]}, "coo"]})",
      2);
  INFO(workspace.messages());
  REQUIRE(format);
  CHECK(format->parts.size() == 2);
  CHECK_FALSE(workspace.formatOfText(R"({"sum": ["coo"]})", 2));
  CHECK_FALSE(workspace.formatOfText(R"({"sum": ["csr", {"sum": ["coo", "csr"]}]})", 2));
  CHECK_THAT(workspace.messages(), Contains("two parts or more") && Contains("neither a sum itself"));
}

TEST_CASE("Binsparse's descriptors") {
  Workspace workspace;
  auto read = [&](const std::string &members, int order) {
    return workspace.formatOfText(R"({"binsparse": {"version": "0.1", )" + members + "}}", order);
  };
  for (const char *name : {"CSR", "CSC", "DCSR", "DCSC", "COO"}) {
    std::string ours = name;
    std::transform(ours.begin(), ours.end(), ours.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    std::optional<Format> format = read(R"("format": ")" + std::string(name) + "\"", 2);
    REQUIRE(format);
    CHECK(format->sameStorage(*workspace.formatOf(ours, 2)));
  }
  std::optional<Format> custom =
      read(R"("format": {"custom": {"transpose": [1, 0], "level": {"level_desc": "dense", "rank": 1, "level":
              {"level_desc": "sparse", "rank": 1, "level": {"level_desc": "element"}}}}},
              "data_types": {"pointers_to_1": "int64", "indices_1": "uint16", "values": "float64"})",
           2);
  REQUIRE(custom);
  CHECK(describe(*custom) == "(j: dense, i: compressed), pointers i64, indices u16");
  CHECK(workspace.messages() == "");
  std::optional<Format> wide = read(R"("format": "CSR", "data_types": {"pointers_to_1": "uint64", "indices_1": "uint32"},
                                       "index_base": 0, "fill": false)",
                                    2);
  REQUIRE(wide);
  CHECK(describe(*wide) == "(i: dense, j: compressed), pointers i64, indices i32");
  std::optional<Format> unsorted = read(
      R"("format": {"custom": {"level": {"level_desc": "dense", "level": {"level_desc": "sparse", "sorted": false,
         "level": {"level_desc": "element"}}}}})",
      2);
  REQUIRE(unsorted);
  CHECK(describe(*unsorted) == "(i: dense, j: compressed unordered), pointers i32, indices i32");
  CHECK(workspace.messages() == "");
  CHECK_FALSE(read(R"("format": "CSR", "data_types": {"indices_1": "int8"})", 2));
  CHECK_FALSE(read(R"("format": "CSR", "index_base": 1)", 2));
  CHECK_FALSE(read(R"("format": "CSR", "fill": true)", 2));
  CHECK_FALSE(read(R"("format": "CSR", "data_types": {"values": "iso[float64]"})", 2));
  CHECK_FALSE(read(R"("format": "XYZ")", 2));
  CHECK_FALSE(read(R"("format": {"custom": {"level": {"level_desc": "sparse"}}})", 2));
  CHECK_THAT(workspace.messages(), Contains("no int8 arrays") && Contains("counts indices from 0") && Contains("not a fill value") && Contains("(iso)") && Contains("no format 'XYZ'"));
}

TEST_CASE("blocks of one are none") {
  Workspace workspace;
  std::optional<Format> format = workspace.formatOfText(
      R"({"dims": ["i", "j"], "levels": [{"dim": "i / 1", "storage": "dense"}, {"dim": "j / 4", "storage": "compressed"},
          {"dim": "i % 1", "storage": "dense"}, {"dim": "j % 4", "storage": "dense"}]})",
      2);
  REQUIRE(format);
  CHECK(describe(*format) == "(i: dense, j / 4: compressed, j % 4: dense), pointers i32, indices i32");
  CHECK_FALSE(workspace.formatOfText(
      R"({"dims": ["i"], "levels": [{"dim": "i / 1", "storage": "dense"}, {"dim": "i % 1", "storage": "compressed"}]})",
      1));
  CHECK_THAT(workspace.messages(), Contains("the place in a block of 1 is stored as a list"));
}

TEST_CASE("no singleton continues a width of 1 below a dense level") {
  Workspace workspace;
  CHECK_FALSE(workspace.formatOfText(
      R"({"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"},
          {"dim": "j / 2", "storage": "compressed", "extent": "fixed", "width": 1, "unique": false},
          {"dim": "j % 2", "storage": "compressed", "extent": "fixed", "width": 1}]})",
      2));
  CHECK_THAT(workspace.messages(), Contains("no ragged compressed level right above it"));
}

TEST_CASE("a reference changes the index types of every part, where they fit") {
  Workspace workspace;
  std::optional<Format> hyb = workspace.formatOfText(R"({"format": "hyb", "index": {"indices": "i64"}})", 2);
  REQUIRE(hyb);
  for (const Format &part : hyb->parts)
    CHECK(part.indices == IndexType::I64);
  CHECK_FALSE(workspace.formatOfText(R"({"format": "dia", "index": {"indices": "u8"}})", 2));
  CHECK_THAT(workspace.messages(), Contains("differences may be negative"));
}

TEST_CASE("mixed levels of any order") {
  Workspace workspace;
  std::optional<Format> format = workspace.formatOfText(
      R"({"dims": "any", "levels": {"first": {"storage": "dense"}, "rest": {"storage": "compressed"}}})", 3);
  REQUIRE(format);
  CHECK(describe(*format) == "(i: dense, j: compressed, k: compressed), pointers i32, indices i32");
}

TEST_CASE("dense formats have no index types") {
  Workspace workspace;
  std::optional<Format> format = workspace.formatOfText(R"({"format": "dense", "index": {"pointers": "i64"}})", 2);
  REQUIRE(format);
  CHECK(format->sameStorage(denseFormat(2)));
}

TEST_CASE("wrong files are reported at the token") {
  const std::vector<Refusal> refusals = {
      {"", "1:1", "[format-syntax]"},
      {"{", "1:2", "[format-syntax]"},
      {"{\n  \"dims\": [,]}", "2:12", "[format-syntax]"},
      {"{\"dims\": \"any\"} x", "1:17", "[format-syntax]"},
      {"{\"name\": \"\xff\"}", "1:11", "[format-syntax]"},
      {"{\"name\": \"a\nb\"}", "1:12", "[format-syntax]"},
      {"{\"name\": 1e999}", "1:", "[format-syntax]"},
      {"[]", "1:1", "a format must be an object, not an array [format-value]"},
      {"3", "1:1", "a format must be an object, not an integer"},
      {"null", "1:1", "a format must be an object, not null"},
      {"{}", "1:1", "a format lacks the key 'dims' [format-key]"},
      {"{}", "1:1", "a format lacks the key 'levels'"},
      {"{\"dims\": \"any\",\n \"levls\": {}}", "2:2", "unknown key 'levls' in a format (did you mean 'levels'?)"},
      {"{\"dims\": \"any\",\n \"dims\": \"any\", \"levels\": {\"each\": {\"storage\": \"dense\"}}}", "2:2",
       "key 'dims' is given twice [format-key]"},
      {R"({"dims": "all", "levels": []})", "1:10", "'dims' must be \"any\" or an array of names"},
      {R"({"dims": [], "levels": []})", "1:10", "1 to 8 dimensions, not 0"},
      {R"({"dims": ["a","b","c","d","e","f","g","h","i"], "levels": []})", "1:10", "1 to 8 dimensions, not 9"},
      {R"({"dims": ["i", 3], "levels": []})", "1:16", "a dimension's name must be a string, not an integer"},
      {R"({"dims": ["i", "i"], "levels": []})", "1:16", "dimension 'i' is listed twice"},
      {R"({"dims": ["i", "2"], "levels": []})", "1:16", "'2' is no name of a dimension"},
      {R"({"dims": ["i"], "levels": {}})", "1:27", "'levels' must be an array, not an object"},
      {R"({"dims": ["i"], "levels": []})", "1:11", "dimension 'i' is stored by no level"},
      {R"({"dims": ["i"], "levels": [3]})", "1:28", "a level must be an object"},
      {R"({"dims": ["i"], "levels": [{"storage": "dense"}]})", "1:28", "a level lacks the key 'dim'"},
      {R"({"dims": ["i"], "levels": [{"dim": "i"}]})", "1:28", "a level lacks the key 'storage'"},
      {R"({"dims": ["i"], "levels": [{"dim": "k", "storage": "dense"}]})", "1:37", "unknown dimension 'k'"},
      {R"({"dims": ["i"], "levels": [{"dim": "i / 4", "storage": "dense"}]})", "1:28",
       "a block of 4 without the place in it [format-levels]"},
      {R"({"dims": ["i"], "levels": [{"dim": "i % 4", "storage": "dense"}]})", "1:28", "stands without its block"},
      {R"({"dims": ["i"], "levels": [{"dim": "i / ", "storage": "dense"}]})", "1:41",
       "the block's size is missing [format-expression]"},
      {R"({"dims": ["i"], "levels": [{"dim": "i / 0", "storage": "dense"}]})", "1:41", "a block has 1 to"},
      {R"({"dims": ["i"], "levels": [{"dim": "i - i", "storage": "compressed"}]})", "1:", "is always 0"},
      {R"({"dims": ["i"], "levels": [{"dim": "i * 2", "storage": "dense"}]})", "1:39", "a level stores 'i', 'i / 4'"},
      {R"({"dims": ["i", "j"], "levels": [{"dim": "j - i", "storage": "dense"}, {"dim": "i", "storage": "dense"}]})",
       "1:33", "diagonals stored densely"},
      {R"({"dims": ["i", "j"], "levels": [{"dim": "j - i", "storage": "compressed"},
           {"dim": "i", "storage": "dense"}], "index": {"indices": "u8"}})",
       "1:33", "differences may be negative"},
      {R"({"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"},
           {"dim": "j", "storage": "compressed"}], "symmetric": "left"})",
       "2:", "unknown triangle 'left'"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "compressed"}], "symmetric": true})",
       "1:", "only matrices"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "compressed"}], "layout": "structs"})", "1:", "only COO"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "compresed"}]})", "1:52",
       "unknown storage 'compresed' (did you mean 'compressed'?) [format-value]"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "singleton"}]})", "1:52", "\"width\": 1"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": true}]})", "1:52",
       "'storage' must be a string, not a boolean"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "dense"}, {"dim": "i", "storage": "dense"}]})", "1:62",
       "dimension 'i' is stored by two levels"},
      {R"({"dims": "any", "levels": []})", "1:27", "'levels' of a format of any order must be an object"},
      {R"({"dims": "any", "levels": {}})", "1:27", "lacks the key 'first'"},
      {R"({"dims": "any", "levels": {"each": {"dim": "i", "storage": "dense"}}})", "1:37", "unknown key 'dim'"},
      {R"({"dims": "any", "levels": {"each": {"storage": "dense"}, "rest": {"storage": "dense"}}})", "1:27",
       "it stands alone"},
      {R"({"dims": "any", "levels": {"each": {"storage": "dense"}}, "index": {"pointers": "i16"}})", "1:81",
       "unknown index type 'i16'"},
      {R"({"dims": "any", "levels": {"each": {"storage": "dense"}}, "index": "i64"})", "1:68",
       "'index' must be an object, not a string"},
      {R"({"dims": "any", "levels": {"each": {"storage": "dense"}}, "index": {"pointer": "i64"}})", "1:69",
       "unknown key 'pointer' in 'index' (did you mean 'pointers'?)"},
      {R"({"dims": "any", "levels": {"each": {"storage": "dense"}}, "name": 3})", "1:67", "'name' must be a string"},
  };
  for (const Refusal &refusal : refusals) {
    Workspace workspace;
    INFO(refusal.json);
    CHECK_FALSE(workspace.formatOfText(refusal.json, 2));
    CHECK_THAT(workspace.messages(), Contains(refusal.message));
    CHECK_THAT(workspace.messages(), Contains("given.json:" + std::string(refusal.place)));
  }
}

TEST_CASE("levels that do not go together, or are not supported") {
  const std::string wide = R"({"dim": "j", "storage": "compressed", "extent": "fixed", "width": 4})";
  auto column = [](const std::string &more) { return R"({"dim": "j", "storage": "compressed")" + more + "}"; };
  const std::vector<std::tuple<std::string, std::string, const char *>> refusals = {
      {kRows, kSingleton, "a singleton level below a unique level [format-levels]"},
      {R"({"dim": "i", "storage": "compressed", "extent": "fixed", "width": 1})", kColumns,
       "no ragged compressed level right above it [format-levels]"},
      {kDense, column(R"(, "extent": "fixed", "width": 0)"), "'width' must be at least 1 [format-value]"},
      {kDense, column(R"(, "extent": "fixed", "width": 99999999999999999999)"), "'width' must be an integer"},
      {kDense, column(R"(, "extent": "fixed")"), "lacks the key 'width'"},
      {kDense, column(R"(, "width": 1)"), "'width' belongs to"},
      {kDense, column(R"(, "extent": "k + 1")"), "unknown dimension 'k'"},
      {kDense, column(R"(, "extent": "i +")"), "is missing [format-expression]"},
      {kDense, column(R"x(, "extent": "size(i)")x"), "only the level's own dimension's size"},
      {kDense, column(R"(, "extent": "i i")"), "'+' or '-' is missing"},
      {kDense, column(R"(, "extent": "99999999 * i")"), "numbers go up to"},
      {kRows, column(R"(, "extent": "i + 1")"), "a closed extent needs a dense level right above"},
      {kRows, column(R"(, "extent": "ragged-lengths")"), "below a level that is not dense [format-unsupported]"},
      {kDense, column(R"(, "start": "0")"), "'start' belongs to a dense level whose extent is a closed form"},
      {kDense, column(R"(, "extent": "raged")"), "unknown extent 'raged' (did you mean 'ragged'?)"},
      {kDense, R"({"dim": "j", "storage": "dense", "unique": false})", "a dense level is always unique"},
      {kDense, R"({"dim": "j", "storage": "dense", "ordered": 0})", "'ordered' must be a boolean"},
      {kDense, R"({"dim": "j", "storage": "dense", "width": 1})", "'width' belongs to"},
  };
  for (const auto &[first, second, message] : refusals) {
    Workspace workspace;
    INFO(first << " " << second);
    CHECK_FALSE(workspace.formatOfText(levels(first, second), 2));
    CHECK_THAT(workspace.messages(), Contains(message));
  }
}

TEST_CASE("nothing but singletons follows a singleton") {
  Workspace workspace;
  CHECK_FALSE(workspace.formatOfText(R"({"dims": ["i", "j", "k"], "levels": [)" + kRepeatedRows + "," + kSingleton +
                                         R"(, {"dim": "k", "storage": "compressed"}]})",
                                     3));
  CHECK_THAT(workspace.messages(), Contains("followed by a level that is no singleton [format-levels]"));
  CHECK_FALSE(workspace.formatOfText(
      R"({"dims": "any", "levels": {"each": {"storage": "compressed", "extent": "fixed", "width": 1}}})", 1));
}

TEST_CASE("all errors of a file are reported") {
  Workspace workspace;
  CHECK_FALSE(workspace.formatOfText(R"({"name": 1, "dims": ["i"], "levels": [{"dim": "k", "storage": "dens"}]})", 1));
  CHECK(workspace.diagnostics.all().size() == 3);
}

TEST_CASE("hostile files are diagnosed") {
  Workspace workspace;
  auto refuses = [&](const std::string &text, const char *message) {
    CHECK_FALSE(workspace.formatOfText(text, 2));
    CHECK_THAT(workspace.messages(), Contains(message));
  };
  refuses(std::string(100000, '['), "malformed JSON");
  refuses(std::string(100000, '[') + std::string(100000, ']'), "nested deeper than 32 levels");
  refuses("{\"dims\": " + std::string(50, '{'), "malformed JSON");
  refuses(std::string("{}\0{}", 5), "a NUL byte");
  refuses(std::string(2 << 20, ' '), "larger than 1 MiB");
  refuses("{\"" + std::string(900000, 'k') + "\": 1}", "unknown key");
}

} // namespace spc::format
