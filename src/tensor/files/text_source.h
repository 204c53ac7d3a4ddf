// The text of a data file, piece by piece, decompressed where it is gzip or Zstandard.
#pragma once

#include "support/diagnostic.h"
#include "support/open_file.h"
#include "support/work_count.h"
#include "tensor/files/compression.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::tensor {

/// How much text a file may have unless --input-limit says otherwise: this, and of compressed files no more than so
/// many bytes and so many times what they take compressed. Numbers are not that alike; files that are made to fill
/// memory are.
constexpr uint64_t kMostText = uint64_t{16} << 30;
constexpr uint64_t kAnyExpansion = uint64_t{64} << 20;
constexpr uint64_t kMostExpansion = 200;

class TextSource {
public:
  /// Opens `path`; "-" is standard input. `limit` takes the place of the limits above; `count`, if
  /// there is one, counts bytes of the file as they are read. All outlive this.
  TextSource(const std::string &path, std::optional<uint64_t> limit, Diagnostics &diagnostics,
             WorkCount *count = nullptr);
  ~TextSource();

  /// Reads up to `count` bytes of text, 0 only at its end. nullopt after reporting what is wrong with the file.
  std::optional<size_t> read(char *bytes, size_t count);

  /// An estimate of the text's length in bytes, from the file's; 0 of pipes.
  uint64_t expectedSize() const;

  /// The length in bytes of a text that is a file as it is; nullopt where that shows at its end. Requires: read() has
  /// been called.
  std::optional<uint64_t> size() const;

  /// How many bytes the text of a regular file can have at most. Requires: read() has been called.
  uint64_t most() const;

  /// How many bytes may come of so many compressed ones.
  uint64_t mostFrom(uint64_t compressed) const;

  /// Reports that there is more than there may be.
  void reportTooLong(const std::string &what);

private:
  bool start();
  bool fillInput();
  std::optional<size_t> decodeInto(char *bytes, size_t count);
  bool isWithinLimit();
  void reportMoreThan(uint64_t most);
  std::nullopt_t damaged(const std::string &why);

  const std::string &path_;
  std::optional<uint64_t> limit_;
  Diagnostics &diagnostics_;
  WorkCount *count_;
  InputFile file_;
  std::vector<char> input_; ///< as the file has it
  size_t at_ = 0;           ///< what of `input_` has been used
  size_t inputEnd_ = 0;
  bool started_ = false;
  bool inputEnded_ = false;
  uint64_t taken_ = 0; ///< bytes of the file
  uint64_t made_ = 0;  ///< bytes of text
  std::unique_ptr<Decoder> decoder_;
};

} // namespace spc::tensor
