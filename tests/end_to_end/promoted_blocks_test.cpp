// Rows of blocks in registers: blocks of all sizes and orders, with extents that leave a rest of each kind.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;
using spc::sema::ValueType;

namespace {

/// Blocks of height x width, row-major or column-major inside, below the given outer levels.
std::string blocked(int height, int width, bool byColumns = false, const std::string &outer = "d,c") {
  const std::string h = std::to_string(height), w = std::to_string(width), comma = ",";
  const size_t cut = outer.find(',');
  const std::string rows = "0%" + h + "=d", columns = "1%" + w + "=d";
  return "@0/" + h + "=" + outer.substr(0, cut) + ",1/" + w + "=" + outer.substr(cut + 1) + comma +
         (byColumns ? columns + comma + rows : rows + comma + columns);
}

/// Extents around whole blocks, and the tile's extents where there is one.
std::vector<Trial> shapes(int classes, int height, int width) {
  std::vector<Trial> trials;
  for (int64_t rows : {1, height - 1, height, height + 1, 3 * height, 2 * height + 1})
    for (int64_t columns : {1, width, width + 1, 3 * width, 4 * width - 1})
      for (int64_t tile : classes > 2 ? std::vector<int64_t>{1, 3, 8, 17, 33} : std::vector<int64_t>{0}) {
        std::vector<int64_t> extents = {rows, columns, tile};
        extents.resize(size_t(classes));
        Trial trial{extents};
        trial.fill = columns % 3 == 0 ? Fill::EmptyRows : columns % 2 == 0 ? Fill::Random : Fill::StoredZeros;
        trial.padded = tile % 2 == 1;
        trial.seed = uint64_t(rows + 31 * columns);
        trials.push_back(trial);
      }
  trials.push_back({std::vector<int64_t>(size_t(classes), 2 * height * width), Fill::Empty});
  return trials;
}

void checkBlocks(const std::string &statements, const std::string &format, int height, int width, ValueType type,
                 bool strictFp = false) {
  KernelSpec spec;
  spec.statements = statements;
  spec.formats = {{"A", format}};
  spec.type = type;
  spec.optLevel = 2;
  spec.strictFp = strictFp;
  const KernelUnderTest kernel(spec);
  INFO(describe(spec) << "\n" << kernel.diagnostics());
  REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
  for (Trial trial : shapes(kernel.extentClasses(), height, width)) {
    trial.exact = strictFp && type == ValueType::F64;
    INFO(describe(trial));
    REQUIRE(kernel.check(trial) == "");
  }
}

const std::vector<std::pair<int, int>> kSizes = {{8, 8},  {4, 4}, {2, 2},  {3, 3}, {8, 4},
                                                 {2, 16}, {6, 4}, {16, 2}, {5, 7}, {11, 2}};

} // namespace

TEST_CASE("a matrix of blocks times a vector", "[promoted-blocks]") {
  for (auto [height, width] : kSizes)
    for (const bool byColumns : {false, true})
      for (const ValueType type : {ValueType::F64, ValueType::F32})
        checkBlocks("y(i) = A(i,j) * x(j)", blocked(height, width, byColumns), height, width, type);
}

TEST_CASE("blocks of every type of value", "[promoted-blocks]") {
  for (const ValueType type : {ValueType::I8, ValueType::I32, ValueType::I64, ValueType::U16, ValueType::Bool,
                               ValueType::F16, ValueType::BF16, ValueType::CF64}) {
    checkBlocks("y(i) = A(i,j) * x(j)", blocked(8, 8), 8, 8, type);
    checkBlocks("C(i,k) = A(i,j) * B(j,k)", blocked(4, 4), 4, 4, type);
  }
}

TEST_CASE("blocks added up in the order of the source", "[promoted-blocks]") {
  for (const ValueType type : {ValueType::F64, ValueType::F32})
    for (const bool byColumns : {false, true}) {
      checkBlocks("y(i) = A(i,j) * x(j)", blocked(8, 8, byColumns), 8, 8, type, true);
      checkBlocks("C(i,k) = A(i,j) * B(j,k)", blocked(4, 2, byColumns), 4, 2, type, true);
    }
}

TEST_CASE("blocks whose products are subtracted, scaled or added to what is there", "[promoted-blocks]") {
  for (const auto *statements : {"y(i) += A(i,j) * x(j)", "y(i) = z(i) - 3 * A(i,j) * x(j)", "y(i) = A(i,j)",
                                 "y(i) = A(i,j) * x(j) + A(i,j) * A(i,j)", "s = A(i,j) * x(j) * z(i)"})
    checkBlocks(statements, blocked(4, 8), 4, 8, ValueType::F64);
}

TEST_CASE("blocks below other levels", "[promoted-blocks]") {
  for (const std::string outer : {"c,c", "d,f3*?", "d,d", "c*,c"}) {
    checkBlocks("y(i) = A(i,j) * x(j)", blocked(4, 4, false, outer), 4, 4, ValueType::F32);
    checkBlocks("C(i,k) = A(i,j) * B(j,k)", blocked(4, 4, false, outer), 4, 4, ValueType::F64);
  }
}

TEST_CASE("a matrix of blocks times a dense one", "[promoted-blocks]") {
  for (auto [height, width] : kSizes)
    for (const bool byColumns : {false, true})
      checkBlocks("C(i,k) = A(i,j) * B(j,k)", blocked(height, width, byColumns), height, width, ValueType::F64);
  checkBlocks("C(i,k) += A(i,j) * B(j,k)", blocked(8, 8), 8, 8, ValueType::F32);
  checkBlocks("C(i,k) = A(i,j) * B(j,k) + D(i,k)", blocked(8, 8), 8, 8, ValueType::F32);
}
