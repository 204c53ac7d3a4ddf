// Names and fields of the structs for the whole algebra.
#include "storages.h"

#include "abi/signature.h"
#include "fixtures.h"
#include "format/levels.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace spc;
using namespace spc::abi;
using namespace spc::abi::test;
using format::Extent;
using format::Format;
using format::Storage;
using format::Symmetry;
using sema::ValueType;
using enum format::IndexType;

namespace {

std::string nameOf(const Format &format, ValueType value = ValueType::F64) {
  return structFor(format, value).name;
}

/// "nrows ncols nnz row_ptr col_ind values"; an array member once.
std::string fieldsOf(const Format &format) {
  std::string text;
  for (const Field &field : structFor(format, ValueType::F64).fields)
    if (field.arrayLength == 0 || field.index == 0)
      text += (text.empty() ? "" : " ") + field.name;
  return text;
}

/// Whether the entries of level `k` follow from the struct's numbers: by a field, or from nnz, never from both where
/// the level is an inner one.
bool isCountKnown(const StructType &type, int k) {
  const std::vector<format::Level> &levels = type.format.levels;
  const format::Level &level = levels[static_cast<size_t>(k)];
  const bool isField = type.find(FieldRole::Count, k) >= 0;
  if (level.extent != Extent::Ragged && level.extent != Extent::Lengths)
    return !isField;
  const bool isMultiple = std::all_of(levels.begin() + k + 1, levels.end(), [](const format::Level &below) {
    const bool isPlaceInBlock = below.isDense() && below.part == format::Part::Remainder;
    return below.extent == Extent::Fixed && (below.isDense() ? isPlaceInBlock : below.width.has_value());
  });
  return k == 0 && level.extent == Extent::Ragged ? isField : isField != isMultiple;
}

} // namespace

TEST_CASE("formats share a struct's name exactly where they are stored alike") {
  std::map<std::string, std::string> keys, names;
  for (const Format &format : manyFormats()) {
    const std::string key = storageKey(format), name = nameOf(format);
    const auto &[byName, isNewName] = keys.emplace(name, key);
    const auto &[byKey, isNewKey] = names.emplace(key, name);
    if (byName->second != key || byKey->second != name) {
      INFO(format::describe(format));
      CHECK(byName->second == key);
      CHECK(byKey->second == name);
    }
    if (!isNewName)
      continue;
    for (const char letter : name)
      if (!(letter >= 'a' && letter <= 'z') && !(letter >= '0' && letter <= '9') && letter != '_')
        FAIL(name << " is no lower-case identifier");
    if (name.find("__") != std::string::npos)
      FAIL(name << " is reserved in C++");
  }
  CHECK(keys.size() > 5000);
}

TEST_CASE("names do not depend on what a format is called") {
  Format format = blocks(Extent::Ragged, 4, 8);
  format.name = "mine";
  CHECK(nameOf(format) == "spc_bsr4x8_f64_i32");
}

TEST_CASE("well-known storages have readable names") {
  CHECK(nameOf(ell(16)) == "spc_ell16_f64_i32");
  CHECK(nameOf(ell({})) == "spc_ell_f64_i32");
  CHECK(nameOf(ell(4, true)) == "spc_ell4qo_f64_i32");
  CHECK(nameOf(format::permuted(ell(4), {1, 0})) == "spc_ell4_10_f64_i32");
  CHECK(nameOf(blocks(Extent::Ragged, 4, 8)) == "spc_bsr4x8_f64_i32");
  CHECK(nameOf(blocks(Extent::Ragged, 4, 8, true)) == "spc_bsr4x8_cm_f64_i32");
  CHECK(nameOf(format::permuted(blocks(Extent::Ragged, 4, 8), {1, 0})) == "spc_bsc8x4_cm_f64_i32");
  Format doubly = blocks(Extent::Ragged, 2, 2);
  doubly.levels[0].storage = Storage::Compressed;
  doubly.levels[0].extent = Extent::Ragged;
  CHECK(nameOf(doubly) == "spc_dbsr2x2_f64_i32");
  Format blockEll = blocks(Extent::Fixed, 4, 8);
  blockEll.levels[1].width = {};
  blockEll.levels[1].unique = blockEll.levels[1].ordered = false;
  CHECK(nameOf(blockEll) == "spc_bell4x8_f64_i32");
  CHECK(nameOf(diagonals()) == "spc_dia_f64_i32");
  CHECK(nameOf(ragged(Storage::Dense, Extent::Ragged)) == "spc_ragged_f64_p32");
  CHECK(nameOf(ragged(Storage::Dense, Extent::Lengths)) == "spc_ragged_len_f64_p32");
  CHECK(nameOf(ragged(Storage::Compressed, Extent::Lengths)) == "spc_csr_len_f64_i32");
  CHECK(nameOf(triangle(Symmetry::Lower)) == "spc_lower_f64");
  CHECK(nameOf(triangle(Symmetry::Upper)) == "spc_upper_f64");
  CHECK(nameOf(grouped(2, 4), ValueType::F16) == "spc_nm2of4_f16_i32");
  Format unordered = grouped(2, 4);
  unordered.levels[2].ordered = false;
  CHECK(nameOf(unordered) == "spc_nm2of4u_f64_i32");
  CHECK(nameOf(interleaved(makeFormat("cs"))) == "spc_coo2_aos_f64_i32");
  CHECK(nameOf(symmetric(makeFormat("dc"), Symmetry::Lower)) == "spc_csr_symlo_f64_i32");
  CHECK(nameOf(symmetric(triangle(Symmetry::Upper), Symmetry::Upper)) == "spc_upper_symup_f64");
}

