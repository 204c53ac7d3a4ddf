#include "end_to_end/stage_texts.h"

#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

#include <sstream>

namespace spc::testing {
namespace {

const std::vector<std::string> kSearchedFormats = {"csr",          "csc",       "dcsr",  "coo",    "coo-aos", "csr-dup",
                                                   "csr-unsorted", "coo-dup",   "cd",    "ell",    "ell4q",   "ell1",
                                                   "csr-len",      "ragged",    "lower", "bsr2x3", "dbsr",    "tiled",
                                                   "bsr-cm",       "block-ell", "dia",   "nm24",   "sym-csr"};
const std::vector<std::string> kStageTensorFormats = {"csf", "csf:2,0,1",   "coo",         "coo3-aos",     "ddc",
                                                      "dcd", "batched-coo", "batched-bsr", "batched-lower"};

struct Kernels {
  std::vector<std::string> statements;
  std::vector<std::string> formats; ///< of A
  Formats others;
};

const std::vector<Kernels> &allKernels() {
  static const std::vector<Kernels> kernels = {
      {{"y(i) = A(i,j)*x(j)", "D(i,j) = alpha*A(i,j)", "D(i,j) = A(i,j)/x(i)", "t = A(i,j)"}, kSearchedFormats, {}},
      {{"D(i,j) = A(i,j)*B(i,j)", "D(i,j) = A(i,j) + B(i,j)", "D(i,j) = A(i,k)*B(k,j)"},
       kSearchedFormats,
       {{"B", "csr"}, {"D", "dense"}}},
      {{"D(i,j) = A(i,j)*B(i,k)*C(k,j)", "D(i,j) = A(i,j)/alpha"}, {"csr", "csc", "coo", "bsr2x3"}, {}},
      {{"D(i,j) = A(i,j) + alpha", "D(i,j) = A(i,j) + x(i)"}, {"csr", "csc", "coo"}, {{"D", "dense"}}},
      {{"Y(i,j) = A(i,j,k)*x(k)", "D(i,j,k) = alpha*A(i,j,k)"}, kStageTensorFormats, {}},
  };
  return kernels;
}

using Texts = std::map<pipeline::Stage, std::vector<StageText>>;

/// The kernel's text at each of the stages that are searched.
void addTexts(const KernelSpec &spec, Texts &texts) {
  INFO(describe(spec));
  const KernelUnderTest kernel(spec);
  INFO(kernel.diagnostics());
  REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
  for (const pipeline::Stage stage : {pipeline::Stage::Linalg, pipeline::Stage::Sparse, pipeline::Stage::Loops}) {
    Diagnostics diagnostics;
    const std::optional<std::string> text = pipeline::compile(kernel.kernel(), stage, {}, diagnostics);
    REQUIRE(text);
    REQUIRE(text->find("func.func") != std::string::npos);
    texts[stage].push_back({describe(spec), *text});
  }
}

Texts makeTexts() {
  Texts texts;
  for (const Kernels &kernels : allKernels())
    for (const std::string &statements : kernels.statements)
      for (const std::string &format : kernels.formats) {
        KernelSpec spec;
        spec.statements = statements;
        spec.formats = kernels.others;
        spec.formats["A"] = format;
        spec.optLevel = 0;
        addTexts(spec, texts);
      }
  return texts;
}

} // namespace

const std::vector<StageText> &stageTexts(pipeline::Stage stage) {
  static const Texts texts = makeTexts();
  return texts.at(stage);
}

std::string textWith(pipeline::Stage stage, const std::string &word) {
  for (const StageText &one : stageTexts(stage))
    if (one.text.find(word) != std::string::npos)
      return one.kernel;
  return {};
}

std::string lineWith(pipeline::Stage stage, const std::string &word, const std::string &other) {
  for (const StageText &one : stageTexts(stage)) {
    std::istringstream lines(one.text);
    for (std::string line; std::getline(lines, line);)
      if (line.find(word) != std::string::npos && line.find(other) != std::string::npos)
        return one.kernel + "\n" + line;
  }
  return {};
}

} // namespace spc::testing
