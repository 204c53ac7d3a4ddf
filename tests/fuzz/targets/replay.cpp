// Runs a fuzz target on files, and on all files of folders: the committed corpora, without libFuzzer.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int main(int count, char **arguments) {
  std::vector<std::filesystem::path> files;
  for (int k = 1; k < count; ++k)
    if (std::filesystem::is_directory(arguments[k]))
      std::copy(std::filesystem::directory_iterator(arguments[k]), {}, std::back_inserter(files));
    else
      files.emplace_back(arguments[k]);
  for (const std::filesystem::path &file : files) {
    std::ifstream input(file, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(input), {});
    std::cout << file.string() << std::endl; // the last one that is named is the one that fails
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  }
  return files.empty() ? 2 : 0;
}
