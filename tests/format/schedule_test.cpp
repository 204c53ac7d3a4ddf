// The "schedule" of format files: what it may say, where it may stand, how two of them go together.
#include "workspace.h"

#include <catch2/catch.hpp>

namespace spc::format {

using Catch::Matchers::Contains;

namespace {

/// The schedule of a reference to csr, of the file's one binding.
Schedule scheduleOf(Workspace &workspace, const std::string &json) {
  const std::vector<Binding> bindings =
      workspace.load(workspace.write("given.json", R"({"format": "csr", "schedule": )" + json + "}"));
  INFO(workspace.messages());
  REQUIRE(bindings.size() == 1);
  return bindings.front().schedule;
}

} // namespace

TEST_CASE("a schedule has the keys that it is given, each with its place") {
  Workspace workspace;
  const Schedule all = scheduleOf(workspace, R"({"tile": 0, "unroll": 16, "prefetch": 64, "chunk": 1,
    "workspace": "hash", "order": ["i", "k", "j"], "parallel": "i"})");
  CHECK(all.tile->value == 0);
  CHECK(all.unroll->value == 16);
  CHECK(all.prefetch->value == 64);
  CHECK(all.chunk->value == 1);
  CHECK(all.workspace->value == spc::format::WorkspaceKind::Hash);
  REQUIRE(all.order->value.size() == 3);
  CHECK(all.order->value[1].value == "k");
  CHECK(all.parallel->value == "i");
  CHECK(all.parallel->where.file->lineColumn(all.parallel->where.begin).line == 2);
  const Schedule none = scheduleOf(workspace, "{}");
  CHECK_FALSE((none.tile || none.unroll || none.prefetch || none.chunk || none.workspace || none.order));
  CHECK_FALSE(none.parallel);
}

TEST_CASE("a schedule stands in files of every kind") {
  Workspace workspace;
  const std::string schedule = R"("schedule": {"tile": 32}})";
  const std::string columns = R"({"dim": "i", "storage": "dense"}, {"dim": "j", "storage": "compressed"})";
  const std::vector<std::string> files = {
      R"({"dims": ["i", "j"], "levels": [)" + columns + "], " + schedule,
      R"({"dims": "any", "levels": {"each": {"storage": "compressed"}}, )" + schedule,
      R"({"sum": ["ell16", "coo"], )" + schedule,
      R"({"tensors": {"A": "csr", "B": {"structure_of": "A"}}, )" + schedule,
      R"({"sum": ["coo", {"format": "csr", "schedule": {"tile": 32}}]})",
      R"({"tensors": {"B": {"structure_of": "A"}, "A": {"format": "csr", "schedule": {"tile": 32}}}})",
  };
  for (const std::string &json : files) {
    INFO(json);
    Schedule merged;
    for (const Binding &binding : workspace.load(workspace.write("given.json", json)))
      mergeKeys(merged, binding.schedule, workspace.diagnostics);
    INFO(workspace.messages());
    REQUIRE(merged.tile);
    CHECK(merged.tile->value == 32);
  }
  CHECK(workspace.messages() == "");
}

TEST_CASE("a reference replaces keys of the format that it refers to and keeps the others") {
  Workspace workspace;
  workspace.write("base.json", R"({"format": "csr", "schedule": {"tile": 8, "unroll": 2, "order": ["i", "j"]}})");
  const std::vector<Binding> bindings =
      workspace.load(workspace.write("top.json", R"({"format": "./base.json", "schedule": {"tile": 16}})"));
  REQUIRE(bindings.size() == 1);
  CHECK(bindings.front().schedule.tile->value == 16);
  CHECK(bindings.front().schedule.unroll->value == 2);
  CHECK(bindings.front().schedule.order->value.size() == 2);
  CHECK(workspace.messages() == "");
}

TEST_CASE("schedules that say different things are reported with both places") {
  Workspace workspace;
  workspace.write("base.json", R"({"format": "csr", "schedule": {"order": ["i", "j"], "chunk": 7}})");
  workspace.load(workspace.write("given.json", R"({"tensors": {"A": "./base.json"},
    "schedule": {"order": ["j", "i"], "chunk": 7}})"));
  CHECK_THAT(workspace.messages(), Contains("given.json:2:27: error: the schedules of two formats differ in 'order'") &&
                                       Contains("base.json:1:41: note: the other one is here") && !Contains("'chunk'"));
}

TEST_CASE("what a schedule may not say is reported at the value") {
  const auto refused = [](const std::string &json, const std::string &message) {
    Workspace workspace;
    INFO(json);
    CHECK(workspace.load(workspace.write("given.json", R"({"format": "csr", "schedule": )" + json + "}")).empty());
    CHECK_THAT(workspace.messages(), Contains("given.json:1:") && Contains(message));
  };
  refused("[]", "a schedule must be an object, not an array [format-value]");
  refused(R"({"unrol": 1})", "unknown key 'unrol' in a schedule (did you mean 'unroll'?) [format-key]");
  refused(R"({"tile": 1, "tile": 1})", "key 'tile' is given twice [format-key]");
  refused(R"({"tile": -1})", "'tile' is a number from 0 to 1024, not -1");
  refused(R"({"tile": 1025})", "'tile' is a number from 0 to 1024, not 1025");
  refused(R"({"tile": 1.5})", "'tile' must be an integer, not a number");
  refused(R"({"unroll": 0})", "'unroll' is a number from 1 to 16, not 0");
  refused(R"({"prefetch": 65})", "'prefetch' is a number from 0 to 64, not 65");
  refused(R"({"chunk": 0})", "'chunk' is a number from 1 to 1073741824, not 0");
  refused(R"({"workspace": "hsah"})", "unknown workspace 'hsah' (did you mean 'hash'?)");
  refused(R"({"order": []})", "'order' lists the index variables of a term, at least one");
  refused(R"({"order": ["i", "i"]})", "index variable 'i' is listed twice");
  refused(R"({"order": ["i", 2]})", "an index variable must be a string, not an integer");
  refused(R"({"parallel": 1})", "'parallel' must be a string, not an integer");
}

} // namespace spc::format
