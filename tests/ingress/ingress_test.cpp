// Modules that are read: names, sizes, order of sums, places; and damaged ones, of which none may end the process.
#include "ingress/module.h"
#include "ingress/mutate.h"
#include "sema/analyze.h"
#include "sema/program.h"
#include "support/render.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace spc {
namespace {

struct Read {
  std::optional<ingress::Module> module;
  std::optional<sema::Program> program;
  std::string kernel; ///< as source text
  std::deque<Diagnostic> said;
};

Read read(const std::string &text, const ingress::Wanted &wanted = {}) {
  SourceManager sources;
  Diagnostics diagnostics;
  const SourceFile &file = sources.add("model.mlir", text);
  Read read;
  read.module = ingress::readModule(file, wanted, sources, diagnostics);
  if (read.module && !read.module->kernels.empty()) {
    const ingress::ModuleKernel &kernel = read.module->kernels.front();
    sema::Options options;
    options.function = "f";
    options.strictFp = kernel.isStrict;
    read.program = sema::check(kernel.tree, kernel.bindings, options, diagnostics);
    if (read.program)
      read.kernel = sema::toText(*read.program);
  }
  read.said = diagnostics.all();
  REQUIRE((read.module && (read.module->kernels.empty() || read.program)) == !diagnostics.hasErrors());
  for (Diagnostic &diagnostic : read.said)
    CHECK(diagnostic.severity != Severity::Internal);
  return read;
}

std::string corpusFolder() {
  return std::string(SPC_SOURCE_DIR) + "/tests/ingress/corpus";
}

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(corpusFolder()))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path &path : paths) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

constexpr const char *kSum = R"(
func.func @f(%A: tensor<?x4xf32>, %B: tensor<?x4xf32> {spc.name = "other"}) -> (tensor<?xf32> {spc.name = "total"}) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %B, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %B : tensor<?x4xf32>, tensor<?x4xf32>) outs(%s : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b FLAGS : f32
      %r = arith.addf %p, %o FLAGS : f32
      linalg.yield %r : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
})";

std::string withFlags(const std::string &flags) {
  std::string text = kSum;
  for (size_t at; (at = text.find("FLAGS")) != std::string::npos;)
    text.replace(at, 5, flags);
  return text;
}

TEST_CASE("arguments and results have the names of the text, or given ones; loops unite sizes") {
  CHECK(read(withFlags("")).kernel == "kernel f(A, other) -> (total)\n"
                                      "tensor A(A_0, 4): f32\n"
                                      "tensor other(A_0, 4): f32\n"
                                      "tensor total(A_0): f32\n"
                                      "total(i) = sum(j, A(i,j)*other(i,j))\n");
}

TEST_CASE("floats are added up in order unless all operations allow another one") {
  CHECK(read(withFlags("")).module->kernels.front().isStrict);
  CHECK(read(withFlags("fastmath<contract>")).module->kernels.front().isStrict);
  CHECK_FALSE(read(withFlags("fastmath<reassoc>")).module->kernels.front().isStrict);
  CHECK_FALSE(read(withFlags("fastmath<fast>")).module->kernels.front().isStrict);
}

TEST_CASE("complex numbers are added up as their operations allow") {
  const auto text = [](const std::string &sum, const std::string &product) {
    return R"(
func.func @f(%A: tensor<4xcomplex<f64>>, %B: tensor<4xcomplex<f64>>) -> tensor<complex<f64>> {
  %z = complex.constant [0.0, 0.0] : complex<f64>
  %e = tensor.from_elements %z : tensor<complex<f64>>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%A, %B : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) outs(%e : tensor<complex<f64>>) {
    ^bb0(%a: complex<f64>, %b: complex<f64>, %o: complex<f64>):
      %p = complex.mul %a, %b )" +
           product + R"( : complex<f64>
      %r = complex.add %o, %p )" +
           sum + R"( : complex<f64>
      linalg.yield %r : complex<f64>
  } -> tensor<complex<f64>>
  return %0 : tensor<complex<f64>>
})";
  };
  const std::string any = "fastmath<reassoc>", fast = "fastmath<fast>";
  CHECK(read(text("", "")).module->kernels.front().isStrict);
  CHECK(read(text("fastmath<contract>", any)).module->kernels.front().isStrict);
  CHECK(read(text(any, "")).module->kernels.front().isStrict);
  CHECK(read(text("", fast)).module->kernels.front().isStrict);
  CHECK_FALSE(read(text(any, any)).module->kernels.front().isStrict);
  CHECK_FALSE(read(text(fast, any)).module->kernels.front().isStrict);
}

