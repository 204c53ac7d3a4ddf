// Signatures as data: what they say, and formats that can be read back.
#include "abi/signature_json.h"

#include "fixtures.h"
#include "storages.h"

#include "format/format_file.h"
#include "format/format_writer.h"
#include "format/levels.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace spc::abi {

using Json = nlohmann::ordered_json;

/// As loaded formats are: a level above a singleton is not unique, and there are no blocks of one element.
static bool isAsLoaded(const format::Format &format) {
  for (const format::Level &level : format.levels)
    if (level.block == 1)
      return false;
  for (int k = 0; k + 1 < format.levelCount(); ++k)
    if (format::continuesParent(format, k + 1) && format.levels[static_cast<size_t>(k)].unique)
      return false;
  return format.order() > 0;
}

TEST_CASE("a signature says how each argument is passed") {
  SourceManager sources;
  const sema::Kernel kernel = test::sddmm(sources);
  const Signature signature = makeSignature(kernel);
  const Json json = Json::parse(signatureJson(signature, kernel));
  CHECK(json["name"] == "sddmm");
  CHECK(json["fingerprint"] == signature.fingerprint);
  CHECK(json["functions"]["call"]["typed"] == "sddmm_spc5_" + signature.fingerprint);
  CHECK(json["functions"].size() == 1);
  REQUIRE(json["arguments"].size() == 4);
  CHECK(json["arguments"][0]["struct"] == "spc_csr_f32_i32");
  CHECK(json["arguments"][0]["fields"][3] == Json{{"name", "row_ptr"}, {"holds", "pointers"}, {"level", 1}});
  CHECK(json["arguments"][3]["structure"] == "of S");
  CHECK(json["statuses"]["0"] == "no error");
}

TEST_CASE("each field of a struct has an entry, in order") {
  const std::vector<format::Format> formats = test::manyFormats();
  for (size_t f = 0; f < formats.size(); f += 1 + formats.size() / 1000) {
    const format::Format &format = formats[f];
    const StructType type = structFor(format, sema::ValueType::F64);
    sema::Kernel kernel;
    kernel.function = "f";
    for (int dim = 0; dim < format.order(); ++dim)
      kernel.extents.push_back({std::string(1, static_cast<char>('i' + dim)), {}});
    sema::Tensor tensor;
    tensor.name = "A";
    tensor.format = format;
    tensor.type = sema::ValueType::F64;
    for (sema::ExtentId extent : kernel.extents.ids())
      tensor.extents.push_back(extent);
    kernel.tensors.push_back(tensor);
    kernel.parameters = {sema::TensorId(0)};
    const Json json = Json::parse(signatureJson(makeSignature(kernel), kernel));
    CHECK(json["arguments"][0]["fields"].size() == type.fields.size());
  }
}

TEST_CASE("what is written of a format reads back as that format") {
  const std::filesystem::path folder = std::filesystem::path(SPC_BINARY_DIR) / "abi-tests" / "written";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "written.json";
  int count = 0;
  const std::vector<format::Format> formats = test::manyFormats();
  for (size_t f = 0; f < formats.size(); f += 1 + formats.size() / 1000) {
    const format::Format &format = formats[f];
    if (!isAsLoaded(format))
      continue;
    const std::string text = format::toJson(format).dump();
    std::ofstream(path) << text;
    SourceManager sources;
    Diagnostics diagnostics;
    format::FormatLoader loader({}, sources, diagnostics);
    const std::vector<format::Binding> bindings = loader.load(path);
    if (bindings.empty()) // no file can say it
      continue;
    ++count;
    INFO(text);
    const std::optional<format::Format> read = bindings.front().family->instantiate(format.order());
    REQUIRE(read);
    CHECK(test::storageKey(*read) == test::storageKey(format));
  }
  CHECK(count > 100);
}

} // namespace spc::abi
