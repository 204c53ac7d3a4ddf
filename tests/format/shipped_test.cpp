// The format files that users name.
#include "workspace.h"

#include <catch2/catch.hpp>

#include <cstdlib>

namespace spc::format {

TEST_CASE("every shipped format loads") {
  const std::vector<std::pair<std::string, std::optional<int>>> shipped = {{"dense", std::nullopt},
                                                                           {"coo", std::nullopt},
                                                                           {"csf", std::nullopt},
                                                                           {"sparse-vector", 1},
                                                                           {"csr", 2},
                                                                           {"csc", 2},
                                                                           {"dcsr", 2},
                                                                           {"dcsc", 2},
                                                                           {"coo-aos", std::nullopt},
                                                                           {"coo-dup", std::nullopt},
                                                                           {"coo-unsorted", std::nullopt},
                                                                           {"csr-lengths", 2},
                                                                           {"csr-unsorted", 2},
                                                                           {"ell", 2},
                                                                           {"ell16", 2},
                                                                           {"bsr", 2},
                                                                           {"bsr8", 2},
                                                                           {"bsr-cm", 2},
                                                                           {"bsc", 2},
                                                                           {"dbsr", 2},
                                                                           {"block-ell", 2},
                                                                           {"dia", 2},
                                                                           {"dia-cols", 2},
                                                                           {"nm-2-4", 2},
                                                                           {"ragged", 2},
                                                                           {"ragged-lengths", 2},
                                                                           {"lower", 2},
                                                                           {"upper", 2},
                                                                           {"sym-csr", 2},
                                                                           {"sym-lower", 2},
                                                                           {"hyb", 2},
                                                                           {"batched-csr", 3},
                                                                           {"batched-coo", 3},
                                                                           {"batched-ell", 3},
                                                                           {"csr64", 2},
                                                                           {"csc64", 2},
                                                                           {"coo64", std::nullopt},
                                                                           {"coo-unsorted64", std::nullopt}};
  size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(SPC_SOURCE_DIR "/formats"))
    files += entry.path().filename() != "format.schema.json";
  CHECK(files == shipped.size());
  for (const auto &[name, order] : shipped) {
    Workspace workspace;
    INFO(name);
    std::vector<Binding> bindings = workspace.load(name);
    CHECK(workspace.messages() == "");
    REQUIRE(bindings.size() == 1);
    CHECK_FALSE(bindings[0].tensor);
    CHECK(bindings[0].family->name() == name);
    CHECK(bindings[0].family->order() == order);
    CHECK(bindings[0].family->instantiate(order.value_or(3)));
  }
}

TEST_CASE("shipped formats are what their names say") {
  Workspace workspace;
  CHECK(describe(*workspace.formatOf("csr", 2)) == "(i: dense, j: compressed), pointers i32, indices i32");
  CHECK(describe(*workspace.formatOf("csc", 2)) == "(j: dense, i: compressed), pointers i32, indices i32");
  CHECK(describe(*workspace.formatOf("dcsr", 2)) == "(i: compressed, j: compressed), pointers i32, indices i32");
  CHECK(describe(*workspace.formatOf("dcsc", 2)) == "(j: compressed, i: compressed), pointers i32, indices i32");
  CHECK(describe(*workspace.formatOf("sparse-vector", 1)) == "(i: compressed), indices i32");
  CHECK(describe(*workspace.formatOf("coo", 3)) ==
        "(i: compressed non-unique, j: singleton non-unique, k: singleton), indices i32");
  CHECK(describe(*workspace.formatOf("csf", 3)) ==
        "(i: compressed, j: compressed, k: compressed), pointers i32, indices i32");
  CHECK(workspace.formatOf("dense", 4)->sameStorage(denseFormat(4)));
  CHECK(workspace.formatOf("coo", 1)->sameStorage(*workspace.formatOf("sparse-vector", 1)));
  CHECK(workspace.formatOf("csf", 2)->sameStorage(*workspace.formatOf("dcsr", 2)));
}

TEST_CASE("formats of 64 bits are those of 32 with other types") {
  Workspace workspace;
  for (const char *name : {"csr", "csc", "coo", "coo-unsorted"}) {
    Format format = *workspace.formatOf(name, 2);
    format.pointers = format.indices = IndexType::I64;
    CHECK(format.sameStorage(*workspace.formatOf(std::string(name) + "64", 2)));
  }
}

TEST_CASE("a format of any order has the orders 1 to 8") {
  Workspace workspace;
  std::vector<Binding> bindings = workspace.load("csf");
  REQUIRE(bindings.size() == 1);
  CHECK_FALSE(bindings[0].family->instantiate(0));
  for (int order = 1; order <= 8; ++order)
    CHECK(bindings[0].family->instantiate(order)->order() == order);
  CHECK_FALSE(bindings[0].family->instantiate(9));
  CHECK_FALSE(workspace.load("csr").at(0).family->instantiate(3));
}

TEST_CASE("formats and their schema are JSON to others too") {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0)
    return;
  for (const auto &entry : std::filesystem::directory_iterator(SPC_SOURCE_DIR "/formats")) {
    INFO(entry.path());
    CHECK(std::system(("python3 -m json.tool '" + entry.path().string() + "' >/dev/null").c_str()) == 0);
  }
}

} // namespace spc::format
