// --format arguments, names, paths and references between files.
#include "format/builtin_formats.h"
#include "workspace.h"

#include <catch2/catch.hpp>

#include <random>

namespace spc::format {

using Catch::Matchers::Contains;

TEST_CASE("an argument binds one tensor or none by name") {
  Workspace workspace;
  std::vector<Binding> bare = workspace.load("csr");
  REQUIRE(bare.size() == 1);
  CHECK_FALSE(bare[0].tensor);
  CHECK(bare[0].where.file->text() == "csr");
  std::vector<Binding> named = workspace.load("A=csc:0,1");
  REQUIRE(named.size() == 1);
  CHECK(named[0].tensor == "A");
  CHECK(named[0].family->name() == "csc:0,1");
  CHECK(named[0].where.file->name() == "<--format>");
}

TEST_CASE("a format that no file describes is bound to a tensor") {
  Format rows = permuted(denseFormat(2), {1, 0});
  rows.name = "columns";
  const Binding binding = bindingOf("A", rows);
  CHECK(binding.tensor == "A");
  CHECK(binding.family->name() == "columns");
  CHECK(binding.family->order() == 2);
  CHECK(binding.family->instantiate(2)->sameStorage(rows));
  CHECK(!binding.family->instantiate(3));
}

TEST_CASE("paths, with an '=' or a ':' in them, are read") {
  Workspace workspace;
  std::string json = R"({"dims": "any", "levels": {"each": {"storage": "compressed"}}})";
  std::string plain = workspace.write("mine.json", json);
  std::string odd = workspace.write("n=5:x/mine.json", json);
  CHECK(workspace.formatOf(plain, 3));
  CHECK(workspace.formatOf(odd, 3));
  CHECK(workspace.formatOf(odd + ":1,0", 2)->levels[0].dim == 1);
  CHECK(workspace.load("A=" + odd).at(0).tensor == "A");
  CHECK(workspace.formatOf("mine", 2));
  CHECK(workspace.messages() == "");
  CHECK(workspace.loader.filesRead().paths == std::vector<std::string>{plain, odd});
}

TEST_CASE("the files of formats/ are built in, sorted") {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::path(SPC_SOURCE_DIR) / "formats"))
    if (entry.path().filename() != "format.schema.json")
      files.push_back(entry.path().stem().string());
  std::sort(files.begin(), files.end());
  std::vector<std::string> names;
  for (const BuiltinFormat &builtin : builtinFormats()) {
    names.emplace_back(builtin.name);
    std::ifstream file(std::filesystem::path(SPC_SOURCE_DIR) / "formats" / (names.back() + ".json"));
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == builtin.text);
  }
  CHECK(names == files);
}

TEST_CASE("folders win over what is built in") {
  Workspace workspace;
  CHECK(workspace.formatOf("csr", 2));
  CHECK(workspace.loader.filesRead().builtin);
  CHECK(workspace.loader.filesRead().paths.empty());

  Workspace other;
  const std::string mine = other.write("csr.json", R"({"dims": "any", "levels": {"each": {"storage": "compressed"}}})");
  other.write("zeta.json", R"({"format": "csf"})");
  CHECK(other.formatOf("csr", 3));
  CHECK(other.loader.filesRead().paths == std::vector<std::string>{mine});
  CHECK_FALSE(other.loader.filesRead().builtin);
  const std::vector<KnownFormat> known = other.loader.known();
  CHECK(known.size() == builtinFormats().size() + 1);
  CHECK((known[0].name == "csr" && known[0].folder == other.folder()));
  CHECK((known[1].name == "zeta" && known[1].folder == other.folder()));
  CHECK((known[2].name == builtinFormats()[0].name && known[2].folder.empty()));
}

TEST_CASE("the text of a format's file is given as it is") {
  Workspace workspace;
  const std::string path = workspace.write("mine.json", "{ no JSON");
  CHECK(workspace.loader.text("mine") == "{ no JSON");
  CHECK(workspace.loader.text(path) == "{ no JSON");
  CHECK(workspace.loader.text("csf")->find("\"csf\"") != std::string::npos);
  CHECK(workspace.messages() == "");
  CHECK_FALSE(workspace.loader.text("csf:1,0"));
  CHECK_THAT(workspace.messages(), Contains("<format>:1:5: error: a mode order does not apply"));
}

