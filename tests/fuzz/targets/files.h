// Inputs that are read from files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace spc::testing {

/// Writes the bytes into a file of this process, in a folder that is in memory where the system has one.
inline std::string fileWith(const uint8_t *bytes, size_t size, const std::string &extension) {
  static const std::filesystem::path folder = [] {
    const std::filesystem::path memory = "/dev/shm";
    const auto base = std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
    std::filesystem::path own = base / ("spc-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(own);
    return own;
  }();
  static const struct Remover {
    ~Remover() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  } remover;
  const std::filesystem::path file = folder / ("input" + extension);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes), static_cast<std::streamsize>(size));
  return file.string();
}

} // namespace spc::testing
