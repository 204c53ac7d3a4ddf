// Arrays of packed tensors that are moved to other memory.
#include "tensor/tensor.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace spc::tensor {

namespace {

PackedTensor packedRows(const Coordinates &entries) {
  format::Format format{"test",
                        {{.storage = format::Storage::Dense, .extent = format::Extent::Fixed},
                         {.storage = format::Storage::Compressed, .extent = format::Extent::Ragged}}};
  for (int k = 0; k < 2; ++k)
    format.levels[k].dim = k;
  std::string error;
  std::optional<PackedTensor> tensor = PackedTensor::pack(entries, format, sema::ValueType::F64, error);
  REQUIRE(tensor);
  return std::move(*tensor);
}

} // namespace

TEST_CASE("moved arrays hold what they held, elsewhere, and those that share them follow") {
  const Coordinates entries{{3, 4}, {0, 1, 2, 0, 2, 3}, {1, 2, 3}};
  PackedTensor owner = packedRows(entries), sharer = packedRows({{3, 4}, {0, 0, 0, 1, 0, 2}, {4, 5, 6}});
  sharer.borrowStructure(owner);
  const void *before = owner.values();
  const std::vector<MemoryRange> ranges = owner.ranges();
  CHECK(std::any_of(ranges.begin(), ranges.end(), [&](const MemoryRange &one) { return one.begin == before; }));
  TwinArrays twins;
  owner.copyArrays(twins);
  sharer.copyArrays(twins);
  CHECK(twins.size() >= 6);
  const auto follow = [&] {
    for (PackedTensor *tensor : {&owner, &sharer})
      tensor->followArrays(twins);
  };
  follow();
  const void *copied = owner.values();
  CHECK(copied != before);
  for (const void *expected : {before, copied}) { // there and back
    owner.swapArrays(twins);
    sharer.swapArrays(twins);
    follow();
    CHECK(owner.values() == expected);
  }
  for (TwinArray &one : twins)
    one.spare.reset(); // nothing may point there any more
  CHECK(owner.unpack().coordinates == entries.coordinates);
  CHECK(owner.unpack().values == entries.values);
  CHECK(sharer.unpack().coordinates == entries.coordinates);
  CHECK(sharer.unpack().values == std::vector<double>{4, 5, 6});
}

TEST_CASE("no more of some arrays lies on large pages than they are long") {
  CHECK(bytesOnLargePages({}) == 0);
  const std::vector<char> array(1 << 20, 1);
  CHECK(bytesOnLargePages({{array.data(), array.size()}}) <= static_cast<double>(array.size()));
}

} // namespace spc::tensor
