// What format files may say.
#include "format/levels.h"
#include "level_texts.h"
#include "workspace.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>

namespace spc::format {

using Catch::Matchers::Contains;

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

TEST_CASE("mirror images, and repeated entries") {
  Workspace workspace;
  const auto rows = [&](const std::string &more) {
    return *workspace.formatOfText(R"({"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"},
        {"dim": "j", "storage": "compressed"}])" +
                                       more + "}",
                                   2);
  };
  CHECK(rows(R"(, "symmetry": "symmetric")").symmetry == Symmetry::Lower);
  CHECK(rows(R"(, "symmetry": "hermitian")").symmetry == Symmetry::HermitianLower);
  CHECK(rows(R"(, "symmetry": "hermitian", "symmetric": "upper")").symmetry == Symmetry::HermitianUpper);
  CHECK(permuted(rows(R"(, "symmetry": "hermitian")"), {1, 0}).symmetry == Symmetry::HermitianUpper);
  CHECK(rows("").duplicates == Duplicates::Sum);
  for (const Duplicates duplicates :
       {Duplicates::Sum, Duplicates::Min, Duplicates::Max, Duplicates::Last, Duplicates::Error})
    CHECK(rows(std::string(R"(, "duplicates": ")") + spelling(duplicates) + '"').duplicates == duplicates);
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
    CHECK(kindOf(ell, 1) == LevelKind::FixedWidth);
    CHECK_FALSE(ell.levels[1].width.has_value());
    CHECK(ell.mayRepeat());
  }
  SECTION("ragged extents") {
    CHECK(kindOf(matrix(kDense, column("dense", R"(, "extent": "ragged")")), 1) == LevelKind::RaggedDense);
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
  std::optional<Format> wide =
      read(R"("format": "CSR", "data_types": {"pointers_to_1": "uint64", "indices_1": "uint32"},
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
  CHECK_THAT(workspace.messages(), Contains("no int8 arrays") && Contains("counts indices from 0") &&
                                       Contains("not a fill value") && Contains("(iso)") &&
                                       Contains("no format 'XYZ'"));
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

TEST_CASE("n is the level's own extent, unless another dimension has that name") {
  const auto triangle = [](const std::string &dims, const std::string &parent, const std::string &own) {
    return R"({"dims": [)" + dims + R"(], "levels": [{"dim": ")" + parent + R"(", "storage": "dense"}, {"dim": ")" +
           own + R"(", "storage": "dense", "extent": "n + 1"}]})";
  };
  Workspace workspace;
  CHECK(workspace.formatOfText(triangle(R"("i", "j")", "i", "j"), 2)->levels[1].length == ClosedForm{1, 0, 1});
  CHECK(workspace.formatOfText(triangle(R"("m", "n")", "m", "n"), 2)->levels[1].length == ClosedForm{1, 0, 1});
  CHECK(workspace.formatOfText(triangle(R"("n", "m")", "n", "m"), 2)->levels[1].length == ClosedForm{1, 1, 0});
  CHECK_FALSE(workspace.formatOfText(
      R"({"dims": ["i", "j", "n"], "levels": [{"dim": "i", "storage": "dense"},
          {"dim": "j", "storage": "dense", "extent": "n - i"}, {"dim": "n", "storage": "dense"}]})",
      3));
  CHECK_THAT(workspace.messages(), Contains("unknown dimension 'n'") && Contains("known here: 'i', 'size(j)'\n"));
}

} // namespace spc::format
