#include "tune/candidates.h"
#include "tune/cost_model.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace spc;
using namespace spc::tune;

namespace {

/// 6 x 6: the main diagonal, and a full row 0.
tensor::Coordinates arrow() {
  tensor::Coordinates matrix{{6, 6}, {}, {}, {}};
  for (int64_t k = 0; k < 6; ++k) {
    const int64_t row[2] = {0, k}, diagonal[2] = {k, k};
    matrix.append(row, {1, 0});
    if (k > 0)
      matrix.append(diagonal, {1, 0});
  }
  return matrix;
}

StorageCost arrowIn(const std::string &name) {
  SourceManager sources;
  Diagnostics diagnostics;
  format::FormatLoader loader({}, sources, diagnostics);
  return costOf(patternOf(arrow()), *loader.load(name).front().family->instantiate(2), 8);
}

/// How many values spc packs the matrix into.
int64_t packedValues(const std::string &name) {
  SourceManager sources;
  Diagnostics diagnostics;
  format::FormatLoader loader({}, sources, diagnostics);
  std::string error;
  return tensor::PackedTensor::pack(arrow(), *loader.load(name).front().family->instantiate(2), sema::ValueType::F64,
                                    error)
      ->valueCount();
}

} // namespace

TEST_CASE("the model counts the values that packing makes") {
  for (const char *name : {"csr", "csc", "dcsr", "coo", "ell", "ell16", "bsr", "bsr8", "bsr-cm", "dbsr", "block-ell",
                           "dense", "csr-lengths"}) {
    INFO(name);
    CHECK(arrowIn(name).values == static_cast<double>(packedValues(name)));
  }
  CHECK(arrowIn("dia").values == 36);      // six diagonals
  CHECK(arrowIn("hyb").values == 6 * 8);   // no row has more than eight
  CHECK(arrowIn("sym-csr").values == 5.5); // half of them, as if it were symmetric
}

TEST_CASE("bytes are those of all arrays") {
  CHECK(arrowIn("csr").bytes == 11 * (8 + 4) + 7 * 4);
  CHECK(arrowIn("coo").bytes == 11 * (8 + 4 + 4));
  CHECK(arrowIn("dcsr").bytes == 11 * (8 + 4) + 6 * 4 + 7 * 4);
  CHECK(arrowIn("ell").bytes == 36 * (8 + 4));
  CHECK(arrowIn("bsr").bytes == 3 * (16 * 8 + 4) + 3 * 4);
}

TEST_CASE("blocks read dense rows once for all of their rows") {
  CHECK(arrowIn("csr").rowsRead == 11);
  CHECK(arrowIn("bsr").rowsRead == 3 * 4);
  CHECK(movedBytes(arrowIn("csr"), 100) == arrowIn("csr").bytes + 1100);
}

TEST_CASE("formats that suit an operand") {
  SourceManager sources;
  Diagnostics diagnostics;
  format::FormatLoader loader({}, sources, diagnostics);
  const auto names = [&](const tensor::Coordinates &entries) {
    std::vector<std::string> list;
    for (const FormatChoice &choice : formatChoices(loader, factsOf(entries)))
      list.push_back(choice.name);
    return list;
  };
  const auto has = [](const std::vector<std::string> &list, const char *name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const std::vector<std::string> matrix = names(arrow());
  CHECK((has(matrix, "csr") && has(matrix, "csr u16") && has(matrix, "bsr 3x3") && has(matrix, "dense")));
  CHECK(!has(matrix, "sym-csr"));
  CHECK(has(names({{3, 3}, {0, 1, 1, 0}, {4, 4}, {}}), "sym-csr"));
  CHECK(!has(names({{100000, 100000}, {0, 1}, {1}, {}}), "csr u16"));
  const std::vector<std::string> tensor = names({{2, 2, 2}, {0, 0, 1}, {1}, {}});
  CHECK((has(tensor, "csf") && has(tensor, "csf:2,1,0") && !has(tensor, "csf:0,1,2")));
  CHECK(diagnostics.all().empty());
}

TEST_CASE("schedules differ in one key") {
  format::Schedule base;
  base.prefetch = {8, {}};
  const auto list = neighbours(base, {});
  CHECK(std::any_of(list.begin(), list.end(), [](const auto &one) { return describe(one) == "tile 32, prefetch 8"; }));
  CHECK(std::none_of(list.begin(), list.end(), [](const auto &one) { return describe(one) == "prefetch 8"; }));
  CHECK(std::none_of(list.begin(), list.end(), [](const auto &one) { return one.chunk || one.workspace; }));
  CHECK(neighbours(base, {true, true, {}}).size() > list.size());
  CHECK(describe({}).empty());
}

TEST_CASE("schedules have the other orders of a few loops") {
  const auto ordersOf = [](const std::vector<std::string> &loops) {
    std::vector<std::string> orders;
    for (const format::Schedule &one : neighbours({}, {false, false, loops}))
      if (one.order)
        orders.push_back(describe(one));
    return orders;
  };
  CHECK(ordersOf({"i", "k", "j"}).size() == 5);
  CHECK(ordersOf({"j", "i"}) == std::vector<std::string>{"loops i j"});
  CHECK(ordersOf({}).empty());
  CHECK(ordersOf({"a", "b", "c", "d", "e"}).empty());
}
