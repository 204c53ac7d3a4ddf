#include "support/diagnostic.h"
#include "support/kinds.h"

#include <catch2/catch.hpp>

using namespace spc;

namespace {
constexpr DiagnosticKind kRemark{"remark", Severity::Note};
constexpr DiagnosticKind kOutputFormat{"output-format", Severity::Note};

WarningOptions options(std::initializer_list<std::string_view> texts) {
  WarningOptions result;
  for (std::string_view text : texts)
    REQUIRE(result.apply(text));
  return result;
}
} // namespace

TEST_CASE("warning options") {
  CHECK(options({}).severityOf("reorder") == Severity::Warning);
  CHECK(options({"no-reorder"}).severityOf("reorder") == std::nullopt);
  CHECK(options({"no-reorder", "reorder"}).severityOf("reorder") == Severity::Warning);
  CHECK(options({"no-reorder"}).severityOf("densify") == Severity::Warning);
  CHECK(options({"error"}).severityOf("reorder") == Severity::Error);
  CHECK(options({"error", "no-error"}).severityOf("reorder") == Severity::Warning);
  CHECK(options({"error=reorder"}).severityOf("reorder") == Severity::Error);
  CHECK(options({"error=reorder"}).severityOf("densify") == Severity::Warning);
  CHECK(options({"error", "no-error=reorder"}).severityOf("reorder") == Severity::Warning);
  CHECK(options({"error", "no-error=reorder"}).severityOf("densify") == Severity::Error);
  CHECK(options({"no-reorder", "error=reorder"}).severityOf("reorder") == Severity::Error);
  CHECK(options({"error=reorder", "no-reorder"}).severityOf("reorder") == std::nullopt);
  CHECK(options({"no-reorder", "no-error=reorder"}).severityOf("reorder") == std::nullopt);
  CHECK(options({"error", "no-reorder"}).severityOf("reorder") == std::nullopt);
}

TEST_CASE("notes obey their names and quiet, and are never errors") {
  WarningOptions quiet;
  quiet.setQuiet(true);
  CHECK(options({}).severityOf("output-format") == Severity::Note);
  CHECK(options({"error"}).severityOf("output-format") == Severity::Note);
  CHECK(options({"no-output-format"}).severityOf("output-format") == std::nullopt);
  CHECK(options({"no-output-format"}).severityOf("format-bound") == Severity::Note);
  CHECK(quiet.severityOf("output-format") == std::nullopt);
  CHECK(quiet.severityOf("reorder") == Severity::Warning);
  CHECK_FALSE(quiet.apply("error=output-format"));
  CHECK_FALSE(quiet.apply("no-error=output-format"));
  Diagnostics off(options({"no-output-format"}));
  off.report(kOutputFormat, {}, "a");
  CHECK(off.all().empty());
}

TEST_CASE("the same warning is given once for a place") {
  SourceManager sources;
  const SourceFile &file = sources.add("k.tex", "y = a + a");
  Diagnostics diagnostics;
  for (const char *message : {"a", "a", "b"})
    diagnostics.report(kReorder, {&file, 4, 5}, message).note({}, "n");
  diagnostics.report(kReorder, {&file, 8, 9}, "a");
  diagnostics.report(kOutputFormat, {&file, 4, 5}, "a");
  diagnostics.report(kOutputFormat, {&file, 4, 5}, "a");
  diagnostics.report(kBroken, {&file, 4, 5}, "a");
  diagnostics.report(kBroken, {&file, 4, 5}, "a");
  CHECK(diagnostics.all().size() == 6);
  CHECK(diagnostics.all().front().notes.size() == 1);
}

TEST_CASE("unknown warning names are told") {
  WarningOptions some;
  for (std::string_view text : {"reoder", "", "no-", "error=", "error=x", "no-error=x", "no-no-reorder", "error=error"})
    CHECK_FALSE(some.apply(text));
  CHECK(std::is_sorted(WarningOptions::known().begin(), WarningOptions::known().end()));
}

TEST_CASE("diagnostics keep their order, and references to them stay valid") {
  Diagnostics diagnostics;
  CHECK_FALSE(diagnostics.hasErrors());
  Diagnostic &first = diagnostics.report(kRemark, {}, "first");
  for (int i = 0; i < 1000; ++i)
    diagnostics.report(kReorder, {}, "more");
  CHECK_FALSE(diagnostics.hasErrors());
  first.note({}, "late").advise("help").at("path").fix({}, "x");
  CHECK(diagnostics.all().front().notes.size() == 1);
  CHECK(diagnostics.all().front().path == "path");
  diagnostics.report(kBroken, {}, "last");
  CHECK(diagnostics.hasErrors());
  CHECK(diagnostics.all().size() == 1002);
}

TEST_CASE("warnings that are off vanish, raised ones are errors") {
  Diagnostics off(options({"no-reorder"}));
  off.report(kReorder, {}, "a").note({}, "n");
  off.report(kReorder, {}, "b").note({}, "n");
  CHECK(off.all().empty());
  Diagnostics raised(options({"error"}));
  CHECK(raised.report(kReorder, {}, "a").severity == Severity::Error);
  CHECK(raised.report(kRemark, {}, "a").severity == Severity::Note);
  CHECK(raised.hasErrors());
}

TEST_CASE("did you mean") {
  std::vector<std::string> words{"tensor", "sparse", "csr", "x", "Alpha"};
  CHECK(didYouMean("tensr", words) == "tensor");
  CHECK(didYouMean("tesnor", words) == "tensor");
  CHECK(didYouMean("Sparse", words) == "sparse");
  CHECK(didYouMean("crs", words) == "csr");
  CHECK(didYouMean("alpha", words) == "Alpha");
  CHECK(didYouMean("X", words) == "x");
  CHECK(didYouMean("y", words) == std::nullopt);
  CHECK(didYouMean("", words) == std::nullopt);
  CHECK(didYouMean("matrix", words) == std::nullopt);
  CHECK(didYouMean("tensor", words) == std::nullopt);
  CHECK(didYouMean(std::string(10000000, 't'), words) == std::nullopt);
}
