#include "abi/names.h"
#include "abi/signature.h"
#include "fixtures.h"

#include <catch2/catch.hpp>

#include <tuple>

using namespace spc;
using namespace spc::abi;

namespace {

/// The parameter names of a kernel with scalar operands of these names.
std::vector<std::string> namesFor(const std::vector<std::string> &tensors) {
  sema::Kernel kernel;
  kernel.function = "f";
  for (const std::string &name : tensors) {
    kernel.parameters.push_back(kernel.tensors.add({}));
    kernel.tensors.back().name = name;
  }
  std::vector<std::string> names;
  for (const Parameter &parameter : makeSignature(kernel).parameters)
    names.push_back(parameter.name);
  return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("operands are const structs, a shared pattern's output fills its structure") {
  SourceManager sources;
  const Signature signature = makeSignature(abi::test::sddmm(sources));
  CHECK(signature.function == "sddmm");
  REQUIRE(signature.parameters.size() == 4);
  const Parameter &s = signature.parameters[0], &d = signature.parameters[3];
  CHECK(s.kind == ParameterKind::Tensor);
  CHECK(s.type.name == "spc_csr_f32_i32");
  CHECK_FALSE(s.isWritten);
  CHECK_FALSE(s.fillsStructure);
  CHECK(d.type.name == "spc_csr_f32_i32");
  CHECK(d.isWritten);
  CHECK(d.fillsStructure);
  CHECK(signature.parameters[1].type.name == "spc_dense2_f32");
}

TEST_CASE("a sparse tensor scaled in place has nothing to fill") {
  SourceManager sources;
  sema::Kernel kernel = abi::test::sddmm(sources);
  kernel.tensors[sema::TensorId(3)].structure = sema::Own{};
  CHECK_FALSE(makeSignature(kernel).parameters[3].fillsStructure);
}

TEST_CASE("scalars go by value, order-0 outputs by pointer") {
  SourceManager sources;
  sema::Kernel kernel = abi::test::scaledSpmv(sources);
  Signature signature = makeSignature(kernel);
  CHECK(signature.parameters[0].kind == ParameterKind::ScalarValue);
  CHECK(signature.parameters[3].isWritten);
  CHECK(signature.parameters[4].kind == ParameterKind::ScalarPointer);
  CHECK(signature.parameters[4].name == "nrm");
  kernel.tensors[sema::TensorId(4)].isRead = true;
  CHECK(makeSignature(kernel).parameters[4].kind == ParameterKind::ScalarPointer);
}

TEST_CASE("a tensor with another's structure is its values, a complex operand a pointer, a sum its parts") {
  SourceManager sources;
  const Signature signature = makeSignature(abi::test::sharedParts(sources));
  REQUIRE(signature.parameters.size() == 5);
  const auto &[alpha, first, second, b, c] =
      std::tie(signature.parameters[0], signature.parameters[1], signature.parameters[2], signature.parameters[3],
               signature.parameters[4]);
  CHECK(alpha.kind == ParameterKind::ScalarPointer);
  CHECK_FALSE(alpha.isWritten);
  CHECK(first.kind == ParameterKind::Tensor);
  CHECK(first.name == "A_0");
  CHECK(second.type.name == "spc_coo2_cf64_i32");
  CHECK(b.kind == ParameterKind::Values);
  CHECK_FALSE(b.isWritten);
  CHECK(c.kind == ParameterKind::Values);
  CHECK(c.isWritten);
  CHECK_FALSE(c.fillsStructure);
}

TEST_CASE("an assembled output is a struct that the call sets") {
  SourceManager sources;
  sema::Kernel kernel = abi::test::product(sources);
  const Signature signature = makeSignature(kernel);
  REQUIRE(signature.parameters.size() == 3);
  const Parameter &a = signature.parameters[2];
  CHECK(a.kind == ParameterKind::Tensor);
  CHECK(a.isAssembled);
  CHECK(a.isWritten);
  CHECK_FALSE(a.fillsStructure);
  CHECK_FALSE(signature.parameters[0].isAssembled);
  CHECK(signature.hasPhases);
  // Without computed zeros the pattern depends on the values; of what is added to, old values are needed.
  kernel.dropZeros = true;
  CHECK_FALSE(makeSignature(kernel).hasPhases);
  kernel.dropZeros = false;
  kernel.tensors[sema::TensorId(2)].isRead = true;
  CHECK_FALSE(makeSignature(kernel).hasPhases);
  CHECK(makeSignature(kernel).parameters[2].isAssembled);
  SourceManager others;
  CHECK_FALSE(makeSignature(abi::test::sddmm(others)).hasPhases);
}

TEST_CASE("a kernel of several steps has no phases") {
  SourceManager sources;
  const sema::Kernel kernel = abi::test::accumulated(sources);
  const Signature signature = makeSignature(kernel);
  CHECK_FALSE(signature.hasPhases);
  CHECK(signature.parameters[1].isAssembled);
  CHECK(signature.parameters[1].name == "A");
}

TEST_CASE("only parameters of the kernel are parameters of the function") {
  SourceManager sources;
  sema::Kernel kernel = abi::test::scaledSpmv(sources);
  kernel.parameters = {sema::TensorId(3), sema::TensorId(1)};
  const Signature signature = makeSignature(kernel);
  REQUIRE(signature.parameters.size() == 2);
  CHECK(signature.parameters[0].tensor == sema::TensorId(3));
  CHECK(signature.parameters[1].name == "M");
}

TEST_CASE("parameter names avoid keywords, macros and our own names") {
  CHECK(namesFor({"A", "x"}) == Names{"A", "x"});
  CHECK(namesFor({"int", "class", "and"}) == Names{"int_", "class_", "and_"});
  CHECK(namesFor({"ctx", "spc_status", "SPC_OK"}) == Names{"ctx_", "spc_status_", "SPC_OK_"});
  CHECK(namesFor({"I", "NULL", "__linux__", "_Bool"}) == Names{"I_", "NULL_", "__linux___", "_Bool_"});
  CHECK(namesFor({"f", "f_ctx"}) == Names{"f_", "f_ctx_"});
  CHECK(namesFor({"f_symbolic", "f_numeric_ctx", "f_free"}) == Names{"f_symbolic_", "f_numeric_ctx_", "f_free_"});
}

TEST_CASE("renamed parameters clash with no other tensor") {
  CHECK(namesFor({"int", "int_"}) == Names{"int__", "int_"});
  CHECK(namesFor({"x_", "int", "int_", "ctx"}) == Names{"x_", "int__", "int_", "ctx_"});
  CHECK(namesFor({"a__b", "a__b_"}) == Names{"a__b__", "a__b___"});
}

TEST_CASE("reserved names") {
  for (const char *name : {"alignas", "xor_eq", "while", "restrict", "_Generic", "a__b", "spc_csr", "main"})
    CHECK(isReservedName(name));
  for (const char *name : {"", "_", "_x", "x", "A", "spmv", "Int", "ctx1", "value", "y1"})
    CHECK_FALSE(isReservedName(name));
}

TEST_CASE("names of the C and C++ libraries") {
  REQUIRE(std::is_sorted(libraryNames().begin(), libraryNames().end()));
  CHECK(libraryNames().size() > 3000);
  for (const char *name :
       {"size_t", "int32_t", "printf", "y0", "signbit", "M_PI", "I", "BUFSIZ", "unix", "std", "signal", "alloca",
        "thrd_success", "EOF", "assert", "omp_get_num_threads", "madvise", "TRUE"})
    CHECK(isLibraryName(name));
  for (const char *name : {"", "x", "A", "spmv", "alpha", "shape", "values", "nnz", "copy", "norm", "sort"})
    CHECK_FALSE(isLibraryName(name));
  for (const std::string_view name : libraryNames())
    CHECK(namesFor({std::string(name)}) == Names{std::string(name) + "_"});
}