TEST_CASE("one of several functions is chosen by name") {
  const std::string one = "(%x: tensor<4xf64>) -> tensor<4xf64> { return %x : tensor<4xf64> }\n";
  const std::string text = "func.func @g" + one + "func.func private @h" + one + "func.func @k" + one;
  CHECK(read(text).module->functions == std::vector<std::string>{"g", "k"});
  CHECK(read(text).module->kernels.empty());
  CHECK(read(text, {"k"}).module->kernels.front().tree.signature->name.text == "k");
  CHECK(read(text, {"h"}).module->kernels.empty());
  CHECK(read(text, {"", true}).module->kernels.size() == 2);
  CHECK(read(text, {"k", true}).module->kernels.size() == 1);
}

TEST_CASE("what is refused of several functions is said of each") {
  const std::string cast = "(%x: f64) -> i64 { %r = arith.bitcast %x : f64 to i64 return %r : i64 }\n";
  CHECK(read("func.func @g" + cast + "func.func @k" + cast, {"", true}).said.size() == 2);
}

TEST_CASE("a size that nothing but an expression reads is an operand, one that says no more than a shape is none") {
  CHECK(read("func.func @f(%A: tensor<?xf64>, %x: f64) -> f64 {\n"
             "  %c0 = arith.constant 0 : index\n  %n = tensor.dim %A, %c0 : tensor<?xf64>\n"
             "  %i = arith.index_cast %n : index to i64\n  %f = arith.sitofp %i : i64 to f64\n"
             "  %r = arith.mulf %x, %f : f64\n  return %r : f64\n}")
            .kernel == "kernel f(x, A_0) -> (out)\ntensor x: f64\ntensor out: f64\ntensor A_0: i64\n"
                       "out = x*f64(i64(A_0))\n");
  CHECK(read("func.func @f(%A: tensor<?xf64>, %n: index) -> tensor<?x4xf64> {\n"
             "  %0 = tensor.expand_shape %A [[0, 1]] output_shape [%n, 4] : tensor<?xf64> into tensor<?x4xf64>\n"
             "  return %0 : tensor<?x4xf64>\n}")
            .kernel == "kernel f(A) -> (out)\ntensor A(4*n): f64\ntensor out(n, 4): f64\nout(i,j) = A(4*i + j)\n");
}

TEST_CASE("a value that is used over and over is refused once it grows too large") {
  std::string body;
  for (int k = 0; k < 40; ++k)
    body +=
        "%v" + std::to_string(k + 1) + " = arith.mulf %v" + std::to_string(k) + ", %v" + std::to_string(k) + " : f64\n";
  const Read found = read("func.func @f(%v0: f64) -> f64 {\n" + body + "return %v40 : f64 }");
  REQUIRE(found.said.size() == 1);
  CHECK(found.said.front().kind.id == "mlir-size");
}

TEST_CASE("what the module says of where an operation comes from is told") {
  const Read found =
      read("func.func @f(%x: f64) -> i64 {\n  %r = arith.bitcast %x : f64 to i64 loc(\"model.py\":12:3)\n"
           "  return %r : i64\n}");
  REQUIRE(found.said.size() == 1);
  const Diagnostic &wrong = found.said.front();
  CHECK(wrong.kind.id == "mlir-operation");
  CHECK(wrong.where.begin == 38);
  REQUIRE(wrong.notes.size() == 1);
  CHECK(wrong.notes.front().message == "the module says that this comes from model.py:12:3");
}

TEST_CASE("modules end in .mlir or .mlirbc, or begin as bytecode does") {
  CHECK(ingress::isModule("a/model.mlir", ""));
  CHECK(ingress::isModule("model.mlirbc", ""));
  CHECK(ingress::isModule("-", "ML\xefR\x0d"));
  CHECK_FALSE(ingress::isModule("model.tex", "module"));
}

TEST_CASE("damaged modules are read or refused") {
  const std::vector<std::string> texts = corpus();
  REQUIRE(texts.size() > 20);
  std::vector<std::string> tokens;
  for (const std::string &text : texts)
    for (std::string &token : testing::tokensOf(text))
      tokens.push_back(std::move(token));
  const char *wanted = std::getenv("SPC_TEST_COUNT"), *seed = std::getenv("SPC_TEST_SEED");
  const int count = wanted ? std::atoi(wanted) : 600;
  std::mt19937_64 random(seed ? std::strtoull(seed, nullptr, 10) : 1);
  int valid = 0;
  for (int k = 0; k < count; ++k) {
    const std::string text = testing::damaged(texts[static_cast<size_t>(k) % texts.size()], tokens, random);
    INFO(text);
    if (wanted)
      std::ofstream("damaged.mlir") << text; // what a crash leaves
    const Read found = read(text);
    valid += found.program ? 1 : 0;
  }
  std::cout << count << " modules, " << valid << " of them kernels\n";
  CHECK(valid > count / 100);
}

} // namespace
} // namespace spc
