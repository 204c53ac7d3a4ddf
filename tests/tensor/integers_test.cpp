// Integers of 64 bits, which doubles do not hold: read, added up, packed and written.
#include "tensor/files/files.h"
#include "tensor/numbers.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace spc::tensor {

namespace {

Coordinates readText(const std::string &name, const std::string &text) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("spc-integers-" + std::to_string(::getpid()) + "-" + name);
  std::ofstream(path, std::ios::binary) << text;
  Diagnostics diagnostics;
  const std::optional<Coordinates> entries = readTensor(path.string(), std::nullopt, diagnostics);
  std::filesystem::remove(path);
  REQUIRE(entries);
  return *entries;
}

} // namespace

TEST_CASE("integers that no double holds") {
  const std::string lines = "1 9007199254740993\n2 -9223372036854775807\n3 18446744073709551613\n4 9007199254740992.0\n"
                            "5 1.8446744073709551613e19\n6 36893488147419103232\n";
  const Coordinates entries = readText("a.tns", lines);
  const auto digits = [&](size_t entry) { return toDigits(*toInteger(entries.value(entry))); };
  CHECK(digits(0) == "9007199254740993");
  CHECK(digits(1) == "-9223372036854775807");
  CHECK(digits(2) == "18446744073709551613");
  CHECK(digits(3) == "9007199254740992");
  CHECK(digits(4) == "18446744073709551613");
  CHECK(digits(5) == "36893488147419103232");
  CHECK(entries.rests == std::vector<int16_t>{1, 1, -3, 0, -3, 0});
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  const Coordinates signedOnes = readText("a.mtx", banner + "integer general\n1 1 1\n1 1 9007199254740993\n");
  CHECK(writeMatrixMarket(signedOnes, {sema::ValueType::I64}) ==
        banner + "integer general\n1 1 1\n1 1 9007199254740993\n");
  const std::string large = banner + "unsigned-integer general\n1 1 1\n1 1 18446744073709551615\n";
  CHECK(writeMatrixMarket(readText("a.mtx", large), {sema::ValueType::U64}) == large);
  CHECK(writeTns({{3}, {0, 1, 2}, {1e15, -INFINITY, INFINITY}}, {sema::ValueType::I64}) ==
        "1 1000000000000000\n2 -9223372036854775808\n3 9223372036854775807\n");
  const Coordinates skew = readText("a.mtx", banner + "integer skew-symmetric\n2 2 1\n2 1 9007199254740993\n");
  CHECK(skew.value(1) == fromInteger(-9007199254740993));
}

TEST_CASE("integers are read from decimal digits") {
  const auto read = [](const char *text) {
    const std::optional<Integer> integer = readInteger(text);
    return integer ? toDigits(*integer) : "none";
  };
  CHECK(read("0") == "0");
  CHECK(read("-0") == "0");
  CHECK(read("+12") == "12");
  CHECK(read("1.50e1") == "15");
  CHECK(read("-1e20") == "-100000000000000000000");
  CHECK(read("1200e-2") == "12");
  for (const char *text : {"", "-", ".", "e5", "1.5", "1e", "1e400", "1e-3", "inf", "nan", "0x10", "12 ", "1.2.3",
                           "1e+-5", "99999999999999999999999999999999999999", "--1"}) {
    INFO(text);
    CHECK(read(text) == "none");
  }
}

TEST_CASE("integers of 64 bits are packed, added up and unpacked as integers") {
  const auto pack = [](const std::vector<Integer> &numbers, const char *shape, sema::ValueType type) {
    Coordinates entries{{3, 3}, {}, {}};
    for (size_t e = 0; e < numbers.size(); ++e) {
      const int64_t at[] = {shape[2 * e] - '0', shape[2 * e + 1] - '0'};
      entries.append(at, fromInteger(numbers[e]));
    }
    format::Format csr{"csr",
                       {{.storage = format::Storage::Dense, .extent = format::Extent::Fixed},
                        {.storage = format::Storage::Compressed, .extent = format::Extent::Ragged}}};
    csr.levels[1].dim = 1;
    std::string error;
    auto packed = PackedTensor::pack(entries, csr, type, error);
    std::string text = error;
    for (size_t e = 0; packed && e < packed->unpack().size(); ++e)
      text += toText(packed->unpack().value(e)) + " ";
    return text;
  };
  constexpr Integer kLarge = (Integer{1} << 53) + 1;
  CHECK(pack({kLarge, -kLarge, 5}, "120021", sema::ValueType::I64) == "-9007199254740993 9007199254740993 5 ");
  CHECK(pack({kLarge, 1, 1}, "000000", sema::ValueType::I64) == "9007199254740995 ");
  CHECK(pack({kLarge - 2, 2, 1}, "111101", sema::ValueType::I64) == "1 9007199254740993 ");
  CHECK(pack({(Integer{1} << 63), (Integer{1} << 63) - 3}, "0000", sema::ValueType::U64) == "18446744073709551613 ");
  CHECK(pack({(Integer{1} << 63)}, "00", sema::ValueType::I64) ==
        "value 9223372036854775808 does not fit the type i64");
  CHECK(pack({(Integer{1} << 63) + 2048, 1}, "0000", sema::ValueType::I64) ==
        "value 9223372036854777857 does not fit the type i64");
  CHECK(pack({kLarge, 1}, "0000", sema::ValueType::F64) == "9.0072e+15 ");
}

} // namespace spc::tensor