TEST_CASE("modes are permuted as in TACO") {
  Workspace workspace;
  std::optional<Format> format = workspace.formatOf("csf:2,0,1", 3);
  REQUIRE(format);
  CHECK(describe(*format) == "(k: compressed, i: compressed, j: compressed), pointers i32, indices i32");
  CHECK_FALSE(workspace.load("csf:2,0,1").at(0).family->instantiate(2));
  CHECK(workspace.load("csf:2,0,1").at(0).family->order() == 3);
  CHECK(workspace.formatOf("csr:1,0", 2)->sameStorage(*workspace.formatOf("csc", 2)));
  CHECK(workspace.formatOf("csc:1,0", 2)->sameStorage(*workspace.formatOf("csr", 2)));
  CHECK(workspace.formatOf("coo:1,0", 2)->levels[0].unique == false);
}

TEST_CASE("wrong arguments are reported at the part that is wrong") {
  const std::vector<std::tuple<std::string, const char *, const char *>> refusals = {
      {"", "<--format>:1:1", "a format's name or path is missing [format-argument]"},
      {"A=", "<--format>:1:3", "a format's name or path is missing"},
      {"=csr", "<--format>:1:1", "'' is no name of a tensor [format-argument]"},
      {"2A=csr", "<--format>:1:1", "'2A' is no name of a tensor"},
      {"A=B=csr", "<--format>:1:3", "unknown format 'B=csr'"},
      {"csf:", "<--format>:1:5", "'' is no mode order [format-argument]"},
      {"csf:1,,0", "<--format>:1:5", "'1,,0' is no mode order"},
      {"csf:1,a", "<--format>:1:5", "'1,a' is no mode order"},
      {"csf:-1", "<--format>:1:5", "'-1' is no mode order"},
      {"csf:1,", "<--format>:1:5", "'1,' is no mode order"},
      {"csf:99999999999999999999", "<--format>:1:5", "is no mode order"},
      {"A=csf:0,0", "<--format>:1:7", "mode order 0,0 is no permutation of 0 to 1 [format-order]"},
      {"csf:1,2", "<--format>:1:5", "is no permutation"},
      {"csf:0,1,2,3,4,5,6,7,8", "<--format>:1:5", "1 to 8 modes"},
      {"csr:0,1,2", "<--format>:1:5", "has 3 modes, but format 'csr' has 2 dimensions [format-order]"},
      {"A=crs", "<--format>:1:3", "unknown format 'crs' (did you mean 'csr'?) [unknown-format]"},
      {"zzzzzzz", "<--format>:1:1", "known formats: batched-coo, batched-csr, "},
      {"missing.json", "<--format>:1:1", "cannot read format file 'missing.json': no such file [format-file]"},
      {"A=./no/such", "<--format>:1:3", "no such file"},
      {"/", "<--format>:1:1", "it is a directory [format-file]"},
      {"/" + std::string(5000, 'x') + ".json", "<--format>:1:1", "[format-file]"},
      {"/dev/zero", "<--format>:1:1", "larger than 1 MiB"},
      {std::string("a\0b.json", 8), "<--format>:1:1", "NUL byte"},
  };
  for (const auto &[argument, place, message] : refusals) {
    Workspace workspace;
    INFO(argument);
    CHECK(workspace.load(argument).empty());
    CHECK_THAT(workspace.messages(), Contains(message));
    CHECK_THAT(workspace.messages(), Contains(place));
  }
}

TEST_CASE("references permute, override index types and take names") {
  Workspace workspace;
  std::optional<Format> format = workspace.formatOfText(
      R"({"name": "mine", "format": "csf", "order": [2, 0, 1], "index": {"pointers": "i64"}})", 3);
  REQUIRE(format);
  CHECK(describe(*format) == "(k: compressed, i: compressed, j: compressed), pointers i64, indices i32");
  CHECK(format->name == "mine");
  workspace.write("deep/base.json", R"({"format": "../outer.json", "order": [1, 0]})");
  workspace.write("outer.json", R"({"format": "csr:1,0", "index": {"indices": "i64"}})");
  std::optional<Format> chained = workspace.formatOfText(R"({"format": "deep/base.json"})", 2);
  REQUIRE(chained);
  CHECK(describe(*chained) == "(i: dense, j: compressed), pointers i32, indices i64");
  CHECK(workspace.messages() == "");
}

