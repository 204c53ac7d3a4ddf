// Calls the models that export.py has made objects of, and compares what they give with PyTorch: app FOLDER.
// SPDX-License-Identifier: Apache-2.0
#include "attention.h"
#include "block24.h"
#include "blocks.h"
#include "convolution.h"
#include "experts.h"
#include "gat.h"
#include "gcn.h"
#include "gin.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <spc/spc.hpp>
#include <string>
#include <vector>

static std::string folder;

template <typename T> static std::vector<T> read(const std::string &name) {
  std::ifstream file(folder + "/" + name, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<T> made(bytes.size() / sizeof(T));
  std::copy_n(bytes.begin(), made.size() * sizeof(T), reinterpret_cast<char *>(made.data()));
  return made;
}

static bool is_same(const char *name, const std::vector<float> &made) {
  const std::vector<float> wanted = read<float>(std::string(name) + ".out");
  bool is_close = made.size() == wanted.size() && !made.empty();
  for (std::size_t k = 0; is_close && k < made.size(); ++k)
    is_close = std::abs(made[k] - wanted[k]) <= 1e-5f * (1 + std::abs(wanted[k]));
  std::printf("%s: %zu numbers, %s\n", name, made.size(), is_close ? "as PyTorch" : "others than PyTorch");
  return is_close;
}

static bool run() {
  const auto row_ptr = read<std::int32_t>("adj.row_ptr"), col_ind = read<std::int32_t>("adj.col_ind");
  const auto values = read<float>("adj.values");
  const std::int64_t n = std::int64_t(row_ptr.size()) - 1;
  const auto adj = spc::csr(n, n, row_ptr, col_ind, values);
  bool is_right = true;

  // What the models of graphs are called with differs in nothing but the struct's type.
  const auto of_graph = [&](const char *name, auto call, std::int64_t channels) {
    const auto x = read<float>(std::string(name) + ".0");
    std::vector<float> out(std::size_t(n * channels));
    spc::check(call(spc::dense(x, n, 16), spc::dense(out, n, channels)), name);
    is_right &= is_same(name, out);
  };
  of_graph("gcn", [&](auto x, auto out) { return gcn({.x = x, .adj = adj, .out = out}); }, 4);
  of_graph("gin", [&](auto x, auto out) { return gin({.x = x, .adj = adj, .out = out}); }, 4);
  of_graph("gat", [&](auto x, auto out) { return gat({.x = x, .adj = adj, .out = out}); }, 16);
  of_graph("attention", [&](auto x, auto out) { return attention({.x = x, .mask = adj, .out = out}); }, 8);
  of_graph("block24", [&](auto x, auto out) { return block24({.x = x, .out = out}); }, 16);
  of_graph("blocks", [&](auto x, auto out) { return blocks({.x = x, .out = out}); }, 16);
  of_graph("experts", [&](auto x, auto out) { return experts({.x = x, .out = out}); }, 8);

  const auto x = read<float>("convolution.0");
  const auto source = read<std::int64_t>("convolution.1"), offset = read<std::int64_t>("convolution.2"),
             into = read<std::int64_t>("convolution.3");
  const std::int64_t sites = std::int64_t(x.size()) / 4, rules = std::int64_t(source.size());
  std::vector<float> out(std::size_t(sites * 6));
  spc::check(convolution({.x = spc::dense(x, sites, 4),
                          .source = spc::dense(source, rules),
                          .offset = spc::dense(offset, rules),
                          .into = spc::dense(into, rules),
                          .out = spc::dense(out, sites, 6)}),
             "convolution");
  return is_same("convolution", out) && is_right;
}

int main(int argc, char **argv) {
  folder = argc > 1 ? argv[1] : ".";
  try {
    return run() ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
