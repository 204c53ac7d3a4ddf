#include "abi/signature.h"
#include "fixtures.h"

#include <catch2/catch.hpp>

using namespace spc;
using namespace spc::abi;
using abi::test::makeFormat;
using format::IndexType;
using sema::ValueType;

namespace {

std::string nameOf(const std::string &letters, std::vector<int> modes = {}, IndexType pointers = IndexType::I32,
                   IndexType indices = IndexType::I32) {
  return structFor(makeFormat(letters, std::move(modes), pointers, indices), ValueType::F64).name;
}

/// "nrows ncols nnz row_ptr:i32 ..."; array members as "shape[0] shape[1]".
std::string fieldsOf(const std::string &letters, std::vector<int> modes = {}, IndexType pointers = IndexType::I32,
                     ValueType value = ValueType::F64) {
  const StructType type = structFor(makeFormat(letters, std::move(modes), pointers), value);
  const std::string typeNames[] = {"", std::string(":") + spelling(type.format.pointers),
                                   std::string(":") + spelling(type.format.indices),
                                   std::string(":") + sema::spelling(value)};
  std::string text;
  for (const Field &field : type.fields) {
    text += (text.empty() ? "" : " ") + field.name;
    if (field.arrayLength > 0)
      text += "[" + std::to_string(field.index) + "/" + std::to_string(field.arrayLength) + "]";
    text += typeNames[static_cast<int>(field.type)];
  }
  return text;
}

} // namespace

TEST_CASE("structs are named after levels and modes") {
  CHECK(nameOf("dc") == "spc_csr_f64_i32");
  CHECK(nameOf("dc", {1, 0}) == "spc_csc_f64_i32");
  CHECK(nameOf("cc") == "spc_dcsr_f64_i32");
  CHECK(nameOf("cc", {1, 0}) == "spc_dcsc_f64_i32");
  CHECK(nameOf("c") == "spc_spvec_f64_i32");
  CHECK(nameOf("cs") == "spc_coo2_f64_i32");
  CHECK(nameOf("cs", {1, 0}) == "spc_coo2_10_f64_i32");
  CHECK(nameOf("csss") == "spc_coo4_f64_i32");
  CHECK(nameOf("css", {2, 0, 1}) == "spc_coo3_201_f64_i32");
  CHECK(nameOf("ccc") == "spc_csf3_f64_i32");
  CHECK(nameOf("ccc", {2, 0, 1}) == "spc_csf3_201_f64_i32");
  CHECK(nameOf("cccccccc") == "spc_csf8_f64_i32");
  CHECK(nameOf("dcc") == "spc_dcc_f64_i32");
  CHECK(nameOf("cdc", {2, 0, 1}) == "spc_cdc_201_f64_i32");
  CHECK(nameOf("cd") == "spc_cd_f64_i32");
  CHECK(nameOf("d") == "spc_dense1_f64");
  CHECK(nameOf("dd") == "spc_dense2_f64");
  CHECK(nameOf("dd", {1, 0}) == "spc_dense2_10_f64");
  CHECK(nameOf("ddd", {0, 2, 1}) == "spc_dense3_021_f64");
}

TEST_CASE("letters never spell another format's name") {
  CHECK(nameOf("csc") == "spc_csc_012_f64_i32");
  CHECK(nameOf("dcsc") == "spc_dcsc_0123_f64_i32");
}

TEST_CASE("level properties other than the usual ones show in the name") {
  format::Format format = makeFormat("dc");
  format.levels[1].ordered = false;
  CHECK(structFor(format, ValueType::F64).name == "spc_dcu_f64_i32");
  format.levels[1].unique = false;
  CHECK(structFor(format, ValueType::F64).name == "spc_dcnu_f64_i32");
  format = makeFormat("cs");
  format.levels[0].unique = true;
  CHECK(structFor(format, ValueType::F32).name == "spc_cqs_f32_i32");
  CHECK(structFor(format, ValueType::F32).fields[0].name == "shape");
}

