#include "tensor/files/files.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace spc;
using namespace spc::tensor;

TEST_CASE("entries and bytes of files are counted as they are written and read") {
  constexpr int64_t kCount = 40'000;
  Coordinates entries;
  entries.shape = {kCount};
  for (int64_t k = 0; k < kCount; ++k)
    entries.append(&k, {1, 0});
  const auto [kind, isDense] = GENERATE(
      table<FileKind, bool>({{FileKind::MatrixMarket, false}, {FileKind::MatrixMarket, true}, {FileKind::Tns, false}}));
  WorkCount written, read;
  std::string text;
  const auto append = [&](std::string_view piece) { text += piece; };
  REQUIRE(writeTensor(kind, entries, {.isDense = isDense, .count = &written}, append));
  CHECK(written.part() == 1);
  CHECK(written.total() == kCount);
  CHECK(written.done() <= kCount);
  CHECK(written.done() > kCount / 2);

  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("spc-count-" + std::to_string(::getpid()) + (kind == FileKind::Tns ? ".tns" : ".mtx"));
  std::ofstream(path, std::ios::binary) << text;
  Diagnostics diagnostics;
  const std::optional<Coordinates> again = readTensor(path.string(), std::nullopt, diagnostics, std::nullopt, &read);
  std::filesystem::remove(path);
  REQUIRE(again);
  CHECK(again->size() == kCount);
  CHECK(read.part() == 1);
  CHECK(read.total() == text.size());
  CHECK(read.done() == text.size());
}
