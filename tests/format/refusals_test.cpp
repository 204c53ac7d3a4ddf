// How what format files may not say is reported.
#include "level_texts.h"
#include "workspace.h"

#include <catch2/catch.hpp>

#include <tuple>

namespace spc::format {

using Catch::Matchers::Contains;

namespace {

struct Refusal {
  const char *json;
  const char *place;   ///< line:column
  const char *message; ///< part of it, id included
};

void checkRefused(const std::vector<Refusal> &refusals) {
  for (const Refusal &refusal : refusals) {
    Workspace workspace;
    INFO(refusal.json);
    CHECK_FALSE(workspace.formatOfText(refusal.json, 2));
    CHECK_THAT(workspace.messages(), Contains(refusal.message));
    CHECK_THAT(workspace.messages(), Contains("given.json:" + std::string(refusal.place)));
  }
}

} // namespace

TEST_CASE("what is no JSON, and wrong keys, are reported at the token") {
  checkRefused({
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
  });
}

TEST_CASE("wrong dimensions, and levels that store none of them, are reported at the token") {
  checkRefused({
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
  });
}

TEST_CASE("wrong values are reported at the token") {
  checkRefused({
      {R"({"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"},
           {"dim": "j", "storage": "compressed"}], "symmetric": "left"})",
       "2:", "unknown triangle 'left'"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "compressed"}], "symmetric": true})",
       "1:", "only matrices"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "compressed"}], "symmetry": "hermitian"})",
       "1:", "only matrices"},
      {R"({"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"}, {"dim": "j", "storage": "dense"}],
           "symmetry": "hermitean"})",
       "2:", "unknown symmetry 'hermitean' (did you mean 'hermitian'?)"},
      {R"({"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"}, {"dim": "j", "storage": "dense"}],
           "symmetry": "hermitian", "symmetric": false})",
       "2:", "says that one triangle is stored"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "compressed"}], "duplicates": "mean"})",
       "1:", "unknown way to combine duplicates 'mean'"},
      {R"({"dims": ["i"], "levels": [{"dim": "i", "storage": "compressed"}], "duplicates": true})",
       "1:", "'duplicates' must be a string"},
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
  });
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
      {kDense, column(R"(, "extent": "k + 1")"), "known here: 'i', 'size(j)', 'n'"},
      {kDense, column(R"(, "extent": "i +")"), "is missing [format-expression]"},
      {kDense, column(R"x(, "extent": "size(i)")x"), "only the level's own dimension's size"},
      {kDense, column(R"(, "extent": "i i")"), "'+' or '-' is missing"},
      {kDense, column(R"(, "extent": "99999999 * i")"), "numbers go up to"},
      {kRows, column(R"(, "extent": "i + 1")"), "a closed extent needs a dense level right above"},
      {kRows, column(R"(, "extent": "ragged-lengths")"), "below a level that is not dense [format-unsupported]"},
      {kDense, column(R"(, "extent": "-1")"), "this is -1 for every parent; it must be at least 1 [format-value]"},
      {kDense, column(R"(, "extent": "0")"), "this is 0 for every parent"},
      {kDense, column(R"(, "extent": "n - n")"), "this is 0 for every parent"},
      {kDense, R"({"dim": "j", "storage": "dense", "extent": "3", "start": "-2"})",
       "this is -2 for every parent; it must be at least 0"},
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
