// Trees of what formats store.
#include "explain/data.h"
#include "explain/stored_tree.h"
#include "explain/text.h"

#include <catch2/catch.hpp>

namespace spc::explain {
namespace {

using format::Extent;
using format::Level;
using format::Part;
using format::Storage;

const format::Format kCsr{"csr",
                          {Level{.dim = 0}, Level{.dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged}}};
const format::Format kBlocks{
    "bsr",
    {Level{.dim = 0, .part = Part::Quotient, .block = 2},
     Level{.dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged, .part = Part::Quotient, .block = 2},
     Level{.dim = 0, .part = Part::Remainder, .block = 2}, Level{.dim = 1, .part = Part::Remainder, .block = 2}}};

/// Three entries, two in row 0 and one in row 2; row 1 is empty.
tensor::Coordinates entries() {
  tensor::Coordinates made;
  made.shape = {3, 4};
  made.coordinates = {0, 1, 2, 3, 0, 0};
  made.values = {1, 2, 3};
  return made;
}

tensor::PackedTensor packed(const format::Format &format) {
  std::string error;
  auto made = tensor::PackedTensor::pack(entries(), format, sema::ValueType::F64, error);
  REQUIRE(made);
  return std::move(*made);
}

} // namespace

TEST_CASE("a tree has the rows with entries, and their columns") {
  const StoredTree tree(packed(kCsr));
  REQUIRE(tree.levelCount() == 2);
  REQUIRE(tree.nodes(0) == 2);
  CHECK(tree.coordinate(0, 1) == 2);
  CHECK(tree.leaves(0, tree.roots()) == 3);
  const StoredTree::Range row = tree.below(0, 0);
  REQUIRE(row.end - row.begin == 2);
  CHECK(tree.coordinate(1, row.begin) == 0);
  CHECK(tree.coordinate(1, row.begin + 1) == 1);
  CHECK(tree.leaves(1, tree.below(0, 1)) == 1);
}

TEST_CASE("places of blocks count where they are inside of the tensor") {
  const StoredTree tree(packed(kBlocks));
  CHECK(tree.nodes(1) == 2);
  CHECK(tree.leaves(0, tree.roots()) == 4 + 2); // the second block has one row outside
}

TEST_CASE("numbers for people") {
  CHECK(numberText(1234) == "1,234");
  CHECK(numberText(0.5) == "0.5");
  CHECK(byteText(1500) == "1.5 kB");
  CHECK(timeText(2e-6) == "2 us");
}

} // namespace spc::explain