TEST_CASE("struct names spell value and index types") {
  using enum IndexType;
  CHECK(structFor(makeFormat("dc"), ValueType::F32).name == "spc_csr_f32_i32");
  CHECK(nameOf("dc", {}, I64, I64) == "spc_csr_f64_i64");
  CHECK(nameOf("dc", {}, I64, I32) == "spc_csr_f64_p64_i32");
  CHECK(nameOf("dc", {}, I32, I64) == "spc_csr_f64_p32_i64");
  SECTION("formats without a pointers array ignore the pointer type") {
    CHECK(nameOf("css", {}, I64, I32) == "spc_coo3_f64_i32");
    CHECK(nameOf("c", {}, I32, I64) == "spc_spvec_f64_i64");
    CHECK(nameOf("dd", {}, I64, I64) == "spc_dense2_f64");
  }
  SECTION("the format's own name does not count") {
    format::Format format = makeFormat("dc");
    format.name = "mine";
    CHECK(structFor(format, ValueType::F64).name == "spc_csr_f64_i32");
  }
}

TEST_CASE("struct fields follow the calling convention") {
  CHECK(fieldsOf("dc") == "nrows ncols nnz row_ptr:i32 col_ind:i32 values:f64");
  CHECK(fieldsOf("dc", {1, 0}) == "nrows ncols nnz col_ptr:i32 row_ind:i32 values:f64");
  CHECK(fieldsOf("dc", {}, IndexType::I64, ValueType::F32) == "nrows ncols nnz row_ptr:i64 col_ind:i32 values:f32");
  CHECK(fieldsOf("cs") == "nrows ncols nnz row_ind:i32 col_ind:i32 values:f64");
  CHECK(fieldsOf("cs", {1, 0}) == "nrows ncols nnz col_ind:i32 row_ind:i32 values:f64");
  CHECK(fieldsOf("c") == "size nnz indices_0:i32 values:f64");
  CHECK(fieldsOf("cc") == "shape[0/2] shape[1/2] nnz count_0 indices_0:i32 pointers_to_1:i32 indices_1:i32 values:f64");
  CHECK(fieldsOf("css") == "shape[0/3] shape[1/3] shape[2/3] nnz indices_0:i32 indices_1:i32 indices_2:i32 values:f64");
  CHECK(fieldsOf("ccc", {2, 0, 1}) == "shape[0/3] shape[1/3] shape[2/3] nnz count_0 count_1 indices_0:i32 "
                                      "pointers_to_1:i32 indices_1:i32 pointers_to_2:i32 indices_2:i32 values:f64");
  CHECK(fieldsOf("dcc") == "shape[0/3] shape[1/3] shape[2/3] nnz count_1 pointers_to_1:i32 indices_1:i32 "
                           "pointers_to_2:i32 indices_2:i32 values:f64");
  CHECK(fieldsOf("cd") == "shape[0/2] shape[1/2] nnz count_0 indices_0:i32 values:f64");
  CHECK(fieldsOf("d") == "size stride values:f64");
  CHECK(fieldsOf("dd", {1, 0}) == "shape[0/2] shape[1/2] strides[0/2] strides[1/2] values:f64");
}

TEST_CASE("fields are found by role") {
  const StructType csc = structFor(makeFormat("dc", {1, 0}), ValueType::F64);
  CHECK(csc.find(FieldRole::Size, 1) == 1);
  CHECK(csc.find(FieldRole::Stored) == 2);
  CHECK(csc.find(FieldRole::Pointers, 1) == 3);
  CHECK(csc.find(FieldRole::Indices, 1) == 4);
  CHECK(csc.find(FieldRole::Values) == 5);
  CHECK(csc.find(FieldRole::Pointers, 0) == -1);
  CHECK(csc.find(FieldRole::Count, 0) == -1);
  CHECK(csc.find(FieldRole::Stride, 0) == -1);

  const StructType coo = structFor(makeFormat("css"), ValueType::F64);
  CHECK(coo.find(FieldRole::Stored) == 3);
  CHECK(coo.find(FieldRole::Count, 0) == 3);
  CHECK(coo.find(FieldRole::Count, 1) == -1);
  CHECK(structFor(makeFormat("c"), ValueType::F64).find(FieldRole::Count, 0) == 1);
  CHECK(structFor(makeFormat("cc"), ValueType::F64).find(FieldRole::Count, 0) == 3);

  const StructType dense = structFor(makeFormat("ddd"), ValueType::F64);
  CHECK(dense.find(FieldRole::Stride, 2) == 5);
  CHECK(dense.find(FieldRole::Stored) == -1);
  CHECK(dense.find(FieldRole::Count, 0) == -1);
}