TEST_CASE("names spell every value and index type") {
  const Format csr = makeFormat("dc");
  CHECK(nameOf(csr, ValueType::BF16) == "spc_csr_bf16_i32");
  CHECK(nameOf(csr, ValueType::CF64) == "spc_csr_cf64_i32");
  CHECK(nameOf(csr, ValueType::Bool) == "spc_csr_bool_i32");
  CHECK(nameOf(makeFormat("dd"), ValueType::U8) == "spc_dense2_u8");
  CHECK(nameOf(withTypes(csr, U16, U8)) == "spc_csr_f64_p16_u8");
  CHECK(nameOf(withTypes(csr, U8, U8)) == "spc_csr_f64_u8");
  CHECK(nameOf(withTypes(csr, I32, U16)) == "spc_csr_f64_p32_u16");
  CHECK(nameOf(withTypes(ell(4), I64, U16)) == "spc_ell4_f64_u16");
  CHECK(nameOf(withTypes(ragged(Storage::Dense, Extent::Ragged), U16, I64)) == "spc_ragged_f64_p16");
  std::set<std::string> names;
  for (const ValueType value : sema::kValueTypes)
    names.insert(nameOf(csr, value));
  CHECK(names.size() == std::size(sema::kValueTypes));
}

TEST_CASE("structs have exactly the arrays that their storage needs") {
  CHECK(fieldsOf(ell(16)) == "nrows ncols col_ind values");
  CHECK(fieldsOf(ell({})) == "nrows ncols width col_ind values");
  CHECK(fieldsOf(format::permuted(ell({}), {1, 0})) == "nrows ncols width row_ind values");
  CHECK(fieldsOf(blocks(Extent::Ragged, 4, 8)) == "nrows ncols nnz row_ptr col_ind values");
  CHECK(fieldsOf(format::permuted(blocks(Extent::Ragged, 4, 8), {1, 0})) == "nrows ncols nnz col_ptr row_ind values");
  CHECK(fieldsOf(diagonals()) == "shape nnz count_0 indices_0 values");
  CHECK(fieldsOf(ragged(Storage::Dense, Extent::Ragged)) == "nrows ncols nnz row_ptr values");
  CHECK(fieldsOf(ragged(Storage::Dense, Extent::Lengths)) == "nrows ncols nnz row_len values");
  CHECK(fieldsOf(ragged(Storage::Compressed, Extent::Lengths)) == "nrows ncols nnz row_len col_ind values");
  CHECK(fieldsOf(triangle(Symmetry::Lower)) == "nrows ncols values");
  CHECK(fieldsOf(grouped(2, 4)) == "shape indices_2 values");
  CHECK(fieldsOf(interleaved(makeFormat("cs"))) == "nrows ncols nnz entries values");
  CHECK(fieldsOf(interleaved(makeFormat("dcs"))) == "shape nnz pointers_to_1 entries values");
  CHECK(fieldsOf(makeFormat("dccc")) ==
        "shape nnz count_1 count_2 pointers_to_1 indices_1 pointers_to_2 indices_2 pointers_to_3 indices_3 values");
  CHECK(fieldsOf(makeFormat("dcd")) == "shape nnz count_1 pointers_to_1 indices_1 values");
  CHECK(fieldsOf(makeFormat("csc")) == "shape nnz count_0 indices_0 indices_1 pointers_to_2 indices_2 values");
  Format tiled{"", {{}, {}, {}, {}}};
  for (int k = 0; k < 4; ++k)
    tiled.levels[static_cast<size_t>(k)] = {
        .dim = k % 2, .part = k < 2 ? format::Part::Quotient : format::Part::Remainder, .block = 4};
  CHECK(fieldsOf(tiled) == "shape values");
  CHECK(fieldsOf(symmetric(makeFormat("dd"), Symmetry::Lower)) == "shape values");
}

TEST_CASE("there is a count exactly where sizes do not tell it") {
  CHECK(storesCount(makeFormat("dc")));
  CHECK(storesCount(diagonals()));
  CHECK(storesCount(blocks(Extent::Lengths, 4, 4)));
  CHECK(storesCount(ragged(Storage::Dense, Extent::Lengths)));
  CHECK_FALSE(storesCount(ell({})));
  CHECK_FALSE(storesCount(grouped(2, 4)));
  CHECK_FALSE(storesCount(triangle(Symmetry::Lower)));
  CHECK_FALSE(storesCount(makeFormat("dd")));
}

TEST_CASE("every array and number of the algebra is found by its role") {
  for (const Format &format : manyFormats()) {
    const StructType type = structFor(format, ValueType::F32);
    bool isWhole = type.find(FieldRole::Values) == static_cast<int>(type.fields.size()) - 1 &&
                   (type.find(FieldRole::Stored) >= 0) == storesCount(format);
    std::set<std::string> names;
    for (const Field &field : type.fields)
      isWhole = isWhole && (names.insert(field.name).second || field.arrayLength > 0);
    for (int k = 0; k < format.levelCount() && !format.isDense(); ++k) {
      const format::Level &level = format.levels[static_cast<size_t>(k)];
      const bool isArray = level.extent == Extent::Ragged && k > 0;
      isWhole = isWhole && (type.find(FieldRole::Pointers, k) >= 0) == isArray &&
                (type.find(FieldRole::Lengths, k) >= 0) == (level.extent == Extent::Lengths) &&
                (type.find(FieldRole::Indices, k) >= 0) == (!level.isDense() && !format.interleaved) &&
                (type.find(FieldRole::Width, k) >= 0) ==
                    (format::kindOf(format, k) == format::LevelKind::FixedWidth && !level.width) &&
                isCountKnown(type, k);
    }
    if (!isWhole)
      FAIL(type.name);
  }
  CHECK(structFor(interleaved(makeFormat("dcs")), ValueType::F32).find(FieldRole::Entries, 1) == 5);
}
