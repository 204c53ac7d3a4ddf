#include "runtime/cpu_level.h"

#include <catch2/catch.hpp>

namespace spc::runtime::test {
namespace {

// What cpuid and xgetbv say of processors under Linux: ecx of leaf 1, ebx of leaf 7, ecx of leaf 0x80000001, XCR0, edx
// of leaf 7, ebx of leaf 0.
constexpr uint32_t kIntel = 0x756e6547, kAmd = 0x68747541;
constexpr CpuRegisters kOpteron{0x00002001, 0, 0x00000001, 0, 0, kAmd};
constexpr CpuRegisters kNehalem{0x009ae3bd, 0, 0x00000001, 0, 0, kIntel};
constexpr CpuRegisters kSandyBridge{0x1fbae3bf, 0, 0x00000001, 0x7, 0, kIntel};
constexpr CpuRegisters kHaswell{0x7ffafbff, 0x000027ab, 0x00000021, 0x7, 0, kIntel};
constexpr CpuRegisters kSkylakeServer{0x7ffefbff, 0xd39ffffb, 0x00000121, 0xe7, 0xbc000400, kIntel};
constexpr CpuRegisters kSapphireRapids{0x7ffefbff, 0xf3bfbffb, 0x00000121, 0x602e7, 0xffdd4432, kIntel};
constexpr CpuRegisters kZen4{0x7ef8320b, 0xf1bf97a9, 0x75c237ff, 0x2e7, 0x10000010, kAmd};

CpuRegisters without(CpuRegisters registers, const CpuRegisters &removed) {
  registers.ecx1 &= ~removed.ecx1;
  registers.ebx7 &= ~removed.ebx7;
  registers.ecxExtended &= ~removed.ecxExtended;
  registers.saved &= ~removed.saved;
  return registers;
}

TEST_CASE("processors are of the levels that their makers say") {
  CHECK(runtime::levelOf({}) == 1);
  CHECK(runtime::levelOf(kOpteron) == 1);
  CHECK(runtime::levelOf(kNehalem) == 2);
  CHECK(runtime::levelOf(kSandyBridge) == 2);
  CHECK(runtime::levelOf(kHaswell) == 3);
  CHECK(runtime::levelOf(kSkylakeServer) == 4);
  CHECK(runtime::levelOf(kZen4) == 4);
  CHECK(runtime::levelOf(kSapphireRapids) == 5);
}

TEST_CASE("gathers are fast on Intel's processors with AVX512-FP16 alone") {
  CpuRegisters other = kSapphireRapids;
  other.maker = kAmd;
  CHECK(runtime::levelOf(other) == 4);
  other = kSapphireRapids;
  other.edx7 &= ~(uint32_t{1} << 23);
  CHECK(runtime::levelOf(other) == 4);
  CHECK(runtime::levelOf(without(kSapphireRapids, {0, 0, 0, 0xe0, 0, 0})) == 3);
}

TEST_CASE("registers that the system does not save are not used") {
  CHECK(runtime::levelOf(without(kZen4, {0, 0, 0, 0xe0, 0, 0})) == 3);
  for (uint64_t part : {0x20, 0x40, 0x80})
    CHECK(runtime::levelOf(without(kZen4, {0, 0, 0, part, 0, 0})) == 3);
  CHECK(runtime::levelOf(without(kZen4, {0, 0, 0, 0x4, 0, 0})) == 2);
  CHECK(runtime::levelOf(without(kHaswell, {0, 0, 0, 0x2, 0, 0})) == 2);
  // no xgetbv, hence no XCR0
  CHECK(runtime::levelOf(without(kHaswell, {uint32_t{1} << 27, 0, 0, ~uint64_t{0}, 0, 0})) == 2);
}

TEST_CASE("each feature of a level counts") {
  const auto place = [](int bit) { return uint32_t{1} << bit; };
  for (int bit : {0, 9, 13, 19, 20, 23})
    CHECK(runtime::levelOf(without(kZen4, {place(bit), 0, 0, 0, 0, 0})) == 1);
  CHECK(runtime::levelOf(without(kZen4, {0, 0, place(0), 0, 0, 0})) == 1);
  for (int bit : {12, 22, 27, 28, 29})
    CHECK(runtime::levelOf(without(kZen4, {place(bit), 0, 0, 0, 0, 0})) == 2);
  for (int bit : {3, 5, 8})
    CHECK(runtime::levelOf(without(kZen4, {0, place(bit), 0, 0, 0, 0})) == 2);
  CHECK(runtime::levelOf(without(kZen4, {0, 0, place(5), 0, 0, 0})) == 2);
  for (int bit : {16, 17, 28, 30, 31})
    CHECK(runtime::levelOf(without(kZen4, {0, place(bit), 0, 0, 0, 0})) == 3);
}

} // namespace
} // namespace spc::runtime::test
