// Headers of kernels, taken apart for those of libraries.
#include "abi/library_header.h"

#include "fixtures.h"

#include "abi/header.h"
#include "abi/signature_json.h"

#include <catch2/catch.hpp>

#include <functional>

namespace spc::abi::test {
namespace {

struct Written {
  Signature signature;
  ReadSignature read;
  std::string header;
};

Written write(const std::function<sema::Kernel(SourceManager &)> &make) {
  SourceManager sources;
  const sema::Kernel kernel = make(sources);
  Signature signature = makeSignature(kernel);
  std::optional<ReadSignature> read = readSignature(signatureJson(signature, kernel));
  REQUIRE(read);
  std::string header = writeHeader(signature, kernel);
  return {std::move(signature), std::move(*read), std::move(header)};
}

/// The text without the first place of `part`, or with something else there.
std::string without(std::string text, const std::string &part, const std::string &instead = "") {
  const size_t place = text.find(part);
  REQUIRE(place != std::string::npos);
  return text.replace(place, part.size(), instead);
}

} // namespace

TEST_CASE("a header is its comment, its guard, what all headers share, its types and its functions") {
  for (const auto &make : {sddmm, scaledSpmv, csfProduct, product, accumulated, sharedParts, productInParts}) {
    const Written written = write(make);
    INFO(written.signature.function);
    const std::optional<KernelHeader> parts = splitHeader(written.header, written.signature.function);
    REQUIRE(parts);
    std::string types;
    for (const auto &[guard, text] : parts->types) {
      CHECK(text.starts_with(guard + "\n"));
      CHECK(text.ends_with("#endif\n"));
      types += text + "\n";
    }
    const std::string common = "\n" + std::string(commonText()) + "\n";
    CHECK(parts->comment + parts->guard + common + types + parts->functions + "#endif\n" == written.header);
    CHECK(parts->guard.ends_with("#define SPC_KERNEL_" + written.signature.function + " 0x" +
                                 written.signature.fingerprint + "u\n"));
    CHECK(belongsTo(*parts, written.read));
  }
}

TEST_CASE("types are those of the arguments, each once") {
  const Written written = write(product);
  const std::optional<KernelHeader> parts = splitHeader(written.header, "product");
  REQUIRE(parts);
  REQUIRE(parts->types.size() == 1);
  CHECK(parts->types[0].first == "#ifndef SPC_TYPE_CSR_F64_I32");
  CHECK(parts->functions.find("product_numeric_ctx(") != std::string::npos);
}

TEST_CASE("a header belongs to the object of its signature alone") {
  const Written one = write(product), other = write(accumulated);
  const std::optional<KernelHeader> parts = splitHeader(one.header, "product");
  REQUIRE(parts);
  CHECK_FALSE(belongsTo(*parts, other.read));
  ReadSignature changed = one.read;
  changed.fingerprint.back() = changed.fingerprint.back() == '0' ? '1' : '0';
  CHECK_FALSE(belongsTo(*parts, changed));
  changed = one.read;
  changed.phases.push_back("_other");
  CHECK_FALSE(belongsTo(*parts, changed));
}

TEST_CASE("what spc has not written for the kernel is no header of it") {
  const std::string header = write(product).header;
  CHECK(splitHeader(header, "product"));
  CHECK_FALSE(splitHeader(header, "other"));
  CHECK_FALSE(splitHeader(header, "produc"));
  CHECK_FALSE(splitHeader("", "product"));
  CHECK_FALSE(splitHeader(header + "int more;\n", "product"));
  CHECK_FALSE(splitHeader(without(header, "#ifdef SPC_KERNEL_product"), "product"));
  CHECK_FALSE(splitHeader(without(header, "#define SPC_KERNEL_product"), "product"));
  CHECK_FALSE(splitHeader(without(header, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"), "product"));
  // Something between the types, and a type without its end.
  CHECK_FALSE(splitHeader(
      without(header, "#ifdef __cplusplus\nextern \"C\" {", "int x;\n#ifdef __cplusplus\nextern \"C\" {"), "product"));
  const size_t type = header.find("#ifndef SPC_TYPE_"), end = header.find("\n#endif\n\n", type);
  REQUIRE(end != std::string::npos);
  CHECK_FALSE(splitHeader(std::string(header).erase(end + 1, 7), "product"));
  for (size_t length = 0; length < header.size(); length += 97)
    CHECK_FALSE(splitHeader(std::string_view(header).substr(0, length), "product"));
}

} // namespace spc::abi::test