TEST_CASE("wrong references are reported where they stand") {
  const std::vector<std::tuple<const char *, const char *, const char *>> refusals = {
      {R"({"format": "./a.json"})", "b.json:1:13", "refers to itself [format-reference]"},
      {R"({"format": "./given.json"})", "given.json:1:13", "refers to itself"},
      {R"({"format": "./many.json"})", "given.json:1:13", "binds tensors by name, where one format is needed"},
      {R"({"format": "many:1,0"})", "given.json:1:18", "a mode order does not apply"},
      {R"({"format": "crs"})", "given.json:1:13", "did you mean 'csr'?"},
      {R"({"format": "cs\u0072\u0000"})", "given.json:1:13", "NUL byte"},
      {R"({"format": 3})", "given.json:1:12", "'format' must be a string"},
      {R"({"format": "csf", "order": [0, "1"]})", "given.json:1:32", "a mode must be an integer, not a string"},
      {R"({"format": "csf", "order": [0, 2]})", "given.json:1:28", "no permutation"},
      {R"({"format": "csf", "order": []})", "given.json:1:28", "1 to 8 modes"},
      {R"({"format": "csr", "levels": []})", "given.json:1:19", "unknown key 'levels' in a reference"},
      {R"({"tensors": []})", "given.json:1:13", "'tensors' must be an object"},
      {R"({"tensors": {"A": 3}})", "given.json:1:19", "a tensor's format must be"},
      {R"({"tensors": {"A": "csr", "A": "csc"}})", "given.json:1:26", "tensor 'A' is bound twice"},
      {R"({"tensors": {"A B": "csr"}})", "given.json:1:14", "no name of a tensor"},
      {R"({"tensors": {"A": {"tensors": {}}}})", "given.json:1:20", "unknown key 'tensors'"},
      {R"({"tensors": {"A": "csr"}, "dims": "any"})", "given.json:1:27", "unknown key 'dims'"},
  };
  for (const auto &[json, place, message] : refusals) {
    Workspace workspace;
    workspace.write("a.json", R"({"format": "./b.json"})");
    workspace.write("b.json", R"({"format": "./a.json"})");
    workspace.write("many.json", R"({"tensors": {"A": "csr"}})");
    INFO(json);
    CHECK(workspace.load(workspace.write("given.json", json)).empty());
    CHECK_THAT(workspace.messages(), Contains(message));
    CHECK_THAT(workspace.messages(), Contains(place));
  }
}

TEST_CASE("a file binds tensors by name") {
  Workspace workspace;
  std::vector<Binding> bindings = workspace.load(workspace.write("many.json", R"({"tensors": {
      "A": "csr",
      "B": {"format": "csf", "order": [1, 2, 0]},
      "C": {"dims": ["i"], "levels": [{"dim": "i", "storage": "compressed"}]},
      "D": "coo:1,0"}})"));
  CHECK(workspace.messages() == "");
  REQUIRE(bindings.size() == 4);
  CHECK(bindings[0].tensor == "A");
  CHECK(bindings[1].family->instantiate(3)->levels[0].dim == 1);
  CHECK(bindings[2].family->name() == "C");
  CHECK(bindings[3].family->instantiate(2)->levels[0].dim == 1);
  CHECK(bindings[0].where.file->lineColumn(bindings[0].where.begin).line == 2);
  CHECK(workspace.load("A=" + (workspace.folder() / "many.json").string()).empty());
  CHECK_THAT(workspace.messages(), Contains("where one format is needed"));
}

TEST_CASE("random bytes and mutated format files never get past diagnostics") {
  std::mt19937 random(7);
  const std::string valid =
      R"({"name":"m","dims":["i","j"],"levels":[{"dim":"i","storage":"compressed","unique":false},)"
      R"({"dim":"j","storage":"compressed","extent":"fixed","width":1}],"index":{"pointers":"i64","indices":"i32"}})";
  const std::string pieces = "{}[]\",:\\u01-.eE tfn\n";
  for (int round = 0; round < 3000; ++round) {
    std::string text = valid;
    if (round % 10 == 0) {
      text.resize(random() % 40);
      for (char &byte : text)
        byte = static_cast<char>(random());
    }
    for (unsigned edits = random() % 4 + 1; edits > 0 && !text.empty(); --edits) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = pieces[random() % pieces.size()];
        break;
      case 1:
        text.erase(at, random() % 8 + 1);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), random() % 30));
        break;
      default:
        text[at] = static_cast<char>(random());
      }
    }
    Workspace workspace;
    std::vector<Binding> bindings = workspace.load(workspace.write("given.json", text));
    INFO(text);
    CHECK(bindings.empty() == workspace.diagnostics.hasErrors());
    workspace.messages();
  }
}

} // namespace spc::format
