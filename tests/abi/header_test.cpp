// Golden headers. SPC_UPDATE_GOLDEN=1 in the environment rewrites them.
#include "abi/header.h"
#include "abi/text.h"
#include "fixtures.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace spc;
using namespace spc::abi;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The header without the common part, which has a test of its own.
std::string ownPart(std::string header) {
  const size_t at = header.find(commonText());
  REQUIRE(at != std::string::npos);
  return header.replace(at, commonText().size(), "/* the text of spc/spc.h and spc/levels.h */\n");
}

void checkGolden(const sema::Kernel &kernel) {
  const std::string text = ownPart(writeHeader(makeSignature(kernel), kernel));
  const std::string path = std::string(SPC_SOURCE_DIR "/tests/abi/golden/") + kernel.function + ".h";
  if (std::getenv("SPC_UPDATE_GOLDEN"))
    std::ofstream(path, std::ios::binary) << text;
  CHECK(text == readFile(path));
}

} // namespace

TEST_CASE("golden headers") {
  SourceManager sources;
  checkGolden(abi::test::sddmm(sources));
  checkGolden(abi::test::scaledSpmv(sources));
  checkGolden(abi::test::csfProduct(sources));
  checkGolden(abi::test::sharedParts(sources));
  checkGolden(abi::test::product(sources));
  checkGolden(abi::test::shortestPaths(sources));
  checkGolden(abi::test::accumulated(sources));
  checkGolden(abi::test::productInParts(sources));
}

TEST_CASE("the common part is the public headers, byte for byte") {
  const std::string folder = SPC_SOURCE_DIR "/include/spc/";
  CHECK(commonText() == readFile(folder + "shares.h") + readFile(folder + "spc.h") + readFile(folder + "message.h") +
                            readFile(folder + "plan.h") + readFile(folder + "levels.h"));
}

TEST_CASE("headers hold nothing of the machine they were made on") {
  SourceManager one, two;
  sema::Kernel kernel = abi::test::sddmm(one), moved = abi::test::sddmm(two);
  moved.kernelFile = "/elsewhere/sddmm.tex";
  const std::string text = writeHeader(makeSignature(kernel), kernel);
  CHECK(text == writeHeader(makeSignature(moved), moved));
  CHECK(text.find("folder") == std::string::npos);
}

TEST_CASE("comments cannot be broken out of") {
  CHECK(forComment("a */ b /* c") == "a * / b / * c");
  CHECK(forComment("*/*/") == "* / * /");
  CHECK(forComment("?\?/") == "? ?/");
  CHECK(forComment("a\tb\r\x01\xc3\xa9") == "a b? ? ? ?");
  SourceManager sources;
  sema::Kernel kernel = abi::test::sddmm(sources);
  kernel.kernelFile = "x*/int evil;/*.tex";
  const std::string text = writeHeader(makeSignature(kernel), kernel);
  CHECK(text.find("made by spc from *.tex;") != std::string::npos);
}

TEST_CASE("substitution leaves unknown names and stray signs alone") {
  CHECK(substitute("@a@ @b@ @ @a@", {{"a", "1"}}) == "1 @b@ @ 1");
  CHECK(substitute("x@", {{"a", "1"}}) == "x@");
  CHECK(substitute("@a@", {{"a", "@a@"}}) == "@a@");
}

TEST_CASE("an assembled output's size that no operand has is the caller's to set") {
  SourceManager sources;
  sema::Kernel kernel = abi::test::product(sources);
  const std::string words = "to be set before, as no operand has it: ";
  CHECK(writeHeader(makeSignature(kernel), kernel).find(words) == std::string::npos);
  kernel.tensors[sema::TensorId(1)].extents = {sema::ExtentId(2), sema::ExtentId(0)};
  CHECK(writeHeader(makeSignature(kernel), kernel).find(words + "ncols\n") != std::string::npos);
  kernel.extents[sema::ExtentId(1)].fixed = 7;
  CHECK(writeHeader(makeSignature(kernel), kernel).find(words) == std::string::npos);
  // Of order 3 the sizes are an array.
  sema::Kernel cube = abi::test::csfProduct(sources);
  cube.tensors[sema::TensorId(2)].format = abi::test::makeFormat("ccc");
  cube.tensors[sema::TensorId(2)].extents = {sema::ExtentId(0), sema::ExtentId(1), sema::ExtentId(3)};
  cube.tensors[sema::TensorId(2)].structure = sema::Assembled{};
  cube.extents.push_back({"l", {}});
  CHECK(writeHeader(makeSignature(cube), cube).find(words + "shape[2]\n") != std::string::npos);
}

TEST_CASE("a kernel without arguments still has a valid prototype") {
  sema::Kernel kernel;
  kernel.function = "nothing";
  const std::string text = writeHeader(makeSignature(kernel), kernel);
  CHECK(text.find("nothing_ctx(const spc_context *ctx) {") != std::string::npos);
  CHECK(text.find("nothing(void)") != std::string::npos);
}
