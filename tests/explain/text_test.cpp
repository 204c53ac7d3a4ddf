#include "explain/text.h"

#include <catch2/catch.hpp>

using namespace spc::explain;

TEST_CASE("shares of all statements") {
  CHECK(shareText(std::nullopt).empty());
  CHECK(shareText(0.9994) == " (99.9 % of all)");
  CHECK(shareText(1e-6) == " (less than 0.1 % of all)");
  CHECK(shareText(0) == " (0.0 % of all)");
}

TEST_CASE("a measured time stands beside the best possible") {
  Explanation explanation;
  explanation.function = "k";
  explanation.measured = {2e-3, 2, "1 MB on ordinary pages"};
  CHECK(measuredText(explanation) == "2 ms a call on 2 threads"); // the best is not known
  explanation.cost.emplace();
  explanation.cost->steps = {5.0};
  explanation.cost->traffic = {{"A", 1e6, 0}};
  explanation.roofs = {1e9, 1e9}; // 1 ms for the bytes
  CHECK(measuredText(explanation) == "2 ms a call on 2 threads, 2 times the best possible");
  explanation.provenance = {"spc 1", "a machine", "spc explain k.tex"};
  const std::string text = textOf(explanation);
  CHECK(text.find("  measured: 2 ms a call on 2 threads, 2 times the best possible; 1 MB on ordinary pages\n") !=
        std::string::npos);
  CHECK(text.ends_with("\nspc 1 on a machine\n$ spc explain k.tex\n"));
}
