#include "options.h"

#include "harness.h"
#include "sample_matrices.h"

#include "tensor/files/files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <omp.h>

using spc::tensor::Coordinates;

namespace {

const std::map<std::string, Coordinates (*)(int64_t)> kSamples = {
    {"power-law", powerLaw}, {"uniform", anyColumns}, {"five-points", fivePointStencil}, {"27-points", stencil27},
    {"blocks", denseBlocks}, {"fibers", fullFibers},  {"skewed", skewedSlices}};

void stopWithUsage(const std::vector<std::string> &kernels) {
  std::string text =
      "usage: [--rounds N] [--threads N]... [--entries N] [--width K]... [--csv FILE] [--least] [--variants] "
      "[--default-malloc] [--data DIR]... [--only KERNEL]... [INPUT]...\nKERNEL:";
  for (const std::string &kernel : kernels)
    text += " " + kernel;
  text += "\nINPUT: FILE.mtx[.gz] FILE.tns[.gz]";
  for (const auto &[name, make] : kSamples)
    text += " " + name;
  check(false, text.c_str());
}

bool isInputFile(const std::string &path) {
  for (const std::string ending : {".mtx", ".mtx.gz", ".tns", ".tns.gz"})
    if (path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0)
      return true;
  return false;
}

void addFolder(Options &options, const std::string &folder) {
  std::error_code error;
  std::vector<std::string> found;
  for (const auto &file : std::filesystem::directory_iterator(folder, error))
    if (isInputFile(file.path().string()))
      found.push_back(file.path().string());
  check(!error, ("cannot read " + folder).c_str());
  std::sort(found.begin(), found.end());
  options.inputs.insert(options.inputs.end(), found.begin(), found.end());
}

/// False where there is no such option with a value.
bool setOption(Options &options, const std::string &name, const std::string &value) {
  if (name == "--only") {
    options.only.push_back(value);
    return true;
  }
  if (name == "--csv") {
    options.csv = value;
    return true;
  }
  if (name == "--data") {
    addFolder(options, value);
    return true;
  }
  const int64_t number = std::atoll(value.c_str());
  if (number < 1)
    return false;
  if (name == "--rounds")
    options.rounds = int(number);
  else if (name == "--threads")
    options.threads.push_back(int(number));
  else if (name == "--width")
    options.widths.push_back(number);
  else if (name == "--entries")
    options.entries = number;
  else
    return false;
  return true;
}

} // namespace

bool Options::wants(const std::string &kernel) const {
  return only.empty() || std::find(only.begin(), only.end(), kernel) != only.end();
}

Options parseOptions(int argc, char **argv, const std::vector<std::string> &kernels) {
  Options options;
  for (int n = 1; n < argc; ++n) {
    const std::string name = argv[n];
    if (name == "--variants")
      options.allVariants = true;
    else if (name == "--least")
      options.least = true;
    else if (name == "--default-malloc")
      options.defaultMalloc = true;
    else if (name.substr(0, 2) != "--")
      options.inputs.push_back(name);
    else if (n + 1 == argc || !setOption(options, name, argv[++n]))
      stopWithUsage(kernels);
  }
  for (const std::string &kernel : options.only)
    if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end())
      stopWithUsage(kernels);
  if (options.threads.empty())
    options.threads = {1, omp_get_num_procs()};
  if (options.inputs.empty())
    for (const auto &[name, make] : kSamples)
      options.inputs.push_back(name);
  return options;
}

Coordinates loadInput(const std::string &name, int64_t entries) {
  auto sample = kSamples.find(name);
  spc::Diagnostics diagnostics;
  auto input =
      sample != kSamples.end() ? sample->second(entries) : spc::tensor::readTensor(name, std::nullopt, diagnostics);
  check(input.has_value(), ("cannot read " + name).c_str());
  spc::tensor::sortAndSum(*input);
  input->values = randomValues(input->size(), 5);
  return std::move(*input);
}

std::string shortName(const std::string &input) {
  const std::string name = input.substr(input.find_last_of('/') + 1);
  return name.substr(0, name.find('.'));
}
